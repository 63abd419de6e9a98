#include "boxes/term_range.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

namespace hallmark::boxes {
namespace {

using namespace calculus;

[[noreturn]] void give_up(const std::string& why) {
  throw NotShown{why};
}

Rational exact(double value) {
  if (!std::isfinite(value)) give_up("a constant without a finite value");
  return Rational(value);
}

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

bool negative_infinity(Term t, int sign) {
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

class Evaluator {
 public:
  Evaluator(const std::vector<SymbolRange>& symbols, const Ranges& tensors) : tensors_(tensors) {
    for (const SymbolRange& s : symbols)
      if (s.high) indices_[symbol(s.name)] = {Rational(s.low), Rational(*s.high)};
  }

  void set_axis(int number, Term extent) { bind(axis(number), extent); }

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
  void bind(Term variable, Term extent) {
    const Range n = index(extent);
    indices_[variable] = {0, std::max(Rational(0), Rational(n.high - 1))};
  }

  Range index(Term t) {
    if (const auto known = indices_.find(t); known != indices_.end()) return known->second;
    switch (t->kind) {
      case Kind::integer:
        return {t->value, t->value};
      case Kind::product: {
        Range out{1, 1};
        for (Term child : t->children) out = out * index(child);
        return out;
      }
      case Kind::polynomial: {
        Range out{0, 0};
        for (std::size_t i = 0; i < t->children.size(); ++i)
          out =
              out + Range{Rational(t->coefficients[i]), Rational(t->coefficients[i])} * index(t->children[i]);
        return out;
      }
      case Kind::floor_div: {
        const Range p = index(t->children[0]), q = index(t->children[1]);
        if (q.low < 1) give_up("a quotient of indices");
        const Range exact = p * inverse(q);
        return {exact.low - 1, exact.high};
      }
      case Kind::index_min:
      case Kind::index_max: {
        Range out = index(t->children[0]);
        for (Term child : t->children) {
          const Range each = index(child);
          out = t->kind == Kind::index_min
                    ? Range{std::min(out.low, each.low), std::min(out.high, each.high)}
                    : Range{std::max(out.low, each.low), std::max(out.high, each.high)};
        }
        return out;
      }
      default:
        give_up("an index of this kind, or one without an upper bound");
    }
  }

  // Operations inside a condition have a domain too; which way it goes is not looked at.
  void condition(Term t) {
    switch (t->kind) {
      case Kind::truth:
        return;
      case Kind::at_most_zero:
      case Kind::is_zero:
        plain_index(t->children[0]);
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

  // No element is computed on the way to the index.
  void plain_index(Term t) {
    for_each_node(t, [&](Term n) {
      if (n->kind == Kind::to_index) give_up("an index that is computed from elements");
      if (n->kind == Kind::floor_div && index(n->children[1]).low < 1)
        give_up("a quotient of indices by what may be 0");
    });
  }

  Range uncached(Term t) {
    switch (t->kind) {
      case Kind::constant:
        return constant_range(t);
      case Kind::load: {
        for (Term child : t->children) plain_index(child);
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
        plain_index(t->children[0]);
        return index(t->children[0]);
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
    const FoldParts parts = open(t);
    if (parts.states.size() != 1) give_up("a fold of several components");
    const Order::Kind order = parts.order == nullptr ? Order::Kind::any : parts.order->kind;
    if (order == Order::Kind::mma) give_up("the order of a tensor core");
    const bool one_lane = order == Order::Kind::any || order == Order::Kind::seq;
    const Range extent = index(parts.extent);
    const Rational most = std::max(Rational(0), extent.high);
    bind(parts.variable, parts.extent);
    if (parts.guard != nullptr) condition(parts.guard);
    const Term state = parts.states[0], step = parts.step[0];
    if (step->kind != Kind::operation) give_up("a fold that is no sum and no extremum");
    const auto combines = [&](Op op) {
      if (one_lane) return true;
      if (parts.combine.size() != 1 || parts.right_states.size() != 1) return false;
      const Term c = parts.combine[0];
      return c->kind == Kind::operation && c->op == op && c->children.size() == 2 &&
             ((c->children[0] == state && c->children[1] == parts.right_states[0]) ||
              (c->children[1] == state && c->children[0] == parts.right_states[0]));
    };
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
      if (negative_infinity(parts.init[0], is_maximum(step->op) ? -1 : 1)) {
        if (parts.guard != nullptr || extent.low < 1) give_up("an extremum over a range that may be empty");
        return body;
      }
      return hull(element(parts.init[0]), body);
    }
    give_up("a fold that is no sum and no extremum");
  }

  static bool mentions(Term t, Term part) {
    bool found = false;
    for_each_node(t, [&](Term n) { found = found || n == part; });
    return found;
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
  std::map<Term, Range> indices_, elements_;
};

}  // namespace

Range definition_range(const Definition& definition, const std::vector<SymbolRange>& symbols,
                       const Ranges& tensors) {
  Evaluator evaluator(symbols, tensors);
  for (std::size_t d = 0; d < definition.declaration.extents.size(); ++d)
    evaluator.set_axis(static_cast<int>(d), definition.declaration.extents[d]);
  return evaluator.element(definition.body);
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
