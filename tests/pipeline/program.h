// The program as a person starts it.
#pragma once
#include <string>
#include <vector>

#include "base/process.h"

namespace hallmark::testing {

// `first` is put before everything on PATH when it is not empty.
ProcessResult start(std::vector<std::string> arguments, const std::string& first_on_path = {});
// A program NAME in FOLDER/bin that answers every (check-sat) in the same way: "unsat", "sat", "unknown",
// "garbage", "nothing", "crash", "hang", "memory" or "exit127". Returns the folder to put on PATH.
std::string lying_solver(const std::string& folder, const std::string& name, const std::string& how);

// A program NAME in FOLDER/bin that hands everything on to the real one and, after `honest` answers of a
// process, says sat instead of unsat.
std::string late_liar(const std::string& folder, const std::string& name, int honest);

// The path of a program for `--solver` that hands its first `honest` files to z3 and then says `word` to each
// (twelve are the checks that it has to pass).
std::string late_liar_by_path(const std::string& folder, int honest, const std::string& word);

}  // namespace hallmark::testing
