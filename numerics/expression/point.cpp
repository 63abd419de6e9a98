#include "numerics/expression/point.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.h"
#include "contract/format_values.h"
#include "numerics/expression/admitted.h"
#include "numerics/expression/c_library.h"
#include "numerics/expression/execution.h"
#include "numerics/expression/library_function.h"
#include "numerics/expression/node_format.h"
#include "numerics/expression/sweep.h"
#include "numerics/rounding.h"

namespace hallmark::numerics {

namespace {

constexpr mpfr_prec_t bits = 256;
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

std::optional<double> execute(const Expression& e, const std::vector<double>& inputs) {
  const std::vector<NodeFacts> facts = node_facts(e, ExpressionModel{});
  return ExecutedPoint(e, facts, inputs).root();
}

MaybeInterval exact_value_at(const Expression& e, const std::vector<Rational>& inputs) {
  return ExactPoint(e, inputs).root();
}

std::optional<double> nearest_in(calculus::Format format, const Rational& value) {
  const std::optional<double> out =
      rounded_result(Interval(value, 2400), format, calculus::Rounding::nearest);
  return out && std::isfinite(*out) ? out : std::nullopt;
}

std::optional<ExpressionWitness> certify(const Expression& e, const ExpressionModel& model,
                                         const std::vector<Rational>& inputs) {
  ExpressionWitness out;
  out.inputs = inputs;
  if (!is_admitted(e, model, inputs)) return std::nullopt;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    out.rounded.push_back(nearest_in(e.inputs[i].format, inputs[i]).value());
  const ExactPoint exact(e, inputs);
  const std::optional<int> undefined = exact.undefined();
  if (undefined) {
    out.kind = ExpressionWitness::Kind::undefined;
    out.node = *undefined;
    return out;
  }
  const MaybeInterval value = exact.root();
  const std::optional<double> computed = execute(e, out.rounded);
  if (!value || !computed) return std::nullopt;
  out.computed = *computed;
  out.exact = *value;
  if (!std::isfinite(*computed)) {
    out.kind =
        std::isnan(*computed) ? ExpressionWitness::Kind::not_a_number : ExpressionWitness::Kind::infinite;
    return out;
  }
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
    return run_real(std::vector<Real>(inputs.begin(), inputs.end()));
  }
  Real run_real(const std::vector<Real>& inputs) {
    for (std::size_t i = 0; i < e_.nodes.size(); ++i) values_[i] = value(i, inputs);
    return values_[goal()];
  }

  bool has_jumps() const {
    return std::any_of(e_.nodes.begin(), e_.nodes.end(), [](const ExpressionNode& n) {
      return is_step(n.operation) || n.operation == Operation::choose;
    });
  }
  // After run(): the values of roundings to integers and of conditions.
  std::vector<Real> jumps() const {
    std::vector<Real> out;
    for (std::size_t i = 0; i < e_.nodes.size(); ++i) {
      const ExpressionNode& n = e_.nodes[i];
      if (is_step(n.operation)) out.push_back(values_[i]);
      if (n.operation == Operation::choose) out.push_back(holds(n.condition) ? 1 : 0);
    }
    return out;
  }
  // After run(): whether what some condition compares seems to have no value.
  bool compares_nothing() const {
    for (const ExpressionNode& n : e_.nodes) {
      if (n.operation != Operation::choose) continue;
      for (const int node : compared_nodes(e_, n.condition))
        if (!std::isfinite(at(node))) return true;
    }
    return false;
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

  Real value(std::size_t i, const std::vector<Real>& inputs) {
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
      case Operation::hypot:
        return std::hypot(c(0), c(1));
      case Operation::atan2:
        return std::atan2(c(0), c(1));
      default:
        return c_library(n.operation, c(0));
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
      case Operation::hypot:
        give(0, c(0) / values_[i]);
        give(1, c(1) / values_[i]);
        return;
      case Operation::atan2:
        give(0, c(1) / (c(0) * c(0) + c(1) * c(1)));
        give(1, -c(0) / (c(0) * c(0) + c(1) * c(1)));
        return;
      default: {
        const Real h = std::max(std::fabs(c(0)), Real(1e-6)) * Real(1e-7);
        give(0, (c_library(n.operation, c(0) + h) - c_library(n.operation, c(0) - h)) / (2 * h));
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
    // Long expressions (loops are unrolled) are tried at fewer inputs.
    constexpr std::size_t most_operations = 12'000'000;
    options_.samples =
        std::min(options_.samples, std::max<std::size_t>(100, most_operations / (e.nodes.size() + 1)));
    for (const ExpressionInput& input : e.inputs) {
      whole_.push_back({input.low.get_d(), input.high.get_d()});
      // Values of the format in the box; where inputs are rounded first, the rounded ends too.
      const Rational low = -contract::round_down(Rational(-input.low), input.format),
                     high = contract::round_down(input.high, input.format);
      held_.push_back(model.inputs_rounded || low > high ? Span{-infinity, infinity}
                                                         : Span{low.get_d(), high.get_d()});
    }
  }

  // Whether some input is admitted: looked for at ends and middles, among neighbours and equals, and in the
  // hints.
  bool finds_input(const std::vector<std::vector<Span>>& hints) {
    std::vector<std::vector<Span>> boxes = hints;
    boxes.push_back(whole_);
    for (const std::vector<Span>& box : boxes)
      for (const double at : {0.5, 0.0, 1.0}) {
        std::vector<double> x;
        for (std::size_t d = 0; d < box.size(); ++d)
          x.push_back(held(d, box[d].low + (box[d].high - box[d].low) * at));
        if (is_admitted(e_, model_, as_inputs(x))) return true;
      }
    for (std::size_t i = 0; i < options_.samples; ++i) {
      const std::vector<double> x = sample(boxes[i % boxes.size()]);
      surrogate_.run(x);
      if (surrogate_.admissible() && is_admitted(e_, model_, as_inputs(x))) return true;
    }
    return false;
  }

  std::optional<ExpressionWitness> run(const std::vector<std::vector<Span>>& hints) {
    for (const double at : {0.0, 1.0, 0.5}) {
      std::vector<double> x;
      for (std::size_t d = 0; d < whole_.size(); ++d)
        x.push_back(held(d, whole_[d].low + (whole_[d].high - whole_[d].low) * at));
      consider(x);
    }
    for (std::size_t i = 0; i < options_.samples; ++i) {
      const bool hinted = !hints.empty() && i % 2 == 0;
      const std::vector<Span>& box = hinted ? hints[(i / 2) % hints.size()] : whole_;
      consider(sample(box));
    }
    seek_jumps();
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
    // No finite error counts beside an infinity, NaN, or a value that does not exist.
    without_value_.insert(without_value_.end(), doubtful_.begin(), doubtful_.end());
    for (const std::vector<double>& x : without_value_) {
      std::optional<ExpressionWitness> w = certify(e_, model_, as_inputs(x));
      if (w && w->kind != ExpressionWitness::Kind::finite) return w;
    }
    std::optional<ExpressionWitness> out;
    double best_score = 0;
    for (const Candidate& c : best_)
      for (const double fraction : {1.0, 0.0}) {
        const std::optional<ExpressionWitness> w = certify(e_, model_, reals(c, fraction));
        if (!w) continue;
        if (w->kind != ExpressionWitness::Kind::finite) return w;
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

  // Where roundings to integers and conditions change their value: between two inputs that differ there lie
  // two neighbours that do, and beside these the computed value may be on the other side than the exact one.
  void seek_jumps() {
    if (!surrogate_.has_jumps()) return;
    const auto at = [&](std::vector<double> x, std::size_t d, double value) {
      x[d] = value;
      surrogate_.run(x);
      return surrogate_.jumps();
    };
    for (std::size_t i = 0; i < options_.samples / 16 + 8; ++i) {
      const std::vector<double> x = sample(whole_);
      const std::size_t d = random_() % x.size();
      double low = x[d], high = sample(whole_)[d];
      const std::vector<Real> first = at(x, d, low);
      if (first == at(x, d, high)) continue;
      for (int step = 0; step < 80; ++step) {
        const double middle = held(d, low + (high - low) / 2);
        if (middle == low || middle == high) break;
        (at(x, d, middle) == first ? low : high) = middle;
      }
      for (const double end : {low, high}) {
        const double spacing = std::fabs(high - low);
        for (int near = -2; near <= 2; ++near) {
          std::vector<double> beside = x;
          beside[d] = held(d, end + near * spacing);
          if (beside[d] < whole_[d].low || beside[d] > whole_[d].high) continue;
          consider(beside);
          if (model_.inputs_rounded)
            for (const double side : {-1.0, 0.0, 1.0}) consider_beside(beside, d, side * half_gap(beside, d));
        }
      }
    }
  }

  // Half the spacing of the input's format at x.
  double half_gap(const std::vector<double>& x, std::size_t d) const {
    const int p = static_cast<int>(calculus::significand_bits(e_.inputs[d].format));
    int exponent = 0;
    std::frexp(x[d], &exponent);
    return x[d] == 0 ? 0 : std::ldexp(1.0, exponent - p - 1);
  }
  // A real input beside x that is rounded onto it: the exact value may be on the other side of a jump.
  void consider_beside(const std::vector<double>& x, std::size_t d, double shift) {
    int exponent = 0;
    // Towards 0 from a power of two the gap is half as wide.
    if (std::fabs(std::frexp(x[d], &exponent)) == 0.5 && shift * x[d] < 0) shift /= 2;
    if (x[d] + 2 * shift > whole_[d].high || x[d] + 2 * shift < whole_[d].low) return;
    const std::optional<double> computed = ExecutedPoint(e_, facts_, x, Calls::quick).root();
    if (!computed || !std::isfinite(*computed)) return;
    std::vector<Real> real(x.begin(), x.end());
    real[d] += Real(shift) * (1 - 0x1p-10L);
    const Real exact = surrogate_.run_real(real);
    if (!std::isfinite(exact) || !surrogate_.admissible()) return;
    Candidate c;
    c.rounded = x;
    c.shift.assign(x.size(), 0);
    c.shift[d] = shift;
    c.score = static_cast<double>(std::fabs(*computed - exact) / allowed(exact));
    keep_best(std::move(c));
  }

  // The value of the input's format next to x that lies in the box, if there is one.
  double held(std::size_t d, double x) const {
    const calculus::Format format = e_.inputs[d].format;
    const bool single = format == calculus::Format::f32 && std::fabs(x) < 0x1p127;
    const double near = format == calculus::Format::f64 ? x
                        : single                        ? static_cast<double>(static_cast<float>(x))
                                                        : nearest_in(format, exact_rational(x)).value_or(0);
    return std::clamp(near, held_[d].low, held_[d].high);
  }

  // Uniform, and what uniform samples do not meet: ends, small magnitudes, short numbers (halves are ties of
  // roundings to integers), and inputs that are equal or close to each other.
  std::vector<double> sample(const std::vector<Span>& box) {
    std::vector<double> out;
    const std::uint64_t pattern = random_() % 8;
    for (std::size_t d = 0; d < box.size(); ++d) {
      const Span side = box[d];
      const double t = std::ldexp(static_cast<double>(random_() >> 11), -53);
      double x = side.low + (side.high - side.low) * t;
      const std::uint64_t kind = random_() % 16;
      if (kind == 0) x = side.low;
      if (kind == 1) x = side.high;
      if (kind == 2)
        x = std::copysign(std::exp2(std::log2(side.magnitude() + 1e-300) * (1 - t) - 150 * t), x);
      if (kind == 3 && side.low > 0) x = side.low * std::pow(side.high / side.low, t);
      if (kind == 4) x = std::ldexp(std::nearbyint(std::ldexp(x, static_cast<int>(random_() % 4))), -1);
      if (d > 0 && pattern == 0) x = out[0];
      if (d > 0 && pattern == 1)
        x = out[d - 1] * (1 + std::ldexp(2 * t - 1, -static_cast<int>(random_() % 40)));
      if (!(x >= side.low && x <= side.high)) x = std::min(std::max(x, side.low), side.high);
      out.push_back(held(d, x));
    }
    return out;
  }

  void consider(const std::vector<double>& x) {
    const std::optional<double> computed = ExecutedPoint(e_, facts_, x, Calls::quick).root();
    if (!computed) return;
    if (!std::isfinite(*computed)) {
      surrogate_.run(x);
      if (surrogate_.admissible() && without_value_.size() < keep) without_value_.push_back(x);
      return;
    }
    const Real exact = surrogate_.run(x);
    if (!surrogate_.admissible()) return;
    if (doubtful_.size() < keep && surrogate_.compares_nothing()) doubtful_.push_back(x);
    if (!std::isfinite(exact)) return;
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
    keep_best(std::move(c));
  }

  void keep_best(Candidate c) {
    if (!(c.score > 0)) return;
    // Ends are met again and again; they shall not crowd out everything else.
    const auto same =
        std::find_if(best_.begin(), best_.end(), [&](const Candidate& k) { return k.rounded == c.rounded; });
    if (same != best_.end()) {
      if (same->score >= c.score) return;
      best_.erase(same);
    }
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
      out.push_back(model_.inputs_rounded ? off_open_end(e_.inputs[d], x) : x);
    }
    return out;
  }
  std::vector<Rational> as_inputs(const std::vector<double>& x) const {
    return reals({0, x, std::vector<double>(x.size(), 0)}, 0);
  }

  static constexpr std::size_t keep = 12;
  const Expression& e_;
  const ExpressionModel& model_;
  std::vector<NodeFacts> facts_;
  Surrogate surrogate_;
  std::mt19937_64 random_;
  WitnessSearch options_;
  std::vector<Span> whole_, held_;
  std::vector<Candidate> best_;
  std::vector<std::vector<double>> without_value_, doubtful_;  // the result; what a condition compares
};

}  // namespace

bool finds_input(const Expression& e, const ExpressionModel& model,
                 const std::vector<std::vector<Span>>& hints, const WitnessSearch& options) {
  return Finder(e, model, options).finds_input(hints);
}

std::optional<ExpressionWitness> find_witness(const Expression& e, const ExpressionModel& model,
                                              const std::vector<std::vector<Span>>& hints,
                                              const WitnessSearch& options) {
  return Finder(e, model, options).run(hints);
}

}  // namespace hallmark::numerics
