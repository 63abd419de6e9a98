// A floating-point expression: a DAG of rounded operations over boxed real inputs, as FPBench's FPCore says
// it.
//
// Equal subexpressions are one node (a machine computes the same value for both), and children stand before
// their parents. `rounding` of a node says into which format its result goes; nothing: the operation is
// exact (negation, absolute value, minimum, maximum, a choice, or arithmetic under `:precision real`).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/integer.h"
#include "calculus/sort.h"
#include "calculus/term.h"

namespace hallmark::numerics {

enum class Operation {
  variable,
  constant,  // a rational; or pi, e and their kin, named
  add,
  sub,
  mul,
  div,
  fma,
  neg,
  abs,
  min,
  max,
  sqrt,
  choose,  // if CONDITION then child 0 else child 1
  cast,    // rounds its child
  // to an integer: down, up, towards 0, to nearest with ties away from 0, to nearest with ties to even
  floor,
  ceil,
  trunc,
  round,
  nearbyint,
  // library functions of two arguments
  pow,
  hypot,
  atan2,  // of (y, x)
  // calls of one argument
  exp,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  erf,
  erfc,
  cbrt,
};
std::string_view name(Operation);
bool is_call(Operation);  // a library function: pow and what follows it
bool is_step(Operation);  // floor and its kin

struct ExpressionNode {
  Operation operation{};
  std::vector<int> children;
  std::optional<calculus::Format> rounding;
  calculus::Rounding direction = calculus::Rounding::nearest;
  int variable = 0;      // of a variable
  Rational value;        // of a constant without a name
  std::string constant;  // "PI"
  int condition = -1;    // of a choice
  std::string text;      // as in the file, shortened; for the error budget
};

// A condition over node values; children are conditions.
struct Condition {
  enum class Kind { truth, less, at_most, equal, conjunction, disjunction, negation } kind = Kind::truth;
  bool truth = true;
  int left = -1, right = -1;  // nodes
  std::vector<int> children;
};

// low <= x <= high; an end that is open is no value of x.
struct ExpressionInput {
  std::string name;
  calculus::Format format{};
  Rational low, high;
  bool open_low = false, open_high = false;
};

struct Expression {
  std::string name;
  std::vector<ExpressionInput> inputs;
  std::vector<ExpressionNode> nodes;
  std::vector<Condition> conditions;
  int root = -1;
  // What the expression stands for (:spec), over the reals; -1: itself without its roundings.
  int specification = -1;
  // What the precondition demands beyond the box: conditions over nodes that are not rounded.
  std::vector<int> demands;
};

// The nodes that a condition compares, in the order in which it is written.
std::vector<int> compared_nodes(const Expression& e, int condition);

// How the switches of design note numerics.md, section 2, stand. They are printed beside every bound.
struct ExpressionModel {
  // Inputs are reals that are rounded first; otherwise they are values of their format already.
  bool inputs_rounded = true;
  // A library call is off by at most this many units in the last place of the exact result.
  Rational call_ulps = 1;
};

std::string text(const ExpressionModel& model);

}  // namespace hallmark::numerics
