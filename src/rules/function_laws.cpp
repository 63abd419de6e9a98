#include "rules/function_laws.h"

#include <algorithm>

#include "rules/signs.h"

namespace hallmark::rules {

using namespace calculus;

namespace {

const Sort real = Sort::real();

bool is(Term t, Op op) {
  return t->kind == Kind::operation && t->op == op;
}

Summand plain(const Rational& coefficient) {
  Summand s;
  s.coefficient = coefficient;
  s.guard = truth(true);
  return s;
}

Summand atom(Term factor, const Rational& coefficient = 1) {
  Summand s = plain(coefficient);
  s.factors = {factor};
  return s;
}

bool is_product(const NormalForm& form) {
  return form.size() == 1 && form[0].binders.empty() && form[0].guard == truth(true) &&
         form[0].coefficient > 0;
}

std::optional<Rational> root_of(const Rational& value) {
  const Integer n = sqrt(value.get_num()), d = sqrt(value.get_den());
  if (n * n != value.get_num() || d * d != value.get_den()) return std::nullopt;
  return Rational(n, d);
}

// log of a product of factors shown to be positive.
void append_log(NormalForm& out, Term factor, const Rational& sign, const Normalise& normalise) {
  if (is(factor, Op::reciprocal)) return append_log(out, factor->children[0], -sign, normalise);
  if (is(factor, Op::exp)) {
    for (Summand& s : normalise(factor->children[0])) {
      s.coefficient *= sign;
      out.push_back(std::move(s));
    }
    return;
  }
  out.push_back(atom(operation(Op::log, {factor}, real), sign));
}

}  // namespace

std::optional<NormalForm> log_form(const NormalForm& of, const Context& context, const Normalise& normalise) {
  if (of.empty()) return std::nullopt;
  // Factors that every summand has and no binder touches.
  std::vector<Term> common;
  NormalForm rest = of;
  for (Term f : of[0].factors) {
    bool everywhere = true;
    for (const Summand& s : rest) {
      everywhere = everywhere && std::find(s.factors.begin(), s.factors.end(), f) != s.factors.end();
      for (const Binder& b : s.binders)
        for_each_node(f, [&](Term n) { everywhere = everywhere && n != b.variable; });
    }
    if (!everywhere || !shown_positive(f, context)) continue;
    for (Summand& s : rest) s.factors.erase(std::find(s.factors.begin(), s.factors.end(), f));
    common.push_back(f);
  }
  if (common.empty()) return std::nullopt;
  NormalForm out;
  const bool single = is_product(rest) && rest[0].factors.empty();
  if (single && rest[0].coefficient != 1)
    out.push_back(atom(operation(Op::log, {real_constant(rest[0].coefficient)}, real)));
  if (!single) {
    const Term sum = to_term(rest);
    if (!shown_positive(sum, context)) return std::nullopt;
    out.push_back(atom(operation(Op::log, {sum}, real)));
  } else if (common.size() == 1 && rest[0].coefficient == 1 && !is(common[0], Op::exp) &&
             !is(common[0], Op::reciprocal)) {
    return std::nullopt;  // log(f) itself
  }
  for (Term f : common) append_log(out, f, 1, normalise);
  context.laws.insert("LOG-HOM");
  return out;
}

namespace {

// sqrt(sum of a a b) = |a| sqrt(sum of b) for an a that no binder touches, where the sum is at least 0 (a =
// 0: both are 0).
std::optional<NormalForm> common_root(Term written, const NormalForm& of, const Context& context) {
  if (of.empty() || (of.size() == 1 && of[0].binders.empty())) return std::nullopt;
  NormalForm rest = of;
  Summand out = plain(1);
  const std::vector<Term> candidates = of[0].factors;
  for (std::size_t i = 0; i + 1 < candidates.size(); ++i) {
    const Term a = candidates[i];
    if (candidates[i + 1] != a) continue;
    const bool everywhere = std::all_of(rest.begin(), rest.end(), [&](const Summand& s) {
      bool touched = false;
      for (const Binder& b : s.binders)
        for_each_node(a, [&](Term n) { touched = touched || n == b.variable; });
      return !touched && std::count(s.factors.begin(), s.factors.end(), a) >= 2;
    });
    if (!everywhere) continue;
    for (Summand& s : rest)
      for (int twice = 0; twice < 2; ++twice)
        s.factors.erase(std::find(s.factors.begin(), s.factors.end(), a));
    out.factors.push_back(shown_nonnegative(a, context) ? a : operation(Op::abs, {a}, real));
    ++i;
  }
  if (out.factors.empty() ||
      !(shown_nonnegative(written, context) || shown_nonnegative(to_term(of), context)))
    return std::nullopt;
  out.factors.push_back(operation(Op::sqrt, {to_term(rest)}, real));
  std::sort(out.factors.begin(), out.factors.end(), TermLess());
  context.laws.insert("ROOT-HOM");
  return NormalForm{out};
}

}  // namespace

std::optional<NormalForm> sqrt_form(Term written, const NormalForm& of, const Context& context) {
  if (std::optional<NormalForm> apart = common_root(written, of, context)) return apart;
  if (!is_product(of) || of[0].factors.empty()) return std::nullopt;
  std::vector<Term> factors = of[0].factors;
  Summand s = plain(1);
  // sqrt(a a b) = |a| sqrt(b), whatever the sign of a.
  for (std::size_t i = 0; i + 1 < factors.size();) {
    if (factors[i] != factors[i + 1] || shown_nonnegative(factors[i], context)) {
      ++i;
      continue;
    }
    s.factors.push_back(operation(Op::abs, {factors[i]}, real));
    factors.erase(factors.begin() + static_cast<long>(i), factors.begin() + static_cast<long>(i) + 2);
  }
  for (Term f : factors)
    if (!shown_nonnegative(f, context)) return std::nullopt;
  if (const auto root = root_of(of[0].coefficient))
    s.coefficient = *root;
  else
    s.factors.push_back(operation(Op::sqrt, {real_constant(of[0].coefficient)}, real));
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (i + 1 < factors.size() && factors[i] == factors[i + 1]) {
      s.factors.push_back(factors[i++]);  // sqrt(a a) = a
    } else if (is(factors[i], Op::reciprocal)) {
      s.factors.push_back(
          operation(Op::reciprocal, {operation(Op::sqrt, {factors[i]->children[0]}, real)}, real));
    } else {
      s.factors.push_back(operation(Op::sqrt, {factors[i]}, real));
    }
  }
  std::sort(s.factors.begin(), s.factors.end(), TermLess());
  context.laws.insert("ROOT-HOM");
  return NormalForm{s};
}

std::optional<NormalForm> rsqrt_form(Term written, const NormalForm& of, const Context& context,
                                     const Normalise& normalise) {
  const Term inside = to_term(of);
  // A sum of squares is seen as such only before it is multiplied out.
  const bool as_written = shown_positive(written, context);
  if (!as_written && !shown_positive(inside, context)) return std::nullopt;
  context.laws.insert("ROOT-HOM");
  const Term root = operation(Op::sqrt, {as_written ? written : inside}, real);
  return normalise(operation(Op::reciprocal, {root}, real));
}

std::optional<NormalForm> pow_form(Term base, Term exponent, const Context& context,
                                   const Normalise& normalise) {
  const auto used = [&](Term t) {
    context.laws.insert("POW");
    return normalise(t);
  };
  // pow(a, t) = exp(t log a) for a > 0, whatever t is.
  const auto by_exponential = [&]() -> std::optional<NormalForm> {
    if (!shown_positive(base, context)) return std::nullopt;
    return used(
        operation(Op::exp, {operation(Op::mul, {exponent, operation(Op::log, {base}, real)}, real)}, real));
  };
  const bool negated = is(exponent, Op::neg) && exponent->children[0]->kind == Kind::constant;
  if (exponent->kind != Kind::constant && !negated) return by_exponential();
  const Rational n = negated ? Rational(-exponent->children[0]->value) : exponent->value;
  if (n < 0) {
    if (!shown_positive(base, context)) return std::nullopt;
    return used(operation(Op::reciprocal, {operation(Op::pow, {base, real_constant(-n)}, real)}, real));
  }
  if (n == Rational(1, 2)) {
    if (!shown_nonnegative(base, context)) return std::nullopt;
    return used(operation(Op::sqrt, {base}, real));
  }
  if (n.get_den() != 1 || n < 1 || n > 8) return by_exponential();
  Term product = base;
  for (long i = 1; i < n.get_num().get_si(); ++i) product = operation(Op::mul, {product, base}, real);
  return used(product);
}

namespace {

bool is_whole_factor(Term f) {
  if (f->kind == Kind::from_index) return true;
  // A float format has the integers up to a power of two and only integers beyond: rounding an integer gives
  // one.
  if (f->kind == Kind::cast) return f->children[0]->sort.kind == Sort::Kind::integer;
  if (f->kind == Kind::constant) return f->value.get_den() == 1;
  if (f->kind == Kind::select) return is_whole_factor(f->children[1]) && is_whole_factor(f->children[2]);
  if (f->kind != Kind::operation) return false;
  switch (f->op) {
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
    case Op::round_even:
      return true;
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::neg:
    case Op::abs:
    case Op::max:
    case Op::min:
      return std::all_of(f->children.begin(), f->children.end(), is_whole_factor);
    default:
      return false;
  }
}

}  // namespace

bool is_whole(const NormalForm& form) {
  return std::all_of(form.begin(), form.end(), [](const Summand& s) {
    return s.coefficient.get_den() == 1 && std::all_of(s.factors.begin(), s.factors.end(), is_whole_factor);
  });
}

void join_roots(Summand& s, const Context& context) {
  const auto position = [&](Term t, std::size_t from) {
    const auto at = std::find(s.factors.begin() + static_cast<long>(from), s.factors.end(), t);
    return static_cast<std::size_t>(at - s.factors.begin());
  };
  for (std::size_t i = 0; i < s.factors.size(); ++i) {
    const Term f = s.factors[i];
    const bool inverse = is(f, Op::reciprocal) && is(f->children[0], Op::sqrt);
    if (!inverse && !is(f, Op::sqrt)) continue;
    const Term inside = inverse ? f->children[0]->children[0] : f->children[0];
    // A sum under the root stays: as a factor it would be a sum that is not multiplied out.
    if (inside->kind == Kind::fold || is(inside, Op::add) || inside->kind == Kind::select) continue;
    Facts more;
    for (const Binder& b : s.binders) more.push_back(in_range(b.variable, b.extent));
    if (s.guard != truth(true)) more.push_back(s.guard);
    const Context here = context.with(more);
    std::size_t other = position(f, i + 1);
    Term joined = inverse ? operation(Op::reciprocal, {inside}, real) : inside;
    if (other == s.factors.size() && inverse) {
      other = position(inside, 0);  // a / sqrt(a) = sqrt(a)
      joined = f->children[0];
    }
    if (other == s.factors.size()) continue;
    if (!(inverse ? shown_positive(inside, here) : shown_nonnegative(inside, here))) continue;
    context.laws.insert("ROOT-HOM");
    s.factors[i] = joined;
    s.factors.erase(s.factors.begin() + static_cast<long>(other));
    i = static_cast<std::size_t>(-1);
  }
}

}  // namespace hallmark::rules
