// An expression at one point: over the reals, enclosed by MPFI, and as IEEE 754 executes it.
//
// Executed operations are correctly rounded, library calls included; infinities and NaN are what IEEE 754
// makes of them (f8e4m3 has no infinity: what overflows there is not decided, because conversions may
// saturate).
#pragma once
#include <optional>
#include <vector>

#include "numerics/expression/expression.h"
#include "numerics/expression/node_format.h"
#include "numerics/interval.h"

namespace hallmark::numerics {

class ExactPoint {
 public:
  ExactPoint(const Expression& e, const std::vector<Rational>& inputs);

  // Nothing outside the domain or where a choice is undecided. `specification`: of what the expression stands
  // for, where that is stated.
  MaybeInterval root() const { return at(e_.specification >= 0 ? e_.specification : e_.root); }
  // Whether the precondition certainly holds.
  bool admissible() const;
  // The node by which the exact value certainly does not exist (division by 0, the logarithm of 0, ...).
  std::optional<int> undefined() const;

 private:
  const MaybeInterval& at(int node) const { return values_[static_cast<std::size_t>(node)]; }
  MaybeInterval value(const ExpressionNode& n) const;
  std::optional<bool> holds(int condition) const;
  void evaluated(int condition, std::vector<int>& out) const;
  bool leaves_domain(const ExpressionNode& n) const;

  const Expression& e_;
  std::vector<Interval> inputs_;
  std::vector<MaybeInterval> values_;
};

// quick: library functions are what the C library makes of them in long double, rounded; nearly always the
// correctly rounded value, and for a search only.
enum class Calls { exact, quick };

class ExecutedPoint {
 public:
  ExecutedPoint(const Expression& e, const std::vector<NodeFacts>& facts, const std::vector<double>& inputs,
                Calls calls = Calls::exact);

  // The result, which may be an infinity or NaN; nothing where it is not decided.
  std::optional<double> root() const;

 private:
  double at(int node) const { return values_[static_cast<std::size_t>(node)]; }
  bool decided(int node) const { return decided_[static_cast<std::size_t>(node)]; }
  std::optional<double> value(std::size_t i, const ExpressionNode& n) const;
  std::optional<double> arithmetic(std::size_t i, const ExpressionNode& n) const;
  std::optional<double> slow(const ExpressionNode& n) const;
  std::optional<bool> holds(int condition) const;

  const Expression& e_;
  const std::vector<NodeFacts>& facts_;
  const std::vector<double>& inputs_;
  Calls calls_;
  std::vector<double> values_;
  std::vector<bool> decided_;
};

// An exact result rounded into a format, an infinity for what IEEE 754 overflows; nothing where the enclosure
// does not decide it.
std::optional<double> rounded_result(const Interval& exact, calculus::Format format,
                                     calculus::Rounding direction);

}  // namespace hallmark::numerics
