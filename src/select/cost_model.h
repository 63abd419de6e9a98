// The figures of the cost model that belong to no machine: what an operation counts, and which part of the
// machine's peaks kernels reach. A TOML file (corpus/cost-models), all members optional:
//
//   version = 1
//   name = "roofline"
//   [weights]                 # float operations that one counts
//   plain = 1                 # add, mul, max, select, ...; conversion, fma, division (also sqrt, rsqrt),
//   elementary = 20           # and exp, log, tanh, erf, sin, cos, pow, functions of our own
//   [efficiency]              # part of the target's peak, in (0, 1]
//   compute = 1.0
//   memory = 1.0
//   [launch]
//   factor = 1.0              # of the target's launch_seconds
#pragma once
#include <string>
#include <string_view>

#include "base/integer.h"

namespace hallmark::select {

struct CostModel {
  std::string name = "roofline";
  Rational plain = 1, conversion = 1, fma = 2, division = 8, elementary = 20;
  Rational compute_efficiency = 1, memory_efficiency = 1, launch_factor = 1;
  std::string text, sha256;  // the file as it was read, and its digest
};

// Throws UserError E7301 (not TOML), E7302 (member unknown or of a wrong type), E7303 (a figure is not
// positive, or an efficiency is above 1), with line, column and caret.
CostModel parse_cost_model(std::string_view text, const std::string& file);
// `name` is a path, or the name of a file in corpus/cost-models. Throws UserError E7320 with the known names.
CostModel load_cost_model(const std::string& name, const std::string& corpus_folder);

}  // namespace hallmark::select
