// Instructions that a reader does not understand. Each of their results is a library_call without operands
// whose text says so: a value that nobody knows, and no function of anything (two of them may differ). The
// symbolic executor does not decide what depends on one, and the interpreter ends at one.
#pragma once
#include <string>

#include "validator/ir/kernel.h"

namespace hallmark::validator::ir {

inline std::string unknown_text(const std::string& instruction) {
  return "not understood: " + instruction;
}
inline bool is_unknown(const Instruction& i) {
  return i.opcode == Opcode::library_call && i.text.rfind("not understood", 0) == 0;
}
// The store that stands for what such an instruction may do to memory: it may have read there as well.
inline bool is_unknown_effect(const Instruction& i) {
  return i.opcode == Opcode::store && i.text.rfind("not understood", 0) == 0;
}

}  // namespace hallmark::validator::ir
