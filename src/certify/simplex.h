// The general simplex method with bounds that come and go (Dutertre and de Moura, "A fast linear-arithmetic
// solver for DPLL(T)", 2006), over exact rationals, with Bland's rule: it ends, and its answer depends on
// nothing but its input.
#pragma once
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/integer.h"

namespace hallmark::certify {

// value + epsilon * d for an infinitely small d: strict bounds over the reals.
struct Bound {
  Rational value, epsilon;
  auto operator<=>(const Bound& other) const = delete;
  bool operator<(const Bound& o) const {
    return value < o.value || (value == o.value && epsilon < o.epsilon);
  }
  bool operator==(const Bound&) const = default;
};

class Simplex {
 public:
  using Sum = std::map<std::size_t, Rational>;                    // column -> coefficient
  using Reasons = std::vector<std::pair<std::size_t, Rational>>;  // reason -> positive multiple

  // A new unknown; its column.
  std::size_t unknown();
  // The column that stands for a sum of at least two unknowns; the same for the same sum.
  std::size_t sum(const Sum& of);
  // A bound with the reason for it, in force until rewind(). False when it contradicts another bound:
  // conflict().
  bool lower(std::size_t column, const Bound& bound, std::size_t reason);
  bool upper(std::size_t column, const Bound& bound, std::size_t reason);
  // Looks for values within all bounds, with at most `pivots` steps (counted down). True: values(). False:
  // conflict(), or no steps were left.
  bool solve(std::size_t& pivots);
  // Bounds that together are impossible, with multiples whose sum is the contradiction.
  const Reasons& conflict() const { return conflict_; }
  const Rational& value(std::size_t column) const { return columns_[column].value.value; }

  std::size_t mark() const { return trail_.size(); }
  void rewind(std::size_t mark);

 private:
  struct Limit {
    Bound bound;
    std::size_t reason = 0;
  };
  struct Column {
    Bound value;
    std::optional<Limit> low, high;
    bool basic = false;
    Sum row;  // of a basic column, over columns that are not
  };
  struct Undo {
    std::size_t column;
    bool is_lower;
    std::optional<Limit> before;
  };
  void move(std::size_t column, const Bound& to);
  void pivot(std::size_t leaves, std::size_t enters);
  void explain(std::size_t row, bool too_low);

  std::vector<Column> columns_;
  std::map<Sum, std::size_t> sums_;
  std::vector<Undo> trail_;
  Reasons conflict_;
};

}  // namespace hallmark::certify
