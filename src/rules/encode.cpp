#include "rules/encode.h"

#include "base/error.h"
#include "rules/abstraction.h"
#include "rules/whole.h"

namespace hallmark::rules {

namespace c = calculus;

smt::Term Encoder::encode(c::Term term) {
  if (const auto found = known_.find(term); found != known_.end()) return found->second;
  const smt::Term result = term->sort == c::Sort::index()     ? index(term)
                           : term->sort == c::Sort::boolean() ? boolean(term)
                                                              : element(term);
  known_.emplace(term, result);
  return result;
}

std::string Encoder::variable_name(c::Term term) {
  const auto found = names_.find(term);
  if (found != names_.end()) return found->second;
  return names_.emplace(term, "k" + std::to_string(names_.size())).first->second;
}

std::string Encoder::skeleton_name(c::Term skeleton) {
  const auto found = skeletons_.find(skeleton);
  if (found != skeletons_.end()) return found->second;
  return skeletons_.emplace(skeleton, std::to_string(skeletons_.size())).first->second;
}

smt::Term Encoder::application(const std::string& name, const std::vector<c::Term>& arguments,
                               smt::Sort range) {
  std::vector<smt::Term> args;
  for (c::Term a : arguments) args.push_back(encode(a));
  return arena_.apply(arena_.declare(name, std::vector<smt::Sort>(args.size(), smt::Sort::integer()), range),
                      args);
}

smt::Term Encoder::index(c::Term term) {
  const std::vector<c::Term>& children = term->children;
  switch (term->kind) {
    case c::Kind::integer:
      return arena_.integer(term->value.get_num());
    case c::Kind::symbol:
      return arena_.integer_variable("sym " + term->name);
    case c::Kind::axis:
      return arena_.integer_variable("axis " + std::to_string(term->number));
    case c::Kind::variable:
      return arena_.integer_variable("var " + variable_name(term));
    case c::Kind::product: {
      std::vector<smt::Term> factors;
      for (c::Term x : children) factors.push_back(encode(x));
      return arena_.product(factors);
    }
    case c::Kind::polynomial: {
      std::vector<smt::Term> parts;
      for (std::size_t i = 0; i < children.size(); ++i)
        parts.push_back(smt::multiply(arena_.integer(term->coefficients[i]), encode(children[i])));
      return arena_.sum(parts);
    }
    case c::Kind::floor_div:
      return smt::total_floor_div(encode(children[0]), encode(children[1]));
    case c::Kind::index_min:
    case c::Kind::index_max: {
      smt::Term out = encode(children[0]);
      for (std::size_t i = 1; i < children.size(); ++i) {
        const smt::Term next = encode(children[i]);
        const bool smaller = term->kind == c::Kind::index_min;
        out = smt::ite(smt::less_equal(out, next), smaller ? out : next, smaller ? next : out);
      }
      return out;
    }
    case c::Kind::index_select:
      return smt::ite(encode(children[0]), encode(children[1]), encode(children[2]));
    case c::Kind::to_index:
      // Of a choice, the choice: so that what is known of either element is known here.
      if (children[0]->kind == c::Kind::select)
        return encode(c::index_select(children[0]->children[0], c::to_index(children[0]->children[1]),
                                      c::to_index(children[0]->children[2])));
      // A number for a truth value is opaque; an integer element stands for itself.
      if (children[0]->sort.kind == c::Sort::Kind::integer) {
        // Between numbers and bits nothing is said.
        if (children[0]->kind == c::Kind::load) return integer_load(children[0]);
        if (elements_ == Elements::arithmetic) return encode(children[0]);
      }
      return known_range(children[0],
                         position(children[0], opaque("integer ", children[0], smt::Sort::integer())));
    default:
      throw InternalError("an index term that cannot be encoded");
  }
}

// The index that a fold found, from 0 and then the variable or the index before: it lies in the range, where
// the format has all of the range and there is something to find.
smt::Term Encoder::position(c::Term fold, smt::Term value) {
  if (fold->kind != c::Kind::fold || !fold->free_heights.empty() || fold->sort.kind != c::Sort::Kind::integer)
    return value;
  const c::FoldParts parts = c::open(fold);
  const auto which = static_cast<std::size_t>(fold->which);
  const c::Term step = parts.step[which], start = parts.init[which];
  if (start->kind != c::Kind::constant || start->value != 0) return value;
  const c::Term found = c::from_index(parts.variable, fold->sort), before = parts.states[which];
  const auto either = [&](c::Term a, c::Term b) {
    return step->kind == c::Kind::select && step->children[1] == a && step->children[2] == b;
  };
  if (step != found && !either(found, before) && !either(before, found)) return value;
  const unsigned bits = c::storage_bits(fold->sort.format) - (c::is_signed(fold->sort.format) ? 1 : 0);
  const smt::Term extent = encode(parts.extent), zero = arena_.integer(0);
  axioms_.push_back(smt::implication(
      smt::conjunction(smt::less(zero, extent), smt::less_equal(extent, arena_.integer(power_of_two(bits)))),
      smt::in_range(value, zero, extent)));
  return value;
}

// What is computed stays where its form puts it: a remainder of 4 between 0 and 3.
smt::Term Encoder::known_range(c::Term element, smt::Term value) {
  if (element->kind != c::Kind::operation || element->sort.kind != c::Sort::Kind::integer) return value;
  const WholeRange range = range_of(element).range;
  // That of a whole long format says nothing that is ever needed.
  if (range.high - range.low >= power_of_two(32)) return value;
  axioms_.push_back(smt::in_range(value, arena_.integer(range.low), arena_.integer(Integer(range.high + 1))));
  return value;
}

// An element of an integer tensor is in the range of its format.
smt::Term Encoder::integer_load(c::Term term) {
  const smt::Term out = application("load " + term->name, term->children, smt::Sort::integer());
  const c::Format format = term->sort.format;
  if (c::storage_bits(format) > 32) return out;  // never needed, and long numbers cost the solvers time
  const Integer all = power_of_two(c::storage_bits(format));
  const Integer low = c::is_signed(format) ? Integer(-all / 2) : Integer(0);
  axioms_.push_back(smt::in_range(out, arena_.integer(low), arena_.integer(Integer(low + all))));
  return out;
}

smt::Term Encoder::boolean(c::Term term) {
  std::vector<smt::Term> parts;
  switch (term->kind) {
    case c::Kind::truth:
      return arena_.boolean(term->number != 0);
    case c::Kind::at_most_zero:
      return smt::less_equal(encode(term->children[0]), arena_.integer(0));
    case c::Kind::is_zero:
      return smt::equal(encode(term->children[0]), arena_.integer(0));
    case c::Kind::negation:
      return smt::negation(encode(term->children[0]));
    case c::Kind::conjunction:
      for (c::Term x : term->children) parts.push_back(encode(x));
      return arena_.conjunction(parts);
    case c::Kind::disjunction:
      for (c::Term x : term->children) parts.push_back(encode(x));
      return arena_.disjunction(parts);
    case c::Kind::compare: {
      const c::Sort::Kind kind = term->children[0]->sort.kind;
      if (elements_ == Elements::bits)
        return kind == c::Sort::Kind::integer ? comparison_in_bits(term)
                                              : opaque("holds ", term, smt::Sort::boolean());
      if (elements_ == Elements::opaque || (kind != c::Sort::Kind::real && kind != c::Sort::Kind::integer))
        return opaque("holds ", term, smt::Sort::boolean());
      const smt::Term a = encode(term->children[0]), b = encode(term->children[1]);
      return term->op == c::Op::eq   ? smt::equal(a, b)
             : term->op == c::Op::lt ? smt::less(a, b)
                                     : smt::less_equal(a, b);
    }
    case c::Kind::operation: {
      for (c::Term x : term->children) {
        if (x->sort != c::Sort::boolean()) return opaque("holds ", term, smt::Sort::boolean());
        parts.push_back(encode(x));
      }
      switch (term->op) {
        case c::Op::bit_and:
        case c::Op::min:
        case c::Op::mul:
          return arena_.conjunction(parts);
        case c::Op::bit_or:
        case c::Op::max:
          return arena_.disjunction(parts);
        case c::Op::bit_xor:
        case c::Op::logical_xor:
          return smt::not_equal(parts[0], parts[1]);
        case c::Op::bit_not:
          return smt::negation(parts[0]);
        default:
          return opaque("holds ", term, smt::Sort::boolean());
      }
    }
    default:
      return opaque("holds ", term, smt::Sort::boolean());
  }
}

// An uninterpreted function, one for each skeleton: sound, since equal indices then give equal values and
// nothing else is assumed.
smt::Term Encoder::opaque(const std::string& prefix, c::Term term, smt::Sort range) {
  const Abstraction abstract(term);
  return application(prefix + skeleton_name(abstract.skeleton()), abstract.arguments(), range);
}

smt::Term Encoder::element(c::Term term) {
  const bool real = term->sort == c::Sort::real();
  if (elements_ == Elements::bits) return in_bits(term);
  if (!real && term->sort.kind != c::Sort::Kind::integer)
    throw Refusal("E2102", "elements of sort " + c::to_string(term->sort) + " have no arithmetic here");
  const smt::Sort sort = real ? smt::Sort::real() : smt::Sort::integer();
  const std::vector<c::Term>& children = term->children;
  switch (term->kind) {
    case c::Kind::constant:
      return real ? arena_.real(term->value) : arena_.integer(term->value.get_num());
    case c::Kind::variable:
    case c::Kind::state:
      if (term->kind == c::Kind::state) break;
      return arena_.variable("element " + variable_name(term), sort);
    case c::Kind::load:
      return real ? application("real " + term->name, children, sort) : integer_load(term);
    case c::Kind::from_index:
      if (real) return smt::to_real(encode(children[0]));
      return wrapped(encode(children[0]), term->sort.format);
    case c::Kind::select:
      return smt::ite(encode(children[0]), encode(children[1]), encode(children[2]));
    case c::Kind::operation:
      return function_of(term);
    case c::Kind::cast:
      if (real && children[0]->sort == c::Sort::real() && c::is_float(term->format)) return rounded(term);
      // A format that has every integer of the range changes none of them.
      if (real && children[0]->sort.kind == c::Sort::Kind::integer && c::is_float(term->format) &&
          holds_integers(term->format, range_of(children[0]).range))
        return smt::to_real(encode(children[0]));
      if (!real && children[0]->sort == c::Sort::real() && term->format == term->sort.format)
        return saturated(term);
      break;
    default:
      break;
  }
  return opaque("element ", term, sort);
}

smt::Term Encoder::function_of(c::Term term) {
  const bool real = term->sort == c::Sort::real();
  const auto operand = [&](std::size_t i) { return encode(term->children[i]); };
  if (term->op == c::Op::max || term->op == c::Op::min) {
    const smt::Term a = operand(0), b = operand(1), first = smt::less_equal(a, b);
    return term->op == c::Op::max ? smt::ite(first, b, a) : smt::ite(first, a, b);
  }
  // Remainders never leave the range of the format, so that they are those of the integers; by 0 they are 0.
  if (!real && (term->op == c::Op::rem || term->op == c::Op::mod)) {
    const smt::Term a = operand(0), b = operand(1), zero = arena_.integer(0);
    const smt::Term floor = smt::total_floor_mod(a, b);
    axioms_.push_back(smt::implication(smt::less(zero, b), smt::in_range(floor, zero, b)));
    axioms_.push_back(smt::implication(smt::in_range(a, zero, b), smt::equal(floor, a)));
    axioms_.push_back(smt::implication(smt::less(b, zero),
                                       smt::conjunction(smt::less(b, floor), smt::less_equal(floor, zero))));
    axioms_.push_back(
        smt::implication(smt::conjunction(smt::less(b, a), smt::less_equal(a, zero)), smt::equal(floor, a)));
    const smt::Term truncated = smt::ite(
        smt::disjunction(smt::equal(floor, zero), smt::equal(smt::less(a, zero), smt::less(b, zero))), floor,
        smt::subtract(floor, b));
    return smt::ite(smt::equal(b, zero), zero, term->op == c::Op::mod ? floor : truncated);
  }
  // Quotients are cut towards 0 and, by a positive divisor, leave no range.
  if (!real && term->op == c::Op::div) {
    const smt::Term a = operand(0), b = operand(1), zero = arena_.integer(0);
    const smt::Term value = opaque("element ", term, smt::Sort::integer());
    const smt::Term positive = smt::less(zero, b), above = smt::less_equal(zero, a);
    axioms_.push_back(
        smt::implication(smt::conjunction(positive, above), smt::equal(value, smt::total_floor_div(a, b))));
    axioms_.push_back(
        smt::implication(smt::conjunction(positive, smt::negation(above)),
                         smt::equal(value, smt::negate(smt::total_floor_div(smt::negate(a), b)))));
    return value;
  }
  // Arithmetic of integer elements wraps: the sum normal form knows its laws, not this one.
  if (!real) return opaque("element ", term, smt::Sort::integer());
  for (c::Term child : term->children)
    if (child->sort != c::Sort::real()) return opaque("element ", term, smt::Sort::real());
  const smt::Term zero = arena_.real(0), one = arena_.real(1);
  switch (term->op) {
    case c::Op::neg:
      return smt::negate(operand(0));
    case c::Op::abs: {
      const smt::Term a = operand(0);
      return smt::ite(smt::less_equal(zero, a), a, smt::negate(a));
    }
    case c::Op::sign: {
      const smt::Term a = operand(0);
      return smt::ite(smt::less(zero, a), one, smt::ite(smt::less(a, zero), smt::negate(one), zero));
    }
    case c::Op::add:
      return smt::add(operand(0), operand(1));
    case c::Op::sub:
      return smt::subtract(operand(0), operand(1));
    case c::Op::mul:
      return smt::multiply(operand(0), operand(1));
    case c::Op::fma:
      return smt::add(smt::multiply(operand(0), operand(1)), operand(2));
    case c::Op::div:
      return smt::multiply(operand(0), reciprocal(operand(1)));
    case c::Op::reciprocal:
      return reciprocal(operand(0));
    case c::Op::floor:
      return smt::to_real(smt::to_integer(operand(0)));
    case c::Op::ceil:
      return smt::negate(smt::to_real(smt::to_integer(smt::negate(operand(0)))));
    case c::Op::trunc: {
      const smt::Term a = operand(0);
      return smt::ite(smt::less_equal(zero, a), smt::to_real(smt::to_integer(a)),
                      smt::negate(smt::to_real(smt::to_integer(smt::negate(a)))));
    }
    case c::Op::round_even: {
      // The integer below, or the one above it: the nearer one, and of two equally near ones the even one.
      const smt::Term a = operand(0), below = smt::to_integer(a), half = arena_.real(Rational(1, 2)),
                      part = smt::subtract(a, smt::to_real(below));
      const smt::Term even = smt::equal(smt::total_floor_mod(below, arena_.integer(2)), arena_.integer(0));
      const smt::Term down =
          smt::disjunction(smt::less(part, half), smt::conjunction(smt::equal(part, half), even));
      return smt::to_real(smt::ite(down, below, smt::add(below, arena_.integer(1))));
    }
    default:
      break;
  }
  std::vector<smt::Term> operands;
  for (std::size_t i = 0; i < term->children.size(); ++i) operands.push_back(operand(i));
  const std::string name =
      term->op == c::Op::custom ? "custom " + term->name : std::string(c::name(term->op));
  const smt::Term value = arena_.apply(
      arena_.declare("function " + name, std::vector<smt::Sort>(operands.size(), smt::Sort::real()),
                     smt::Sort::real()),
      operands);
  const c::Term inside = term->children[0];
  const bool inverse =
      inside->kind == c::Kind::operation && ((term->op == c::Op::log && inside->op == c::Op::exp) ||
                                             (term->op == c::Op::exp && inside->op == c::Op::log));
  const auto of_inside = [&] { return encode(inside->children[0]); };
  switch (term->op) {
    case c::Op::exp:
      axioms_.push_back(smt::less(zero, value));
      // Increasing; said of the first few, since every pair is said.
      for (const auto& [argument, other] : exponentials_) {
        axioms_.push_back(smt::equal(smt::less(argument, operands[0]), smt::less(other, value)));
        axioms_.push_back(smt::equal(smt::less(operands[0], argument), smt::less(value, other)));
      }
      if (exponentials_.size() < 4) exponentials_.push_back({operands[0], value});
      if (inverse)
        axioms_.push_back(smt::implication(smt::less(zero, of_inside()), smt::equal(value, of_inside())));
      break;
    case c::Op::log:
      if (inverse) axioms_.push_back(smt::equal(value, of_inside()));
      break;
    case c::Op::sqrt:
      axioms_.push_back(
          smt::implication(smt::less_equal(zero, operands[0]),
                           smt::conjunction(smt::less_equal(zero, value),
                                            smt::equal(smt::multiply(value, value), operands[0]))));
      break;
    case c::Op::rsqrt:
      axioms_.push_back(smt::implication(
          smt::less(zero, operands[0]),
          smt::conjunction(
              smt::less(zero, value),
              smt::equal(smt::multiply(smt::multiply(value, value), operands[0]), arena_.real(1)))));
      break;
    default:
      break;
  }
  return value;
}

// A real as an element of an integer format: cut towards 0, at most the ends of the format.
smt::Term Encoder::saturated(c::Term conversion) {
  const smt::Term of = encode(conversion->children[0]);
  const smt::Term cut = smt::ite(smt::less_equal(arena_.real(0), of), smt::to_integer(of),
                                 smt::negate(smt::to_integer(smt::negate(of))));
  const Integer all = power_of_two(c::storage_bits(conversion->format));
  const Integer low = c::is_signed(conversion->format) ? Integer(-all / 2) : Integer(0);
  const smt::Term least = arena_.integer(low), most = arena_.integer(Integer(low + all - 1));
  return smt::ite(smt::less(cut, least), least, smt::ite(smt::less(most, cut), most, cut));
}

// An index as an integer element: itself where the format holds it.
smt::Term Encoder::wrapped(smt::Term value, c::Format format) {
  const smt::Term out = arena_.apply(
      arena_.declare("wrapped " + std::string(c::name(format)), {smt::Sort::integer()}, smt::Sort::integer()),
      {value});
  const Integer all = power_of_two(c::storage_bits(format));
  const Integer low = c::is_signed(format) ? Integer(-all / 2) : Integer(0);
  axioms_.push_back(smt::implication(
      smt::in_range(value, arena_.integer(low), arena_.integer(Integer(low + all))), smt::equal(out, value)));
  return out;
}

// A number rounded to a format, to nearest: increasing, odd, and nothing for a number of the format. Beyond
// the format's range the total model has it rounded as if the exponent had no bound.
smt::Term Encoder::rounded(c::Term conversion) {
  const smt::Term of = encode(conversion->children[0]);
  const smt::Function* function = arena_.declare("rounded to " + std::string(c::name(conversion->format)),
                                                 {smt::Sort::real()}, smt::Sort::real());
  auto& known = roundings_[conversion->format];
  constexpr std::size_t most_pairs = 6;  // every pair is said
  const auto say = [&](smt::Term argument) {
    const smt::Term value = arena_.apply(function, {argument});
    for (const auto& [other, of_other] : known) {
      if (other == argument) return value;
      axioms_.push_back(smt::implication(smt::less_equal(argument, other), smt::less_equal(value, of_other)));
      axioms_.push_back(smt::implication(smt::less_equal(other, argument), smt::less_equal(of_other, value)));
    }
    if (known.size() < most_pairs) known.push_back({argument, value});
    return value;
  };
  const smt::Term value = say(of), opposite = smt::negate(of);
  axioms_.push_back(smt::equal(arena_.apply(function, {opposite}), smt::negate(value)));
  // The numbers that the claim compares with; 0 is one of every format.
  const smt::Term zero = arena_.real(0);
  axioms_.push_back(smt::equal(say(zero), zero));
  return value;
}

// The total model: 1 / 0 = 0.
smt::Term Encoder::reciprocal(smt::Term of) {
  if (of.is_constant()) return arena_.real(of.value() == 0 ? Rational(0) : Rational(1 / of.value()));
  const smt::Term value =
      arena_.apply(arena_.declare("function reciprocal", {smt::Sort::real()}, smt::Sort::real()), {of});
  const smt::Term zero = arena_.real(0);
  axioms_.push_back(smt::ite(smt::equal(of, zero), smt::equal(value, zero),
                             smt::equal(smt::multiply(of, value), arena_.real(1))));
  // Of positive numbers the greater one has the smaller reciprocal; said of the first few.
  for (const auto& [other, of_other] : reciprocals_) {
    if (other == of) return value;
    const smt::Term positive = smt::conjunction(smt::less(zero, of), smt::less(zero, other));
    axioms_.push_back(
        smt::implication(positive, smt::equal(smt::less(of, other), smt::less(of_other, value))));
    axioms_.push_back(
        smt::implication(positive, smt::equal(smt::less(other, of), smt::less(value, of_other))));
  }
  if (reciprocals_.size() < 4) reciprocals_.push_back({of, value});
  return value;
}

}  // namespace hallmark::rules
