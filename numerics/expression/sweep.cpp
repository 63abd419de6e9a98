#include "numerics/expression/sweep.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "contract/format_values.h"
#include "numerics/expression/library_function.h"
#include "numerics/expression/node_format.h"

namespace hallmark::numerics {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Span call(Operation operation, Span x, Span y) {
  if (!x.defined() || !y.defined() || std::isinf(x.magnitude()) || std::isinf(y.magnitude()))
    return Span::nowhere();
  const MaybeInterval value = library_function(operation, as_interval(x), as_interval(y));
  return value ? as_span(*value) : Span::nowhere();
}
Span step(Operation operation, Span x) {
  if (!x.defined() || std::isinf(x.magnitude())) return Span::nowhere();
  return as_span(step_function(operation, as_interval(x)));
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

// x^y for x > 0, and from x = 0 for y > 0.
Span real_power(CallSpans& calls, Span x, Span y) {
  if (x.low == 0 && x.high == 0 && y.low > 0) return {0, 0};
  if (x.low != 0 || !(y.low > 0)) return calls.value(Operation::exp, y * calls.value(Operation::log, x));
  const Span top = calls.value(Operation::exp, y * calls.value(Operation::log, {x.high, x.high}));
  return top.defined() ? Span{0, top.high} : top;
}
// d x^y / dy = x^y log x from x = 0, y > 0: least, -1 / (e y), at x = e^(-1 / y); 1 / e < 0.36788.
Span power_by_exponent(CallSpans& calls, Span x, Span y) {
  const double low = -multiply_up(0.36788, divide(Span{1, 1}, Span{y.low, y.low}).high);
  if (x.high <= 1) return {low, 0};
  const Span top = real_power(calls, {x.high, x.high}, y) * calls.value(Operation::log, {x.high, x.high});
  return top.defined() ? Span{low, top.high} : top;
}
// A root that has no slope at 0 and, next to it, so great a one that no bound comes of it.
constexpr double steep_below = 0x1p-30;

// The spacing of the format in the binade of m, halved; the greatest |error| of rounding to nearest a value
// of magnitude at most m. At a power of two the binade below counts.
double half_spacing(double m, int precision, int minimum_exponent) {
  int exponent = 0;
  const double fraction = std::frexp(m, &exponent);
  const int binade = fraction == 0.5 ? exponent - 2 : exponent - 1;  // m <= 2^(binade + 1)
  return std::ldexp(1.0, std::max(binade, minimum_exponent) - precision);
}
// The same, of rounding to nearest alone: just above a power of two that is the nearer value of the format.
double half_error(double m, int precision, int minimum_exponent) {
  int exponent = 0;
  const double half = half_spacing(m, precision, minimum_exponent), fraction = std::frexp(m, &exponent);
  if (fraction == 0.5 || exponent - 1 <= minimum_exponent) return half;
  return std::min(half, std::max(half / 2, m - std::ldexp(1.0, exponent - 1)));
}
// The spacing at m itself.
double spacing(double m, int precision, int minimum_exponent) {
  int exponent = 0;
  std::frexp(m, &exponent);
  return std::ldexp(1.0, std::max(exponent - 1, minimum_exponent) - precision + 1);
}

}  // namespace

Sweep::Sweep(const Expression& expression, const ExpressionModel& model, bool all_derivatives)
    : expression_(expression),
      model_(model),
      all_derivatives_(all_derivatives),
      call_ulps_(Interval(model.call_ulps, 53).exact_high().get_d()),
      facts_(node_facts(expression, model)) {
  const std::size_t n = expression.nodes.size();
  for (auto* list : {&range_, &adjoint_, &constant_}) list->resize(n);
  for (auto* list : {&error_, &contribution_, &constant_error_}) list->resize(n);
  taken_.resize(n, Three::unknown);
  carries_.resize(n, 0);
  steep_.resize(n, 0);
  same_.resize(n, 0);
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
  const double bound =
      n.direction == calculus::Rounding::nearest ? half_error(m, p, least) : 2 * half_spacing(m, p, least);
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
  // A function within c units: v - c ulp(v) is at least low - 2 c ulp(low) for every v >= low > 0, because
  // the unit doubles no sooner than v does and c units of a power of two are less than it.
  const auto near = [&](double end) {
    if (monotone || !is_call(n.operation) || !(call_ulps_ * std::ldexp(1.0, 1 - p) < 1)) return e;
    return std::min(e,
                    multiply_up(2 * call_ulps_, spacing(std::fabs(end), p, facts_[node].minimum_exponent)));
  };
  // What has at most p bits stays where it is when rounding is monotone.
  const auto fits = [&](double x) {
    const double c = x * (std::ldexp(1.0, 53 - p) + 1);
    return monotone && c - (c - x) == x &&
           (x == 0 || std::fabs(x) >= std::ldexp(1.0, facts_[node].minimum_exponent));
  };
  if (!fits(exact.low)) range_[node].low = add_down(exact.low, exact.low > 0 ? -near(exact.low) : -e);
  if (!fits(exact.high)) range_[node].high = add_up(exact.high, exact.high < 0 ? near(exact.high) : e);
  // A function within some units may overflow where the exact value does not.
  if (!(range_[node].magnitude() <= facts_[node].largest)) range_[node] = Span::nowhere();
}

Span Sweep::value(std::size_t node, const std::vector<Span>& box, const Case* of) {
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
      return difference(n, of);
    case Operation::mul:
      return n.children[0] == n.children[1] ? square(child(0)) : child(0) * child(1);
    case Operation::div:
      return divide(child(0), child(1));
    case Operation::fma:
      return (n.children[0] == n.children[1] ? square(child(0)) : child(0) * child(1)) + child(2);
    case Operation::neg:
      return -child(0);
    case Operation::abs:
      if (of != nullptr && of->taken[node] == Three::no) return -child(0);
      return of != nullptr && of->taken[node] == Three::yes ? child(0) : absolute(child(0));
    case Operation::min:
    case Operation::max: {
      const Span both =
          n.operation == Operation::min ? least(child(0), child(1)) : greatest(child(0), child(1));
      if (of == nullptr || of->taken[node] == Three::unknown) return both;
      const Span one = child(of->taken[node] == Three::yes ? 0 : 1);
      return {std::max(both.low, one.low), std::min(both.high, one.high)};
    }
    case Operation::floor:
    case Operation::ceil:
    case Operation::trunc:
    case Operation::round:
    case Operation::nearbyint:
      return step(n.operation, child(0));
    case Operation::hypot:
    case Operation::atan2:
      return call(n.operation, child(0), child(1));
    case Operation::sqrt:
      return square_root(child(0));
    case Operation::cast:
      return child(0);
    case Operation::choose:
      if (of != nullptr && of->taken[node] != Three::unknown)
        taken_[node] = of->taken[node];
      else if (of != nullptr && reached(n.condition))
        // Along the way to the exact value the condition may change, whatever holds in this case.
        taken_[node] = base_taken_[node];
      else
        taken_[node] = decide(n.condition);
      for (const int compared : compared_nodes(expression_, n.condition))
        if (!range_[static_cast<std::size_t>(compared)].defined()) return Span::nowhere();
      if (taken_[node] == Three::yes) return child(0);
      if (taken_[node] == Three::no) return child(1);
      return hull(child(0), child(1));
    case Operation::pow: {
      const std::optional<long> k = facts_[node].exponent;
      if (k && *k >= 0) return power(child(0), static_cast<unsigned long>(*k));
      if (k) return divide({1, 1}, power(child(0), static_cast<unsigned long>(-*k)));
      return real_power(calls_, child(0), child(1));
    }
    default:
      return calls_.value(n.operation, child(0));
  }
}

Span Sweep::difference(const ExpressionNode& n, const Case* of) const {
  const auto same = [&](int node) { return same_[static_cast<std::size_t>(node)]; };
  const Span a = range_[static_cast<std::size_t>(n.children[0])],
             b = range_[static_cast<std::size_t>(n.children[1])];
  const int x = same(n.children[0]), y = same(n.children[1]);
  if (!a.defined() || !b.defined()) return Span::nowhere();
  if (x == y) return {0, 0};
  Span out = a - b;
  // [x] - x
  const ExpressionNode& whole = expression_.nodes[static_cast<std::size_t>(x)];
  if (is_step(whole.operation) && !whole.rounding && same(whole.children[0]) == y) {
    const bool half = whole.operation == Operation::round || whole.operation == Operation::nearbyint;
    const double low = half ? -0.5 : whole.operation == Operation::ceil ? 0 : -1;
    const double high = half ? 0.5 : whole.operation == Operation::floor ? 0 : 1;
    out = {std::max(out.low, low), std::min(out.high, high)};
  }
  if (of != nullptr)
    for (const auto& [low, high] : of->order) {
      if (same(low) == x && same(high) == y) out.high = std::min(out.high, 0.0);
      if (same(low) == y && same(high) == x) out.low = std::max(out.low, 0.0);
    }
  return out;
}

bool Sweep::reached(int condition) const {
  const Condition& c = expression_.conditions[static_cast<std::size_t>(condition)];
  if (c.left >= 0)
    return carries_[static_cast<std::size_t>(c.left)] != 0 ||
           carries_[static_cast<std::size_t>(c.right)] != 0;
  return std::any_of(c.children.begin(), c.children.end(), [&](int child) { return reached(child); });
}

// What the box does not decide and can be looked at case by case.
std::vector<std::size_t> Sweep::open_nodes() const {
  constexpr std::size_t most_cases = 3;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < expression_.nodes.size() && out.size() < most_cases; ++i) {
    const ExpressionNode& n = expression_.nodes[i];
    const auto child = [&](std::size_t k) { return range_[static_cast<std::size_t>(n.children[k])]; };
    bool open = false;
    if (n.operation == Operation::abs) open = child(0).low < 0 && child(0).high > 0;
    if (n.operation == Operation::min || n.operation == Operation::max)
      open = child(0).high >= child(1).low && child(1).high >= child(0).low;
    if (n.operation == Operation::choose) open = taken_[i] == Three::unknown && !reached(n.condition);
    if (open) out.push_back(i);
  }
  return out;
}

void Sweep::follow(int condition, bool holds, Case& out) const {
  const Condition& c = expression_.conditions[static_cast<std::size_t>(condition)];
  switch (c.kind) {
    case Condition::Kind::less:
    case Condition::Kind::at_most:
      out.order.emplace_back(holds ? c.left : c.right, holds ? c.right : c.left);
      return;
    case Condition::Kind::equal:
      if (!holds) return;
      out.order.emplace_back(c.left, c.right);
      out.order.emplace_back(c.right, c.left);
      return;
    case Condition::Kind::negation:
      follow(c.children[0], !holds, out);
      return;
    case Condition::Kind::conjunction:
    case Condition::Kind::disjunction:
      if (holds != (c.kind == Condition::Kind::conjunction)) return;
      for (const int child : c.children) follow(child, holds, out);
      return;
    case Condition::Kind::truth:
      return;
  }
}

Sweep::Case Sweep::make_case(const std::vector<std::size_t>& open, unsigned number) const {
  Case out;
  const std::size_t n = expression_.nodes.size();
  out.taken.assign(n, Three::unknown);
  out.within.assign(n, {-infinity, infinity});
  std::vector<std::pair<int, double>> signs;
  for (std::size_t k = 0; k < open.size(); ++k) {
    const bool yes = (number >> k & 1) == 0;
    const ExpressionNode& node = expression_.nodes[open[k]];
    out.taken[open[k]] = yes ? Three::yes : Three::no;
    if (node.operation == Operation::choose) follow(node.condition, yes, out);
    if (node.operation == Operation::abs) {
      Span& within = out.within[static_cast<std::size_t>(node.children[0])];
      (yes ? within.low : within.high) = 0;
    }
    if (node.operation == Operation::min || node.operation == Operation::max) {
      const bool first_greater = yes == (node.operation == Operation::max);
      out.order.emplace_back(node.children[first_greater ? 1 : 0], node.children[first_greater ? 0 : 1]);
    }
  }
  // range_ holds what is known without a case.
  for (const auto& [low, high] : out.order) {
    Span& l = out.within[static_cast<std::size_t>(low)];
    Span& h = out.within[static_cast<std::size_t>(high)];
    l.high = std::min(l.high, range_[static_cast<std::size_t>(high)].high);
    h.low = std::max(h.low, range_[static_cast<std::size_t>(low)].low);
  }
  return out;
}

void Sweep::propagate(std::size_t node, const Case* of) {
  const ExpressionNode& n = expression_.nodes[node];
  const Span a = adjoint_[node], v = range_[node];
  const auto child = [&](std::size_t i) { return range_[static_cast<std::size_t>(n.children[i])]; };
  const auto needed = [&](std::size_t i) {
    return all_derivatives_ || carries_[static_cast<std::size_t>(n.children[i])] != 0;
  };
  const auto give = [&](std::size_t i, Span d) {
    if (!needed(i)) return;
    Span& to = adjoint_[static_cast<std::size_t>(n.children[i])];
    to = to + a * d;
  };
  if (std::none_of(n.children.begin(), n.children.end(), [&](const int& child) {
        return needed(static_cast<std::size_t>(&child - n.children.data()));
      }))
    return;
  const Three taken = of != nullptr ? of->taken[node] : Three::unknown;
  if (steep_[node] != 0) {
    // Its own error covers what its operand's does; an exponent counts as anywhere else.
    if (n.operation == Operation::pow) give(1, power_by_exponent(calls_, child(0), child(1)));
    return;
  }
  switch (n.operation) {
    case Operation::variable:
    case Operation::constant:
      return;
    case Operation::add:
      give(0, {1, 1});
      give(1, {1, 1});
      return;
    case Operation::sub:
      if (same_[static_cast<std::size_t>(n.children[0])] == same_[static_cast<std::size_t>(n.children[1])])
        return;
      give(0, {1, 1});
      give(1, {-1, -1});
      return;
    case Operation::floor:
    case Operation::ceil:
    case Operation::trunc:
    case Operation::round:
    case Operation::nearbyint:
      return;  // constant, or a source of its own
    case Operation::hypot: {
      // |x| <= hypot
      if (v.low > 0) {
        give(0, divide(child(0), v));
        give(1, divide(child(1), v));
      } else {
        give(0, {-1, 1});
        give(1, {-1, 1});
      }
      return;
    }
    case Operation::atan2: {
      const Span squares = square(child(0)) + square(child(1));
      give(0, divide(child(1), squares));
      give(1, -divide(child(0), squares));
      return;
    }
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
      if (taken != Three::unknown) {
        give(0, taken == Three::yes ? Span{1, 1} : Span{-1, -1});
        return;
      }
      give(0, child(0).low >= 0 ? Span{1, 1} : child(0).high <= 0 ? Span{-1, -1} : Span{-1, 1});
      return;
    case Operation::min:
    case Operation::max: {
      if (taken != Three::unknown) {
        give(taken == Three::yes ? 0 : 1, {1, 1});
        return;
      }
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
      } else if (child(0).low == 0 && child(1).low > 0) {
        give(0, child(1) * real_power(calls_, child(0), child(1) - Span{1, 1}));
        give(1, power_by_exponent(calls_, child(0), child(1)));
      } else {
        give(0, divide(child(1) * v, child(0)));
        give(1, v * calls_.value(Operation::log, child(0)));
      }
      return;
    }
    default:
      give(0, calls_.derivative(n.operation, child(0), v));
      return;
  }
}

// The operand that the node passes on for every value of its range, or in the case.
int Sweep::same(std::size_t node, const Case* of) const {
  const ExpressionNode& n = expression_.nodes[node];
  const auto child = [&](std::size_t k) { return range_[static_cast<std::size_t>(n.children[k])]; };
  const Three in_case = of != nullptr ? of->taken[node] : Three::unknown;
  int taken = -1;
  switch (n.operation) {
    case Operation::abs:
      if (in_case == Three::yes || child(0).low >= 0) taken = 0;
      break;
    case Operation::max:
    case Operation::min: {
      const bool max = n.operation == Operation::max;
      const Span a = child(max ? 0 : 1), b = child(max ? 1 : 0);
      if (in_case != Three::unknown)
        taken = in_case == Three::yes ? 0 : 1;
      else if (a.low >= b.high || b.low >= a.high)
        taken = a.low >= b.high ? 0 : 1;  // a is the first of a maximum, the second of a minimum
      break;
    }
    case Operation::choose:
      if (taken_[node] != Three::unknown) taken = taken_[node] == Three::yes ? 0 : 1;
      break;
    default:
      break;
  }
  return taken < 0 ? static_cast<int>(node)
                   : same_[static_cast<std::size_t>(n.children[static_cast<std::size_t>(taken)])];
}

void Sweep::forward(const std::vector<Span>& box, const Case* of) {
  for (std::size_t i = 0; i < expression_.nodes.size(); ++i) {
    const ExpressionNode& n = expression_.nodes[i];
    round(i, value(i, box, of));
    same_[i] = same(i, of);
    bool carried = std::any_of(n.children.begin(), n.children.end(),
                               [&](int child) { return carries_[static_cast<std::size_t>(child)] != 0; });
    const bool jumps =
        n.operation == Operation::choose ? taken_[i] == Three::unknown : is_step(n.operation) && carried;
    if (jumps && range_[i].defined()) error_[i] = add_up(error_[i], add_up(range_[i].high, -range_[i].low));
    if (of != nullptr) {
      range_[i] = {std::max(range_[i].low, of->within[i].low), std::min(range_[i].high, of->within[i].high)};
      continue;
    }
    if (n.operation == Operation::choose) carried = carried || reached(n.condition);
    carries_[i] = carried || error_[i] > 0 || !range_[i].defined();
  }
}

std::vector<std::size_t> Sweep::steep_nodes() const {
  std::vector<std::size_t> out;
  if (all_derivatives_) return out;
  for (std::size_t i = 0; i < expression_.nodes.size(); ++i) {
    const ExpressionNode& n = expression_.nodes[i];
    const bool power = n.operation == Operation::pow && !facts_[i].exponent;
    if (n.operation != Operation::sqrt && !power) continue;
    const Span x = range_[static_cast<std::size_t>(n.children[0])];
    if (!range_[i].defined() || carries_[static_cast<std::size_t>(n.children[0])] == 0) continue;
    if (!(x.low >= 0 && x.low <= steep_below * x.high)) continue;
    if (power) {
      const Span y = range_[static_cast<std::size_t>(n.children[1])];
      if (x.low != 0 || !(y.low > 0 && y.low < 1)) continue;
    }
    out.push_back(i);
  }
  return out;
}

double Sweep::root_of_error(std::size_t node, double error) {
  if (error == 0 || !std::isfinite(error)) return error;
  const ExpressionNode& n = expression_.nodes[node];
  if (n.operation == Operation::sqrt) return square_root({0, error}).high;
  const Span y = range_[static_cast<std::size_t>(n.children[1])];
  const Span root = real_power(calls_, {error, error}, {y.low, std::min(y.high, 1.0)});
  if (!(y.high > 1)) return root.defined() ? root.high : infinity;
  // Exponents above 1 have a slope, greatest at the greatest of both.
  const double most = std::max(1.0, range_[static_cast<std::size_t>(n.children[0])].high);
  const Span slope =
      Span{y.high, y.high} * real_power(calls_, {most, most}, Span{y.high, y.high} - Span{1, 1});
  return root.defined() && slope.defined() ? std::max(root.high, multiply_up(slope.high, error)) : infinity;
}

Sweep::Result Sweep::backward(const Case* of, int from) {
  for (std::size_t i = 0; i < expression_.nodes.size(); ++i) {
    adjoint_[i] = {0, 0};
    contribution_[i] = 0;
  }
  Result out;
  adjoint_[static_cast<std::size_t>(from)] = {1, 1};
  for (std::size_t i = static_cast<std::size_t>(from) + 1; i-- > 0;) {
    const Span a = adjoint_[i];
    if (a.low == 0 && a.high == 0) continue;
    if (!a.defined() || !range_[i].defined()) {
      // The deepest node without a value is the one whose operation fails.
      out.bound = infinity;
      if (!range_[i].defined()) out.blamed = static_cast<int>(i);
      const ExpressionNode& n = expression_.nodes[i];
      std::vector<int> needed = n.children;
      if (n.operation == Operation::choose)
        for (const int compared : compared_nodes(expression_, n.condition)) needed.push_back(compared);
      for (const int child : needed)
        if (!range_[static_cast<std::size_t>(child)].defined())
          adjoint_[static_cast<std::size_t>(child)] = {1, 1};
      continue;
    }
    contribution_[i] = multiply_up(a.magnitude(), error_[i]);
    out.bound = add_up(out.bound, contribution_[i]);
    propagate(i, of);
  }
  return out;
}

Sweep::Result Sweep::by_cases(const std::vector<Span>& box, const std::vector<std::size_t>& open) {
  const std::vector<Span> known = range_;
  struct Kept {
    Case of;
    std::vector<Span> range;
    std::vector<Three> taken;
    std::vector<int> same;
  };
  std::vector<Kept> kept;
  std::vector<double> greatest(known.size(), 0);
  std::vector<Case> cases;
  for (unsigned number = 0; number < 1U << open.size(); ++number) cases.push_back(make_case(open, number));
  for (Case& of : cases) {
    range_ = known;
    forward(box, &of);
    bool possible = true;
    for (std::size_t i = 0; i < range_.size(); ++i) {
      // Nothing but the demands of the case can leave a range without a value that has one without them.
      if (range_[i].low > range_[i].high && known[i].defined()) possible = false;
    }
    if (!possible) continue;
    for (std::size_t i = 0; i < error_.size(); ++i) greatest[i] = std::max(greatest[i], error_[i]);
    kept.push_back({std::move(of), range_, taken_, same_});
  }
  Result out;
  error_ = greatest;
  for (const std::size_t i : steep_nodes_) {
    double operand = 0;
    for (const Kept& k : kept) {
      range_ = k.range;
      taken_ = k.taken;
      same_ = k.same;
      operand = std::max(operand, backward(&k.of, expression_.nodes[i].children[0]).bound);
    }
    range_ = known;
    error_[i] = add_up(error_[i], root_of_error(i, operand));
    steep_[i] = 1;
  }
  std::vector<Span> ranges(known.size(), Span::nowhere()), adjoints(known.size(), {0, 0});
  std::vector<double> contributions(known.size(), 0);
  bool first = true;
  for (const Kept& k : kept) {
    range_ = k.range;
    taken_ = k.taken;
    same_ = k.same;
    const Result one = backward(&k.of, expression_.root);
    if (first || one.bound > out.bound) {
      out = one;
      contributions = contribution_;
    }
    for (std::size_t i = 0; i < known.size(); ++i) {
      ranges[i] = first ? range_[i] : hull(ranges[i], range_[i]);
      adjoints[i] = first ? adjoint_[i] : hull(adjoints[i], adjoint_[i]);
    }
    first = false;
  }
  range_ = ranges;
  adjoint_ = adjoints;
  contribution_ = contributions;
  return out;
}

Sweep::Result Sweep::run(const std::vector<Span>& box) {
  forward(box, nullptr);
  for (const int demand : expression_.demands)
    if (decide(demand) == Three::no) return {true, 0, -1};
  base_taken_ = taken_;
  may_jump_ = false;
  for (std::size_t i = 0; i < expression_.nodes.size(); ++i) {
    const Operation o = expression_.nodes[i].operation;
    if (o == Operation::choose) may_jump_ = may_jump_ || taken_[i] == Three::unknown;
    if (is_step(o)) may_jump_ = may_jump_ || !(range_[i].low == range_[i].high);
  }
  const std::vector<std::size_t> open = open_nodes();
  steep_nodes_ = steep_nodes();
  std::fill(steep_.begin(), steep_.end(), 0);
  if (!open.empty()) return by_cases(box, open);
  for (const std::size_t i : steep_nodes_) {
    const Result operand = backward(nullptr, expression_.nodes[i].children[0]);
    error_[i] = add_up(error_[i], root_of_error(i, operand.bound));
    steep_[i] = 1;
  }
  return backward(nullptr, expression_.root);
}

}  // namespace hallmark::numerics
