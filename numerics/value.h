// What is known about one term at once: its exact value, its rounded value, and how far apart they are.
//
// The two ranges are never mixed (soundness B2): `exact` encloses the value of the term with its roundings
// erased, `rounded` the values that the machine computes. They are compared only through the error bounds,
// and a bound narrows the one range from the other only after it has been derived without it.
#pragma once
#include <climits>
#include <map>
#include <optional>
#include <string>

#include "numerics/interval.h"

namespace hallmark::numerics {

// Which truth values a condition can take.
struct Truth {
  bool may_be_false = true, may_be_true = true;
  bool decided() const { return may_be_false != may_be_true; }
  bool is_true() const { return may_be_true && !may_be_false; }
  bool is_false() const { return may_be_false && !may_be_true; }
  bool operator==(const Truth&) const = default;
};

struct Value {
  static constexpr long no_grid = LONG_MIN;

  Interval exact, rounded;
  // Whether the bounds below hold; when false, `exact` is not an enclosure either.
  bool bounded = true;
  // |rounded - exact| <= absolute, and |rounded - exact| <= relative * |exact| + rest. Only upper ends count.
  Interval absolute, relative, rest;
  // Every rounded value is a multiple of 2^grid, and has at most `significant` significant bits (0: unknown).
  long grid = no_grid;
  long significant = 0;

  // |rounded - exact| <= units * (spacing of the format at exact): of what was rounded once from an exact
  // value.
  struct Units {
    Rational count;
    calculus::Format format;
  };
  std::optional<Units> units;

  // Sort Bool.
  Truth exact_truth, rounded_truth;
  bool same = true;  // the rounded condition always equals the exact one

  // Of a sum that was added up and nothing else: its own roundings err by at most relative * sum |rounded
  // terms| - saved + rest. Of `saved` only the lower end counts: terms that are positive and meet fewer
  // roundings than the height of the tree.
  struct OwnRoundings {
    Interval relative, rest, saved;
  };
  std::optional<OwnRoundings> own_sum;
  // Of sum w_k v_k with weights w_k >= 0: |rounded - exact| <= each * sum w_k + rest.
  struct Weighted {
    Interval each, rest;
    Interval values;  // encloses the exact v_k
  };
  std::optional<Weighted> weighted;

  // How much of `absolute` comes from where: label -> amount. For people; no verdict rests on it.
  std::map<std::string, double> shares;

  bool is_exact() const { return bounded && absolute.is_zero(); }
};

// A value without any error whose two ranges are v.
Value exact_value(const Interval& v);
// A condition that may be anything.
Value unknown_truth(bool same);
// Scales the shares; for propagation through an operation.
void add_shares(Value& to, const Value& from, double factor);
void add_share(Value& to, const std::string& label, const Interval& amount);
// Takes the better of the two routes for each bound, and lets bounds and ranges narrow each other.
void settle(Value& v);
// Forgets how the value came about (own_sum, weighted): after any change of it.
void forget_form(Value& v);
// Drops what is known about the error: the exact value may be anything.
void unbound(Value& v);
double as_double(const Interval& upper);

}  // namespace hallmark::numerics
