// Whether the numerics of a candidate are good enough to be elected. The reference formulation of the
// authored program is the measure:
//
//   - what the contract does not permit (formats, orders, fma) is not admitted;
//   - an operation that may leave its domain, overflow or have no error bound is not admitted, unless the
//   same
//     tensor of the reference has the same defect;
//   - the error bound of each output must lie within its tolerance. Where not even the reference's does (deep
//     models: `gap`), it may be at most twice the reference's bound.
//
// An admitted candidate is not thereby proved: its obligations are discharged again for the receipt, from the
// elected program alone.
#pragma once
#include <string>

#include "numerics/assess.h"
#include "pipeline/candidate.h"

namespace hallmark::pipeline {

class Admission {
 public:
  Admission(const contract::Contract& contract, const Candidate& reference);
  // Sets `examined`, and `rejected` to the reason where the candidate is not admitted.
  void examine(Candidate& candidate) const;

 private:
  std::string objection(const Candidate& candidate) const;
  const contract::Contract& contract_;
  numerics::Assessment reference_;
};

}  // namespace hallmark::pipeline
