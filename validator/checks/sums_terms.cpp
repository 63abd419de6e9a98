#include "validator/checks/sums_terms.h"

#include <fmt/format.h>

#include <algorithm>

namespace hallmark::validator {

using calculus::Kind;
using calculus::Op;
using calculus::Sort;
using calculus::Term;

bool mentions(Term term, Term leaf) {
  if (!term->open) return false;
  bool found = false;
  calculus::for_each_node(term, [&](Term node) { found = found || node == leaf; });
  return found;
}

bool mentions(const Summand& summand, Term leaf) {
  const auto in = [&](Term t) { return mentions(t, leaf); };
  return std::any_of(summand.factors.begin(), summand.factors.end(), in) ||
         std::any_of(summand.guards.begin(), summand.guards.end(), in) ||
         std::any_of(summand.ranges.begin(), summand.ranges.end(),
                     [&](const auto& r) { return in(r.second); });
}

std::string function_name(Term t) {
  if (t->kind != Kind::operation) return "";
  if (t->op != Op::custom) return std::string(calculus::name(t->op));
  std::string name = t->name;
  static const std::set<std::string> known{
      "exp",  "exp2", "exp10", "expm1", "log",   "log2", "log10", "log1p", "sin",   "cos",   "tan",
      "asin", "acos", "atan",  "sinh",  "cosh",  "tanh", "asinh", "acosh", "atanh", "erf",   "erfc",
      "sqrt", "cbrt", "pow",   "rsqrt", "floor", "ceil", "trunc", "abs",   "fmod",  "hypot", "normcdf"};
  if (name.rfind("__", 0) == 0 && name.size() > 3) name.erase(0, 2);  // __expf
  if (!name.empty() && name.back() == 'f' && known.count(name.substr(0, name.size() - 1)) != 0)
    name.pop_back();
  return known.count(name) != 0 ? name : t->name;
}

std::optional<Rational> real_value(Term constant) {
  if (constant->sort.kind != Sort::Kind::floating) return constant->value;
  const unsigned width = calculus::storage_bits(constant->sort.format);
  unsigned exponent_bits = 8;
  if (constant->sort.format == calculus::Format::f64) exponent_bits = 11;
  if (constant->sort.format == calculus::Format::f16) exponent_bits = 5;
  if (width != 16 && width != 32 && width != 64) return std::nullopt;
  const unsigned fraction_bits = width - 1 - exponent_bits;
  const std::uint64_t fraction = constant->bits & ((std::uint64_t{1} << fraction_bits) - 1);
  const std::uint64_t exponent =
      (constant->bits >> fraction_bits) & ((std::uint64_t{1} << exponent_bits) - 1);
  if (exponent == (std::uint64_t{1} << exponent_bits) - 1) return std::nullopt;  // infinity, NaN
  const long bias = (1L << (exponent_bits - 1)) - 1;
  Integer significand = from_u64(fraction);
  if (exponent != 0) significand += power_of_two(fraction_bits);
  const long power =
      (exponent == 0 ? 1 : static_cast<long>(exponent)) - bias - static_cast<long>(fraction_bits);
  Rational out(significand);
  if (power >= 0)
    out *= Rational(power_of_two(static_cast<unsigned>(power)));
  else
    out /= Rational(power_of_two(static_cast<unsigned>(-power)));
  return (constant->bits >> (width - 1)) != 0 ? Rational(-out) : out;
}

bool is_infinity(Term t, bool negative) {
  if (t->kind == Kind::extreme) return (t->number < 0) == negative;
  if (t->kind != Kind::constant || t->sort.kind != Sort::Kind::floating) return false;
  switch (t->sort.format) {
    case calculus::Format::f32:
      return t->bits == (negative ? 0xff800000u : 0x7f800000u);
    case calculus::Format::f64:
      return t->bits == (negative ? 0xfff0000000000000u : 0x7ff0000000000000u);
    case calculus::Format::f16:
      return t->bits == (negative ? 0xfc00u : 0x7c00u);
    default:
      return false;
  }
}

bool bounds_format(Term constant, calculus::Format format, bool below) {
  if (constant->kind != Kind::constant || constant->sort.kind != Sort::Kind::floating) return false;
  if (!calculus::is_float(format)) return false;
  const std::optional<Rational> bound = real_value(constant);
  const unsigned digits = calculus::significand_bits(format);
  const int exponent = calculus::maximum_exponent(format) + 1 - static_cast<int>(digits);
  if (!bound || exponent < 0) return false;
  const Rational greatest((power_of_two(digits) - 1) * power_of_two(static_cast<unsigned>(exponent)));
  return below ? *bound <= -greatest : *bound >= greatest;
}

Summand substituted(const Summand& s, const calculus::Substitution& map) {
  Summand out = s;
  for (auto& [variable, extent] : out.ranges) {
    extent = calculus::substitute(extent, map);
    if (const auto found = map.find(variable); found != map.end()) variable = found->second;
  }
  for (Term& g : out.guards) g = calculus::substitute(g, map);
  for (Term& f : out.factors) f = calculus::substitute(f, map);
  return out;
}

Summand renamed(const Summand& s, const std::string& prefix) {
  calculus::Substitution map;
  for (std::size_t i = 0; i < s.ranges.size(); ++i)
    map[s.ranges[i].first] = calculus::variable(fmt::format("{}.{}", prefix, i));
  return substituted(s, map);
}

namespace {

// A term over `lane` that is `a` at 0 and `b` at 1, where the two differ in integer constants alone, or with
// Steps::any in numbers alone. `key` gets the first difference that is an integer.
Term generalised(Term a, Term b, Term lane, Integer& key, Steps steps) {
  if (a == b) return a;
  if (a->sort == Sort::index() && b->sort == Sort::index()) {
    const Term difference = calculus::subtract(b, a);
    if (const Integer* d = calculus::as_integer(difference); d != nullptr) {
      if (key == 0) key = *d;
      return calculus::add(a, calculus::scale(*d, lane));
    }
    // Sums term by term: what they have in common stays, the rest is paired by coefficients.
    std::vector<calculus::Monomial> mine = calculus::monomials(a), other = calculus::monomials(b);
    if (mine.size() > 1 || other.size() > 1 || (mine.size() == 1 && mine[0].coefficient != 1)) {
      Term rest_a = a, rest_b = b, out = calculus::integer(0);
      for (const auto& m : mine) {
        if (m.product == nullptr) continue;
        for (auto o = other.begin(); o != other.end(); ++o) {
          if (o->product == nullptr || o->coefficient != m.coefficient) continue;
          const Term inner = generalised(m.product, o->product, lane, key, steps);
          if (inner == nullptr) continue;
          out = calculus::add(out, calculus::scale(m.coefficient, inner));
          rest_a = calculus::subtract(rest_a, calculus::scale(m.coefficient, m.product));
          rest_b = calculus::subtract(rest_b, calculus::scale(m.coefficient, o->product));
          other.erase(o);
          break;
        }
      }
      const Integer *x = calculus::as_integer(rest_a), *y = calculus::as_integer(rest_b);
      if (x == nullptr || y == nullptr)
        return steps == Steps::constants
                   ? nullptr
                   : calculus::add(
                         {out, rest_a, calculus::multiply(calculus::subtract(rest_b, rest_a), lane)});
      if (key == 0) key = *y - *x;
      return calculus::add({out, calculus::integer(*x), calculus::scale(Integer(*y - *x), lane)});
    }
  }
  if (a->kind != b->kind || a->op != b->op || a->name != b->name || a->sort != b->sort ||
      a->children.size() != b->children.size() || a->children.empty() || a->kind == Kind::fold ||
      a->format != b->format || a->rounding != b->rounding || a->number != b->number)
    return nullptr;
  std::vector<Term> children;
  for (std::size_t i = 0; i < a->children.size(); ++i) {
    children.push_back(generalised(a->children[i], b->children[i], lane, key, steps));
    if (children.back() == nullptr) return nullptr;
  }
  return calculus::rebuild(a, children);
}

}  // namespace

std::optional<Summand> generalised(const Summand& a, const Summand& b, Term lane, Integer& key, Steps steps) {
  if (a.ranges.size() != b.ranges.size() || a.guards.size() != b.guards.size() ||
      a.factors.size() != b.factors.size() || a.coefficient != b.coefficient)
    return std::nullopt;
  Summand out = a;
  const auto each = [&](Term& into, Term other) {
    into = generalised(into, other, lane, key, steps);
    return into != nullptr;
  };
  for (std::size_t i = 0; i < a.factors.size(); ++i)
    if (!each(out.factors[i], b.factors[i])) return std::nullopt;
  for (std::size_t i = 0; i < a.ranges.size(); ++i)
    if (a.ranges[i].first != b.ranges[i].first || !each(out.ranges[i].second, b.ranges[i].second))
      return std::nullopt;
  for (std::size_t i = 0; i < a.guards.size(); ++i)
    if (!each(out.guards[i], b.guards[i])) return std::nullopt;
  return out;
}

bool same_summand(const Summand& a, const Summand& b) {
  return a.ranges == b.ranges && a.guards == b.guards && a.coefficient == b.coefficient &&
         a.factors == b.factors;
}

}  // namespace hallmark::validator
