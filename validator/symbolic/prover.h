// Decides claims `facts => goal` over launch data and remembers those that an argument relies on.
//
// The decision itself is a guess that needs no trust: every claim that a verdict rests on stands in the log
// and is put to both solvers at the end (validator/checks/discharge). Only what the log misses could be
// unsound, so whoever uses a decision to change a value or to skip a case calls rely(), not holds().
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "validator/symbolic/context.h"
#include "validator/symbolic/digits.h"

namespace hallmark::validator {

struct Claim {
  Scope scope;
  calculus::Term goal;
};

class Prover {
 public:
  // A solver's word on `facts and not goal`: true when it is unsatisfiable.
  using Probe = std::function<bool(const std::vector<calculus::Term>& facts, calculus::Term goal)>;
  explicit Prover(Probe probe) : probe_(std::move(probe)) {}

  // A fact about a single term and the condition under which it holds, wherever the term stands: declared
  // ranges of an index tensor's elements, where there are elements.
  struct Axiom {
    calculus::Term condition, fact;
  };
  using Axioms = std::function<std::vector<Axiom>(calculus::Term)>;
  void set_axioms(Axioms axioms) { axioms_ = std::move(axioms); }

  // A claim about a flat index that is divided by symbols is put over its digits as well (digits.h).
  bool holds(const Scope& scope, calculus::Term goal);
  // holds(), and on success the claim goes to the log.
  bool rely(const Scope& scope, calculus::Term goal);
  // Only intervals and known facts, no solver, nothing logged.
  static bool evident(const Scope& scope, calculus::Term goal);
  // true, false (both relied on) or nothing.
  std::optional<bool> decide(const Scope& scope, calculus::Term condition);

  std::vector<Claim>& log() { return log_; }
  // Appends those that the log does not hold.
  void keep(const std::vector<Claim>& claims);
  std::size_t mark() const { return log_.size(); }
  void rewind(std::size_t mark) { log_.resize(mark, Claim{nullptr, nullptr}); }
  std::size_t probes() const { return probes_; }
  // The last claim that rely() could not have, for the search for a counterexample.
  const std::optional<Claim>& failed() const { return failed_; }
  void forget_failure() { failed_.reset(); }

 private:
  // The claims that show the goal, appended to `by`; false, and nothing, where they do not hold.
  bool show(const Scope& scope, calculus::Term goal, std::vector<Claim>& by);
  bool show_in_digits(const Scope& scope, const DigitClaim& digits, std::vector<Claim>& by);
  bool show_by_sizes(const Scope& scope, calculus::Term goal, std::vector<Claim>& by);
  bool probed(const Scope& scope, calculus::Term goal);
  Scope with_axioms(const Scope& scope, calculus::Term goal) const;
  bool has_product(calculus::Term term);
  Scope without_products(const Scope& scope, calculus::Term goal);
  Probe probe_;
  Axioms axioms_;
  std::vector<Claim> log_;
  std::map<std::pair<std::vector<calculus::Term>, calculus::Term>, bool> cache_;
  std::map<calculus::Term, bool> products_;
  std::map<std::vector<calculus::Term>, Scope> plain_;
  std::size_t probes_ = 0;
  std::optional<Claim> failed_;
};

}  // namespace hallmark::validator
