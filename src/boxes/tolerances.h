// Certificates of errors: for each definition of a formulation a box of its exact elements, a box of the
// computed ones, and a bound of their distance. They show that, for every input of the contract, an output of
// the formulation is within its tolerance of its exact value (`tolerance`), the exact program being the
// formulation with its roundings taken away: that this is the elected program is compared by whoever checks.
//
// Checked by induction along the program (term_error.h), with nothing of the prover in numerics/. A step is a
// line "NAME LOW HIGH COMPUTED-LOW COMPUTED-HIGH ERROR", rationals in lowest terms, in the order of the
// definitions up to the output. After "by INPUT CUT ..", once or twice, boxes and error hold over each part
// of the input's box between two cuts (parts.h).
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "boxes/parts.h"
#include "boxes/term_error.h"
#include "contract/contract.h"

namespace hallmark::boxes {

class Tolerances {
 public:
  Tolerances(const calculus::Program& formulation, const std::vector<ExactConstant>& constants,
             const contract::Contract& contract);
  // A sentence that says why the steps do not show it, or nothing when they do. Never throws for what they
  // hold.
  std::string check(const std::string& output, const std::vector<std::string>& steps);
  // Steps that check, or nothing: a missing certificate means nothing.
  std::optional<std::vector<std::string>> find(const std::string& output);

 private:
  std::optional<std::vector<std::string>> find_by_parts(const std::string& output,
                                                        const std::set<std::string>& relevant, long parts);
  std::optional<Approximation> over_parts(const calculus::Definition& d, const Approximations& known,
                                          long parts, Cuts& cuts, std::size_t& work);
  Approximation approximation_of(const calculus::Definition& definition, const Approximations& known);

  const calculus::Program& program_;
  const contract::Contract& contract_;
  std::vector<ExactConstant> constants_;
  Approximations given_;     // of inputs and constants
  std::string why_nothing_;  // nothing is shown of any output
};

}  // namespace hallmark::boxes
