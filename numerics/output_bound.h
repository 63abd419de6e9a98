// The proved bound of every output beside the worst error that a search finds: the two sides between which
// the true worst error lies.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "numerics/admission.h"
#include "numerics/interval.h"

namespace hallmark::numerics {

struct OutputBound {
  std::string name;
  std::string reason;  // why there is no bound
  std::optional<Interval> absolute;
  // The contract admits NaN or infinite inputs too, of which the bound says nothing.
  bool finite_only = false;
  std::string budget;               // who contributes how much
  std::optional<Rational> witness;  // an executed error is at least this
  std::string origin;               // how its input was built
  double ratio = 0;                 // bound / witness; 0 without either
};

// `aims` at the bound itself, so the search runs until its budget ends. Throws InternalError when an
// execution exceeds a bound: that would be a fault of ours.
std::vector<OutputBound> output_bounds(const AdmissionInput& input, const WitnessOptions& options);

}  // namespace hallmark::numerics
