// Certificates of kind "bijection": that the two sides of a rule or of a rewrite step, read as sums of
// products (sums.h), are equal over the reals or over integers, because their index sets correspond one to
// one. A refutation of each claim's negation by Farkas' lemma stands beside the maps, so that no solver is
// needed. The sums, the claims and the facts are derived again from the sides: a certificate that writes
// others is refused.
//
// It shows the values alone, and not that the sides have the same shape or read inside their tensors. Steps,
// a line each:
//
//   sides NAME           what follows is of this instance of the rule; all are there, in their order
//   given FACT           each fact that holds throughout
//   sum C * sum(k1 < E where G) A[k1] * B[k1]     each summand of left - right
//   pair M N             summands M and N cancel: as much of both as the smaller coefficient says
//   phi j1 = TERM        for each binder of N over those of M
//   psi k1 = TERM        for each binder of M over those of N
//   factors A B ..       for each factor of M its partner in N
//   empty N              summand N is a sum over nothing
//   have FACT            p <= 0, shown like a claim and then known for what follows in its direction
//   show GOAL            each claim about the pair or the empty set, in the order of claims.h
//   times A B            a product of two inequalities that is used for it
//   split, branch, cut, close   its refutation (certificate/certificate.h)
//
// At the end nothing is left of any summand.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pairs/claims.h"

namespace hallmark::pairs {

// A sentence that says why the steps do not show it, or nothing when they do. Never throws for what they
// hold.
std::string check(const std::vector<Sides>& instances, const std::vector<std::string>& steps);

// Calls `use` with maps between the index sets of two summands, until it returns true.
using Propose = std::function<void(const Summand& first, const Summand& second,
                                   const std::function<bool(const Maps&)>& use)>;
// Steps that check, or nothing: a missing certificate means nothing. The same in every run.
std::optional<std::vector<std::string>> find(const std::vector<Sides>& instances, const Propose& propose);

// One instance: what its maker and its checker derive from the sides, and how they write it.
class Instance {
 public:
  explicit Instance(const Sides& sides);
  // "sides", "given" and "sum" lines.
  std::vector<std::string> heading() const;
  const std::vector<Term>& facts() const { return facts_; }
  std::size_t size() const { return summands_.size(); }
  Rational coefficient(std::size_t n) const { return summands_[n].coefficient; }
  // The summand with the binders of a first or a second one.
  Summand first(std::size_t n) const { return renamed(summands_.at(n), first_); }
  Summand second(std::size_t n) const { return renamed(summands_.at(n), second_); }
  std::string print(Term term) const;
  // Throws UserError (calculus/text/text.h).
  Term parse(const std::string& text) const;

 private:
  std::string print(const Summand& summand) const;
  Sides sides_;
  std::vector<Term> facts_;
  std::vector<Summand> summands_;
  std::string first_ = "k", second_ = "j", axis_ = "i";
};

}  // namespace hallmark::pairs
