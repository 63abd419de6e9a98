// Accumulation on tensor cores: named models (corpus/accuracy/tensor_cores.toml), hypotheses about hardware.
//
// A block adds `products` exact products and the accumulator: every term is aligned to the largest magnitude
// among them and cut off toward zero below 24 + extra_bits bits of it, the sum is exact, and its conversion
// to f32 rounds toward zero. So a block errs by less than
//   (products + 1) 2^(-23 - extra_bits) max |term| + 2^-23 |result|.
// Truncation is biased: no statistics apply.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "calculus/sort.h"
#include "numerics/interval.h"

namespace hallmark::numerics {

struct TensorCore {
  std::string name;  // "h100-f16"
  calculus::Format operands{};
  long products = 0, extra_bits = 0;
  std::string assumption;  // "tensor-core:h100-f16:1a2b3c4d"
};

const std::vector<TensorCore>& tensor_cores();
const TensorCore* find_tensor_core(std::string_view name);

struct TensorCoreError {
  Interval absolute;  // for products of magnitude at most `product`, from 0
  Interval relative;  // of the sum, where all products have one sign; with the rest below
  Interval rest;
  Interval magnitude;  // of the result, at most
};
// `steps` products in blocks from an accumulator of 0. Nothing beyond a million blocks.
std::optional<TensorCoreError> tensor_core_error(const TensorCore& model, const Integer& steps,
                                                 const Interval& product);

}  // namespace hallmark::numerics
