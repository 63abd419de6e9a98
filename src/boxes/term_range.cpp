#include "boxes/term_range.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

namespace hallmark::boxes {
namespace {

using namespace calculus;

Rational exact(double value) {
  if (!std::isfinite(value)) give_up("a constant without a finite value");
  return Rational(value);
}

}  // namespace

Range constant_range(Term t) {
  if (t->sort.kind != Sort::Kind::floating) return {t->value, t->value};
  Rational value;
  if (t->sort.format == Format::f32)
    value = exact(std::bit_cast<float>(static_cast<std::uint32_t>(t->bits)));
  else if (t->sort.format == Format::f64)
    value = exact(std::bit_cast<double>(t->bits));
  else
    give_up("a constant of the format " + std::string(name(t->sort.format)));
  return {value, value};
}

bool is_infinity(Term t, int sign) {
  if (t->kind == Kind::extreme) return t->number == sign;
  if (t->kind != Kind::constant || t->sort.kind != Sort::Kind::floating) return false;
  if (t->sort.format == Format::f32)
    return std::bit_cast<float>(static_cast<std::uint32_t>(t->bits)) == sign * INFINITY;
  return t->sort.format == Format::f64 && std::bit_cast<double>(t->bits) == sign * HUGE_VAL;
}

bool is_maximum(Op op) {
  return op == Op::max || op == Op::maximum || op == Op::maxnum;
}
bool is_minimum(Op op) {
  return op == Op::min || op == Op::minimum || op == Op::minnum;
}

bool mentions(Term t, Term part) {
  bool found = false;
  for_each_node(t, [&](Term n) { found = found || n == part; });
  return found;
}

bool combined_by(const FoldParts& parts, Op op) {
  if (parts.combine.size() != 1 || parts.right_states.size() != 1) return false;
  const Term c = parts.combine[0], state = parts.states[0], right = parts.right_states[0];
  return c->kind == Kind::operation && c->op == op && c->children.size() == 2 &&
         ((c->children[0] == state && c->children[1] == right) ||
          (c->children[1] == state && c->children[0] == right));
}

namespace {

class Evaluator {
 public:
  Evaluator(const Definition& definition, const std::vector<SymbolRange>& symbols, const Ranges& tensors)
      : tensors_(tensors), indices_(symbols, definition) {}

  Range element(Term t) {
    if (const auto known = elements_.find(t); known != elements_.end()) return known->second;
    Range out = shortened(uncached(t));
    if (t->sort.kind == Sort::Kind::floating && t->kind != Kind::constant && t->kind != Kind::load &&
        t->kind != Kind::select && t->kind != Kind::fold && !is_maximum(t->op) && !is_minimum(t->op)) {
      const std::optional<Range> stored = rounded(out, t->sort.format);
      if (!stored) give_up("an operation may overflow " + std::string(name(t->sort.format)));
      out = shortened(*stored);
    }
    elements_.emplace(t, out);
    return out;
  }

 private:
  // Operations inside a condition have a domain too; which way it goes is not looked at.
  void condition(Term t) {
    switch (t->kind) {
      case Kind::truth:
        return;
      case Kind::at_most_zero:
      case Kind::is_zero:
        indices_.plain(t->children[0]);
        return;
      case Kind::conjunction:
      case Kind::disjunction:
      case Kind::negation:
        for (Term child : t->children) condition(child);
        return;
      case Kind::compare:
      case Kind::is_nan:
        for (Term child : t->children) element(child);
        return;
      default:
        give_up("a condition of this kind");
    }
  }

  Range uncached(Term t) {
    switch (t->kind) {
      case Kind::constant:
        return constant_range(t);
      case Kind::load: {
        for (Term child : t->children) indices_.plain(child);
        const auto tensor = tensors_.find(t->name);
        if (tensor == tensors_.end()) give_up("nothing is known of " + t->name);
        return tensor->second;
      }
      case Kind::operation:
        return operation(t);
      case Kind::select:
        condition(t->children[0]);
        return hull(element(t->children[1]), element(t->children[2]));
      case Kind::from_index:
        indices_.plain(t->children[0]);
        return indices_.range(t->children[0]);
      case Kind::cast: {
        const Range before = element(t->children[0]);
        if (!is_float(t->format) || t->sort.kind == Sort::Kind::integer) give_up("a cast to integers");
        const std::optional<Range> after = rounded(before, t->format);
        if (!after) give_up("a cast may overflow " + std::string(name(t->format)));
        return hull(before, *after);
      }
      case Kind::fold:
        return fold(t);
      default:
        give_up("a term of this kind");
    }
  }

  Range operation(Term t) {
    if (t->sort.kind != Sort::Kind::real && t->sort.kind != Sort::Kind::floating)
      give_up("an operation on " + to_string(t->sort));
    std::vector<Range> x;
    for (Term child : t->children) x.push_back(element(child));
    switch (t->op) {
      case Op::neg:
        return -x.at(0);
      case Op::abs:
        return {
            x.at(0).has_zero() ? Rational(0) : std::min(Rational(abs(x[0].low)), Rational(abs(x[0].high))),
            x[0].magnitude()};
      case Op::add:
        return x.at(0) + x.at(1);
      case Op::sub:
        return x.at(0) + -x.at(1);
      case Op::mul: {
        // A value times itself.
        if (t->children[0] == t->children[1]) {
          const Range square = x[0] * x[0];
          return {std::max(Rational(0), square.low), square.high};
        }
        return x.at(0) * x.at(1);
      }
      case Op::fma:
        return x.at(0) * x.at(1) + x.at(2);
      case Op::div:
        if (x.at(1).has_zero()) give_up("a division by what may be 0");
        return x[0] * inverse(x[1]);
      case Op::reciprocal:
        if (x.at(0).has_zero()) give_up("the reciprocal of what may be 0");
        return inverse(x[0]);
      case Op::sqrt:
        if (x.at(0).low < 0) give_up("the root of what may be negative");
        return square_root(x[0]);
      case Op::rsqrt:
        if (x.at(0).low <= 0) give_up("the reciprocal root of what may be 0 or negative");
        return inverse(square_root(x[0]));
      case Op::exp: {
        const std::optional<Range> out = exponential(x.at(0));
        if (!out) give_up("an exponential of a large operand");
        return *out;
      }
      case Op::log:
        if (x.at(0).low <= 0) give_up("the logarithm of what may be 0 or negative");
        return logarithm(x[0]);
      case Op::tanh:
      case Op::erf:
      case Op::sin:
      case Op::cos:
        return {-1, 1};
      default:
        break;
    }
    if (is_maximum(t->op)) return {std::max(x.at(0).low, x.at(1).low), std::max(x[0].high, x[1].high)};
    if (is_minimum(t->op)) return {std::min(x.at(0).low, x.at(1).low), std::min(x[0].high, x[1].high)};
    give_up("the operation " + std::string(name(t->op)));
  }

  // Sums and extrema. What lanes and leaves are put together by must be the same operation.
  Range fold(Term t) {
    FoldParts parts = open(t);
    if (parts.states.size() != 1) give_up("a fold of several components");
    const Order::Kind order = parts.order == nullptr ? Order::Kind::any : parts.order->kind;
    if (order == Order::Kind::mma) give_up("the order of a tensor core");
    const bool one_lane = in_one_lane(parts.order);
    const Steps steps = indices_.steps_of(parts);
    for (Term guard : steps.guards) condition(guard);
    const Rational most = steps.most;
    const Term state = parts.states[0], step = parts.step[0];
    if (step->kind != Kind::operation) give_up("a fold that is no sum and no extremum");
    const auto combines = [&](Op op) { return one_lane || combined_by(parts, op); };
    if (step->op == Op::add || step->op == Op::fma) {
      if (!combines(Op::add)) give_up("lanes that are not added");
      return sum(parts, state, step, most, one_lane);
    }
    if (is_maximum(step->op) || is_minimum(step->op)) {
      if (!combines(step->op)) give_up("lanes that are combined otherwise than their steps");
      const Term other = step->children.at(0) == state ? step->children.at(1) : step->children.at(0);
      if (other == state || (step->children[0] != state && step->children[1] != state) ||
          mentions(other, state))
        give_up("an extremum of another form");
      const Range body = element(other);
      if (is_infinity(parts.init[0], is_maximum(step->op) ? -1 : 1)) {
        if (!steps.never_empty) give_up("an extremum over a range that may be empty");
        return body;
      }
      return hull(element(parts.init[0]), body);
    }
    give_up("a fold that is no sum and no extremum");
  }

  Range sum(const FoldParts& parts, Term state, Term step, const Rational& most, bool one_lane) {
    Range term{0, 0};
    if (step->op == Op::add) {
      const bool left = step->children[0] == state, right = step->children[1] == state;
      if (left == right) give_up("a sum of another form");
      const Term other = step->children[left ? 1 : 0];
      if (mentions(other, state)) give_up("a sum whose terms depend on it");
      term = element(other);
    } else {
      if (step->children.at(2) != state || mentions(step->children[0], state) ||
          mentions(step->children[1], state))
        give_up("a sum whose terms depend on it");
      term = element(step->children[0]) * element(step->children[1]);
    }
    const Range start = element(parts.init[0]);
    // Each lane starts anew.
    if (!one_lane && (start.low != 0 || start.high != 0)) give_up("a start value that each lane adds");
    // Of any number of terms up to `most`: guards leave some out.
    const Range exact = start + Range{std::min(Rational(0), Rational(most * term.low)),
                                      std::max(Rational(0), Rational(most * term.high))};
    if (step->sort.kind != Sort::Kind::floating) return exact;
    // Every value on the way is a sum of at most `most` terms and the start, rounded at most 2 most + 1
    // times.
    const Format format = step->sort.format;
    const long p = significand_bits(format);
    Rational unit(1), least(1);
    mpq_div_2exp(unit.get_mpq_t(), unit.get_mpq_t(), static_cast<mp_bitcnt_t>(p - 1));
    mpq_div_2exp(least.get_mpq_t(), least.get_mpq_t(), static_cast<mp_bitcnt_t>(-minimum_exponent(format)));
    const Rational steps = 2 * most + 2, drift = steps * unit;
    if (drift >= Rational(1, 2)) give_up("a sum of too many terms for its format");
    const Rational size = start.magnitude() + most * term.magnitude();
    // (1 + u)^k - 1 <= 2 k u for k u <= 1/2; each rounding below the normal range adds `least`, grown
    // likewise.
    const Rational error = 2 * drift * size + 2 * steps * least;
    const Range out{exact.low - error, exact.high + error};
    if (!rounded(Range{-(size + error), size + error}, format)) give_up("a sum may overflow its format");
    return out;
  }

  const Ranges& tensors_;
  IndexRanges indices_;
  std::map<Term, Range> elements_;
};

}  // namespace

Range definition_range(const Definition& definition, const std::vector<SymbolRange>& symbols,
                       const Ranges& tensors) {
  return Evaluator(definition, symbols, tensors).element(definition.body);
}

Range data_range(const TensorData& data) {
  const std::int64_t count =
      data.splat ? std::min<std::int64_t>(1, data.element_count()) : data.element_count();
  if (data.format != Format::f32 && data.format != Format::f64)
    give_up("data of the format " + std::string(name(data.format)));
  double low = 0, high = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    double value = 0;
    if (data.format == Format::f32) {
      float single = 0;
      std::memcpy(&single, data.bytes.data() + static_cast<std::size_t>(i) * sizeof single, sizeof single);
      value = static_cast<double>(single);
    } else {
      std::memcpy(&value, data.bytes.data() + static_cast<std::size_t>(i) * sizeof value, sizeof value);
    }
    if (!std::isfinite(value)) give_up("data without a finite value");
    low = i == 0 ? value : std::min(low, value);
    high = i == 0 ? value : std::max(high, value);
  }
  return {Rational(low), Rational(high)};
}

}  // namespace hallmark::boxes
