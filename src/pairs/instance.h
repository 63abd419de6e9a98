// One instance of a certificate of matched sums, or an element within one: what its maker and its checker
// derive from the sides, and how they write it (pairs.h).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "pairs/claims.h"

namespace hallmark::pairs {

class Instance {
 public:
  explicit Instance(const Sides& sides);
  // Throws NotShown where nothing is gained by looking at the element by itself, and beyond a few levels.
  Instance(const Instance& around, const Inner& element);
  // "sides", "given" and "sum" lines; "inner", "sum", "left" and "right" lines.
  std::vector<std::string> heading() const;
  // The extremum that both are; nothing for sums.
  std::optional<calculus::Op> extremum() const { return op_; }
  const std::vector<Term>& facts() const { return facts_; }
  // Variables of what this element is within.
  const std::vector<Term>& around() const { return around_; }
  // Of left - right; of an extremum the parts of the left side, then those of the right one.
  const std::vector<Summand>& summands() const { return summands_; }
  std::size_t left_count() const { return left_count_; }
  // The summand with the binders of a first or a second one.
  Summand first(const Summand& s) const { return renamed(s, first_); }
  Summand second(const Summand& s) const { return renamed(s, second_); }
  std::string print(Term term) const;
  // Throws UserError (calculus/text/text.h).
  Term parse(const std::string& text) const;

 private:
  std::string print(const std::string& before, const Summand& summand) const;
  void name_variables();

  std::string name_;
  std::vector<std::string> symbols_;
  std::size_t axes_ = 0;
  std::vector<Term> facts_, around_;
  std::vector<Summand> summands_;
  std::size_t left_count_ = 0;
  std::optional<calculus::Op> op_;
  int depth_ = 0;
  std::string first_ = "k", second_ = "j", axis_ = "i";
};

}  // namespace hallmark::pairs
