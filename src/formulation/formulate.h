// From an exact program (float tensors hold reals) to a formulation: every operation with its format and
// rounding, every fold with its order, every fused multiply-add written as one operation (design, section 2).
//
// What is chosen here, and stated in the result rather than implied:
//   - arithmetic in `compute` (f64 in definitions that touch an f64 tensor), round to nearest, no ftz;
//   - max and min become maxnum and minnum, the one PTX instruction max.f32 / min.f32. Without NaN they agree
//     with every other IEEE reading, except that +0 is above -0;
//   - a maximum or minimum over a range starts from an infinity, its neutral element;
//   - 1/x is one correctly rounded division; sqrt and division are correctly rounded;
//   - exp, log, tanh, erf and their kin become custom operations with a Function of our own (functions.h).
#pragma once
#include <map>
#include <string>
#include <vector>

#include "calculus/program.h"

namespace hallmark::formulation {

struct Options {
  calculus::Format compute = calculus::Format::f32;
  // accumulator + a * b in a fold's step as one fma; otherwise as a rounded product and a rounded sum.
  bool fused_multiply_add = true;
  const calculus::Order* default_order = calculus::seq_order();
  // By definition: the order of those of its folds that stand under no other fold's variable or state. Folds
  // under a binder are always seq.
  std::map<std::string, const calculus::Order*> orders;
  // By definition: the format in which it is stored, when not the authored one.
  std::map<std::string, calculus::Format> storage;
};

// A real constant of the exact program and the encoding that stands for it: one `constant` item each.
struct RoundedConstant {
  std::string definition;
  Rational exact;
  calculus::Format format = calculus::Format::f32;
  std::uint64_t bits = 0;
  bool operator==(const RoundedConstant&) const = default;
};

struct Formulation {
  calculus::Program program;
  // In the order of the definitions; within one, by value; each pair once.
  std::vector<RoundedConstant> constants;
};

// Throws Refusal: E7001 an operation without an implementation in the format; E7002 an order that is not
// legal for a fold (start value not neutral, or no combine; soundness G3); E7003 a constant that overflows.
Formulation formulate(const calculus::Program& exact, const Options& options = {});

// The default orders for one block a row: a definition whose outermost folds run over at least
// `least_extent` steps gets strided(lanes, blocked(32, tree(32), tree(lanes / 32))).
const calculus::Order* block_order(int lanes);

}  // namespace hallmark::formulation
