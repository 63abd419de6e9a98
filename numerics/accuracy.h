// How accurate the elementary functions of a formulation are taken to be: the rows of
// corpus/accuracy/functions.toml. Each row is an assumption with an identifier, which names the table's
// digest, that every outcome resting on it lists; the functions are the calculus terms of
// formulation/functions.h.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calculus/term.h"
#include "numerics/interval.h"

namespace hallmark::numerics {

// |f(x) - op(x)| <= ulps * (the format's spacing at op(x)) + 2^minimum_exponent for every finite x of the
// format in the domain of op whose result does not overflow; the spacing is at most 2^(1-p) |op(x)|. The last
// part lets results below the normal range be anything small.
struct Accuracy {
  std::string function;  // "exp_f32"
  calculus::Op op{};
  calculus::Format format{};
  Rational ulps;
  bool nonnegative = false;    // never below 0 (exp)
  bool exact_at_zero = false;  // f(0) = op(0)
  std::string assumption;      // "accuracy:exp_f32:1ulp:1a2b3c4d"

  Interval relative() const;
  // |f(x) - op(x)| up to `rest` where |op(x)| < 1: half of relative().
  Interval below_one() const;
  Interval rest() const;
};

const std::vector<Accuracy>& accuracy_table();
const Accuracy* find_accuracy(std::string_view function);
// Functions that are compositions of correctly rounded operations and no approximation: their erased body is
// the function itself, so they are analysed by their body (square, cube, square_root, power_3_4, rsqrt,
// sign).
bool is_composition(std::string_view function);

}  // namespace hallmark::numerics
