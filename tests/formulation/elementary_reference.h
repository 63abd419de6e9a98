// Error of an elementary function's emitted text in units in the last place, against double precision.
#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "../lowering/emulator.h"
#include "../lowering/programs.h"
#include "formulation/formulate.h"

namespace hallmark::testing {

struct Checked {
  const char* name;
  calculus::Op op;
  double (*reference)(double);
  double bound;  // ulp
};

inline const std::vector<Checked>& checked_functions() {
  static const std::vector<Checked> all{
      {"exp", calculus::Op::exp, std::exp, 1.0},       {"log", calculus::Op::log, std::log, 2.0},
      {"tanh", calculus::Op::tanh, std::tanh, 2.0},    {"erf", calculus::Op::erf, std::erf, 2.0},
      {"sin", calculus::Op::sin, std::sin, 1.0},       {"cos", calculus::Op::cos, std::cos, 1.0},
      {"tan", calculus::Op::tan, std::tan, 1.0},       {"asin", calculus::Op::asin, std::asin, 1.0},
      {"acos", calculus::Op::acos, std::acos, 1.0},    {"atan", calculus::Op::atan, std::atan, 1.0},
      {"sinh", calculus::Op::sinh, std::sinh, 1.0},    {"cosh", calculus::Op::cosh, std::cosh, 1.0},
      {"asinh", calculus::Op::asinh, std::asinh, 1.0}, {"acosh", calculus::Op::acosh, std::acosh, 1.0},
      {"atanh", calculus::Op::atanh, std::atanh, 1.0}};
  return all;
}

inline float as_float(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

// |result - exact| in units of the last place of the float nearest to exact; infinity where a NaN, an
// infinity or the sign of a zero is wrong.
inline double ulp_error(float argument, float result, double exact) {
  const float nearest = static_cast<float>(exact);
  if (std::isnan(nearest) || std::isnan(result))
    return std::isnan(nearest) && std::isnan(result) ? 0 : INFINITY;
  if (std::isinf(nearest) || std::isinf(result)) return nearest == result ? 0 : INFINITY;
  if (exact == 0 && argument == 0)
    return std::signbit(result) == std::signbit(nearest) && result == 0 ? 0 : INFINITY;
  // Of 2^(exponent - 1) <= |exact| < 2^exponent, without a call: 2^32 numbers are looked at.
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(exact) >> 52 & 0x7ff) - 1022;
  const int last_place = std::max(exponent - 24, -149);
  const double ulp = std::bit_cast<double>(static_cast<std::uint64_t>(last_place + 1023) << 52);
  return std::fabs(static_cast<double>(result) - exact) / ulp;
}

inline lowering::Artifact elementwise(calculus::Op op, long size) {
  using namespace calculus;
  Program p;
  p.inputs = {f32("X", {n(size)})};
  p.definitions = {define("Y", {n(size)}, operation(op, {real("X", {i(0)})}, Sort::real()))};
  p.outputs = {"Y"};
  return lowering::lower(formulation::formulate(p).program);
}

}  // namespace hallmark::testing
