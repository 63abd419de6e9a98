#include "numerics/expression/execution.h"

#include <cmath>

#include "base/error.h"
#include "contract/format_values.h"
#include "numerics/expression/c_library.h"
#include "numerics/expression/library_function.h"
#include "numerics/rounding.h"

namespace hallmark::numerics {

namespace {

constexpr mpfr_prec_t bits = 256;
constexpr double infinity = std::numeric_limits<double>::infinity();

// To nearest with p < 53 bits, in the normal range, of a double that is the correctly rounded result in
// double precision. Rounding twice is rounding once unless the double is the middle of two values with p
// bits: that middle is a double, so an exact result below it rounds to at most it, and to less where it is
// not met. Nothing where it is met.
std::optional<double> round_double(double x, int p) {
  int exponent = 0;
  std::frexp(x, &exponent);
  const double unit = std::ldexp(1.0, exponent - p), scaled = x / unit;
  if (std::fabs(scaled - std::trunc(scaled)) == 0.5) return std::nullopt;
  return std::nearbyint(scaled) * unit;
}

// A function of the C library in long double.
std::optional<double> quick_call(const ExpressionNode& n, double x, double y) {
  const long double a = x, b = y;
  const long double value = n.operation == Operation::pow     ? std::pow(a, b)
                            : n.operation == Operation::hypot ? std::hypot(a, b)
                            : n.operation == Operation::atan2 ? std::atan2(a, b)
                                                              : c_library(n.operation, a);
  const double out = static_cast<double>(value);
  return std::isfinite(out) && std::fabs(out) > 1e-290 ? std::optional<double>(out) : std::nullopt;
}

}  // namespace

std::optional<double> rounded_result(const Interval& exact, calculus::Format format,
                                     calculus::Rounding direction) {
  const MaybeInterval out = round_to_format(exact, {format, direction, false});
  if (out) return out->is_point() ? std::optional<double>(mpfr_get_d(out->low(), MPFR_RNDN)) : std::nullopt;
  if (exact.contains_zero()) return std::nullopt;
  // Beyond the largest value by half its spacing, and to nearest: an infinity. Other directions may stop at
  // the largest value.
  if (direction != calculus::Rounding::nearest) return std::nullopt;
  const Interval nearer = Interval::point(exact.is_positive() ? exact.low() : exact.high());
  if (round_to_format(nearer, {format, direction, false})) return std::nullopt;
  if (format == calculus::Format::f8e4m3)
    return std::numeric_limits<double>::quiet_NaN();  // it has no infinity
  return exact.is_positive() ? infinity : -infinity;
}

// --- exact values
// -------------------------------------------------------------------------------------------

ExactPoint::ExactPoint(const Expression& e, const std::vector<Rational>& inputs) : e_(e) {
  for (const Rational& x : inputs) inputs_.emplace_back(x, bits);
  values_.resize(e.nodes.size());
  for (std::size_t i = 0; i < e.nodes.size(); ++i) values_[i] = value(e.nodes[i]);
}

bool ExactPoint::admissible() const {
  for (const int demand : e_.demands)
    if (holds(demand) != std::optional<bool>(true)) return false;
  return true;
}

// Looks at what the result needs: the other side of a choice may be anything.
std::optional<int> ExactPoint::undefined() const {
  std::vector<bool> seen(e_.nodes.size(), false);
  std::vector<int> open{e_.specification >= 0 ? e_.specification : e_.root};
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    if (seen[static_cast<std::size_t>(node)]) continue;
    seen[static_cast<std::size_t>(node)] = true;
    const ExpressionNode& n = e_.nodes[static_cast<std::size_t>(node)];
    if (n.operation == Operation::choose) {
      evaluated(n.condition, open);
      const std::optional<bool> yes = holds(n.condition);
      if (yes) open.push_back(n.children[*yes ? 0 : 1]);
      continue;
    }
    if (leaves_domain(n)) return node;
    for (const int child : n.children) open.push_back(child);
  }
  return std::nullopt;
}

// The nodes that a condition certainly looks at, from left to right: what comes after the part that decides a
// conjunction or disjunction, or after one that is not decided, need not be looked at.
void ExactPoint::evaluated(int condition, std::vector<int>& out) const {
  const Condition& c = e_.conditions[static_cast<std::size_t>(condition)];
  if (c.left >= 0) out.insert(out.end(), {c.left, c.right});
  for (const int child : c.children) {
    evaluated(child, out);
    const std::optional<bool> holds_there = holds(child);
    if (c.kind != Condition::Kind::negation && holds_there != (c.kind == Condition::Kind::conjunction))
      return;
  }
}

bool ExactPoint::leaves_domain(const ExpressionNode& n) const {
  for (const int child : n.children)
    if (!at(child)) return false;
  const auto c = [&](std::size_t k) -> const Interval& { return *at(n.children[k]); };
  const auto outside = [&](long low, long high) {
    return mpfr_cmp_si(c(0).high(), low) < 0 || mpfr_cmp_si(c(0).low(), high) > 0;
  };
  switch (n.operation) {
    case Operation::div:
      return c(1).is_zero();
    case Operation::sqrt:
      return c(0).is_negative();
    case Operation::log:
    case Operation::log2:
    case Operation::log10:
      return c(0).is_nonpositive();
    case Operation::log1p:
      return mpfr_cmp_si(c(0).high(), -1) <= 0;
    case Operation::asin:
    case Operation::acos:
      return outside(-1, 1);
    case Operation::acosh:
      return mpfr_cmp_si(c(0).high(), 1) < 0;
    case Operation::atanh:
      return mpfr_cmp_si(c(0).high(), -1) <= 0 || mpfr_cmp_si(c(0).low(), 1) >= 0;
    case Operation::atan2:
      return c(0).is_zero() && c(1).is_zero();
    case Operation::pow: {
      const Interval& y = c(1);
      if (c(0).is_zero()) return y.is_negative();
      if (!c(0).is_negative()) return false;
      // A negative base needs an integer exponent.
      return mpfr_less_p(step_function(Operation::floor, y).high(), y.low()) != 0;
    }
    default:
      return false;
  }
}

MaybeInterval ExactPoint::value(const ExpressionNode& n) const {
  if (n.operation == Operation::choose) {
    const std::optional<bool> yes = holds(n.condition);
    return yes ? at(n.children[*yes ? 0 : 1]) : std::nullopt;
  }
  for (const int child : n.children)
    if (!at(child)) return std::nullopt;
  const auto c = [&](std::size_t k) -> const Interval& { return *at(n.children[k]); };
  switch (n.operation) {
    case Operation::variable:
      return inputs_[static_cast<std::size_t>(n.variable)];
    case Operation::constant:
      return n.constant.empty() ? Interval(n.value, bits) : named_constant(n.constant, bits);
    case Operation::add:
      return c(0) + c(1);
    case Operation::sub:
      return c(0) - c(1);
    case Operation::mul:
      return c(0) * c(1);
    case Operation::div:
      return divide(c(0), c(1));
    case Operation::fma:
      return c(0) * c(1) + c(2);
    case Operation::neg:
      return -c(0);
    case Operation::abs:
      return abs(c(0));
    case Operation::min:
      return min(c(0), c(1));
    case Operation::max:
      return max(c(0), c(1));
    case Operation::cast:
      return c(0);
    case Operation::pow:
      return binary(calculus::Op::pow, c(0), c(1));
    case Operation::hypot:
    case Operation::atan2:
      return library_function(n.operation, c(0), c(1));
    case Operation::floor:
    case Operation::ceil:
    case Operation::trunc:
    case Operation::round:
    case Operation::nearbyint:
      return step_function(n.operation, c(0));
    default:
      return library_function(n.operation, c(0));
  }
}

std::optional<bool> ExactPoint::holds(int condition) const {
  const Condition& c = e_.conditions[static_cast<std::size_t>(condition)];
  if (c.left >= 0) {
    if (!at(c.left) || !at(c.right)) return std::nullopt;
    const Interval &a = *at(c.left), &b = *at(c.right);
    if (c.kind == Condition::Kind::less)
      return a.below(b)     ? std::optional<bool>(true)
             : b.at_most(a) ? std::optional<bool>(false)
                            : std::nullopt;
    if (c.kind == Condition::Kind::at_most)
      return a.at_most(b) ? std::optional<bool>(true)
             : b.below(a) ? std::optional<bool>(false)
                          : std::nullopt;
    if (a.is_point() && b.is_point()) return mpfr_equal_p(a.low(), b.low()) != 0;
    return a.below(b) || b.below(a) ? std::optional<bool>(false) : std::nullopt;
  }
  if (c.kind == Condition::Kind::truth) return c.truth;
  if (c.kind == Condition::Kind::negation) {
    const std::optional<bool> inner = holds(c.children[0]);
    return inner ? std::optional<bool>(!*inner) : std::nullopt;
  }
  const bool neutral = c.kind == Condition::Kind::conjunction;
  bool unknown = false;
  for (const int child : c.children) {
    const std::optional<bool> inner = holds(child);
    if (inner && *inner != neutral) return !neutral;
    unknown = unknown || !inner;
  }
  return unknown ? std::nullopt : std::optional<bool>(neutral);
}

// --- executed values
// ----------------------------------------------------------------------------------------

ExecutedPoint::ExecutedPoint(const Expression& e, const std::vector<NodeFacts>& facts,
                             const std::vector<double>& inputs, Calls calls)
    : e_(e), facts_(facts), inputs_(inputs), calls_(calls) {
  values_.resize(e.nodes.size());
  decided_.resize(e.nodes.size());
  for (std::size_t i = 0; i < e.nodes.size(); ++i) {
    const std::optional<double> x = value(i, e.nodes[i]);
    decided_[i] = x.has_value();
    values_[i] = x.value_or(std::numeric_limits<double>::quiet_NaN());
  }
}

std::optional<double> ExecutedPoint::root() const {
  return decided(e_.root) ? std::optional<double>(at(e_.root)) : std::nullopt;
}

std::optional<double> ExecutedPoint::value(std::size_t i, const ExpressionNode& n) const {
  const auto c = [&](std::size_t k) { return at(n.children[k]); };
  if (n.operation == Operation::choose) {
    const std::optional<bool> yes = holds(n.condition);
    if (!yes) return std::nullopt;
    const int taken = n.children[*yes ? 0 : 1];
    return decided(taken) ? std::optional<double>(at(taken)) : std::nullopt;
  }
  for (const int child : n.children)
    if (!decided(child)) return std::nullopt;
  switch (n.operation) {
    case Operation::variable:
      return inputs_[static_cast<std::size_t>(n.variable)];
    case Operation::constant:
      if ((!n.rounding && !n.constant.empty()) || !facts_[i].constant) return std::nullopt;
      return facts_[i].constant->get_d();
    case Operation::neg:
      return -c(0);
    case Operation::abs:
      return std::fabs(c(0));
    case Operation::min:
      return std::fmin(c(0), c(1));
    case Operation::max:
      return std::fmax(c(0), c(1));
    default:
      return arithmetic(i, n);
  }
}

std::optional<double> ExecutedPoint::arithmetic(std::size_t i, const ExpressionNode& n) const {
  const auto c = [&](std::size_t k) { return at(n.children[k]); };
  if (!n.rounding) return std::nullopt;
  const int p = facts_[i].precision;
  const double least = std::ldexp(1.0, facts_[i].minimum_exponent + 2);
  bool finite = true, has_fast = true;
  for (const int child : n.children) finite = finite && std::isfinite(at(child));
  double fast = 0;
  switch (n.operation) {
    case Operation::add:
      fast = c(0) + c(1);
      break;
    case Operation::sub:
      fast = c(0) - c(1);
      break;
    case Operation::mul:
      fast = c(0) * c(1);
      break;
    case Operation::div:
      fast = c(0) / c(1);
      break;
    case Operation::sqrt:
      fast = std::sqrt(c(0));
      break;
    case Operation::cast:
      fast = c(0);
      break;
    case Operation::floor:
    case Operation::ceil:
    case Operation::trunc:
    case Operation::round:
    case Operation::nearbyint:
      fast = c_library(n.operation, c(0));
      break;
    case Operation::fma:
      fast = std::fma(c(0), c(1), c(2));
      break;
    default:
      has_fast = false;
      break;
  }
  if (!has_fast && finite && calls_ == Calls::quick && is_call(n.operation)) {
    const std::optional<double> value = quick_call(n, c(0), n.children.size() > 1 ? c(1) : 0);
    has_fast = value.has_value();
    fast = value.value_or(0);
  }
  // Infinities and NaN do not depend on the format: of infinite operands, or of a division by 0 and a root of
  // a negative number.
  const bool special = n.operation == Operation::div    ? c(1) == 0
                       : n.operation == Operation::sqrt ? c(0) < 0
                                                        : false;
  if (!finite || special) {
    if (*n.rounding == calculus::Format::f8e4m3) return std::nullopt;
    if (has_fast) {
      if (!std::isfinite(fast) || fast == 0) return fast;
      return std::nullopt;  // nothing finite but 0 comes out of an infinity by arithmetic
    }
    if (n.children.size() != 1) return std::nullopt;
    const double border = c_library(n.operation, c(0));
    const bool known = !std::isfinite(border) || border == 0 || std::fabs(border) == 1;
    return known ? std::optional<double>(border) : std::nullopt;
  }
  if (has_fast && std::isfinite(fast) && n.direction == calculus::Rounding::nearest) {
    if (p == 53) return fast;
    // Sums do not underflow to 0.
    if (fast == 0 && (n.operation == Operation::add || n.operation == Operation::sub)) return fast;
    if (std::fabs(fast) > least && std::fabs(fast) < facts_[i].largest / 2)
      if (const std::optional<double> rounded = round_double(fast, p); rounded) return rounded;
  }
  return slow(n);
}

std::optional<double> ExecutedPoint::slow(const ExpressionNode& n) const {
  const auto value = [&](std::size_t k) { return exact_rational(at(n.children[k])); };
  const auto c = [&](std::size_t k) { return Interval(value(k), bits); };
  MaybeInterval exact;
  switch (n.operation) {
    case Operation::add:
      exact = Interval(Rational(value(0) + value(1)), 2400);
      break;
    case Operation::sub:
      exact = Interval(Rational(value(0) - value(1)), 2400);
      break;
    case Operation::mul:
      exact = c(0) * c(1);
      break;
    case Operation::fma:
      exact = Interval(Rational(value(0) * value(1) + value(2)), 4800);
      break;
    case Operation::div:
      exact = divide(c(0), c(1));
      break;
    case Operation::cast:
      exact = c(0);
      break;
    case Operation::floor:
    case Operation::ceil:
    case Operation::trunc:
    case Operation::round:
    case Operation::nearbyint:
      exact = Interval(exact_rational(c_library(n.operation, at(n.children[0]))), bits);
      break;
    case Operation::pow: {
      const double x = at(n.children[0]), y = at(n.children[1]);
      if (x == 0 || x < 0) {
        const double border = std::pow(x, y);
        if (!std::isfinite(border) && (std::isnan(border) || x == 0)) return border;
      }
      const bool whole = std::fabs(y) <= 64 && std::trunc(y) == y && y >= 1;
      exact = whole ? MaybeInterval(power(c(0), static_cast<unsigned long>(y)))
                    : binary(calculus::Op::pow, c(0), c(1));
      break;
    }
    case Operation::hypot:
    case Operation::atan2:
      exact = library_function(n.operation, c(0), c(1));
      break;
    default:
      exact = library_function(n.operation, c(0));
      if (!exact) {
        const double border = c_library(n.operation, at(n.children[0]));
        // An overflow of MPFR's range or a point outside the domain, both beyond any format.
        if (!std::isfinite(border) && *n.rounding != calculus::Format::f8e4m3) return border;
        return std::nullopt;
      }
      break;
  }
  return exact ? rounded_result(*exact, *n.rounding, n.direction) : std::nullopt;
}

std::optional<bool> ExecutedPoint::holds(int condition) const {
  const Condition& c = e_.conditions[static_cast<std::size_t>(condition)];
  if (c.left >= 0 && (!decided(c.left) || !decided(c.right))) return std::nullopt;
  switch (c.kind) {
    case Condition::Kind::truth:
      return c.truth;
    case Condition::Kind::less:
      return at(c.left) < at(c.right);
    case Condition::Kind::at_most:
      return at(c.left) <= at(c.right);
    case Condition::Kind::equal:
      return at(c.left) == at(c.right);
    case Condition::Kind::negation: {
      const std::optional<bool> inner = holds(c.children[0]);
      return inner ? std::optional<bool>(!*inner) : std::nullopt;
    }
    case Condition::Kind::conjunction:
    case Condition::Kind::disjunction: {
      const bool neutral = c.kind == Condition::Kind::conjunction;
      bool unknown = false;
      for (const int child : c.children) {
        const std::optional<bool> inner = holds(child);
        if (inner && *inner != neutral) return !neutral;
        unknown = unknown || !inner;
      }
      return unknown ? std::nullopt : std::optional<bool>(neutral);
    }
  }
  throw InternalError("a condition of no kind");
}

}  // namespace hallmark::numerics
