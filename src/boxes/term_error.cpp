#include "boxes/term_error.h"

#include <algorithm>
#include <optional>

namespace hallmark::boxes {
namespace {

using namespace calculus;

Rational power_of_two(long exponent) {
  Rational out(1);
  if (exponent >= 0)
    mpq_mul_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  else
    mpq_div_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  return out;
}

// Greatest relative and greatest absolute move of one rounding.
struct Unit {
  Rational relative, absolute;
};

Unit unit_of(Term operation) {
  const Format format = operation->sort.format;
  if (operation->rounding == Rounding::none) give_up("an operation whose rounding is not written");
  // Operands are flushed as well, and what becomes of them is no rounding of the result.
  if (operation->flush_subnormals) give_up("an operation that flushes subnormals");
  const long p = significand_bits(format), least = minimum_exponent(format);
  return {power_of_two(operation->rounding == Rounding::nearest ? -p : 1 - p), power_of_two(least + 1 - p)};
}

Rational smallest_magnitude(const Range& a) {
  return a.has_zero() ? Rational(0) : std::min(Rational(abs(a.low)), Rational(abs(a.high)));
}

// Upwards to 64 significant bits or so: errors would grow long otherwise.
Rational shortened_error(const Rational& error) {
  return shortened(Range{0, error}).high;
}

Approximation product(const Approximation& a, const Approximation& b) {
  return {a.exact * b.exact, a.computed * b.computed,
          a.exact.magnitude() * b.error + b.computed.magnitude() * a.error};
}

Approximation plus(const Approximation& a, const Approximation& b) {
  return {a.exact + b.exact, a.computed + b.computed, a.error + b.error};
}

Approximation inverse_of(const Approximation& a) {
  if (a.exact.has_zero() || a.computed.has_zero()) give_up("a division by what may be 0");
  return {inverse(a.exact), inverse(a.computed),
          a.error / (smallest_magnitude(a.exact) * smallest_magnitude(a.computed))};
}

// |sqrt x - sqrt y| is |x - y| / (sqrt x + sqrt y), and at most sqrt |x - y|.
Approximation root_of(const Approximation& a) {
  if (a.exact.low < 0 || a.computed.low < 0) give_up("the root of what may be negative");
  Approximation out{square_root(a.exact), square_root(a.computed), square_root({0, a.error}).high};
  if (const Rational both = out.exact.low + out.computed.low; both > 0)
    out.error = std::min(out.error, Rational(a.error / both));
  return out;
}

bool is_maximum(Op op) {
  return op == Op::max || op == Op::maximum || op == Op::maxnum;
}
bool is_minimum(Op op) {
  return op == Op::min || op == Op::minimum || op == Op::minnum;
}

Integer ceil_log2(const Integer& n) {
  return n <= 1 ? Integer(0)
                : Integer(static_cast<unsigned long>(mpz_sizeinbase(Integer(n - 1).get_mpz_t(), 2)));
}

class Evaluator {
 public:
  Evaluator(const Definition& definition, const std::vector<SymbolRange>& symbols,
            const std::vector<ExactConstant>& constants, const Approximations& tensors)
      : name_(definition.declaration.name),
        constants_(constants),
        tensors_(tensors),
        indices_(symbols, definition) {}

  Approximation element(Term t) {
    if (const auto known = elements_.find(t); known != elements_.end()) return known->second;
    Approximation out = uncached(t);
    out = {shortened(out.exact), shortened(out.computed), shortened_error(out.error)};
    elements_.emplace(t, out);
    return out;
  }

 private:
  Approximation uncached(Term t) {
    switch (t->kind) {
      case Kind::constant: {
        const Range own = constant_range(t), exact = meaning(t, own);
        return {exact, own, Rational(abs(exact.low - own.low))};
      }
      case Kind::load: {
        for (Term child : t->children) indices_.plain(child);
        const auto tensor = tensors_.find(t->name);
        if (tensor == tensors_.end()) give_up("nothing is known of " + t->name);
        return tensor->second;
      }
      case Kind::select: {
        condition(t->children[0]);
        const Approximation a = element(t->children[1]), b = element(t->children[2]);
        return {hull(a.exact, b.exact), hull(a.computed, b.computed), std::max(a.error, b.error)};
      }
      case Kind::from_index: {
        indices_.plain(t->children[0]);
        const Range n = indices_.range(t->children[0]);
        return rounded_once({n, n, 0}, t);
      }
      case Kind::operation:
        return operation(t);
      case Kind::fold:
        return fold(t);
      default:
        give_up("a term of this kind");
    }
  }

  // As formulation/erase.h has it: where two exact values share an encoding, it stands for itself.
  Range meaning(Term t, const Range& own) const {
    std::optional<Rational> found;
    for (const ExactConstant& c : constants_) {
      if (c.definition != name_ || t->sort.kind != Sort::Kind::floating || c.format != t->sort.format ||
          c.bits != t->bits)
        continue;
      if (found && *found != c.exact) give_up("one encoding that stands for two constants");
      found = c.exact;
    }
    return found ? Range{*found, *found} : own;
  }

  // Of elements it could come out otherwise than on the exact ones.
  void condition(Term t) {
    switch (t->kind) {
      case Kind::truth:
        return;
      case Kind::at_most_zero:
      case Kind::is_zero:
        return indices_.plain(t->children[0]);
      case Kind::conjunction:
      case Kind::disjunction:
      case Kind::negation:
        for (Term child : t->children) condition(child);
        return;
      default:
        give_up("a condition on elements");
    }
  }

  Approximation rounded_once(Approximation a, Term t) const {
    if (t->sort.kind != Sort::Kind::floating) {
      if (t->sort.kind != Sort::Kind::real) give_up("an operation on " + to_string(t->sort));
      return a;
    }
    const Unit unit = unit_of(t);
    const std::optional<Range> stored = rounded(a.computed, t->sort.format);
    if (!stored) give_up("an operation may overflow " + std::string(name(t->sort.format)));
    a.error += a.computed.magnitude() * unit.relative + unit.absolute;
    a.computed = *stored;
    return a;
  }

  Approximation operation(Term t) {
    std::vector<Approximation> x;
    for (Term child : t->children) x.push_back(element(child));
    const auto negated = [](const Approximation& a) { return Approximation{-a.exact, -a.computed, a.error}; };
    switch (t->op) {
      case Op::neg:
        return negated(x.at(0));
      case Op::abs: {
        const auto size = [](const Range& a) { return Range{smallest_magnitude(a), a.magnitude()}; };
        return {size(x.at(0).exact), size(x[0].computed), x[0].error};
      }
      case Op::add:
        return rounded_once(plus(x.at(0), x.at(1)), t);
      case Op::sub:
        return rounded_once(plus(x.at(0), negated(x.at(1))), t);
      case Op::mul: {
        Approximation out = product(x.at(0), x.at(1));
        if (t->children[0] == t->children[1])
          for (Range* square : {&out.exact, &out.computed}) square->low = std::max(Rational(0), square->low);
        return rounded_once(out, t);
      }
      case Op::fma:
        return rounded_once(plus(product(x.at(0), x.at(1)), x.at(2)), t);
      case Op::div:
        return rounded_once(product(x.at(0), inverse_of(x.at(1))), t);
      case Op::reciprocal:
        return rounded_once(inverse_of(x.at(0)), t);
      case Op::sqrt:
        return rounded_once(root_of(x.at(0)), t);
      case Op::rsqrt:
        return rounded_once(inverse_of(root_of(x.at(0))), t);
      default:
        break;
    }
    if (!is_maximum(t->op) && !is_minimum(t->op)) give_up("the operation " + std::string(name(t->op)));
    return extremum(x.at(0), x.at(1), is_maximum(t->op));
  }

  static Approximation extremum(const Approximation& a, const Approximation& b, bool maximum) {
    const auto of = [&](const Range& x, const Range& y) {
      return maximum ? Range{std::max(x.low, y.low), std::max(x.high, y.high)}
                     : Range{std::min(x.low, y.low), std::min(x.high, y.high)};
    };
    return {of(a.exact, b.exact), of(a.computed, b.computed), std::max(a.error, b.error)};
  }

  Approximation fold(Term t) {
    FoldParts parts = open(t);
    if (parts.states.size() != 1) give_up("a fold of several components");
    const Order::Kind order = parts.order == nullptr ? Order::Kind::any : parts.order->kind;
    if (order == Order::Kind::mma) give_up("the order of a tensor core");
    const bool one_lane = in_one_lane(parts.order);
    const Steps steps = indices_.steps_of(parts);
    for (Term guard : steps.guards) condition(guard);
    const Term state = parts.states[0], step = parts.step[0];
    if (step->kind != Kind::operation) give_up("a fold that is no sum and no extremum");
    const Op joined = step->op == Op::fma ? Op::add : step->op;
    if (!one_lane && !combined_by(parts, joined))
      give_up("lanes that are combined otherwise than their steps");
    if (joined == Op::add) return sum(parts, state, step, floor_of(steps.most), one_lane);
    if (!is_maximum(joined) && !is_minimum(joined)) give_up("a fold that is no sum and no extremum");
    const Term other = step->children.at(0) == state ? step->children.at(1) : step->children.at(0);
    if (other == state || (step->children[0] != state && step->children[1] != state) ||
        mentions(other, state))
      give_up("an extremum of another form");
    const Approximation body = element(other);
    if (is_infinity(parts.init[0], is_maximum(joined) ? -1 : 1)) {
      if (!steps.never_empty) give_up("an extremum over a range that may be empty");
      return body;
    }
    const Approximation start = element(parts.init[0]);
    return {hull(start.exact, body.exact), hull(start.computed, body.computed),
            std::max(start.error, body.error)};
  }

  static Integer floor_of(const Rational& a) { return floor_div(a.get_num(), a.get_den()); }

  Approximation sum(const FoldParts& parts, Term state, Term step, const Integer& most, bool one_lane) {
    Approximation term;
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
      term = product(element(step->children[0]), element(step->children[1]));
    }
    const Approximation start = element(parts.init[0]);
    if (!one_lane && start.computed.magnitude() + start.exact.magnitude() != 0)
      give_up("a start value that each lane adds");
    // Of any number of terms up to `most`: guards leave some out.
    const Rational n(most);
    const auto total = [&](const Range& begin, const Range& each) {
      return begin + Range{std::min(Rational(0), Rational(n * each.low)),
                           std::max(Rational(0), Rational(n * each.high))};
    };
    Approximation out{total(start.exact, term.exact), total(start.computed, term.computed),
                      start.error + n * term.error};
    if (step->sort.kind != Sort::Kind::floating) return out;
    Unit unit = unit_of(step);
    if (!one_lane) {
      const Unit joins = unit_of(parts.combine[0]);
      unit = {std::max(unit.relative, joins.relative), std::max(unit.absolute, joins.absolute)};
    }
    const Rational height(height_of(parts.order, most));
    if (height * unit.relative >= Rational(1, 2)) give_up("a sum of too many terms for its format");
    const Rational growth = unit.relative / (1 - height * unit.relative);
    // In sequence the i-th of n terms goes through n + 1 - i additions only.
    const bool in_sequence = parts.order != nullptr && parts.order->kind == Order::Kind::seq;
    const Rational through = in_sequence ? Rational(n * (n + 1) / 2) : Rational(n * height);
    // Additions: at most one a step and one a lane that is put to others, each move grown at most twice.
    const Rational off =
        growth * (through * term.computed.magnitude() + height * start.computed.magnitude()) +
        2 * (2 * n + 2 + lanes(parts.order)) * unit.absolute;
    out.error += off;
    out.computed = {out.computed.low - off, out.computed.high + off};
    const Rational size = start.computed.magnitude() + n * term.computed.magnitude() + off;
    if (!rounded(Range{-size, size}, step->sort.format)) give_up("a sum may overflow its format");
    return out;
  }

  static Rational lanes(const Order* order) {
    if (order == nullptr || order->kind != Order::Kind::strided) return 0;
    const Integer* count = as_integer(order->size);
    if (count == nullptr) give_up("a number of lanes that is no number");
    return Rational(*count);
  }

  const std::string& name_;
  const std::vector<ExactConstant>& constants_;
  const Approximations& tensors_;
  IndexRanges indices_;
  std::map<Term, Approximation> elements_;
};

Integer at_least_one(const Order& order) {
  const Integer* size = as_integer(order.size);
  if (size == nullptr || *size < 1) give_up("an order whose size is no number");
  return *size;
}

Integer quotient_upwards(const Integer& a, const Integer& b) {
  return floor_div(Integer(a + b - 1), b);
}

}  // namespace

// No tree over n leaves and a start value is higher than n + 1.
Integer height_of(const Order* order, const Integer& steps) {
  const Integer any = steps + 1;
  if (order == nullptr) return any;
  switch (order->kind) {
    case Order::Kind::strided: {
      const Integer each = at_least_one(*order);
      return quotient_upwards(steps, each) + height_of(order->inner, each);
    }
    case Order::Kind::tree:
      return std::max(ceil_log2(at_least_one(*order)), ceil_log2(steps)) + 1;
    case Order::Kind::blocked: {
      const Integer each = at_least_one(*order);
      return height_of(order->inner, std::min(each, steps)) +
             height_of(order->outer, quotient_upwards(steps, each));
    }
    default:
      return any;
  }
}

Approximation definition_error(const Definition& definition, const std::vector<SymbolRange>& symbols,
                               const std::vector<ExactConstant>& constants, const Approximations& tensors) {
  return Evaluator(definition, symbols, constants, tensors).element(definition.body);
}

}  // namespace hallmark::boxes
