// Float instructions on encodings, exactly as IEEE 754 and PTX define them. Results that are NaN are the
// format's one NaN.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "validator/ir/kernel.h"

namespace hallmark::validator::interpreter {

struct FloatResult {
  std::uint64_t bits = 0;
  bool approximate = false;  // the bits are the host's, not the device's
};

// Every float_* opcode, float_convert and round_to_integral: operands of `from`, result of `to`.
FloatResult float_operation(const ir::Instruction& i, ir::Type from, ir::Type to,
                            std::span<const std::uint64_t> operands);
// library_call: by the host's function of that name. Throws Refusal E3301 for a name that is not known.
FloatResult library_function(std::string_view name, ir::Type type, std::span<const std::uint64_t> operands);
bool float_compare(ir::Predicate predicate, ir::Type type, std::uint64_t a, std::uint64_t b, bool ftz);

struct IntegerResult {
  std::uint64_t bits = 0;
  bool defined = true;  // false: the value does not fit and the conversion does not clamp
};
// float_to_signed and float_to_unsigned (PTX ISA 9.7.9.21: clamped; NaN gives 0, or 2^(w-1) when source or
// target has 64 bits).
IntegerResult float_to_integer(const ir::Instruction& i, ir::Type from, ir::Type to, std::uint64_t a);
// signed_to_float and unsigned_to_float.
std::uint64_t integer_to_float(const ir::Instruction& i, ir::Type from, ir::Type to, std::uint64_t a);

}  // namespace hallmark::validator::interpreter
