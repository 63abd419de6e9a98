// Ranges of index terms and truth of index conditions, over the axes of a definition, symbols and fold
// variables.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "calculus/program.h"
#include "calculus/term.h"
#include "numerics/value.h"

namespace hallmark::numerics {

struct IndexRange {
  std::optional<Integer> low, high;  // nothing: unbounded
  bool finite() const { return low && high; }
};

class Scope {
 public:
  // `element` gives the range of an element used as an index (to_index).
  explicit Scope(std::function<IndexRange(calculus::Term)> element) : element_(std::move(element)) {}

  // Declares an axis, symbol or fold variable with its range; `extent` (if any) says leaf < extent.
  void declare(calculus::Term leaf, const IndexRange& range, calculus::Term extent = nullptr);

  // Encloses the term. Exact where the combinations of the leaves can be enumerated (at most 20,000).
  IndexRange range(calculus::Term index) const;
  // Of a condition over indices; comparisons of elements and is_nan may be anything here.
  Truth truth(calculus::Term condition) const;
  // While assumed, a condition (and each part of a conjunction) counts as true, its negation as false.
  void assume(calculus::Term condition) { assumed_.push_back(condition); }
  void forget() { assumed_.pop_back(); }
  // Whether 0 <= index < extent always.
  bool inside(calculus::Term index, calculus::Term extent) const;
  // Whether for all values of the other leaves some value of the variables makes the condition true. False
  // when that cannot be enumerated.
  bool always_some(const std::vector<calculus::Term>& variables, calculus::Term condition) const;

 private:
  struct Leaf {
    IndexRange range;
    calculus::Term extent = nullptr;
  };
  using Assignment = std::map<calculus::Term, Integer, calculus::TermLess>;
  bool component_has_some(const std::vector<calculus::Term>& variables, calculus::Term wanted) const;
  IndexRange by_interval(calculus::Term index) const;
  Truth truth_by_interval(calculus::Term condition) const;
  std::optional<Integer> evaluate(calculus::Term index, const Assignment& at) const;
  std::optional<bool> evaluate_condition(calculus::Term condition, const Assignment& at) const;
  // The declared leaves inside, when all ranges are finite and at most `limit` combinations exist.
  std::optional<std::vector<calculus::Term>> enumerable(calculus::Term a, long limit) const;
  // Calls `visit` for each assignment of the leaves; stops when it returns false.
  bool for_each_assignment(const std::vector<calculus::Term>& leaves, Assignment& at,
                           const std::function<bool(const Assignment&)>& visit, std::size_t next = 0) const;

  std::function<IndexRange(calculus::Term)> element_;
  bool is_assumed(calculus::Term condition) const;
  // What a condition on one leaf or element says of its range.
  std::optional<std::pair<calculus::Term, IndexRange>> refinement(calculus::Term condition) const;
  std::map<calculus::Term, Leaf, calculus::TermLess> leaves_;
  std::vector<calculus::Term> assumed_;
  mutable std::map<calculus::Term, IndexRange, calculus::TermLess> refined_;  // within one branch of a choice
};

}  // namespace hallmark::numerics
