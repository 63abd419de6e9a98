// Is what a kernel stores, bit for bit, the specification's value? Both are terms of the calculus; float
// operations are uninterpreted. The rules (kernel-proofs-2, sections 2 and 4):
//   identity, congruence, load by index, guarded step, case split, decided condition, zero trips,
//   fold against fold with f steps an iteration and a rest at the start (lockstep: f = 1, no rest),
//   constant folds unrolled on demand, integers modulo 2^w.
// Every rule that needs arithmetic relies on claims of the prover.
#pragma once
#include <map>
#include <set>
#include <string>

#include "validator/checks/operand_order.h"
#include "validator/symbolic/arithmetic.h"

namespace hallmark::validator {

class Matcher {
 public:
  // How much one comparison may cost: to find a proof, or only where two values that differ part.
  enum class Effort { proof, hint };
  explicit Matcher(Prover& prover, Effort effort = Effort::proof);
  // Elements of one sort. On failure the log is as before and failure() says where the two part.
  bool match(calculus::Term kernel, calculus::Term spec, const Scope& scope);
  // The same for a whole value: what both sides' loops use without computing it is compared once, under the
  // scope of the value, and has one name in both from there on. Each such comparison has a budget of its own.
  bool match_value(calculus::Term kernel, calculus::Term spec, const Scope& scope);
  // Index terms, equal modulo 2^width; width 0: equal.
  bool match_integer(calculus::Term kernel, calculus::Term spec, unsigned width, const Scope& scope);
  const std::string& failure() const { return failure_; }
  const std::set<std::string>& rules() const { return rules_; }

 private:
  void begin_budget();
  bool attempt(calculus::Term kernel, calculus::Term spec, const Scope& scope);
  // Conditions on floats: the same comparison of operands that match.
  bool same_condition(calculus::Term kernel, calculus::Term spec, const Scope& scope);
  calculus::Term with_operands_of(calculus::Term kernel, calculus::Term spec, const Scope& scope);
  void rewind(std::size_t mark);
  bool operations(calculus::Term kernel, calculus::Term spec, const Scope& scope);
  // width: numbers need to be equal modulo 2^width only; 0: equal.
  bool folds(calculus::Term kernel, calculus::Term spec, const Scope& scope, unsigned width = 0);
  // How each state of the kernel's loop goes together with its partner: equal (0) or modulo 2^w.
  using Relation = std::vector<unsigned>;
  bool folds_with(calculus::Term kernel, calculus::Term spec, const Scope& scope, const Integer& factor,
                  const Relation& relation);
  calculus::Term with_choices_in_one_form(calculus::Term number, bool unrolled, const Scope& scope);
  bool congruent(calculus::Term difference, unsigned width, const Scope& scope);
  calculus::Term with_folds_of(calculus::Term kernel, calculus::Term spec, const Scope& scope);
  bool selections(calculus::Term kernel, calculus::Term spec, const Scope& scope);
  bool empty_fold(calculus::Term fold, const Scope& scope);
  calculus::Term aligned(calculus::Term spec, calculus::Term kernel, const Scope& scope);
  calculus::Term with_factors_of(calculus::Term kernel, calculus::Term spec, const Scope& scope);
  calculus::Term with_known_quotients(calculus::Term term, const Scope& scope);
  bool equal_index(calculus::Term a, calculus::Term b, const Scope& scope);
  bool fail(calculus::Term kernel, calculus::Term spec, const std::string& why);
  bool used(const char* rule) {
    rules_.insert(rule);
    return true;
  }
  Prover& prover_;
  OperandOrder operand_order_;
  std::size_t probes_before_;  // of the prover, when this matcher began
  using Key = std::tuple<calculus::Term, calculus::Term, std::vector<calculus::Term>>;
  std::map<Key, bool> memo_;
  // Successes in the order of their last claims: each counts while all its claims stand in the log.
  std::vector<std::pair<std::size_t, Key>> successes_;
  std::set<std::string> rules_;
  std::string failure_;
  int depth_ = 0, deepest_ = -1;
  long steps_ = 0, step_limit_;
};

// One line that shows a term down to a few levels.
std::string brief(calculus::Term term, int depth = 4);

}  // namespace hallmark::validator
