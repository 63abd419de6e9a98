// Walking terms: every subterm once, substitution, and evaluation under concrete values. Evaluation is what
// ties a query to real executions: every hypothesis of a proved query must be true on them (soundness, D1).
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include "smt/term.h"

namespace hallmark::smt {

// Every subterm of the roots once, arguments before what uses them, in an order that depends on structure
// alone. No recursion: depth is bounded by memory only.
std::vector<Term> subterms(const std::vector<Term>& roots);

using Substitution = std::unordered_map<Term, Term>;
// Replaces terms (usually variables) everywhere at once; replacements are not substituted again. New terms
// come from the arena of `term`.
Term substitute(Term term, const Substitution& replacements);

// A value of a sort: Bool as 0 and 1, bit vectors as their unsigned value, elements of an uninterpreted sort
// as integers that only tell equal from different.
struct Value {
  Sort sort;
  Rational number;
  bool is_true() const { return number != 0; }
  bool operator==(const Value&) const = default;
  static Value boolean(bool b) { return {Sort::boolean(), b ? 1 : 0}; }
  static Value integer(const Integer& i) { return {Sort::integer(), i}; }
  static Value real(const Rational& r) { return {Sort::real(), r}; }
};
// "true", "17", "-3/4", "#x0f", "name!2".
std::string to_string(const Value&);

// The term for a value. Throws InternalError for uninterpreted sorts.
Term constant(Arena&, const Value&);

struct Assignment {
  std::map<std::string, Value> variables;
  // The table of a function: arguments -> value. What is not in the table is asked of `function`.
  std::map<std::string, std::map<std::vector<Rational>, Value>> tables;
  // Called with the symbol and its arguments for what stands in neither map (variables too: no arguments).
  // Nothing = not known.
  std::function<std::optional<Value>(const Function&, const std::vector<Value>&)> function;
};

// The value of a term, or nothing where the assignment does not determine it: an unknown symbol, or an
// integer or real division by zero (whose SMT-LIB value is the solver's choice). An unknown part that
// cannot matter (the other branch of ite, a conjunct beside a false one) does not spoil the whole.
// Throws InternalError when the assignment gives a value of the wrong sort.
class Evaluator {
 public:
  explicit Evaluator(Assignment assignment) : assignment_(std::move(assignment)) {}
  std::optional<Value> value(Term term);  // remembers subterms between calls
  // Whether the Bool term is true; nothing where undetermined.
  std::optional<bool> holds(Term term);

 private:
  std::optional<Value> compute(Term term);
  Assignment assignment_;
  std::unordered_map<Term, std::optional<Value>> known_;
};

}  // namespace hallmark::smt
