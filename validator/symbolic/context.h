// What is known at a point of the execution: a set of Bool terms, immutable and shared, with the intervals
// that follow from them.
#pragma once
#include <memory>
#include <vector>

#include "validator/symbolic/interval.h"

namespace hallmark::validator {

class Context;
using Scope = std::shared_ptr<const Context>;

class Context {
 public:
  // Conjunctions are taken apart, `true` is dropped, duplicates too; the order of arrival is kept.
  static Scope make(const std::vector<calculus::Term>& facts);
  static Scope extend(const Scope& scope, const std::vector<calculus::Term>& facts);
  static Scope extend(const Scope& scope, calculus::Term fact) {
    return extend(scope, std::vector<calculus::Term>{fact});
  }
  const std::vector<calculus::Term>& facts() const { return facts_; }
  bool contradictory() const { return contradictory_; }  // a fact is the constant false
  bool knows(calculus::Term fact) const;
  Interval range(calculus::Term index) const { return ranges_.of(index); }
  // True, false, or nothing where intervals and the facts themselves do not decide.
  std::optional<bool> quick(calculus::Term condition) const;

 private:
  void add(calculus::Term fact);
  void propagate();
  std::vector<calculus::Term> facts_;
  Ranges ranges_;
  bool contradictory_ = false;
};

// The same facts with leaves replaced.
Scope substitute(const Scope& scope, const calculus::Substitution& map);

}  // namespace hallmark::validator
