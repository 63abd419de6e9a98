// Reads PTX text (ISA 6.0 to 9.x, 64-bit addresses) into the kernel IR: every .entry, with .func calls
// inlined. Source: NVIDIA, "Parallel Thread Execution ISA", version 9.0; section numbers in ptx/*.cpp are of
// that text.
//
// Meaning that is fixed here:
//   - a guarded instruction without side effects and without division becomes a select, any other guarded
//     instruction a branch around it;
//   - a bare add, sub or mul on floats is marked contractible and rounds to nearest even (soundness G8);
//   - a register declared .bN or .uN is a float if only float instructions and plain moves touch it, so that
//     copies of floats need no bitcast;
//   - a call of __assertfail (a failed assert) is a trap;
//   - a register read before it is written is arbitrary; .param variables of calls are registers.
// The lexer and the parser throw UserError E310x for text that is no PTX; constructs outside the subset give
// a Refusal E311x for that kernel alone, or for the file when they stand outside kernels.
#pragma once
#include <string>
#include <string_view>

#include "validator/ir/module.h"

namespace hallmark::validator::ptx {

ir::Module read_ptx(std::string_view text, const std::string& file);

}  // namespace hallmark::validator::ptx
