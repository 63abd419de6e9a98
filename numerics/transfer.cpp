#include "numerics/transfer.h"

#include <algorithm>

namespace hallmark::numerics {

using calculus::Op;

namespace {

bool one_sign(const Interval& a, const Interval& b) {
  return (a.is_nonnegative() && b.is_nonnegative()) || (a.is_nonpositive() && b.is_nonpositive());
}

long least_grid(const Value& a, const Value& b) {
  if (a.grid == Value::no_grid || b.grid == Value::no_grid) return Value::no_grid;
  return std::min(a.grid, b.grid);
}

// r + s / min |x| as a purely relative error; nothing when x may be 0 or the error reaches 1.
MaybeInterval purely_relative(const Value& v) {
  Interval total = v.relative.from_zero();
  if (!v.rest.is_zero()) {
    const MaybeInterval part = divide(v.rest.from_zero(), v.exact.mignitude());
    if (!part) return std::nullopt;
    total = total + part->from_zero();
  }
  // The absolute bound may be the better one.
  const MaybeInterval other = divide(v.absolute.from_zero(), v.exact.mignitude());
  if (other) total = smaller_high(total, *other);
  if (mpfr_cmp_ui(total.high(), 1) >= 0) return std::nullopt;
  return total.from_zero();
}

Interval one_minus(const Interval& q) {
  return Interval(Rational(1), q.precision()) - q;
}

Value ranges(const Interval& exact, const Interval& rounded, bool bounded) {
  Value out;
  out.exact = exact;
  out.rounded = rounded;
  out.bounded = bounded;
  return out;
}

}  // namespace

Value transfer_add(const Value& a, const Value& b) {
  // 0 + x is x, digits and all.
  const auto nothing = [](const Value& v) {
    return v.is_exact() && v.exact.is_zero() && v.rounded.is_zero();
  };
  if (nothing(a)) return b;
  if (nothing(b)) return a;
  Value out = ranges(a.exact + b.exact, a.rounded + b.rounded, a.bounded && b.bounded);
  out.grid = least_grid(a, b);
  if (!out.bounded) return out;
  out.absolute = (a.absolute + b.absolute).from_zero();
  if (one_sign(a.exact, b.exact)) {
    out.relative = greater_high(a.relative, b.relative);
    out.rest = (a.rest + b.rest).from_zero();
  } else {
    out.rest = out.absolute;
  }
  add_shares(out, a, 1);
  add_shares(out, b, 1);
  settle(out);
  return out;
}

Value transfer_negate(const Value& a) {
  Value out = a;
  out.exact = -a.exact;
  out.rounded = -a.rounded;
  return out;
}

Value transfer_subtract(const Value& a, const Value& b) {
  return transfer_add(a, transfer_negate(b));
}

Value transfer_multiply(const Value& a, const Value& b, bool same_term) {
  Value out = ranges(same_term ? square(a.exact) : a.exact * b.exact,
                     same_term ? square(a.rounded) : a.rounded * b.rounded, a.bounded && b.bounded);
  if (a.grid != Value::no_grid && b.grid != Value::no_grid) out.grid = a.grid + b.grid;
  if (a.significant != 0 && b.significant != 0)
    out.significant = a.significant == 1   ? b.significant  // a power of two only scales
                      : b.significant == 1 ? a.significant
                                           : a.significant + b.significant;
  if (!out.bounded) return out;
  const Interval ma = a.exact.magnitude(), mb = b.exact.magnitude();
  out.absolute = (ma * b.absolute + mb * a.absolute + a.absolute * b.absolute).from_zero();
  out.relative = (a.relative + b.relative + a.relative * b.relative).from_zero();
  // |a'| <= |a| (1 + r_a) + s_a, and so for b.
  out.rest =
      (a.rest * mb * (b.relative + Rational(1)) + b.rest * ma * (a.relative + Rational(1)) + a.rest * b.rest)
          .from_zero();
  add_shares(out, a, as_double(mb));
  add_shares(out, b, as_double(ma));
  settle(out);
  return out;
}

// max(a, b) moves by at most the greater of the two errors. The mixed bound survives where one operand is
// never negative: then the result is at least the magnitude of every non-negative operand, and a negative one
// can win only by its rest (relative error at most 1).
Value transfer_max(const Value& a, const Value& b) {
  if (b.exact.at_most(a.exact) && b.rounded.at_most(a.rounded)) return a;
  if (a.exact.at_most(b.exact) && a.rounded.at_most(b.rounded)) return b;
  Value out = ranges(max(a.exact, b.exact), max(a.rounded, b.rounded), a.bounded && b.bounded);
  out.grid = least_grid(a, b);
  if (a.significant != 0 && b.significant != 0) out.significant = std::max(a.significant, b.significant);
  if (!out.bounded) return out;
  out.absolute = greater_high(a.absolute, b.absolute);
  const auto at_most_one = [](const Value& v) { return mpfr_cmp_ui(v.relative.high(), 1) <= 0; };
  if ((a.exact.is_nonnegative() && (b.exact.is_nonnegative() || at_most_one(b))) ||
      (b.exact.is_nonnegative() && at_most_one(a))) {
    out.relative = greater_high(a.relative, b.relative);
    out.rest = greater_high(a.rest, b.rest);
  } else {
    out.rest = out.absolute;
  }
  for (const Value* v : {&a, &b})
    for (const auto& [label, amount] : v->shares) out.shares[label] = std::max(out.shares[label], amount);
  settle(out);
  return out;
}

Value transfer_min(const Value& a, const Value& b) {
  return transfer_negate(transfer_max(transfer_negate(a), transfer_negate(b)));
}

Value transfer_abs(const Value& a) {
  Value out = a;
  out.exact = abs(a.exact);
  out.rounded = abs(a.rounded);
  return out;
}

std::optional<Value> transfer_divide(const Value& a, const Value& b) {
  // By a power of two: the product with its inverse, which keeps the digits.
  if (b.is_exact() && b.significant == 1 && b.rounded.is_point() && !b.rounded.is_zero()) {
    const MaybeInterval inverse = divide(Interval(Rational(1)), b.rounded);
    if (inverse && inverse->is_point() && b.grid != Value::no_grid) {
      Value factor = exact_value(*inverse);
      factor.grid = -b.grid;
      factor.significant = 1;
      return transfer_multiply(a, factor, false);
    }
  }
  const MaybeInterval rounded = divide(a.rounded, b.rounded);
  if (!rounded) return std::nullopt;
  Value out = ranges(*rounded, *rounded, a.bounded && b.bounded);
  if (!out.bounded) return out;
  const MaybeInterval exact = divide(a.exact, b.exact);
  if (!exact) {
    unbound(out);
    return out;
  }
  out.exact = *exact;
  // a'/b' - a/b = ((a' - a) - (a/b) (b' - b)) / b'
  const MaybeInterval absolute =
      divide((a.absolute + exact->magnitude() * b.absolute).from_zero(), b.rounded.mignitude());
  out.absolute = absolute->from_zero();
  out.rest = out.absolute;
  if (const MaybeInterval q = purely_relative(b); q) {
    const Interval left = one_minus(*q);
    // With b' = b (1 + h): ((a' - a) / b - (a / b) h) / (1 + h).
    const MaybeInterval moved = divide(a.absolute.from_zero(), b.exact.mignitude());
    const MaybeInterval third =
        moved ? divide((*moved + exact->magnitude() * *q).from_zero(), left) : std::nullopt;
    if (third && mpfr_less_p(third->high(), out.absolute.high()) != 0) {
      out.absolute = third->from_zero();
      out.rest = out.absolute;
    }
    const MaybeInterval relative = divide((a.relative + *q).from_zero(), left);
    const MaybeInterval rest = divide(a.rest.from_zero(), b.exact.mignitude() * left);
    if (relative && rest) {
      out.relative = relative->from_zero();
      out.rest = rest->from_zero();
    }
  }
  const double scale = 1 / mpfr_get_d(b.rounded.mignitude().low(), MPFR_RNDD);
  add_shares(out, a, scale);
  add_shares(out, b, scale * as_double(exact->magnitude()));
  settle(out);
  return out;
}

namespace {

// The cuts at which a range is divided: where functions change between steep and flat, at every magnitude.
std::vector<Rational> magnitude_cuts(const Rational& low, const Rational& high) {
  std::vector<Rational> cuts{0, Rational(-1, 2), Rational(1, 2), low, high};
  for (long k = 0; k <= 20; ++k)
    for (const long sign : {-1L, 1L}) {
      cuts.emplace_back(sign * (1L << k));
      cuts.emplace_back(sign * 3L * (1L << k), 2);
    }
  for (Rational& cut : cuts) cut.canonicalize();
  std::sort(cuts.begin(), cuts.end());
  std::vector<Rational> inside;
  for (const Rational& cut : cuts)
    if (cut >= low && cut <= high && (inside.empty() || inside.back() != cut)) inside.push_back(cut);
  return inside;
}

// How far the rounded operand can be from an exact one on a piece of the exact range.
Interval shift_on(const Value& a, const Interval& piece) {
  const Interval mixed = (a.relative * piece.magnitude() + a.rest).from_zero();
  return smaller_high(mixed, a.absolute).from_zero();
}

// sup over t in the range of e^t (e^(r |t| + s) - 1): the greatest over pieces [-2^k, -2^(k-1)], ..., [-1,
// 0], ..., each taken at its upper end with its greatest |t|.
MaybeInterval exponential_error(const Value& a) {
  const Rational low = a.exact.exact_low(), high = a.exact.exact_high();
  const std::vector<Rational> cuts = magnitude_cuts(low, high);
  Interval worst;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const Interval piece(cuts[i], cuts[i + 1]);
    const MaybeInterval growth = expm1(shift_on(a, piece));
    if (!growth) return std::nullopt;
    worst = greater_high(worst, (exp(piece) * *growth).from_zero());
  }
  if (low == high) {
    const MaybeInterval growth = expm1(a.absolute.from_zero());
    if (!growth) return std::nullopt;
    worst = (exp(a.exact) * *growth).from_zero();
  }
  return worst.from_zero();
}

// An upper bound of |f'| on x; nothing where there is none.
MaybeInterval slope(Op op, const Interval& x) {
  const Interval one(Rational(1), x.precision());
  const auto inverse = [&](const MaybeInterval& d) { return d ? divide(one, *d) : std::nullopt; };
  switch (op) {
    case Op::sin: {
      const MaybeInterval d = unary(Op::cos, x);
      return d ? MaybeInterval(d->magnitude()) : std::nullopt;
    }
    case Op::cos: {
      const MaybeInterval d = unary(Op::sin, x);
      return d ? MaybeInterval(d->magnitude()) : std::nullopt;
    }
    case Op::tan: {
      const MaybeInterval t = unary(Op::tan, x);
      return t ? MaybeInterval(square(*t) + one) : std::nullopt;
    }
    case Op::asin:
    case Op::acos: {
      const MaybeInterval root = unary(Op::sqrt, one - square(x));
      return inverse(root);
    }
    case Op::atan:
      return inverse(square(x) + one);
    case Op::sinh:
      return unary(Op::cosh, x);
    case Op::cosh: {
      const MaybeInterval d = unary(Op::sinh, x);
      return d ? MaybeInterval(d->magnitude()) : std::nullopt;
    }
    case Op::tanh: {
      const MaybeInterval c = unary(Op::cosh, x.mignitude());
      return c ? divide(one, square(*c)) : std::nullopt;
    }
    case Op::asinh: {
      const MaybeInterval root = unary(Op::sqrt, square(x) + one);
      return inverse(root);
    }
    case Op::acosh: {
      const Interval inside = square(x) - one;
      return inside.is_positive() ? inverse(unary(Op::sqrt, inside)) : std::nullopt;
    }
    case Op::atanh: {
      const Interval inside = one - square(x);
      return inside.is_positive() ? inverse(inside) : std::nullopt;
    }
    case Op::erf: {
      // 2 / sqrt(pi) e^(-x^2), and 2 / sqrt(pi) < 1.1283792
      return exp(-square(x.mignitude())) * Rational(11283792, 10000000);
    }
    default:
      return std::nullopt;
  }
}

// Functions that flatten out: the mean value theorem piece by piece, and never more than the width of the
// values.
MaybeInterval saturating_error(Op op, const Value& a, const Value& out) {
  const std::vector<Rational> cuts = magnitude_cuts(a.exact.exact_low(), a.exact.exact_high());
  const Interval whole = hull(out.exact, out.rounded);
  const Interval width = (whole.upper_end() - whole.lower_end()).from_zero();
  Interval worst;
  const auto see = [&](const Interval& piece) {
    const Interval shift = shift_on(a, piece);
    const MaybeInterval d = slope(op, piece + shift.symmetric());
    const Interval error = d ? (*d * shift).from_zero() : width;
    worst = greater_high(worst, smaller_high(error, width)).from_zero();
  };
  if (cuts.size() == 1) see(a.exact);
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) see(Interval(cuts[i], cuts[i + 1]));
  return worst;
}

bool is_step(Op op) {
  return op == Op::floor || op == Op::ceil || op == Op::trunc || op == Op::round_even || op == Op::sign;
}

// A step function jumps: its two values differ by at most the difference of the arguments plus one jump.
Interval step_error(Op op, const Value& a, const Value& out) {
  if (a.absolute.is_zero() ||
      (out.exact.is_point() && out.rounded.is_point() && out.exact.contains(out.rounded)))
    return Interval();
  if (op == Op::sign) return Interval(Rational(2));
  return a.absolute + Rational(1);
}

}  // namespace

std::optional<Value> transfer_unary(Op op, const Value& a) {
  if (op == Op::neg) return transfer_negate(a);
  if (op == Op::abs) return transfer_abs(a);
  if (op == Op::reciprocal) return transfer_divide(exact_value(Interval(Rational(1))), a);
  const MaybeInterval rounded = unary(op, a.rounded);
  if (!rounded) return std::nullopt;
  Value out = ranges(*rounded, *rounded, a.bounded);
  if (is_step(op)) out.grid = 0;
  if (!out.bounded) return out;
  const MaybeInterval exact = unary(op, a.exact);
  if (!exact) {
    unbound(out);
    return out;
  }
  out.exact = *exact;
  if (a.absolute.is_zero()) return out;
  MaybeInterval absolute;
  bool mixed = false;
  if (is_step(op)) {
    absolute = step_error(op, a, out);
  } else if (op == Op::exp) {
    absolute = exponential_error(a);
    if (const MaybeInterval growth = expm1(a.absolute.from_zero()); growth) {
      out.relative = growth->from_zero();
      mixed = true;
    }
  } else if (op == Op::sqrt || op == Op::rsqrt || op == Op::log) {
    const MaybeInterval q = purely_relative(a);
    if (op == Op::sqrt) {
      // |sqrt a' - sqrt a| <= sqrt |a' - a|, and = |a' - a| / (sqrt a' + sqrt a).
      absolute = unary(Op::sqrt, a.absolute.from_zero());
      const Interval roots = out.rounded + out.exact;
      if (const MaybeInterval other = divide(a.absolute.from_zero(), roots); other && roots.is_positive())
        absolute = smaller_high(*absolute, *other);
      // |sqrt(1 + d) - 1| <= 1 - sqrt(1 - q) = q / (1 + sqrt(1 - q)); what is not relative counts with its
      // root: sqrt(u + s) <= sqrt u + sqrt s.
      if (q) {
        out.relative = divide(*q, *unary(Op::sqrt, one_minus(*q)) + Rational(1))->from_zero();
        mixed = true;
      } else if (mpfr_cmp_ui(a.relative.high(), 1) < 0) {
        const Interval r = a.relative.from_zero();
        out.relative = divide(r, *unary(Op::sqrt, one_minus(r)) + Rational(1))->from_zero();
        out.rest = unary(Op::sqrt, a.rest.from_zero())->from_zero();
        mixed = true;
      }
    } else if (q) {
      const Interval left = one_minus(*q);
      if (op == Op::log) {
        // |log(1 + d)| <= q / (1 - q) for |d| <= q < 1.
        absolute = divide(*q, left);
      } else {
        // 1 / sqrt(1 + d) - 1 for |d| <= q: at most 1 / sqrt(1 - q) - 1 <= q / (1 - q).
        const MaybeInterval relative = divide(*q, left);
        out.relative = relative->from_zero();
        absolute = (out.relative * out.exact.magnitude()).from_zero();
        mixed = true;
      }
    }
  } else if (op == Op::erf || op == Op::tanh || op == Op::atan) {
    absolute = saturating_error(op, a, out);
  } else if (const MaybeInterval d = slope(op, hull(a.rounded, a.exact)); d) {
    absolute = (*d * a.absolute).from_zero();
  }
  // Where no rule applies both values still lie in their ranges.
  if (!absolute) absolute = (out.rounded - out.exact).magnitude();
  out.absolute = absolute->from_zero();
  if (!mixed) out.rest = out.absolute;
  if (const double before = as_double(a.absolute); before > 0)
    add_shares(out, a, as_double(out.absolute) / before);
  settle(out);
  return out;
}

std::optional<Value> transfer_power(const Value& a, const Value& b) {
  const MaybeInterval rounded = binary(Op::pow, a.rounded, b.rounded);
  if (!rounded) return std::nullopt;
  Value out = ranges(*rounded, *rounded, a.bounded && b.bounded);
  if (!out.bounded) return out;
  const MaybeInterval exact = binary(Op::pow, a.exact, b.exact);
  if (!exact) {
    unbound(out);
    return out;
  }
  out.exact = *exact;
  if (a.absolute.is_zero() && b.absolute.is_zero()) return out;
  // a^b = e^(b log a) for a > 0.
  const std::optional<Value> logarithm = a.rounded.is_positive() ? transfer_unary(Op::log, a) : std::nullopt;
  const std::optional<Value> whole = logarithm && logarithm->bounded
                                         ? transfer_unary(Op::exp, transfer_multiply(*logarithm, b, false))
                                         : std::nullopt;
  if (whole && whole->bounded) return whole;
  out.absolute = (out.rounded - out.exact).magnitude().from_zero();
  out.rest = out.absolute;
  return out;
}

Value transfer_select(const Value& a, const Value& b, bool same) {
  Value out = ranges(hull(a.exact, b.exact), hull(a.rounded, b.rounded), a.bounded && b.bounded);
  out.grid = least_grid(a, b);
  if (a.significant != 0 && b.significant != 0) out.significant = std::max(a.significant, b.significant);
  if (!out.bounded) return out;
  out.absolute = greater_high(a.absolute, b.absolute);
  if (same) {
    out.relative = greater_high(a.relative, b.relative);
    out.rest = greater_high(a.rest, b.rest);
  } else {
    out.absolute = greater_high(out.absolute, (a.rounded - b.exact).magnitude());
    out.absolute = greater_high(out.absolute, (b.rounded - a.exact).magnitude()).from_zero();
    out.rest = out.absolute;
  }
  for (const Value* v : {&a, &b})
    for (const auto& [label, amount] : v->shares) out.shares[label] = std::max(out.shares[label], amount);
  settle(out);
  return out;
}

Value transfer_repeat(const Value& term, const Integer& low, const Integer& high) {
  const Interval count{Rational(low), Rational(high)};
  const Interval most{Rational(high)};
  Value out = ranges(count * term.exact, count * term.rounded, term.bounded);
  out.grid = term.grid;
  if (!out.bounded) return out;
  out.absolute = (most * term.absolute).from_zero();
  if (term.exact.is_nonnegative() || term.exact.is_nonpositive()) {
    out.relative = term.relative;
    out.rest = (most * term.rest).from_zero();
  } else {
    out.rest = out.absolute;
  }
  add_shares(out, term, as_double(most));
  settle(out);
  return out;
}

}  // namespace hallmark::numerics
