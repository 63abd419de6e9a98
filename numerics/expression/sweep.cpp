#include "numerics/expression/sweep.h"

#include <cmath>

#include "base/error.h"
#include "contract/format_values.h"
#include "numerics/expression/library_function.h"
#include "numerics/expression/node_format.h"

namespace hallmark::numerics {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Span as_span(const Interval& a) {
  return {mpfr_get_d(a.low(), MPFR_RNDD), mpfr_get_d(a.high(), MPFR_RNDU)};
}
Interval as_interval(Span a) {
  Interval out(53);
  mpfi_interv_d(out.raw(), a.low, a.high);
  return out;
}
Span call(Operation operation, Span x) {
  if (!x.defined() || std::isinf(x.low) || std::isinf(x.high)) return Span::nowhere();
  const MaybeInterval value = library_function(operation, as_interval(x));
  return value ? as_span(*value) : Span::nowhere();
}
Span derivative(Operation operation, Span x, Span value) {
  if (std::isinf(value.low) || std::isinf(value.high)) return Span::nowhere();
  const MaybeInterval d = library_derivative(operation, as_interval(x), as_interval(value));
  return d ? as_span(*d) : Span::nowhere();
}
Span power(Span x, unsigned long n) {
  Span out{1, 1}, base = n % 2 == 0 ? absolute(x) : x;
  for (unsigned long i = 0; i < n; ++i) {
    // Monotone on each side of 0, so the ends alone decide.
    const Span ends{multiply_down(out.low, base.low), multiply_up(out.high, base.high)};
    out = n % 2 == 0 || base.low >= 0 ? ends : out * base;
  }
  return out;
}

// The spacing of the format in the binade of m, halved; the greatest |error| of rounding to nearest a value
// of magnitude at most m. At a power of two the binade below counts.
double half_spacing(double m, int precision, int minimum_exponent) {
  int exponent = 0;
  const double fraction = std::frexp(m, &exponent);
  const int binade = fraction == 0.5 ? exponent - 2 : exponent - 1;  // m <= 2^(binade + 1)
  return std::ldexp(1.0, std::max(binade, minimum_exponent) - precision);
}
// The spacing at m itself.
double spacing(double m, int precision, int minimum_exponent) {
  int exponent = 0;
  std::frexp(m, &exponent);
  return std::ldexp(1.0, std::max(exponent - 1, minimum_exponent) - precision + 1);
}

}  // namespace

Sweep::Sweep(const Expression& expression, const ExpressionModel& model)
    : expression_(expression),
      model_(model),
      call_ulps_(Interval(model.call_ulps, 53).exact_high().get_d()),
      facts_(node_facts(expression, model)) {
  const std::size_t n = expression.nodes.size();
  for (auto* list : {&range_, &adjoint_, &constant_}) list->resize(n);
  for (auto* list : {&error_, &contribution_, &constant_error_}) list->resize(n);
  taken_.resize(n, Three::unknown);
  for (std::size_t i = 0; i < n; ++i) {
    const ExpressionNode& node = expression.nodes[i];
    if (node.operation != Operation::constant) continue;
    const std::optional<Rational> rounded = facts_[i].constant;
    const Interval exact =
        node.constant.empty() ? Interval(node.value, 256) : named_constant(node.constant, 256);
    if (!rounded) {
      constant_[i] = Span::nowhere();
      continue;
    }
    const bool named_and_exact = !node.constant.empty() && !node.rounding;
    const Interval stored = named_and_exact ? exact : Interval(*rounded, 256);
    constant_[i] = as_span(hull(exact, stored));
    constant_error_[i] = named_and_exact ? 0 : as_span((stored - exact).magnitude()).high;
  }
}

Sweep::Three Sweep::decide(int condition) const {
  const Condition& c = expression_.conditions[static_cast<std::size_t>(condition)];
  const auto of = [](bool yes, bool no) { return yes ? Three::yes : no ? Three::no : Three::unknown; };
  const auto range = [&](int node) { return range_[static_cast<std::size_t>(node)]; };
  switch (c.kind) {
    case Condition::Kind::truth:
      return of(c.truth, !c.truth);
    case Condition::Kind::less:
      return of(range(c.left).high < range(c.right).low, range(c.left).low >= range(c.right).high);
    case Condition::Kind::at_most:
      return of(range(c.left).high <= range(c.right).low, range(c.left).low > range(c.right).high);
    case Condition::Kind::equal: {
      const Span a = range(c.left), b = range(c.right);
      return of(a.low == a.high && b.low == b.high && a.low == b.low, a.high < b.low || b.high < a.low);
    }
    case Condition::Kind::negation: {
      const Three inner = decide(c.children[0]);
      return of(inner == Three::no, inner == Three::yes);
    }
    case Condition::Kind::conjunction:
    case Condition::Kind::disjunction: {
      const Three decisive = c.kind == Condition::Kind::conjunction ? Three::no : Three::yes;
      Three out = decisive == Three::no ? Three::yes : Three::no;
      for (const int child : c.children) {
        const Three inner = decide(child);
        if (inner == decisive) return decisive;
        if (inner == Three::unknown) out = Three::unknown;
      }
      return out;
    }
  }
  throw InternalError("a condition of no kind");
}

double Sweep::rounding_bound(std::size_t node, Span exact) const {
  const ExpressionNode& n = expression_.nodes[node];
  const NodeFacts& f = facts_[node];
  if (!f.rounds) return 0;
  if (n.operation == Operation::constant) return constant_error_[node];
  const double m = exact.magnitude();
  const int p = f.precision, least = f.minimum_exponent;
  if (!(m <= f.largest)) return infinity;
  if (m == 0) return 0;
  if (is_call(n.operation) && model_.call_ulps != Rational(1, 2))
    return multiply_up(call_ulps_, spacing(m, p, least));
  const double half = half_spacing(m, p, least);
  const double bound = n.direction == calculus::Rounding::nearest ? half : 2 * half;
  if (f.only_scales) {
    const double least_magnitude = absolute(exact).low;
    if (least_magnitude >= std::ldexp(1.0, least)) return 0;
    return std::min(bound, std::ldexp(1.0, least - p + (n.direction == calculus::Rounding::nearest ? 0 : 1)));
  }
  if (f.sterbenz) {
    Span a = range_[static_cast<std::size_t>(n.children[0])],
         b = range_[static_cast<std::size_t>(n.children[1])];
    if (a.high < 0 && b.high < 0) {
      a = -a;
      b = -b;
    }
    if (a.low > 0 && b.low > 0 && 2 * a.low >= b.high && a.high <= 2 * b.low) return 0;
  }
  return bound;
}

void Sweep::round(std::size_t node, Span exact) {
  const ExpressionNode& n = expression_.nodes[node];
  error_[node] = exact.defined() ? rounding_bound(node, exact) : 0;
  if (!exact.defined() || error_[node] == infinity) {
    range_[node] = Span::nowhere();
    return;
  }
  range_[node] = exact;
  if (error_[node] == 0 || n.operation == Operation::constant || !n.rounding) return;
  const bool monotone = n.direction == calculus::Rounding::nearest &&
                        (!is_call(n.operation) || model_.call_ulps == Rational(1, 2));
  const int p = facts_[node].precision;
  if (monotone && p == 53) return;
  const double e = error_[node];
  // What has at most p bits stays where it is when rounding is monotone.
  const auto fits = [&](double x) {
    const double c = x * (std::ldexp(1.0, 53 - p) + 1);
    return monotone && c - (c - x) == x && std::fabs(x) >= std::ldexp(1.0, facts_[node].minimum_exponent);
  };
  if (!fits(exact.low)) range_[node].low = add_down(exact.low, -e);
  if (!fits(exact.high)) range_[node].high = add_up(exact.high, e);
}

Span Sweep::value(std::size_t node, const std::vector<Span>& box) {
  const ExpressionNode& n = expression_.nodes[node];
  const auto child = [&](std::size_t i) { return range_[static_cast<std::size_t>(n.children[i])]; };
  switch (n.operation) {
    case Operation::variable:
      return box[static_cast<std::size_t>(n.variable)];
    case Operation::constant:
      return constant_[node];
    case Operation::add:
      return child(0) + child(1);
    case Operation::sub:
      return child(0) - child(1);
    case Operation::mul:
      return n.children[0] == n.children[1] ? square(child(0)) : child(0) * child(1);
    case Operation::div:
      return divide(child(0), child(1));
    case Operation::fma:
      return (n.children[0] == n.children[1] ? square(child(0)) : child(0) * child(1)) + child(2);
    case Operation::neg:
      return -child(0);
    case Operation::abs:
      return absolute(child(0));
    case Operation::min:
      return least(child(0), child(1));
    case Operation::max:
      return greatest(child(0), child(1));
    case Operation::sqrt:
      return square_root(child(0));
    case Operation::cast:
      return child(0);
    case Operation::choose:
      taken_[node] = decide(n.condition);
      if (taken_[node] == Three::yes) return child(0);
      if (taken_[node] == Three::no) return child(1);
      return hull(child(0), child(1));
    case Operation::pow: {
      const std::optional<long> k = facts_[node].exponent;
      if (k && *k >= 0) return power(child(0), static_cast<unsigned long>(*k));
      if (k) return divide({1, 1}, power(child(0), static_cast<unsigned long>(-*k)));
      return call(Operation::exp, child(1) * call(Operation::log, child(0)));
    }
    default:
      return call(n.operation, child(0));
  }
}

void Sweep::propagate(std::size_t node) {
  const ExpressionNode& n = expression_.nodes[node];
  const Span a = adjoint_[node], v = range_[node];
  const auto child = [&](std::size_t i) { return range_[static_cast<std::size_t>(n.children[i])]; };
  const auto give = [&](std::size_t i, Span d) {
    Span& to = adjoint_[static_cast<std::size_t>(n.children[i])];
    to = to + a * d;
  };
  switch (n.operation) {
    case Operation::variable:
    case Operation::constant:
      return;
    case Operation::add:
      give(0, {1, 1});
      give(1, {1, 1});
      return;
    case Operation::sub:
      give(0, {1, 1});
      give(1, {-1, -1});
      return;
    case Operation::fma:
    case Operation::mul:
      if (n.children[0] == n.children[1]) {
        give(0, Span{2, 2} * child(0));
      } else {
        give(0, child(1));
        give(1, child(0));
      }
      if (n.operation == Operation::fma) give(2, {1, 1});
      return;
    case Operation::div:
      give(0, divide({1, 1}, child(1)));
      give(1, -divide(v, child(1)));
      return;
    case Operation::neg:
      give(0, {-1, -1});
      return;
    case Operation::cast:
      give(0, {1, 1});
      return;
    case Operation::abs:
      give(0, child(0).low >= 0 ? Span{1, 1} : child(0).high <= 0 ? Span{-1, -1} : Span{-1, 1});
      return;
    case Operation::min:
    case Operation::max: {
      // max(a, b) takes a where b is below a: the operands change places, not what follows from them.
      const Span x = n.operation == Operation::min ? child(0) : child(1);
      const Span y = n.operation == Operation::min ? child(1) : child(0);
      const Span first = x.high < y.low ? Span{1, 1} : x.low > y.high ? Span{0, 0} : Span{0, 1};
      const Span second = Span{1, 1} - first;
      give(0, first);
      give(1, second);
      return;
    }
    case Operation::choose:
      if (taken_[node] == Three::yes) give(0, {1, 1});
      if (taken_[node] == Three::no) give(1, {1, 1});
      return;
    case Operation::pow: {
      const std::optional<long> k = facts_[node].exponent;
      const double d = k ? static_cast<double>(*k) : 0;
      if (k && *k > 0) {
        give(0, Span{d, d} * power(child(0), static_cast<unsigned long>(*k - 1)));
      } else if (k) {
        give(0, Span{d, d} * divide({1, 1}, power(child(0), static_cast<unsigned long>(1 - *k))));
      } else {
        give(0, divide(child(1) * v, child(0)));
        give(1, v * call(Operation::log, child(0)));
      }
      return;
    }
    default:
      give(0, derivative(n.operation, child(0), v));
      return;
  }
}

Sweep::Result Sweep::run(const std::vector<Span>& box) {
  const std::size_t n = expression_.nodes.size();
  for (std::size_t i = 0; i < n; ++i) {
    round(i, value(i, box));
    if (expression_.nodes[i].operation == Operation::choose && taken_[i] == Three::unknown &&
        range_[i].defined())
      error_[i] = add_up(range_[i].high, -range_[i].low);
  }
  for (const int demand : expression_.demands)
    if (decide(demand) == Three::no) return {true, 0, -1};
  for (std::size_t i = 0; i < n; ++i) {
    adjoint_[i] = {0, 0};
    contribution_[i] = 0;
  }
  Result out;
  adjoint_[static_cast<std::size_t>(expression_.root)] = {1, 1};
  for (std::size_t i = static_cast<std::size_t>(expression_.root) + 1; i-- > 0;) {
    const Span a = adjoint_[i];
    if (a.low == 0 && a.high == 0) continue;
    if (!a.defined() || !range_[i].defined()) {
      // The deepest node without a value is the one whose operation fails.
      out.bound = infinity;
      if (!range_[i].defined()) out.blamed = static_cast<int>(i);
      for (const int child : expression_.nodes[i].children)
        if (!range_[static_cast<std::size_t>(child)].defined())
          adjoint_[static_cast<std::size_t>(child)] = {1, 1};
      continue;
    }
    contribution_[i] = multiply_up(a.magnitude(), error_[i]);
    out.bound = add_up(out.bound, contribution_[i]);
    propagate(i);
  }
  return out;
}

}  // namespace hallmark::numerics
