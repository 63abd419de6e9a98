#include "validator/symbolic/arithmetic.h"

#include <optional>
#include <set>

#include "base/error.h"
#include "validator/symbolic/divide.h"
#include "validator/symbolic/invert.h"

namespace hallmark::validator {
namespace {

using calculus::Kind;
using calculus::Term;
using ir::Opcode;
using ir::Predicate;

Term number(const Integer& value) {
  return calculus::integer(value);
}

Term between(const Integer& low, Term p, const Integer& high) {
  return calculus::both(calculus::at_most(number(low), p), calculus::at_most(p, number(high)));
}

// log2 of the largest power of two that divides every coefficient of p; `limit` for 0.
unsigned trailing_zeros(Term p, unsigned limit) {
  unsigned best = limit;
  for (const calculus::Monomial& m : calculus::monomials(p))
    best = std::min<unsigned>(best, static_cast<unsigned>(mpz_scan1(m.coefficient.get_mpz_t(), 0)));
  return best;
}

// Squares of squares grow beyond all use: such a product stays an operation.
constexpr std::size_t most_monomials = 1024, most_factors = 32;

bool is_small_product(Term a, Term b) {
  const auto degree = [](Term p) {
    std::size_t out = 0;
    for (const calculus::Monomial& m : calculus::monomials(p))
      out = std::max(out, factors_of(m.product).size());
    return out;
  };
  return calculus::monomials(a).size() * calculus::monomials(b).size() <= most_monomials &&
         degree(a) + degree(b) <= most_factors;
}

// Bits of a field that is looked for in another number's gap.
constexpr unsigned widest_gap = 10;

bool is_bor(Term p) {
  return p->kind == Kind::to_index && p->children[0]->kind == Kind::operation &&
         p->children[0]->op == calculus::Op::custom && p->children[0]->name.rfind("bit_or.", 0) == 0 &&
         p->children[0]->children[0]->kind == Kind::from_index &&
         p->children[0]->children[1]->kind == Kind::from_index;
}

Term bor_side(Term p, std::size_t i) {
  return p->children[0]->children[i]->children[0];  // from_index(side)
}

// Whether a comparison asks if its number is negative (true), if it is not (false), or something else.
std::optional<bool> asks_for_sign(Predicate predicate, const Integer& bound) {
  if (bound == 0 && predicate == Predicate::less_signed) return true;
  if (bound == 0 && predicate == Predicate::greater_equal_signed) return false;
  if (bound == -1 && predicate == Predicate::less_equal_signed) return true;
  if (bound == -1 && predicate == Predicate::greater_signed) return false;
  return std::nullopt;
}

}  // namespace

bool Arithmetic::rely(const Scope& scope, Term goal) {
  return relying_ ? prover_.rely(scope, goal) : Prover::evident(scope, goal);
}

Term Arithmetic::reduce(Term p, unsigned width) {
  const Integer modulus = power_of_two(width), half = power_of_two(width - 1);
  std::vector<Term> parts;
  bool changed = false;
  for (const calculus::Monomial& m : calculus::monomials(p)) {
    Integer c = m.coefficient;
    if (c > half || c <= -half) {
      c = floor_mod(c, modulus);
      if (c > half) c -= modulus;
      changed = true;
    }
    parts.push_back(m.product == nullptr ? number(c) : calculus::scale(c, m.product));
  }
  return changed ? calculus::add(parts) : p;
}

// p plus the multiple of the modulus that brings it into low..high, where one multiple does so on the whole
// range that p may have; nullptr otherwise.
Term Arithmetic::shifted(Term p, const Integer& modulus, const Integer& low, const Integer& high,
                         const Scope& scope) {
  if (rely(scope, between(low, p, high))) return p;
  const Interval range = scope->range(p);
  std::vector<Integer> turns;
  if (range.low) turns.push_back(floor_div(high - *range.low, modulus));
  if (range.high) turns.push_back(-floor_div(*range.high - low, modulus));
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (turns[i] == 0 || abs(turns[i]) > 8 || (i == 1 && turns[1] == turns[0])) continue;
    const Term moved = calculus::add(p, number(turns[i] * modulus));
    if (rely(scope, between(low, moved, high))) return moved;
  }
  return nullptr;
}

Term Arithmetic::observe_unsigned(Term p, unsigned width, const Scope& scope) {
  const Integer modulus = power_of_two(width);
  if (const Integer* value = calculus::as_integer(p); value != nullptr)
    return number(floor_mod(*value, modulus));
  if (const Term moved = shifted(p, modulus, 0, modulus - 1, scope); moved != nullptr) return moved;
  const Term reduced = reduce(p, width);
  if (reduced != p)
    if (const Term moved = shifted(reduced, modulus, 0, modulus - 1, scope); moved != nullptr) return moved;
  return calculus::mod(reduced, number(modulus));
}

Term Arithmetic::observe_signed(Term p, unsigned width, const Scope& scope) {
  const Integer half = power_of_two(width - 1);
  if (const Integer* value = calculus::as_integer(p); value != nullptr)
    return number(floor_mod(*value + half, half * 2) - half);
  if (const Term moved = shifted(p, half * 2, -half, half - 1, scope); moved != nullptr) return moved;
  const Term reduced = reduce(p, width);
  if (reduced != p)
    if (const Term moved = shifted(reduced, half * 2, -half, half - 1, scope); moved != nullptr) return moved;
  return calculus::subtract(calculus::mod(calculus::add(reduced, number(half)), number(half * 2)),
                            number(half));
}

// floor(m * x / 2^s) = floor(x / b) when e = m*b - 2^s satisfies 0 <= e and x * e < 2^s for 0 <= x
// (Granlund, Montgomery, "Division by invariant integers using multiplication", 1994). Tried before multiples
// of the divisor leave the numerator: afterwards m is no longer a common factor.
Term Arithmetic::undo_magic(Term numerator, const Integer& divisor, const Scope& scope) {
  if (divisor < 256 || mpz_popcount(divisor.get_mpz_t()) != 1) return nullptr;
  Integer m = 0;
  for (const calculus::Monomial& part : calculus::monomials(numerator)) m = gcd(m, part.coefficient);
  // Powers of two cancel by themselves.
  while (m > 1 && mpz_even_p(m.get_mpz_t()) != 0) m /= 2;
  if (m <= 1) return nullptr;
  const Integer b = (divisor + m - 1) / m;
  const Integer excess = m * b - divisor;
  if (b < 2 || excess == 0) return nullptr;
  const Integer limit = (divisor - 1) / excess;
  if (limit < 16) return nullptr;
  std::vector<Term> parts;
  for (const calculus::Monomial& part : calculus::monomials(numerator)) {
    const Integer c = part.coefficient / m;
    parts.push_back(part.product == nullptr ? number(c) : calculus::scale(c, part.product));
  }
  const Term x = calculus::add(parts);
  if (!rely(scope, between(0, x, limit))) return nullptr;
  return divide(x, b, scope);
}

Term Arithmetic::divide(Term p, const Integer& c, const Scope& scope) {
  ensure(c > 0, "division by a constant that is not positive");
  if (c == 1) return p;
  const Interval range = scope->range(p);
  if (range.low && range.high && floor_div(*range.low, c) == floor_div(*range.high, c) &&
      rely(scope, between(*range.low, p, *range.high)))
    return number(floor_div(*range.low, c));
  if (is_bor(p) && mpz_popcount(c.get_mpz_t()) == 1) {
    const unsigned bits = static_cast<unsigned>(std::stoul(p->children[0]->name.substr(7)));
    const Term a = divide(bor_side(p, 0), c, scope), b = divide(bor_side(p, 1), c, scope);
    const Term joined = bit_or(a, b, bits, scope);
    return joined != nullptr ? joined : opaque("bit_or", {a, b}, bits);
  }
  // floor((q + floor(r/a)) / c) = floor((a*q + r) / (a*c)), for the outermost of several floors, before
  // multiples of c leave.
  Term outer = nullptr;
  for (const calculus::Monomial& m : calculus::monomials(p)) {
    if (m.product == nullptr || m.product->kind != Kind::floor_div || m.coefficient != 1) continue;
    const Integer* inner = calculus::as_integer(m.product->children[1]);
    if (inner == nullptr || *inner <= 0) continue;
    bool contained = false;
    if (outer != nullptr)
      calculus::for_each_node(outer, [&](Term node) { contained = contained || node == m.product; });
    if (!contained) outer = m.product;
  }
  if (outer != nullptr) {
    const Integer inner = *calculus::as_integer(outer->children[1]);
    const Term rest = calculus::subtract(p, outer);
    return divide(calculus::add(calculus::scale(inner, rest), outer->children[0]), inner * c, scope);
  }
  // With n = d*q + r: floor((n + k*q) / (d + k)) = floor(((d + k)*q + r) / (d + k)) = q, and whole multiples
  // of d + k leave. What multiplication by a reciprocal leaves, ((n - q) / 2 + q) / 2^s.
  for (const calculus::Monomial& m : calculus::monomials(p)) {
    if (m.product == nullptr || m.product->kind != Kind::floor_div || m.coefficient <= 0) continue;
    const Integer* d = calculus::as_integer(m.product->children[1]);
    if (d == nullptr || *d <= 0 || *d + m.coefficient != c) continue;
    const Term rest = calculus::subtract(
        p, calculus::add(calculus::scale(m.coefficient, m.product), m.product->children[0]));
    const Term multiple = calculus::floor_div(rest, number(c));
    if (calculus::scale(c, multiple) == rest) return calculus::add(m.product, multiple);
  }
  if (const Term plain = undo_magic(p, c, scope); plain != nullptr) return plain;
  const Term quotient = calculus::floor_div(p, number(c));
  if (const Term coarser = without_small_rest(quotient, scope); coarser != nullptr) return coarser;
  if (quotient->kind == Kind::floor_div) {
    // What is left after multiples of c went may be small.
    const Interval small = scope->range(quotient);
    if (small.low && small.high && *small.low == *small.high &&
        rely(scope, between(*small.low, quotient, *small.low)))
      return number(*small.low);
    return quotient;
  }
  // A sum of whole multiples and one new floor.
  std::vector<Term> parts;
  for (const calculus::Monomial& m : calculus::monomials(quotient)) {
    if (m.product != nullptr && m.product->kind == Kind::floor_div && m.coefficient == 1) {
      const Interval small = scope->range(m.product);
      if (small.low && small.high && *small.low == *small.high &&
          rely(scope, between(*small.low, m.product, *small.low)))
        parts.push_back(number(*small.low));
      else if (relying_ && calculus::as_integer(m.product->children[1]) != nullptr &&
               rely(scope,
                    between(0, m.product->children[0], *calculus::as_integer(m.product->children[1]) - 1)))
        parts.push_back(number(0));
      else
        parts.push_back(m.product);
    } else {
      parts.push_back(m.product == nullptr ? number(m.coefficient)
                                           : calculus::scale(m.coefficient, m.product));
    }
  }
  return calculus::add(parts);
}

// floor((g*q + r) / (g*c)) = floor(q / c) for 0 <= r < g: of an element's flat index a row's number needs the
// row alone.
Term Arithmetic::without_small_rest(Term quotient, const Scope& scope) {
  if (quotient->kind != Kind::floor_div) return nullptr;
  const Integer* divisor = calculus::as_integer(quotient->children[1]);
  if (divisor == nullptr || *divisor <= 1) return nullptr;
  const std::vector<calculus::Monomial> monomials = calculus::monomials(quotient->children[0]);
  std::set<Integer> strides;
  for (const calculus::Monomial& m : monomials)
    if (const Integer stride = gcd(*divisor, abs(m.coefficient)); stride > 1) strides.insert(stride);
  for (auto stride = strides.rbegin(); stride != strides.rend(); ++stride) {
    std::vector<Term> multiples, rest;
    for (const calculus::Monomial& m : monomials) {
      const Integer steps = floor_div(m.coefficient, *stride), remainder = m.coefficient - steps * *stride;
      if (m.product == nullptr) {
        multiples.push_back(number(steps));
        rest.push_back(number(remainder));
      } else if (remainder == 0) {
        multiples.push_back(calculus::scale(steps, m.product));
      } else {
        rest.push_back(calculus::scale(m.coefficient, m.product));
      }
    }
    if (rest.empty()) continue;
    const Term left = calculus::add(rest);
    const Interval range = scope->range(left);
    if (!range.low || !range.high || *range.low < 0 || *range.high >= *stride) continue;
    if (!rely(scope, between(0, left, *stride - 1))) continue;
    return divide(calculus::add(multiples), *divisor / *stride, scope);
  }
  return nullptr;
}

Term Arithmetic::modulo(Term p, const Integer& c, const Scope& scope) {
  return calculus::subtract(p, calculus::scale(c, divide(p, c, scope)));
}

Term Arithmetic::opaque(const std::string& name, const std::vector<Term>& operands, unsigned width,
                        unsigned operand_width) {
  const auto sort_of = [](unsigned bits) {
    return calculus::Sort::integer(bits == 64   ? calculus::Format::u64
                                   : bits == 16 ? calculus::Format::u16
                                   : bits == 8  ? calculus::Format::u8
                                                : calculus::Format::u32);
  };
  std::string full = name + "." + std::to_string(width);
  if (operand_width == 0) operand_width = width;
  if (operand_width != width) full += ".of" + std::to_string(operand_width);
  std::vector<Term> arguments;
  for (Term operand : operands)
    arguments.push_back(operand->sort == calculus::Sort::index()
                            ? calculus::from_index(operand, sort_of(operand_width))
                            : operand);
  return calculus::to_index(calculus::custom_operation(full, arguments, sort_of(width)));
}

Term Arithmetic::bit_and(Term a, Term b, unsigned width, const Scope& scope) {
  if (calculus::as_integer(a) != nullptr) std::swap(a, b);
  const Integer* constant = calculus::as_integer(b);
  if (constant == nullptr) return a == b ? a : nullptr;
  const Integer mask = floor_mod(*constant, power_of_two(width));
  if (mask == 0) return number(0);
  if (is_bor(a)) {
    const Term x = bit_and(bor_side(a, 0), b, width, scope), y = bit_and(bor_side(a, 1), b, width, scope);
    if (x == nullptr || y == nullptr) return nullptr;
    const Term joined = bit_or(x, y, width, scope);
    return joined != nullptr ? joined : opaque("bit_or", {x, y}, width);
  }
  // A run of ones from bit `low` up to, not including, bit `high`.
  const unsigned low = static_cast<unsigned>(mpz_scan1(mask.get_mpz_t(), 0));
  const unsigned high = static_cast<unsigned>(mpz_scan0(mask.get_mpz_t(), low));
  if (mask != power_of_two(high) - power_of_two(low)) return nullptr;
  // p mod 2^high minus p mod 2^low; neither asks for p's representative.
  const Term top = high == width ? a : modulo(a, power_of_two(high), scope);
  return low == 0 ? top : calculus::subtract(top, modulo(a, power_of_two(low), scope));
}

Term Arithmetic::bit_of(Term a, unsigned bit, const Scope& scope) {
  return calculus::subtract(divide(a, power_of_two(bit), scope),
                            calculus::scale(2, divide(a, power_of_two(bit + 1), scope)));
}

Term Arithmetic::bit_or(Term a, Term b, unsigned width, const Scope& scope) {
  for (int turn = 0; turn < 2; ++turn, std::swap(a, b)) {
    if (calculus::as_integer(b) != nullptr && *calculus::as_integer(b) == 0) return a;
    const unsigned zeros = trailing_zeros(a, width);
    if (zeros > 0 && rely(scope, between(0, b, power_of_two(zeros) - 1))) return calculus::add(a, b);
  }
  if (a == b) return a;
  if (calculus::as_integer(a) != nullptr) std::swap(a, b);
  if (const Integer* constant = calculus::as_integer(b)) {
    // Sets some bits: + 2^k where bit k is 0.
    const Integer mask = floor_mod(*constant, power_of_two(width));
    // The other number lies in a gap between them.
    const unsigned low = trailing_zeros(a, width);
    unsigned high = low;
    while (high < width && mpz_tstbit(mask.get_mpz_t(), high) == 0) ++high;
    if (high > low && rely(scope, between(0, a, power_of_two(high) - 1)))
      return calculus::add(a, number(mask));
    if (mpz_popcount(mask.get_mpz_t()) > 4) return nullptr;
    Term out = a;
    for (unsigned bit = 0; bit < width; ++bit)
      if (mpz_tstbit(mask.get_mpz_t(), bit) != 0)
        out = calculus::add(
            out, calculus::scale(power_of_two(bit), calculus::subtract(number(1), bit_of(a, bit, scope))));
    return out;
  }
  // The bits of one lie in a gap of the other.
  for (int turn = 0; turn < 2; ++turn, std::swap(a, b)) {
    const unsigned low = trailing_zeros(a, width);
    for (unsigned high = low + 1; high <= std::min(low + widest_gap, width); ++high) {
      if (!rely(scope, between(0, a, power_of_two(high) - 1))) continue;
      const Term gap =
          calculus::subtract(modulo(b, power_of_two(high), scope), modulo(b, power_of_two(low), scope));
      if (rely(scope, calculus::equal(gap, number(0)))) return calculus::add(a, b);
      break;
    }
  }
  return nullptr;
}

Term Arithmetic::bit_xor(Term a, Term b, unsigned width, const Scope& scope) {
  if (calculus::as_integer(a) != nullptr) std::swap(a, b);
  const Integer* constant = calculus::as_integer(b);
  if (constant == nullptr) return nullptr;
  const Integer mask = floor_mod(*constant, power_of_two(width));
  if (mask == power_of_two(width) - 1) return calculus::subtract(number(-1), a);
  if (mpz_popcount(mask.get_mpz_t()) > 4) return nullptr;
  Term out = a;
  for (unsigned bit = 0; bit < width; ++bit) {
    if (mpz_tstbit(mask.get_mpz_t(), bit) == 0) continue;
    // Flips one bit: + 2^k where it is 0, - 2^k where it is 1.
    out =
        calculus::add(out, calculus::subtract(number(power_of_two(bit)),
                                              calculus::scale(power_of_two(bit + 1), bit_of(a, bit, scope))));
  }
  return out;
}

Term divide_by_symbols(Term p, Term b) {
  const std::vector<calculus::Monomial> divisor = calculus::monomials(b);
  if (divisor.size() != 1 || divisor[0].product == nullptr || divisor[0].coefficient < 1)
    return calculus::floor_div(p, b);
  Term quotient = nullptr, rest = nullptr;
  divide_by_product(p, divisor[0].product, quotient, rest);
  // Of each multiple of the product as much as its number allows.
  std::vector<Term> whole;
  for (const calculus::Monomial& m : calculus::monomials(quotient)) {
    const Integer times = floor_div(m.coefficient, divisor[0].coefficient);
    const Term part = m.product == nullptr ? calculus::integer(1) : m.product;
    whole.push_back(calculus::scale(times, part));
    const Integer left = m.coefficient - times * divisor[0].coefficient;
    rest = calculus::add(rest, calculus::scale(left, calculus::multiply(part, divisor[0].product)));
  }
  quotient = calculus::add(whole);
  if (rest == calculus::integer(0)) return quotient;
  return calculus::add(quotient, calculus::floor_div(rest, b));
}

// floor(floor(x / a) / b) = floor(x / (a*b)) for a, b > 0 (proofs/lemmas.md, DIV-DIV): the row and the image
// of a flat index are digits of one number then. `b` has been shown to be positive.
Term Arithmetic::divide_by(Term p, Term b, const Scope& scope) {
  const Integer* constant = calculus::as_integer(b);
  Term quotient = constant != nullptr ? divide(p, *constant, scope) : divide_by_symbols(p, b);
  for (const calculus::Monomial& m : calculus::monomials(quotient)) {
    if (m.product == nullptr || m.product->kind != Kind::floor_div || m.coefficient != 1) continue;
    const Term outer = m.product->children[1], inner = m.product->children[0];
    if (inner->kind != Kind::floor_div) continue;
    if (calculus::as_integer(outer) != nullptr && calculus::as_integer(inner->children[1]) != nullptr)
      continue;
    if (!rely(scope, calculus::at_most(number(1), inner->children[1])) ||
        !rely(scope, calculus::at_most(number(1), outer)))
      continue;
    const Term joined = divide_by(inner->children[0], calculus::multiply(inner->children[1], outer), scope);
    return calculus::add(calculus::subtract(quotient, m.product), joined);
  }
  return quotient;
}

Term Arithmetic::truncated_division(Term a, Term b, unsigned width, const Scope& scope) {
  a = observe_signed(a, width, scope);
  b = observe_signed(b, width, scope);
  if (!rely(scope, calculus::at_most(number(1), b))) return nullptr;
  const Integer* constant = calculus::as_integer(b);
  if (constant != nullptr && *constant <= 0) return nullptr;  // what no thread comes to
  const auto quotient = [&](Term x) { return divide_by(x, b, scope); };
  if (rely(scope, calculus::at_most(number(0), a))) return quotient(a);
  const Term negative = calculus::scale(-1, quotient(calculus::scale(-1, a)));
  return calculus::index_select(calculus::at_most(number(0), a), quotient(a), negative);
}

Term Arithmetic::operate(Opcode opcode, Term a, Term b, unsigned width, const Scope& scope) {
  const Integer* constant = b != nullptr ? calculus::as_integer(b) : nullptr;
  switch (opcode) {
    case Opcode::add:
      return calculus::add(a, b);
    case Opcode::sub:
      return calculus::subtract(a, b);
    case Opcode::mul:
      if (!is_small_product(a, b)) return nullptr;
      return reduce(calculus::multiply(a, b), width);
    case Opcode::mul_high_unsigned:
      if (!is_small_product(a, b)) return nullptr;
      return divide(calculus::multiply(observe_unsigned(a, width, scope), observe_unsigned(b, width, scope)),
                    power_of_two(width), scope);
    case Opcode::mul_high_signed:
      if (!is_small_product(a, b)) return nullptr;
      return divide(calculus::multiply(observe_signed(a, width, scope), observe_signed(b, width, scope)),
                    power_of_two(width), scope);
    case Opcode::div_unsigned:
    case Opcode::rem_unsigned: {
      a = observe_unsigned(a, width, scope);
      b = observe_unsigned(b, width, scope);
      constant = calculus::as_integer(b);
      if (!rely(scope, calculus::at_most(number(1), b))) return nullptr;
      if (constant != nullptr && *constant == 0) return nullptr;  // what no thread comes to
      const Term quotient = divide_by(a, b, scope);
      return opcode == Opcode::div_unsigned ? quotient
                                            : calculus::subtract(a, calculus::multiply(b, quotient));
    }
    case Opcode::div_signed:
      return truncated_division(a, b, width, scope);
    case Opcode::rem_signed: {
      const Term quotient = truncated_division(a, b, width, scope);
      if (quotient == nullptr) return nullptr;
      return calculus::subtract(observe_signed(a, width, scope),
                                calculus::multiply(observe_signed(b, width, scope), quotient));
    }
    case Opcode::shift_left:
      if (constant == nullptr) return nullptr;
      if (*constant < 0 || *constant >= width) return nullptr;
      return reduce(calculus::scale(power_of_two(static_cast<unsigned>(constant->get_ui())), a), width);
    case Opcode::shift_right_logical:
    case Opcode::shift_right_arithmetic: {
      if (constant == nullptr || *constant < 0 || *constant >= width) return nullptr;
      const Term seen = opcode == Opcode::shift_right_logical ? observe_unsigned(a, width, scope)
                                                              : observe_signed(a, width, scope);
      return divide(seen, power_of_two(static_cast<unsigned>(constant->get_ui())), scope);
    }
    case Opcode::bit_and:
      return bit_and(a, b, width, scope);
    case Opcode::bit_or:
      return bit_or(observe_unsigned(a, width, scope), observe_unsigned(b, width, scope), width, scope);
    case Opcode::bit_xor:
      return bit_xor(a, b, width, scope);
    case Opcode::bit_not:
      return calculus::subtract(number(-1), a);
    case Opcode::min_signed:
      return calculus::index_min(observe_signed(a, width, scope), observe_signed(b, width, scope));
    case Opcode::max_signed:
      return calculus::index_max(observe_signed(a, width, scope), observe_signed(b, width, scope));
    case Opcode::min_unsigned:
      return calculus::index_min(observe_unsigned(a, width, scope), observe_unsigned(b, width, scope));
    case Opcode::max_unsigned:
      return calculus::index_max(observe_unsigned(a, width, scope), observe_unsigned(b, width, scope));
    case Opcode::abs_signed: {
      const Term seen = observe_signed(a, width, scope);
      return calculus::index_max(seen, calculus::scale(-1, seen));
    }
    default:
      return nullptr;
  }
}

// The sign of a | b, a & b and a ^ b is the operation on their signs: four guards of a padded window are
// often one such test.
Term Arithmetic::compare_sign(Predicate predicate, Term a, Term b, unsigned width, const Scope& scope) {
  const Integer* bound = calculus::as_integer(b);
  if (bound == nullptr || a->kind != Kind::to_index) return nullptr;
  const Term bits = a->children[0];
  if (bits->kind != Kind::operation || bits->op != calculus::Op::custom || bits->children.size() != 2)
    return nullptr;
  const auto is = [&](const char* name) { return bits->name == name + std::to_string(width); };
  const bool joined = is("bit_or."), common = is("bit_and."), apart = is("bit_xor.");
  if (!joined && !common && !apart) return nullptr;
  const Integer half = power_of_two(width - 1);
  const std::optional<bool> negative = asks_for_sign(predicate, floor_mod(*bound + half, half * 2) - half);
  if (!negative) return nullptr;
  std::vector<Term> signs;
  for (Term side : bits->children) {
    if (side->kind != Kind::from_index) return nullptr;
    signs.push_back(compare(Predicate::less_signed, side->children[0], number(0), width, scope));
  }
  Term sign = joined ? calculus::either(signs[0], signs[1]) : calculus::both(signs[0], signs[1]);
  if (apart)
    sign = calculus::either(calculus::both(signs[0], calculus::negation(signs[1])),
                            calculus::both(calculus::negation(signs[0]), signs[1]));
  return *negative ? sign : calculus::negation(sign);
}

Term Arithmetic::compare(Predicate predicate, Term a, Term b, unsigned width, const Scope& scope) {
  // Of one of two numbers with a number: the condition by which it is one of them, or none.
  const auto is_choice = [](Term t) {
    return t->kind == Kind::index_select && calculus::as_integer(t->children[1]) != nullptr &&
           calculus::as_integer(t->children[2]) != nullptr;
  };
  const bool first = is_choice(a) && calculus::as_integer(b) != nullptr;
  if (first || (is_choice(b) && calculus::as_integer(a) != nullptr)) {
    const Term choice = first ? a : b, condition = choice->children[0];
    const auto of = [&](Term arm) {
      return first ? compare(predicate, arm, b, width, scope) : compare(predicate, a, arm, width, scope);
    };
    return calculus::either(calculus::both(condition, of(choice->children[1])),
                            calculus::both(calculus::negation(condition), of(choice->children[2])));
  }
  if (const Term sign = compare_sign(predicate, a, b, width, scope); sign != nullptr) return sign;
  switch (predicate) {
    case Predicate::equal:
    case Predicate::not_equal: {
      Term same = nullptr;
      const Term difference = reduce(calculus::subtract(a, b), width);
      const Integer modulus = power_of_two(width);
      if (calculus::as_integer(b) != nullptr && *calculus::as_integer(b) == 0 && is_bor(a))
        same = calculus::both(calculus::equal(bor_side(a, 0), number(0)),
                              calculus::equal(bor_side(a, 1), number(0)));
      else if (const Term moved = shifted(difference, modulus, 1 - modulus, modulus - 1, scope);
               moved != nullptr)
        same = calculus::equal(moved, number(0));
      else
        same = calculus::equal(observe_unsigned(a, width, scope), observe_unsigned(b, width, scope));
      return predicate == Predicate::equal ? same : calculus::negation(same);
    }
    case Predicate::less_signed:
      return calculus::less(observe_signed(a, width, scope), observe_signed(b, width, scope));
    case Predicate::less_equal_signed:
      return calculus::at_most(observe_signed(a, width, scope), observe_signed(b, width, scope));
    case Predicate::greater_signed:
      return calculus::less(observe_signed(b, width, scope), observe_signed(a, width, scope));
    case Predicate::greater_equal_signed:
      return calculus::at_most(observe_signed(b, width, scope), observe_signed(a, width, scope));
    case Predicate::less_unsigned:
      return calculus::less(observe_unsigned(a, width, scope), observe_unsigned(b, width, scope));
    case Predicate::less_equal_unsigned:
      return calculus::at_most(observe_unsigned(a, width, scope), observe_unsigned(b, width, scope));
    case Predicate::greater_unsigned:
      return calculus::less(observe_unsigned(b, width, scope), observe_unsigned(a, width, scope));
    case Predicate::greater_equal_unsigned:
      return calculus::at_most(observe_unsigned(b, width, scope), observe_unsigned(a, width, scope));
    default:
      throw InternalError("a float predicate on integers");
  }
}

}  // namespace hallmark::validator
