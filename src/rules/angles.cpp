#include "rules/angles.h"

#include <algorithm>

namespace hallmark::rules {

using namespace calculus;

namespace {

void append(NormalForm& out, NormalForm more) {
  out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

NormalForm negated(NormalForm form) {
  for (Summand& s : form) s.coefficient = -s.coefficient;
  return form;
}

Summand one() {
  Summand out;
  out.guard = truth(true);
  return out;
}

}  // namespace

std::optional<NormalForm> parity_form(Op op, const NormalForm& inside, LawLog& laws) {
  const bool odd = op == Op::sin || op == Op::tan || op == Op::atan || op == Op::sinh || op == Op::asinh ||
                   op == Op::tanh || op == Op::erf;
  const bool even = op == Op::cos || op == Op::cosh || op == Op::abs;
  if (!odd && !even) return std::nullopt;
  if (odd && inside.empty()) return NormalForm{};  // its value at 0
  const Term plus = to_term(inside), minus = to_term(negated(inside));
  const bool turned = TermLess()(minus, plus);
  if (turned) laws.insert("PARITY");
  Summand out = one();
  out.factors = {operation(op, {turned ? minus : plus}, Sort::real())};
  if (turned && odd) out.coefficient = -1;
  return NormalForm{out};
}

SineAndCosine of_angle(const NormalForm& angle, LawLog& laws, const Product& product) {
  SineAndCosine out{{}, {one()}};
  bool first = true;
  for (Summand s : angle) {
    // n a is a sum of n.
    constexpr long most_times = 4;
    long times = 1;
    const Rational size = abs(s.coefficient);
    if (size.get_den() == 1 && size <= most_times && !s.factors.empty()) {
      times = size.get_num().get_si();
      s.coefficient = s.coefficient < 0 ? -1 : 1;
    }
    const NormalForm sine = *parity_form(Op::sin, {s}, laws), cosine = *parity_form(Op::cos, {s}, laws);
    for (long i = 0; i < times; ++i) {
      if (!first) laws.insert("ANGLE");
      first = false;
      NormalForm next = product(out.sine, cosine), other = product(out.cosine, cosine);
      append(next, product(out.cosine, sine));
      append(other, negated(product(out.sine, sine)));
      out = {std::move(next), std::move(other)};
    }
  }
  return out;
}

NormalForm without_squared_sines(Summand s, LawLog& laws) {
  for (std::size_t i = 0; i + 1 < s.factors.size(); ++i) {
    const Term f = s.factors[i];
    if (f->kind != Kind::operation || f->op != Op::sin || s.factors[i + 1] != f) continue;
    laws.insert("ANGLE");
    s.factors.erase(s.factors.begin() + static_cast<long>(i), s.factors.begin() + static_cast<long>(i) + 2);
    Summand other = s;
    other.coefficient = -other.coefficient;
    for (int twice = 0; twice < 2; ++twice)
      other.factors.push_back(operation(Op::cos, {f->children[0]}, Sort::real()));
    std::sort(other.factors.begin(), other.factors.end(), TermLess());
    NormalForm out = without_squared_sines(std::move(s), laws);
    append(out, without_squared_sines(std::move(other), laws));
    return out;
  }
  return {std::move(s)};
}

}  // namespace hallmark::rules
