// A query: hypotheses imply goal, for every value of the symbols. Its printed text is the thing that is
// digested, recorded, asked and replayed: one self-contained, quantifier-free SMT-LIB 2 file, the same bytes
// for the same query. The text asserts the hypotheses and the negated goal; `unsat` means that the claim
// holds.
//
// Names in the text are escaped so that they can never meet a name reserved in any solver (`exp` is one in
// cvc5): symbol x is v_x, function f is f_f, sort J is s_J, a shared subterm is t_1, t_2, ... in order of
// first use. A byte other than A-Z a-z 0-9 _ . is written as $ and two hexadecimal digits. Subterms that
// occur more than once are define-fun's, so the text is linear in the size of the DAG.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "smt/evaluate.h"

namespace hallmark::smt {

struct Hypothesis {
  std::string name;  // where it comes from: "range of i", "guard at line 12"; a comment in the text
  Term formula;
};

struct Query {
  std::string title;  // the obligation's id, or empty; part of the text of the goal and of mutants
  std::vector<Hypothesis> hypotheses;
  Term goal;
  // Goals that must be refutable (expected `sat` under the hypotheses): each the goal with a fault put in,
  // such as a bound off by one. Without any, the goal itself is asserted: see mutated_goal_texts.
  std::vector<Term> mutants;
  // Equations that pin the symbols to one instance that satisfies the hypotheses, from a concrete execution.
  // They make `sat` easy to find where the hypotheses are nonlinear; they are used for the check that the
  // hypotheses are satisfiable and never for the goal.
  std::vector<Term> example;
};

enum class Purpose { goal, hypotheses, mutated_goal };
std::string_view name(Purpose);  // "goal", "hypotheses", "mutated-goal", as in QueryRecord

struct QueryText {
  Purpose purpose = Purpose::goal;
  std::string text;      // ends in one (check-sat)
  std::string sha256;    // of text
  std::string expected;  // "unsat" or "sat"
  // Names of the Bool, Int, Real and bit-vector variables, and how they stand in the text, for get-value.
  std::vector<std::pair<std::string, std::string>> variables;
  std::vector<Sort> variable_sorts;  // parallel to variables
};

// Hypotheses and not goal; expected unsat.
QueryText goal_text(const Query& query);
// Hypotheses alone, with the example's equations when `with_example` and there are some; expected sat. It
// does not depend on the goal, so that many goals share one check.
QueryText hypotheses_text(const Query& query, bool with_example);
// The hypotheses with each mutant's negation; expected sat. Without mutants: the hypotheses with the goal
// itself asserted, which is satisfiable for every true claim that is not vacuous; it shows that the process
// does not answer unsat to everything that looks like this query. With the example, its equations too (only
// where there are no mutants: a mutant need not fail at the example).
std::vector<QueryText> mutated_goal_texts(const Query& query, bool with_example);

// The text of any set of assertions, as above.
QueryText print_assertions(Purpose purpose, const std::string& title,
                           const std::vector<Hypothesis>& assertions, const std::string& expected);

// The least logic that both solvers know for these terms: "QF_UFLIA", "QF_NIA", "QF_BV", "ALL", ...
std::string logic_of(const std::vector<Term>& assertions);

// Ties a query to a concrete execution (soundness, D1): throws InternalError, naming the formula, when a
// hypothesis is false under the evaluator's assignment, or when all hypotheses are true and the goal is
// false; either is a fault of whoever wrote the query (exit 70). Returns how many of the formulas the
// assignment left undetermined.
std::size_t check_on_execution(const Query& query, Evaluator& execution);

// One term as it would stand in a query, without sharing; for messages and tests.
std::string to_smtlib(Term term);
// Escapes a name: see above. The prefix is not added.
std::string escape_name(std::string_view name);

}  // namespace hallmark::smt
