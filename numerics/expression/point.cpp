#include "numerics/expression/point.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.h"
#include "contract/format_values.h"
#include "numerics/expression/library_function.h"
#include "numerics/expression/node_format.h"
#include "numerics/expression/sweep.h"
#include "numerics/rounding.h"

namespace hallmark::numerics {

namespace {

constexpr mpfr_prec_t bits = 256;

// --- exact values
// -------------------------------------------------------------------------------------------

class Exact {
 public:
  Exact(const Expression& e, const std::vector<Rational>& inputs) : e_(e) {
    for (const Rational& x : inputs) inputs_.emplace_back(x, bits);
    values_.resize(e.nodes.size());
    for (std::size_t i = 0; i < e.nodes.size(); ++i) values_[i] = value(e.nodes[i]);
  }
  MaybeInterval root() const { return at(e_.specification >= 0 ? e_.specification : e_.root); }
  bool admissible() const {
    for (const int demand : e_.demands)
      if (holds(demand) != std::optional<bool>(true)) return false;
    return true;
  }

 private:
  const MaybeInterval& at(int node) const { return values_[static_cast<std::size_t>(node)]; }

  MaybeInterval value(const ExpressionNode& n) const {
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
      default:
        return library_function(n.operation, c(0));
    }
  }

  std::optional<bool> holds(int condition) const {
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

  const Expression& e_;
  std::vector<Interval> inputs_;
  std::vector<MaybeInterval> values_;
};

// --- executed values
// ----------------------------------------------------------------------------------------

// Rounds an exact result that is enclosed narrowly; nothing when that does not decide it (then more bits
// would) or overflows.
std::optional<double> rounded(const MaybeInterval& exact, calculus::Format format,
                              calculus::Rounding direction) {
  if (!exact) return std::nullopt;
  const MaybeInterval out = round_to_format(*exact, {format, direction, false});
  if (!out || !out->is_point()) return std::nullopt;
  return mpfr_get_d(out->low(), MPFR_RNDN);
}

// To nearest, of a double that is the correctly rounded result in double precision: innocuous for formats of
// at most 25 bits in the normal range (Figueroa), which the caller sees to.
double round_double(double x, int p) {
  int exponent = 0;
  std::frexp(x, &exponent);
  const double unit = std::ldexp(1.0, exponent - p);
  return std::nearbyint(x / unit) * unit;
}

class Executed {
 public:
  Executed(const Expression& e, const std::vector<NodeFacts>& facts, const std::vector<double>& inputs)
      : e_(e), facts_(facts), inputs_(inputs) {
    values_.resize(e.nodes.size());
    for (std::size_t i = 0; i < e.nodes.size(); ++i) values_[i] = value(i, e.nodes[i]);
  }
  std::optional<double> root() const {
    const double x = values_[static_cast<std::size_t>(e_.root)];
    return std::isfinite(x) ? std::optional<double>(x) : std::nullopt;
  }
  const std::vector<double>& values() const { return values_; }

 private:
  double at(int node) const { return values_[static_cast<std::size_t>(node)]; }
  static double nowhere() { return std::numeric_limits<double>::quiet_NaN(); }

  double value(std::size_t i, const ExpressionNode& n) const {
    const auto c = [&](std::size_t k) { return at(n.children[k]); };
    switch (n.operation) {
      case Operation::variable:
        return inputs_[static_cast<std::size_t>(n.variable)];
      case Operation::constant: {
        if (!n.rounding && !n.constant.empty()) return nowhere();
        return facts_[i].constant ? stored(*facts_[i].constant) : nowhere();
      }
      case Operation::neg:
        return -c(0);
      case Operation::abs:
        return std::fabs(c(0));
      case Operation::min:
        return std::min(c(0), c(1));
      case Operation::max:
        return std::max(c(0), c(1));
      case Operation::choose:
        for (const int child : n.children)
          if (std::isnan(at(child))) return nowhere();
        return c(holds(n.condition) ? 0 : 1);
      default:
        return arithmetic(i, n);
    }
  }

  static double stored(const Rational& x) { return x.get_d(); }

  double arithmetic(std::size_t i, const ExpressionNode& n) const {
    for (const int child : n.children)
      if (!std::isfinite(at(child))) return nowhere();
    const auto c = [&](std::size_t k) { return at(n.children[k]); };
    if (!n.rounding) return nowhere();
    const int p = facts_[i].precision;
    const double least = std::ldexp(1.0, facts_[i].minimum_exponent + 2);
    double fast = nowhere();
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
      case Operation::fma:
        if (p == 53) fast = std::fma(c(0), c(1), c(2));
        break;
      default:
        break;
    }
    if (std::isfinite(fast) && n.direction == calculus::Rounding::nearest) {
      if (p == 53) return fast;
      if (fast == 0 || (std::fabs(fast) > least && std::fabs(fast) < facts_[i].largest / 2))
        if (narrow(n)) return fast == 0 && n.operation != Operation::mul ? fast : round_double(fast, p);
    }
    return slow(n);
  }

  // All operands have at most 25 bits, so that rounding twice is rounding once.
  bool narrow(const ExpressionNode& n) const {
    for (const int child : n.children)
      if (static_cast<double>(static_cast<float>(at(child))) != at(child)) return false;
    return true;
  }

  double slow(const ExpressionNode& n) const {
    const auto c = [&](std::size_t k) { return Interval(exact_rational(at(n.children[k])), bits); };
    MaybeInterval exact;
    switch (n.operation) {
      case Operation::add:
        exact =
            Interval(Rational(exact_rational(at(n.children[0])) + exact_rational(at(n.children[1]))), 2400);
        break;
      case Operation::sub:
        exact =
            Interval(Rational(exact_rational(at(n.children[0])) - exact_rational(at(n.children[1]))), 2400);
        break;
      case Operation::mul:
        exact = c(0) * c(1);
        break;
      case Operation::fma:
        exact = Interval(Rational(exact_rational(at(n.children[0])) * exact_rational(at(n.children[1])) +
                                  exact_rational(at(n.children[2]))),
                         4800);
        break;
      case Operation::div:
        exact = divide(c(0), c(1));
        break;
      case Operation::cast:
        exact = c(0);
        break;
      case Operation::pow:
        exact = binary(calculus::Op::pow, c(0), c(1));
        break;
      default:
        exact = library_function(n.operation, c(0));
        break;
    }
    return rounded(exact, *n.rounding, n.direction).value_or(nowhere());
  }

  bool holds(int condition) const {
    const Condition& c = e_.conditions[static_cast<std::size_t>(condition)];
    switch (c.kind) {
      case Condition::Kind::truth:
        return c.truth;
      case Condition::Kind::less:
        return at(c.left) < at(c.right);
      case Condition::Kind::at_most:
        return at(c.left) <= at(c.right);
      case Condition::Kind::equal:
        return at(c.left) == at(c.right);
      case Condition::Kind::negation:
        return !holds(c.children[0]);
      case Condition::Kind::conjunction:
        return std::all_of(c.children.begin(), c.children.end(), [&](int x) { return holds(x); });
      case Condition::Kind::disjunction:
        return std::any_of(c.children.begin(), c.children.end(), [&](int x) { return holds(x); });
    }
    throw InternalError("a condition of no kind");
  }

  const Expression& e_;
  const std::vector<NodeFacts>& facts_;
  const std::vector<double>& inputs_;
  std::vector<double> values_;
};

}  // namespace

std::optional<double> execute(const Expression& e, const std::vector<double>& inputs) {
  const std::vector<NodeFacts> facts = node_facts(e, ExpressionModel{});
  return Executed(e, facts, inputs).root();
}

MaybeInterval exact_value_at(const Expression& e, const std::vector<Rational>& inputs) {
  return Exact(e, inputs).root();
}

std::optional<double> nearest_in(calculus::Format format, const Rational& value) {
  return rounded(Interval(value, 2400), format, calculus::Rounding::nearest);
}

std::optional<ExpressionWitness> certify(const Expression& e, const ExpressionModel& model,
                                         const std::vector<Rational>& inputs) {
  ExpressionWitness out;
  out.inputs = inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ExpressionInput& input = e.inputs[i];
    if (inputs[i] < input.low || inputs[i] > input.high) return std::nullopt;
    const std::optional<double> x = nearest_in(input.format, inputs[i]);
    if (!x || (!model.inputs_rounded && exact_rational(*x) != inputs[i])) return std::nullopt;
    out.rounded.push_back(*x);
  }
  const Exact exact(e, inputs);
  if (!exact.admissible()) return std::nullopt;
  const MaybeInterval value = exact.root();
  const std::optional<double> computed = execute(e, out.rounded);
  if (!value || !computed) return std::nullopt;
  out.computed = *computed;
  out.exact = *value;
  const Interval error = abs(Interval(exact_rational(*computed), bits) - *value);
  out.error = error.exact_low();
  return out;
}

// --- search
// -------------------------------------------------------------------------------------------------

namespace {

using Real = long double;

// The expression in long double: its value, and its slopes in the inputs. For the search only.
class Surrogate {
 public:
  explicit Surrogate(const Expression& e) : e_(e), values_(e.nodes.size()), slopes_(e.nodes.size()) {
    for (const ExpressionNode& n : e.nodes) {
      constants_.push_back(0);
      if (n.operation != Operation::constant) continue;
      const Interval x = n.constant.empty() ? Interval(n.value, bits) : named_constant(n.constant, bits);
      constants_.back() = mpfr_get_ld(x.low(), MPFR_RNDN);
    }
  }

  Real run(const std::vector<double>& inputs) {
    for (std::size_t i = 0; i < e_.nodes.size(); ++i) values_[i] = value(i, inputs);
    return values_[goal()];
  }

  // After run(): whether the precondition seems to be met.
  bool admissible() const {
    for (const int demand : e_.demands)
      if (!holds(demand)) return false;
    return true;
  }
  // After run(): d root / d input.
  std::vector<Real> slopes() {
    std::fill(slopes_.begin(), slopes_.end(), Real(0));
    slopes_[goal()] = 1;
    std::vector<Real> out(e_.inputs.size(), 0);
    for (std::size_t i = goal() + 1; i-- > 0;) back(i, out);
    return out;
  }

 private:
  std::size_t goal() const {
    return static_cast<std::size_t>(e_.specification >= 0 ? e_.specification : e_.root);
  }
  Real at(int node) const { return values_[static_cast<std::size_t>(node)]; }

  static Real function(Operation op, Real x) {
    switch (op) {
      case Operation::sqrt:
        return std::sqrt(x);
      case Operation::exp:
        return std::exp(x);
      case Operation::exp2:
        return std::exp2(x);
      case Operation::expm1:
        return std::expm1(x);
      case Operation::log:
        return std::log(x);
      case Operation::log2:
        return std::log2(x);
      case Operation::log10:
        return std::log10(x);
      case Operation::log1p:
        return std::log1p(x);
      case Operation::sin:
        return std::sin(x);
      case Operation::cos:
        return std::cos(x);
      case Operation::tan:
        return std::tan(x);
      case Operation::asin:
        return std::asin(x);
      case Operation::acos:
        return std::acos(x);
      case Operation::atan:
        return std::atan(x);
      case Operation::sinh:
        return std::sinh(x);
      case Operation::cosh:
        return std::cosh(x);
      case Operation::tanh:
        return std::tanh(x);
      case Operation::asinh:
        return std::asinh(x);
      case Operation::acosh:
        return std::acosh(x);
      case Operation::atanh:
        return std::atanh(x);
      case Operation::erf:
        return std::erf(x);
      case Operation::cbrt:
        return std::cbrt(x);
      default:
        return x;
    }
  }

  Real value(std::size_t i, const std::vector<double>& inputs) {
    const ExpressionNode& n = e_.nodes[i];
    const auto c = [&](std::size_t k) { return at(n.children[k]); };
    switch (n.operation) {
      case Operation::variable:
        return inputs[static_cast<std::size_t>(n.variable)];
      case Operation::constant:
        return constants_[i];
      case Operation::add:
        return c(0) + c(1);
      case Operation::sub:
        return c(0) - c(1);
      case Operation::mul:
        return c(0) * c(1);
      case Operation::div:
        return c(0) / c(1);
      case Operation::fma:
        return c(0) * c(1) + c(2);
      case Operation::neg:
        return -c(0);
      case Operation::abs:
        return std::fabs(c(0));
      case Operation::min:
        return std::min(c(0), c(1));
      case Operation::max:
        return std::max(c(0), c(1));
      case Operation::choose:
        return c(holds(n.condition) ? 0 : 1);
      case Operation::pow:
        return std::pow(c(0), c(1));
      default:
        return function(n.operation, c(0));
    }
  }

  bool holds(int condition) const {
    const Condition& c = e_.conditions[static_cast<std::size_t>(condition)];
    if (c.kind == Condition::Kind::less) return at(c.left) < at(c.right);
    if (c.kind == Condition::Kind::at_most) return at(c.left) <= at(c.right);
    if (c.kind == Condition::Kind::equal) return at(c.left) == at(c.right);
    if (c.kind == Condition::Kind::truth) return c.truth;
    if (c.kind == Condition::Kind::negation) return !holds(c.children[0]);
    const bool all = c.kind == Condition::Kind::conjunction;
    for (const int child : c.children)
      if (holds(child) != all) return !all;
    return all;
  }

  void back(std::size_t i, std::vector<Real>& out) {
    const Real s = slopes_[i];
    if (s == 0 || std::isnan(s)) return;
    const ExpressionNode& n = e_.nodes[i];
    const auto c = [&](std::size_t k) { return at(n.children[k]); };
    const auto give = [&](std::size_t k, Real d) {
      slopes_[static_cast<std::size_t>(n.children[k])] += s * d;
    };
    switch (n.operation) {
      case Operation::variable:
        out[static_cast<std::size_t>(n.variable)] += s;
        return;
      case Operation::constant:
        return;
      case Operation::add:
      case Operation::sub:
        give(0, 1);
        give(1, n.operation == Operation::add ? 1 : -1);
        return;
      case Operation::mul:
      case Operation::fma:
        give(0, c(1));
        give(1, c(0));
        if (n.operation == Operation::fma) give(2, 1);
        return;
      case Operation::div:
        give(0, 1 / c(1));
        give(1, -values_[i] / c(1));
        return;
      case Operation::neg:
        give(0, -1);
        return;
      case Operation::abs:
        give(0, c(0) < 0 ? -1 : 1);
        return;
      case Operation::min:
      case Operation::max:
        give((c(0) < c(1)) == (n.operation == Operation::min) ? 0 : 1, 1);
        return;
      case Operation::choose:
        give(holds(n.condition) ? 0 : 1, 1);
        return;
      case Operation::pow:
        give(0, c(1) * values_[i] / c(0));
        return;
      case Operation::cast:
        give(0, 1);
        return;
      default: {
        const Real h = std::max(std::fabs(c(0)), Real(1e-6)) * Real(1e-7);
        give(0, (function(n.operation, c(0) + h) - function(n.operation, c(0) - h)) / (2 * h));
        return;
      }
    }
  }

  const Expression& e_;
  std::vector<Real> constants_, values_, slopes_;
};

class Finder {
 public:
  Finder(const Expression& e, const ExpressionModel& model, const WitnessSearch& options)
      : e_(e),
        model_(model),
        facts_(node_facts(e, model)),
        surrogate_(e),
        random_(options.seed),
        options_(options) {
    for (const ExpressionInput& input : e.inputs) whole_.push_back({input.low.get_d(), input.high.get_d()});
  }

  std::optional<ExpressionWitness> run(const std::vector<std::vector<Span>>& hints) {
    for (std::size_t i = 0; i < options_.samples; ++i) {
      const bool hinted = !hints.empty() && i % 2 == 0;
      const std::vector<Span>& box = hinted ? hints[(i / 2) % hints.size()] : whole_;
      consider(sample(box));
    }
    // Around the best so far, closer each time.
    for (std::size_t i = 0; i < options_.samples && !best_.empty(); ++i) {
      const std::vector<double> from = best_[i % best_.size()].rounded;
      std::vector<Span> near = whole_;
      const double scale = std::ldexp(1.0, -static_cast<int>(i % 40));
      for (std::size_t d = 0; d < near.size(); ++d) {
        const double width = (near[d].high - near[d].low) * scale;
        near[d] = {std::max(near[d].low, from[d] - width), std::min(near[d].high, from[d] + width)};
      }
      consider(sample(near));
    }
    std::optional<ExpressionWitness> out;
    double best_score = 0;
    for (const Candidate& c : best_)
      for (const double fraction : {1.0, 0.0}) {
        const std::optional<ExpressionWitness> w = certify(e_, model_, reals(c, fraction));
        if (!w) continue;
        const double score =
            w->error.get_d() / static_cast<double>(allowed(mpfr_get_ld(w->exact.low(), MPFR_RNDN)));
        if (out && score <= best_score) continue;
        best_score = score;
        out = w;
      }
    return out;
  }

 private:
  struct Candidate {
    double score = 0;
    std::vector<double> rounded, shift;  // shift: of the real input from the rounded one
  };

  std::vector<double> sample(const std::vector<Span>& box) {
    std::vector<double> out;
    for (std::size_t d = 0; d < box.size(); ++d) {
      const double t = std::ldexp(static_cast<double>(random_() >> 11), -53);
      double x = box[d].low + (box[d].high - box[d].low) * t;
      const std::uint64_t kind = random_() % 16;
      if (kind == 0) x = box[d].low;
      if (kind == 1) x = box[d].high;
      const calculus::Format format = e_.inputs[d].format;
      if (format != calculus::Format::f64) x = nearest_in(format, exact_rational(x)).value_or(0);
      out.push_back(x);
    }
    return out;
  }

  void consider(const std::vector<double>& x) {
    const std::optional<double> computed = Executed(e_, facts_, x).root();
    if (!computed) return;
    const Real exact = surrogate_.run(x);
    if (!std::isfinite(exact) || !surrogate_.admissible()) return;
    Candidate c;
    const Real error = *computed - exact;
    Real total = std::fabs(error);
    c.rounded = x;
    c.shift.assign(x.size(), 0);
    if (model_.inputs_rounded) {
      const std::vector<Real> slopes = surrogate_.slopes();
      for (std::size_t d = 0; d < x.size(); ++d) {
        const int p = static_cast<int>(calculus::significand_bits(e_.inputs[d].format));
        int exponent = 0;
        const double f = std::frexp(x[d], &exponent);
        const double half = x[d] == 0 ? 0 : std::ldexp(1.0, exponent - p - 1);
        // computed - f(x + shift) = error - slope * shift: the shift goes against error * slope; towards 0
        // from a power of two the gap is half as wide.
        const double sign = (error < 0) == (slopes[d] < 0) ? -1 : 1;
        const bool narrow = std::fabs(f) == 0.5 && sign * x[d] < 0;
        double shift = sign * (narrow ? half / 2 : half);
        if (x[d] + 2 * shift > whole_[d].high || x[d] + 2 * shift < whole_[d].low) shift = 0;
        c.shift[d] = shift;
        total += std::fabs(slopes[d] * Real(shift));
      }
    }
    c.score = static_cast<double>(total / allowed(exact));
    if (!(c.score > 0)) return;
    if (best_.size() < keep || c.score > best_.back().score) {
      best_.insert(std::upper_bound(best_.begin(), best_.end(), c,
                                    [](const Candidate& a, const Candidate& b) { return a.score > b.score; }),
                   c);
      if (best_.size() > keep) best_.pop_back();
    }
  }

  Real allowed(Real exact) const {
    const contract::Tolerance& t = options_.tolerance;
    if (t.empty()) return 1;
    Real out = t.absolute ? Real(t.absolute->get_d()) : Real(0);
    if (t.relative) out += Real(t.relative->get_d()) * std::fabs(exact);
    if (t.ulp) {
      const calculus::Format format = root_format();
      int exponent = 0;
      std::frexp(exact, &exponent);
      out += Real(t.ulp->get_d()) *
             std::ldexp(Real(1), std::max(exponent - 1, calculus::minimum_exponent(format)) -
                                     static_cast<int>(calculus::significand_bits(format)) + 1);
    }
    return std::max(out, Real(1e-300));
  }
  calculus::Format root_format() const {
    return held_format(e_, model_, e_.root).value_or(calculus::Format::f64);
  }

  std::vector<Rational> reals(const Candidate& c, double fraction) const {
    std::vector<Rational> out;
    // Just inside the half gap, so that ties do not matter.
    const Rational part = exact_rational(fraction) * Rational(1048575, 1048576);
    for (std::size_t d = 0; d < c.rounded.size(); ++d) {
      Rational x = exact_rational(c.rounded[d]) + exact_rational(c.shift[d]) * part;
      x = std::min(std::max(x, e_.inputs[d].low), e_.inputs[d].high);
      out.push_back(x);
    }
    return out;
  }

  static constexpr std::size_t keep = 12;
  const Expression& e_;
  const ExpressionModel& model_;
  std::vector<NodeFacts> facts_;
  Surrogate surrogate_;
  std::mt19937_64 random_;
  WitnessSearch options_;
  std::vector<Span> whole_;
  std::vector<Candidate> best_;
};

}  // namespace

std::optional<ExpressionWitness> find_witness(const Expression& e, const ExpressionModel& model,
                                              const std::vector<std::vector<Span>>& hints,
                                              const WitnessSearch& options) {
  return Finder(e, model, options).run(hints);
}

}  // namespace hallmark::numerics
