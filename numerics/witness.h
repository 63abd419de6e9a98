// The search for inputs that break a tolerance: structured patterns first (range ends, stagnation,
// cancellation, a large mean with a small spread), then random ones, then hill climbing on the worst. All of
// that at small sizes; what is open then is tried with the patterns at the largest that folds may have.
//
// Nothing found here is believed: a witness counts only after the formulation has been run on it and its
// error against the enclosed exact value is above the tolerance with outward rounding.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "calculus/program.h"
#include "contract/contract.h"
#include "numerics/reference.h"
#include "obligation/obligation.h"

namespace hallmark::numerics {

// Runs a formulation in IEEE arithmetic: its outputs' encodings. May throw Refusal or UserError; then the
// point is no witness.
using Simulate = std::function<std::map<std::string, calculus::TensorData>(
    const calculus::Program& formulation, const Point&)>;

struct WitnessOptions {
  Simulate simulate;                   // none: no search
  std::size_t work_limit = 2'000'000;  // estimated elementary steps of all runs together
  std::size_t random_points = 40;
  std::size_t climbing_steps = 200;
  std::size_t compared_elements = 16;  // of each output, against the reference
  std::uint64_t seed = 1;
};

// What is still open: outputs and definitions for which a witness is wanted. The search ends when each has
// one.
struct WitnessGoals {
  std::set<std::string> tolerance;      // outputs
  std::set<std::string> range, domain;  // definitions of the formulation
  std::set<std::string> undefined;      // definitions of the exact program
};

struct Findings {
  std::map<std::string, Witness> tolerance;  // by output
  std::map<std::string, Witness> range;      // by definition: an infinity or a NaN was computed
  std::map<std::string, Witness> domain;  // by definition: an operand of the formulation outside its domain
  std::map<std::string, Witness> undefined;  // by definition: the exact program is not defined on the input
  // By output: the greatest error seen, as a multiple of the tolerance; and as a lower bound.
  std::map<std::string, double> worst_ratio;
  std::map<std::string, std::string> worst_error;
  std::map<std::string, std::string> worst_origin;  // how that input was built
  std::size_t points = 0;
  std::string not_searched;  // why, when there was no search
};

Findings search_witnesses(const calculus::Program& exact, const calculus::Program& formulation,
                          const contract::Contract& contract, const WitnessGoals& goals,
                          const WitnessOptions& options);

// Estimated steps of one run: elements times the extents of the folds in them. Nothing when an extent is not
// known.
Integer estimated_work(const calculus::Program& program, const Point& point);

}  // namespace hallmark::numerics
