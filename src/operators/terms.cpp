#include "operators/terms.h"

#include "base/error.h"

namespace hallmark::operators {

using namespace calculus;

Term zero_of(Sort sort) {
  return sort == Sort::boolean() ? truth(false) : number_of(sort, 0);
}
Term one_of(Sort sort) {
  return sort == Sort::boolean() ? truth(true) : number_of(sort, 1);
}

Term number_of(Sort sort, const Rational& value) {
  if (sort.kind == Sort::Kind::real) return real_constant(value);
  ensure(sort.kind == Sort::Kind::integer && value.get_den() == 1, "a number of another sort");
  const Term out = int_constant(sort.format, value.get_num());
  ensure(out->value == value, "a number that its format cannot hold");
  return out;
}

Term plus(Term a, Term b) {
  return apply(Op::add, {a, b});
}
Term minus(Term a, Term b) {
  return apply(Op::sub, {a, b});
}
Term times(Term a, Term b) {
  return apply(Op::mul, {a, b});
}
Term quotient(Term a, Term b) {
  return apply(Op::div, {a, b});
}
Term real(const Rational& value) {
  return real_constant(value);
}
Term real_of(Term index) {
  return from_index(index, Sort::real());
}
Term clamp(Term index, Term low, Term high) {
  return index_min(index_max(index, low), high);
}

Term choose_interval(Term index, const std::vector<Term>& starts, const std::vector<Term>& parts) {
  const auto between = [&](const auto& self, std::size_t from, std::size_t to) -> Term {
    if (to - from == 1) return parts[from];
    const std::size_t middle = from + (to - from) / 2;
    return select(less(index, starts[middle]), self(self, from, middle), self(self, middle, to));
  };
  ensure(!parts.empty() && starts.size() == parts.size(), "choose_interval() of no parts");
  return between(between, 0, parts.size());
}

Term choose(Term index, const std::vector<Term>& parts, Sort sort) {
  if (parts.empty()) return zero_of(sort);
  std::vector<Term> starts;
  for (std::size_t j = 0; j < parts.size(); ++j) starts.push_back(integer(static_cast<long>(j)));
  return choose_interval(index, starts, parts);
}

Term start_of_extremum(int sign, Sort sort) {
  if (sort.kind == Sort::Kind::real) return extreme(sign);
  ensure(sort.kind == Sort::Kind::integer, "an extremum of another sort");
  const unsigned bits = storage_bits(sort.format);
  const bool with_sign = is_signed(sort.format);
  const Integer high = power_of_two(with_sign ? bits - 1 : bits) - 1;
  return int_constant(sort.format, sign > 0 ? high : with_sign ? Integer(-high - 1) : Integer(0));
}

Range range(const char* hint, Term extent) {
  return {fresh_variable(hint), extent, nullptr};
}

std::vector<Term> fold_over(const std::vector<Term>& init, const std::vector<Range>& ranges,
                            const TupleStep& step) {
  const auto nest = [&](const auto& self, std::size_t depth,
                        const std::vector<Term>& states) -> std::vector<Term> {
    if (depth == ranges.size()) return step(states);
    FoldParts parts;
    parts.variable = ranges[depth].variable;
    parts.extent = ranges[depth].extent;
    parts.guard = ranges[depth].guard;
    parts.init = states;
    for (Term s : states) parts.states.push_back(fresh_variable("s", s->sort));
    parts.step = self(self, depth + 1, parts.states);
    std::vector<Term> out;
    const Term first = fold(parts);
    for (std::size_t j = 0; j < states.size(); ++j)
      out.push_back(j == 0 ? first : component(first, static_cast<int>(j)));
    return out;
  };
  return nest(nest, 0, init);
}

Term reduce_over(Op op, Term init, const std::vector<Range>& ranges, Term body) {
  return fold_over({init}, ranges, [&](const std::vector<Term>& states) {
    return std::vector<Term>{apply(op, {states[0], body})};
  })[0];
}

Term sum_over(const std::vector<Range>& ranges, Term body) {
  return reduce_over(Op::add, zero_of(body->sort), ranges, body);
}
Term maximum_over(const std::vector<Range>& ranges, Term body) {
  return reduce_over(Op::max, start_of_extremum(-1, body->sort), ranges, body);
}
Term minimum_over(const std::vector<Range>& ranges, Term body) {
  return reduce_over(Op::min, start_of_extremum(1, body->sort), ranges, body);
}

}  // namespace hallmark::operators
