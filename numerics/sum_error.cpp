#include "numerics/sum_error.h"

#include <algorithm>

namespace hallmark::numerics {

using calculus::Order;

namespace {

// Beyond this many additions one after the other, those within one binade are taken together.
constexpr long single_steps = 48;

Integer ceil_quotient(const Integer& a, const Integer& b) {
  return floor_div(Integer(a + b - 1), b);
}

class Summation {
 public:
  explicit Summation(const RoundingModel& model) : model_(model) {}

  // Terms one after the other onto `from`, `count` roundings.
  std::optional<SumError> sequence(SumError from, const Interval& term, const Integer& count) const {
    Integer done = 0;
    for (; done < count && done < single_steps; ++done)
      if (!add(from, term)) return std::nullopt;
    while (done < count) {
      const Interval before = (from.magnitude + term).from_zero();
      if (before.is_zero()) return from;
      long top = static_cast<long>(mpfr_get_exp(before.high()));
      if (mpfr_cmp_ui_2exp(before.high(), 1, top - 1) == 0) --top;
      // The binade of this addition: results up to 2^top err by at most `own` (up to `before` by less, where
      // that is just above a power of two).
      const Interval own = absolute_rounding(Interval::power_of_two(top), model_, SubnormalResults::rounded);
      const Interval step = (term + own).from_zero();
      const Interval room = Interval::power_of_two(top) - from.magnitude.upper_end();
      Integer together = 1;
      if (const MaybeInterval many = divide(room.lower_end(), step.upper_end());
          many && many->is_positive()) {
        Integer whole;
        mpfr_get_z(whole.get_mpz_t(), many->low(), MPFR_RNDD);
        // One less, so that the last addition is still below 2^top.
        together = std::max(Integer(1), Integer(whole - 1));
      }
      together = std::min(together, Integer(count - done));
      if (together == 1) {
        const Interval size = from.magnitude;
        if (!add(from, term)) return std::nullopt;
        if (!mpfr_greater_p(from.magnitude.high(), size.high())) {
          // The partial sums stagnate: every further term is lost alike.
          from.error = (from.error + Interval(Rational(Integer(count - done - 1))) * own).from_zero();
          return from;
        }
      } else {
        const Interval times{Rational(together)};
        from.error = (from.error + times * own).from_zero();
        from.magnitude = (from.magnitude + times * step).from_zero();
        if (!round_to_format(from.magnitude, model_)) return std::nullopt;
      }
      done += together;
    }
    return from;
  }

  // `leaves` finished parts, combined.
  std::optional<SumError> combine(const Order& order, const Integer& leaves, const SumError& leaf) const {
    if (leaves <= 0) return SumError{Interval(), Interval()};
    switch (order.kind) {
      case Order::Kind::seq: {
        auto sum = sequence({leaf.magnitude, Interval()}, leaf.magnitude, Integer(leaves - 1));
        if (sum) sum->error = (sum->error + Interval(Rational(leaves)) * leaf.error).from_zero();
        return sum;
      }
      case Order::Kind::tree: {
        const Integer* size = calculus::as_integer(order.size);
        if (size == nullptr || *size < leaves) return std::nullopt;
        SumError level{leaf.magnitude, Interval()};
        Interval errors = Interval(Rational(leaves)) * leaf.error;
        for (Integer nodes = floor_div(*size, 2); nodes >= 1; nodes = floor_div(nodes, 2)) {
          SumError both{level.magnitude, Interval()};
          if (!add(both, level.magnitude)) return std::nullopt;
          errors = errors + Interval(Rational(nodes)) * both.error;
          level.magnitude = both.magnitude;
        }
        return SumError{level.magnitude, errors.from_zero()};
      }
      case Order::Kind::strided: {
        const Integer* lanes = calculus::as_integer(order.size);
        if (lanes == nullptr || *lanes < 1) return std::nullopt;
        auto lane = sequence({leaf.magnitude, Interval()}, leaf.magnitude,
                             Integer(ceil_quotient(leaves, *lanes) - 1));
        if (!lane) return std::nullopt;
        auto sum = combine(*order.inner, *lanes, *lane);
        if (sum) sum->error = (sum->error + Interval(Rational(leaves)) * leaf.error).from_zero();
        return sum;
      }
      case Order::Kind::blocked: {
        const Integer* length = calculus::as_integer(order.size);
        if (length == nullptr || *length < 1) return std::nullopt;
        const auto block = combine(*order.inner, std::min(*length, leaves), leaf);
        if (!block) return std::nullopt;
        return combine(*order.outer, ceil_quotient(leaves, *length), *block);
      }
      case Order::Kind::any:
      case Order::Kind::mma:
        return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  // One addition of a value of magnitude at most `b`; false when it may overflow. Fused steps round products
  // too, so results below the normal range are not taken to be exact.
  bool add(SumError& a, const Interval& b) const {
    const Interval sum = (a.magnitude + b).from_zero();
    // Both signs: rounding down takes a negative sum further from 0.
    const MaybeInterval rounded = round_to_format(sum.symmetric(), model_);
    if (!rounded) return false;
    a.error = (a.error + absolute_rounding(sum, model_, SubnormalResults::rounded)).from_zero();
    a.magnitude = rounded->magnitude().from_zero();
    return true;
  }

  RoundingModel model_;
};

}  // namespace

std::optional<SumError> sum_error(const Order& order, const Integer& steps, const Interval& term,
                                  const Interval& start, const RoundingModel& model, bool first_is_exact) {
  const Summation s(model);
  const Interval size = term.from_zero();
  // One step from a start of 0: the term itself, rounded when the step is fused.
  const auto from_zero_start = [&](const Integer& count) {
    if (!first_is_exact) return s.sequence({Interval(), Interval()}, size, count);
    return s.sequence({size, Interval()}, size, Integer(count - 1));
  };
  if (steps <= 0) return SumError{start.from_zero(), Interval()};
  switch (order.kind) {
    case Order::Kind::seq:
      if (start.is_zero()) return from_zero_start(steps);
      return s.sequence({start.from_zero(), Interval()}, size, steps);
    case Order::Kind::strided: {
      const Integer* lanes = calculus::as_integer(order.size);
      if (lanes == nullptr || *lanes < 1 || !start.is_zero()) return std::nullopt;
      const auto lane = from_zero_start(ceil_quotient(steps, *lanes));
      return lane ? s.combine(*order.inner, *lanes, *lane) : std::nullopt;
    }
    default: {
      if (!start.is_zero()) return std::nullopt;
      const auto leaf = from_zero_start(Integer(1));
      return leaf ? s.combine(order, steps, *leaf) : std::nullopt;
    }
  }
}

}  // namespace hallmark::numerics
