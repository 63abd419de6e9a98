// Inputs that are likely to show a numerical fault.
#pragma once
#include <random>
#include <string>
#include <vector>

#include "base/integer.h"
#include "calculus/sort.h"

namespace hallmark::numerics {

// The values of a format in [low, high], rounded inwards.
struct Box {
  calculus::Format format{};
  Rational low, high;
};

std::size_t pattern_count();
// Whether it differs for a whole tensor from row by row: one element stands out.
bool pattern_singles_out(std::size_t pattern);
std::string pattern_name(std::size_t pattern);
// Element `index` of `count` under the pattern. Deterministic in its arguments and the state of `random`.
Rational pattern_value(std::size_t pattern, const Box& box, std::int64_t index, std::int64_t count,
                       std::mt19937_64& random);
Rational random_value(const Box& box, std::mt19937_64& random);
// The value of the format in the box nearest to v from below, or the box's end.
Rational into_box(const Rational& v, const Box& box);

}  // namespace hallmark::numerics
