// Any SMT-LIB 2 solver, given by its path, on one recorded text: `PROGRAM FILE.smt2`, nothing else. For
// replays by somebody who trusts neither of the solvers that this program knows. There is no resource limit
// that all solvers understand, so the clock and the address space bound it.
#pragma once
#include <string>

#include "smt/answer.h"

namespace hallmark::smt {

// Never throws for what the program does; anything but one line `unsat`, `sat` or `unknown` is no answer, and
// a program that writes without end is stopped.
Answer ask_program(const std::string& path, const std::string& text, const Budget& budget);

// Why nothing that the program says may count, or nothing where it passes its checks: the known claims and
// their false twins that every process of a known solver has to pass (self_test() in solver.h), and one such
// pair over bit vectors. One wrong answer is enough. A solver need not know every theory, so what it leaves
// undecided is no fault, but to one claim at least it must answer rightly throughout: unsat to the claim, sat
// to its hypotheses and to its twin.
std::string failed_checks(const std::string& path, const Budget& budget);

}  // namespace hallmark::smt
