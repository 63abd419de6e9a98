// Does one kernel compute what another computes? The first is the reference: what it stores becomes the
// ensures of a specification (validator/propose/outputs.h) that the second is checked against, output by
// output. Both are launched on the same sizes and buffers; parameters correspond by position.
//
// Under equality of bits both are executed side by side first; a difference refutes `value`, and no proof of it is
// looked for.
//
// `value`, `coverage` and `frame` of the second rest on every obligation of the first: while one of those is
// not proved, what the first computes is not known, and they are unrun.
#pragma once
#include <string>
#include <vector>

#include "pipeline/kernel_safety.h"

namespace hallmark::pipeline {

struct ComparedKernel {
  std::string name;
  KernelText text;
  Level level = Level::source;
  SafetyRequest request;
};

struct Comparison {
  std::vector<Obligation> obligations;  // of the reference, then of the other
  std::vector<std::string> notes;
};

// Throws UserError E7601 when the parameters do not correspond, Refusal E4012 when the reference's outputs
// are no terms over its inputs, UserError or Refusal where a text is missing.
Comparison compare_kernels(const ComparedKernel& reference, const ComparedKernel& other,
                           plan::Equality equality, smt::Portfolio& portfolio);

}  // namespace hallmark::pipeline
