// `numerics bound`, `explain` and `suggest` on programs in the text form (.hm).
#pragma once
#include <string>

#include "cli/command.h"

namespace hallmark::cli {

struct ProgramRequest {
  std::string file, contract;  // contract: empty for the default one
  std::string samples;         // ranges of inputs from data (.npz); empty: none
  bool explain = false;
};

// A formulation (`program rounded`) against its own value without roundings, or an exact program against the
// formulation that `run` would begin with. Prints bound, witness and ratio of each output, and whether the
// contract's tolerance holds. Exit codes as of `run`: 1 beats 3.
int bound_program(const ProgramRequest& request, const Common& common);
// The cheapest of a fixed list of formats and orders for which every obligation of link 2 is proved.
int suggest_program(const ProgramRequest& request, const Common& common);

}  // namespace hallmark::cli
