// Sums of products of two tensors: matrix products, convolutions and their kin, in double. They are brought
// to packed blocks and multiplied by a small kernel that keeps the written order of each sum, so that the
// values are those of the general evaluator bit for bit.
#pragma once
#include <optional>
#include <vector>

#include "evaluator/evaluator.h"

namespace hallmark::evaluator {

// offset + sum of coefficients[v] * variable v; variables are first those of the output, then those of the
// sum.
struct Affine {
  std::int64_t offset = 0;
  std::vector<std::int64_t> coefficients;
};

struct Factor {
  const Tensor* tensor = nullptr;
  std::vector<Affine> indices;  // one per axis of the tensor
};

struct Contraction {
  double init = 0;
  std::vector<std::int64_t> extents;  // of the variables
  std::size_t output_variables = 0;   // the others are summed over, the last one running fastest
  Affine output;                      // row-major position in the output
  Factor factors[2];
  std::vector<Affine> guards;  // steps with all of them at most 0 are taken
};

// A closed fold over axis(0..rank-1), without symbols. Empty when it is no such sum.
std::optional<Contraction> match_contraction(calculus::Term fold, const Tensors& tensors,
                                             const std::vector<std::int64_t>& extents);
// The sums for all elements, row-major. Empty where the blocks would not give what the general evaluator
// gives: a read outside a tensor, or a skipped step whose other factor is not finite.
std::optional<std::vector<double>> contract(const Contraction& contraction, std::int64_t output_count,
                                            unsigned jobs);

}  // namespace hallmark::evaluator
