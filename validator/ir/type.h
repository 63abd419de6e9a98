// Types of kernel values. Signedness belongs to operations, not to types, and addresses are integers: i64, or
// i32 for the 32-bit views of shared and local memory that PTX uses.
#pragma once
#include <cstdint>
#include <string_view>

namespace hallmark::validator::ir {

enum class Type : std::uint8_t { i1, i8, i16, i32, i64, f16, bf16, f32, f64 };

bool is_integer(Type);
bool is_float(Type);
unsigned bits_of(Type);   // i1: 1
unsigned bytes_of(Type);  // in memory; i1: 1
std::uint64_t mask_of(Type);
Type integer_type(unsigned bits);  // 1, 8, 16, 32, 64; InternalError otherwise
std::string_view name(Type);       // "i32", "bf16"

// Address spaces of memory instructions and arrays. Kernel parameters are no memory here: see
// Opcode::parameter.
enum class Space : std::uint8_t { generic, global, shared, local, constant };
std::string_view name(Space);

}  // namespace hallmark::validator::ir
