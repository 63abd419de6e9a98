#include "validator/checks/specification.h"

#include "base/error.h"
#include "validator/checks/identities.h"
#include "validator/symbolic/arithmetic.h"
#include "validator/symbolic/clamped.h"
#include "validator/symbolic/interval.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Op;
using calculus::Sort;
using calculus::Term;

const plan::Buffer& buffer_of(const plan::KernelSpec& spec, const std::string& name) {
  for (const plan::Parameter& parameter : spec.parameters)
    if (parameter.buffer && parameter.buffer->declaration.name == name) return *parameter.buffer;
  throw InternalError("a specification names an unknown buffer: " + name);
}

Term flatten(const plan::Buffer& buffer, const std::vector<Term>& indices) {
  Term flat = calculus::integer(0);
  for (std::size_t d = 0; d < indices.size(); ++d)
    flat = calculus::add(calculus::multiply(flat, buffer.declaration.extents.at(d)), indices[d]);
  return flat;
}

namespace {

// An Int element as the integer that it is.
Term exact_reading(Term element);

// The truth of a stored Bool is that its byte, 0 or 1, is not 0.
Term truth_of(Term load) {
  return calculus::negation(calculus::equal(calculus::to_index(load), calculus::integer(0)));
}
// The load of which this is the truth, or nothing.
Term stored_truth(Term condition) {
  if (condition->kind != Kind::negation || condition->children[0]->kind != Kind::is_zero) return nullptr;
  const Term number = condition->children[0]->children[0];
  return number->kind == Kind::to_index && number->children[0]->kind == Kind::load &&
                 number->children[0]->sort == Sort::boolean()
             ? number->children[0]
             : nullptr;
}

// A Bool as 0 or 1.
Term truth_as_number(Term e) {
  if (const Term load = stored_truth(e)) return calculus::to_index(load);
  if (e->kind == Kind::load || e->kind == Kind::fold || e->kind == Kind::state) return calculus::to_index(e);
  return calculus::index_select(e, calculus::integer(1), calculus::integer(0));
}

// Comparisons of stored integers, and of Bools, as conditions on numbers, which solvers understand.
Term comparison_reading(Term node) {
  const Term a = node->children[0], b = node->children[1];
  if (a->sort == Sort::boolean())
    return node->op != Op::eq ? node
                              : calculus::either(calculus::both(a, b), calculus::both(calculus::negation(a),
                                                                                      calculus::negation(b)));
  if (a->sort.kind != Sort::Kind::integer) return node;
  const Term x = exact_reading(a), y = exact_reading(b);
  switch (node->op) {
    case Op::lt:
      return calculus::less(x, y);
    case Op::le:
      return calculus::at_most(x, y);
    case Op::eq:
      return calculus::equal(x, y);
    default:
      return node;
  }
}

}  // namespace

Term prepare_value(const plan::KernelSpec& spec, Term value) {
  value = calculus::expand_functions(value, spec.functions);
  return calculus::rewrite(value, [&](Term node) -> Term {
    if (node->kind == Kind::load && !plan::is_float_scalar(spec, node->name)) {
      const plan::Buffer& buffer = buffer_of(spec, node->name);
      const Term element = calculus::load(node->name, {flatten(buffer, node->children)}, node->sort);
      return node->sort == Sort::boolean() ? truth_of(element) : element;
    }
    if (node->kind == Kind::to_index) return exact_reading(node->children[0]);
    if (node->kind == Kind::cast && node->sort == Sort::boolean()) {
      const Term from = node->children[0];
      if (from->sort == Sort::boolean()) return from;
      if (from->sort.kind == Sort::Kind::integer)
        return calculus::negation(calculus::equal(exact_reading(from), calculus::integer(0)));
      if (from->sort.kind == Sort::Kind::floating)
        return calculus::negation(
            calculus::compare(Op::eq, from, calculus::float_constant(from->sort.format, 0)));
    }
    if (node->kind == Kind::cast)
      if (const Term load = stored_truth(node->children[0]))
        return calculus::cast(load, node->sort, node->format);
    if (node->kind == Kind::compare)
      if (const Term same = comparison_reading(node); same != node) return same;
    return identities(node);
  });
}

namespace {

// Where the number of an Int element lies: its format, or what its operands leave.
Interval range_of(Term e) {
  const Interval whole = format_range(e->sort.format);
  const auto fitting = [&](const Interval& i) {
    return i.low && i.high && whole.contains(*i.low) && whole.contains(*i.high) ? i : whole;
  };
  if (e->kind == Kind::constant) return point(e->value.get_num());
  if (e->kind == Kind::select) return hull(range_of(e->children[1]), range_of(e->children[2]));
  if (e->kind == Kind::cast && e->children[0]->sort.kind == Sort::Kind::integer &&
      e->format == e->sort.format)
    return fitting(range_of(e->children[0]));
  if (e->kind != Kind::operation || e->children.size() != 2) return whole;
  const Interval a = range_of(e->children[0]), b = range_of(e->children[1]);
  switch (e->op) {
    case Op::add:
      return fitting(sum(a, b));
    case Op::sub:
      return fitting(sum(a, scaled(-1, b)));
    case Op::mul:
      return fitting(product(a, b));
    case Op::min:
      return {std::min(*a.low, *b.low), std::min(*a.high, *b.high)};
    case Op::max:
      return {std::max(*a.low, *b.low), std::max(*a.high, *b.high)};
    default:
      return whole;
  }
}

// Whether the operation on the numbers of its operands never leaves the format.
bool never_wraps(Term e) {
  const Interval whole = format_range(e->sort.format);
  const Interval a = range_of(e->children[0]), b = range_of(e->children.back());
  const Interval out = e->op == Op::add   ? sum(a, b)
                       : e->op == Op::sub ? sum(a, scaled(-1, b))
                       : e->op == Op::mul ? product(a, b)
                                          : scaled(-1, a);
  return out.low && out.high && whole.contains(*out.low) && whole.contains(*out.high);
}

// A shift of unsigned numbers by a number: as machines shift words of 32 and 64 bits, where the amount is
// less than the format's width, and 0 otherwise.
Term shifted(Term e) {
  const unsigned width = calculus::storage_bits(e->sort.format), word = width <= 32 ? 32 : 64;
  const bool left = e->op == Op::shift_left;
  const Term a = exact_reading(e->children[0]), b = exact_reading(e->children[1]);
  Term whole = Arithmetic::opaque(left ? "shift_left" : "shift_right_logical", {a, b}, word);
  if (left && width < word) whole = calculus::mod(whole, calculus::integer(power_of_two(width)));
  return calculus::index_select(calculus::less(b, calculus::integer(Integer(width))), whole,
                                calculus::integer(0));
}

// A quotient or rest by floor divisions where the divisor is positive, so that nothing overflows, and as it
// is elsewhere.
Term divided(Term e) {
  const Term a = exact_reading(e->children[0]), b = exact_reading(e->children[1]),
             zero = calculus::integer(0);
  const Term towards_zero =
      calculus::index_select(calculus::at_most(zero, a), calculus::floor_div(a, b),
                             calculus::scale(-1, calculus::floor_div(calculus::scale(-1, a), b)));
  const Term value = e->op == Op::div   ? towards_zero
                     : e->op == Op::mod ? calculus::mod(a, b)
                                        : calculus::subtract(a, calculus::multiply(b, towards_zero));
  return calculus::index_select(calculus::less(zero, b), value, calculus::to_index(e));
}

Term exact_reading(Term e) {
  if (e->sort == Sort::boolean()) return truth_as_number(e);
  switch (e->kind) {
    case Kind::constant:
      return calculus::integer(e->value.get_num());
    case Kind::from_index:
      // A coordinate: no tensor is as long as 2^63.
      return e->sort.format == calculus::Format::i64 && e->children[0]->kind == Kind::axis
                 ? e->children[0]
                 : calculus::to_index(e);
    case Kind::select:
      return calculus::index_select(e->children[0], exact_reading(e->children[1]),
                                    exact_reading(e->children[2]));
    case Kind::cast: {
      const Term inner = e->children[0];
      if (inner->sort.kind == Sort::Kind::floating && e->format == e->sort.format)
        if (const Term plain = truncated_in_range(inner, e->format)) return plain;
      if (inner->sort.kind != Sort::Kind::integer || e->format != e->sort.format)
        return calculus::to_index(e);
      const Interval from = range_of(inner), to = format_range(e->format);
      return to.contains(*from.low) && to.contains(*from.high) ? exact_reading(inner) : calculus::to_index(e);
    }
    case Kind::operation: {
      if (e->op == Op::min)
        return calculus::index_min(exact_reading(e->children[0]), exact_reading(e->children[1]));
      if (e->op == Op::max)
        return calculus::index_max(exact_reading(e->children[0]), exact_reading(e->children[1]));
      if (e->op == Op::add && never_wraps(e))
        return calculus::add(exact_reading(e->children[0]), exact_reading(e->children[1]));
      if (e->op == Op::sub && never_wraps(e))
        return calculus::subtract(exact_reading(e->children[0]), exact_reading(e->children[1]));
      if (e->op == Op::mul && never_wraps(e))
        return calculus::multiply(exact_reading(e->children[0]), exact_reading(e->children[1]));
      if (e->op == Op::neg && never_wraps(e)) return calculus::scale(-1, exact_reading(e->children[0]));
      if (e->op == Op::div || e->op == Op::mod || e->op == Op::rem) {
        // Of a number that is not negative by a positive one all divisions are the same.
        const Term below = e->children[1];
        if (below->kind == Kind::constant && below->value > 0 && *range_of(e->children[0]).low >= 0) {
          const Term a = exact_reading(e->children[0]), b = calculus::integer(below->value.get_num());
          return e->op == Op::div ? calculus::floor_div(a, b) : calculus::mod(a, b);
        }
        // Both are 0 where the divisor is.
        if (e->op == Op::div && !calculus::is_signed(e->sort.format))
          return calculus::floor_div(exact_reading(e->children[0]), exact_reading(e->children[1]));
        return divided(e);
      }
      if ((e->op == Op::shift_left || e->op == Op::shift_right) && !calculus::is_signed(e->sort.format))
        return shifted(e);
      return calculus::to_index(e);
    }
    default:
      return calculus::to_index(e);
  }
}

}  // namespace

Term integer_reading(Term e) {
  if (e->sort == Sort::boolean() && e->kind != Kind::fold) return truth_as_number(e);
  switch (e->kind) {
    case Kind::constant:
      return calculus::integer(e->value.get_num());
    case Kind::from_index:
      return e->children[0];
    case Kind::select:
      return calculus::index_select(e->children[0], integer_reading(e->children[1]),
                                    integer_reading(e->children[2]));
    case Kind::operation: {
      if (e->op == Op::add)
        return calculus::add(integer_reading(e->children[0]), integer_reading(e->children[1]));
      if (e->op == Op::sub)
        return calculus::subtract(integer_reading(e->children[0]), integer_reading(e->children[1]));
      if (e->op == Op::mul)
        return calculus::multiply(integer_reading(e->children[0]), integer_reading(e->children[1]));
      if (e->op == Op::neg) return calculus::scale(-1, integer_reading(e->children[0]));
      return exact_reading(e);
    }
    case Kind::cast: {
      const Term inner = e->children[0];
      if (inner->sort.kind == Sort::Kind::floating) return exact_reading(e);
      if (inner->sort.kind != Sort::Kind::integer || e->format != e->sort.format)
        return calculus::to_index(e);
      // A cast keeps the number modulo 2^w; a narrower one also what the number is congruent to.
      const bool narrower = calculus::storage_bits(e->format) <= calculus::storage_bits(inner->sort.format);
      return narrower ? integer_reading(inner) : exact_reading(inner);
    }
    case Kind::fold: {
      // The states become unbounded integers; their steps are read the same way.
      calculus::FoldParts parts = calculus::open(e);
      calculus::Substitution states;
      for (std::size_t j = 0; j < parts.states.size(); ++j) {
        // What is carried beside, such as the greatest element so far, stays as it is.
        if (parts.states[j]->sort.kind != Sort::Kind::integer) continue;
        const Term number = calculus::fresh_variable("n");
        states[parts.states[j]] = calculus::from_index(number, parts.states[j]->sort);
        parts.states[j] = number;
        parts.init[j] = integer_reading(parts.init[j]);
      }
      for (Term& step : parts.step) {
        step = calculus::substitute(step, states);
        if (step->sort.kind == Sort::Kind::integer) step = integer_reading(step);
      }
      parts.combine.clear();
      parts.right_states.clear();
      return calculus::fold(parts, e->which);
    }
    default:
      return calculus::to_index(e);
  }
}

namespace {

using Leaf = std::vector<Term>;  // the states of one lane

class Expander {
 public:
  explicit Expander(Term fold) : parts_(calculus::open(fold)) {
    if (!parts_.combine.empty()) return;
    // state_j = op(state_j, body) combines by the same op.
    for (std::size_t j = 0; j < parts_.states.size(); ++j) {
      const Term step = parts_.step[j], state = parts_.states[j];
      bool ok = step->kind == Kind::operation && step->children.size() == 2 &&
                (step->children[0] == state || step->children[1] == state);
      if (ok) switch (step->op) {
          case Op::add:
          case Op::mul:
          case Op::max:
          case Op::min:
          case Op::maximum:
          case Op::minimum:
          case Op::maxnum:
          case Op::minnum:
            break;
          default:
            ok = false;
        }
      if (!ok)
        throw Refusal("E4010", "a fold in another order than seq has no rule to combine two of its states");
      parts_.right_states.push_back(calculus::fresh_variable("t", state->sort));
      parts_.combine.push_back(calculus::operation(step->op, {state, parts_.right_states.back()}, step->sort,
                                                   step->rounding, step->flush_subnormals));
    }
  }

  Leaf whole(const calculus::Order& order) {
    using K = calculus::Order::Kind;
    if (order.kind == K::strided) {
      const Integer* lanes = calculus::as_integer(order.size);
      if (lanes == nullptr || *lanes < 1 || *lanes > 4096)
        throw Refusal("E4010", "a fold in strided order whose number of lanes is not a constant");
      std::vector<Leaf> leaves;
      for (long l = 0; l < lanes->get_si(); ++l) leaves.push_back(lane(l, *lanes));
      return combine(leaves, *order.inner);
    }
    const Integer* extent = calculus::as_integer(parts_.extent);
    if (extent == nullptr || *extent < 1 || *extent > 4096)
      throw Refusal("E4010", "a fold in tree or blocked order whose extent is not a constant");
    std::vector<Leaf> leaves;
    for (long k = 0; k < extent->get_si(); ++k) leaves.push_back(step_alone(k));
    return combine(leaves, order);
  }

 private:
  Leaf lane(long l, const Integer& lanes) {
    calculus::FoldParts parts = parts_;
    const Term it = calculus::fresh_variable("k");
    const Term k = calculus::add(calculus::integer(l), calculus::scale(lanes, it));
    parts.variable = it;
    // Below 0 where the lane has no step; a fold over fewer than one step is its start value.
    parts.extent = calculus::floor_div(calculus::add(calculus::subtract(parts_.extent, calculus::integer(l)),
                                                     calculus::integer(Integer(lanes - 1))),
                                       calculus::integer(lanes));
    const calculus::Substitution shift{{parts_.variable, k}};
    if (parts.guard != nullptr) parts.guard = calculus::substitute(parts.guard, shift);
    for (Term& step : parts.step) step = calculus::substitute(step, shift);
    parts.combine.clear();
    parts.right_states.clear();
    parts.order = calculus::seq_order();
    Leaf out;
    for (std::size_t j = 0; j < parts.states.size(); ++j)
      out.push_back(calculus::fold(parts, static_cast<int>(j)));
    return out;
  }

  Leaf step_alone(long k) {
    calculus::Substitution at{{parts_.variable, calculus::integer(k)}};
    for (std::size_t j = 0; j < parts_.states.size(); ++j) at[parts_.states[j]] = parts_.init[j];
    Leaf out;
    const Term guard = parts_.guard != nullptr
                           ? calculus::substitute(parts_.guard, {{parts_.variable, calculus::integer(k)}})
                           : calculus::truth(true);
    for (std::size_t j = 0; j < parts_.states.size(); ++j)
      out.push_back(calculus::select(guard, calculus::substitute(parts_.step[j], at), parts_.init[j]));
    return out;
  }

  Leaf two(const Leaf& a, const Leaf& b) {
    calculus::Substitution map;
    for (std::size_t j = 0; j < parts_.states.size(); ++j) {
      map[parts_.states[j]] = a[j];
      map[parts_.right_states[j]] = b[j];
    }
    Leaf out;
    for (Term c : parts_.combine) out.push_back(calculus::substitute(c, map));
    return out;
  }

  Leaf combine(std::vector<Leaf> leaves, const calculus::Order& order) {
    using K = calculus::Order::Kind;
    switch (order.kind) {
      case K::any:
      case K::seq: {
        Leaf out = leaves.at(0);
        for (std::size_t i = 1; i < leaves.size(); ++i) out = two(out, leaves[i]);
        return out;
      }
      case K::tree: {
        if (leaves.size() == 1) return leaves[0];
        if (leaves.size() % 2 != 0)
          throw Refusal("E4010", "a tree order over a number of leaves that is no power of two");
        const auto half = leaves.begin() + static_cast<std::ptrdiff_t>(leaves.size() / 2);
        return two(combine({leaves.begin(), half}, order), combine({half, leaves.end()}, order));
      }
      case K::blocked: {
        const Integer* block = calculus::as_integer(order.size);
        if (block == nullptr || *block < 1)
          throw Refusal("E4010", "a blocked order whose block is not a constant");
        std::vector<Leaf> results;
        const std::size_t size = block->get_ui();
        for (std::size_t i = 0; i < leaves.size(); i += size)
          results.push_back(
              combine({leaves.begin() + static_cast<std::ptrdiff_t>(i),
                       leaves.begin() + static_cast<std::ptrdiff_t>(std::min(i + size, leaves.size()))},
                      *order.inner));
        return combine(results, *order.outer);
      }
      default:
        throw Refusal("E4010", "a fold order that is not modelled");
    }
  }

  calculus::FoldParts parts_;
};

}  // namespace

Term expand_order(Term fold) {
  Expander expander(fold);
  return expander.whole(*fold->order).at(static_cast<std::size_t>(fold->which));
}

}  // namespace hallmark::validator
