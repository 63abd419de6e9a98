// The obligations of link 2 (design, section 1): `defined`, `erasure`, `range`, `rounding`, `branch`,
// `constant`, `tolerance`, listed first and discharged afterwards.
//
// Per definition of the exact program: `defined` (model). Per definition of the formulation: `defined`,
// `range`, `rounding`, `erasure`, and `constant` and `branch` where there is something to prove. Per constant
// tensor: `constant`. Per output: `tolerance`. Bounds are local first (soundness B11); only `branch` and
// `tolerance` are about the whole program. Discharged by "interval", "theorem:NAME" (see below), "mpfr"
// (constants) and "syntactic".
//
// Theorems: sum-tree (error of a sum by the height of its order), exact-grid (sums that stay on the grid of
// their terms round nothing), member-below-maximum, shifted-exponentials, term-below-sum,
// deviation-within-row (facts.h), compensated-sum (fold_compensated.cpp), mean-shift (the error of a mean
// counts squared in a variance about it), unrolled.
#pragma once
#include <vector>

#include "calculus/program.h"
#include "contract/contract.h"
#include "formulation/formulate.h"
#include "numerics/witness.h"
#include "obligation/obligation.h"

namespace hallmark::numerics {

struct AdmissionInput {
  const calculus::Program& exact;        // the (rewritten) exact program
  const calculus::Program& formulation;  // the same definitions with roundings and orders
  const std::vector<formulation::RoundedConstant>& constants;
  const contract::Contract& contract;  // complete (contract::complete)
};

// The list, in the order of the definitions: a pure function of the input, every outcome not scheduled. Each
// statement names the definition's structure and the contract's digest.
std::vector<Obligation> list_admission_obligations(const AdmissionInput& input);

// Fills the outcomes of the obligations of that list (others are left alone). The same input gives the same
// outcomes; nothing depends on time.
void discharge_admission(std::vector<Obligation>& list, const AdmissionInput& input,
                         const WitnessOptions& witnesses = {});

// What the formulation does although the contract does not permit it: formats of storage and accumulation,
// orders, fused multiply-adds. Empty when nothing. In sentences, in the order of the definitions.
std::vector<std::string> contract_violations(const AdmissionInput& input);

}  // namespace hallmark::numerics
