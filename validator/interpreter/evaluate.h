// Instructions that only compute: from operand values to the result.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "obligation/obligation.h"
#include "validator/ir/kernel.h"

namespace hallmark::validator::interpreter {

// A value and which of its bits are undefined. Undefined bits hold something all the same.
struct Cell {
  std::uint64_t bits = 0, undefined = 0;
};

// What happened beside the result.
struct Notes {
  std::optional<ObligationKind> fault;
  std::string summary;
  bool approximate = false;
  bool overflowed = false;  // of finite operands an infinity, and no pole
};

// `garbage`: bits for what is undefined. Throws Refusal E3301 for opcodes that are not pure or not known.
Cell evaluate(const ir::Kernel& kernel, const ir::Instruction& i, std::span<const Cell> operands,
              std::uint64_t garbage, Notes& notes);
std::int64_t signed_value(std::uint64_t bits, ir::Type type);

}  // namespace hallmark::validator::interpreter
