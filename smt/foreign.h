// Any SMT-LIB 2 solver, given by its path, on one recorded text: `PROGRAM FILE.smt2`, nothing else. For
// replays by somebody who trusts neither of the solvers that this program knows. There is no resource limit
// that all solvers understand, so the clock and the address space bound it.
#pragma once
#include <string>

#include "smt/answer.h"

namespace hallmark::smt {

// Never throws for what the program does; anything but one line `unsat`, `sat` or `unknown` is no answer.
Answer ask_program(const std::string& path, const std::string& text, const Budget& budget);

}  // namespace hallmark::smt
