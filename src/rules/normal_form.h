// Normal form of sums over the reals: every element term becomes a sum of summands
//
//     coefficient * sum over binders (where guard) of factor_1 * ... * factor_m
//
// so that padding with zero, concatenation, ragged tails and one-hot gathers all become guards of one sum.
// The laws used are those of a commutative ring, plus x / y = x * reciprocal(y) with reciprocal(a * b) =
// reciprocal(a) * reciprocal(b), which holds in the total model because 1 / 0 = 0, and exp(a + b) = exp(a) *
// exp(b). Each law used is logged by name.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "calculus/term.h"
#include "rules/oracle.h"

namespace hallmark::rules {

struct Binder {
  Term variable;  // a free variable, unique to its summand
  Term extent;
};

struct Summand {
  Rational coefficient = 1;
  std::vector<Binder> binders;
  Term guard = nullptr;       // Bool over axes, symbols, outer variables and binders
  std::vector<Term> factors;  // opaque elements, sorted; repeated factors stand repeatedly
};

using NormalForm = std::vector<Summand>;

// Whether one of the leaves occurs anywhere in the summand: in its guard, a factor, or the extent of a
// binder.
bool mentions(const Summand& summand, const std::vector<Term>& leaves);

// Names of the laws used: "LIN", "NEST", "GUARD", "INV", "EXP-HOM", "CONST", "CANCEL", "MAX-SHIFT", ...
using LawLog = std::set<std::string>;

// What normalisation may use: facts that hold here, and somebody to ask for side conditions (a range is not
// empty, a divisor is not 0). A side condition that is not shown leaves the term as it is.
struct Context {
  Facts facts;
  Oracle& oracle;
  LawLog& laws;
  Context with(const Facts& more) const {
    Context out{facts, oracle, laws};
    out.facts.insert(out.facts.end(), more.begin(), more.end());
    return out;
  }
};

// Terms are of sort Real or Int; of integers modulo 2^w only ring laws are used. Throws Refusal E2101 for a
// term of another sort, or whose expansion exceeds `limit` summands (no law is lost: the rule is then not
// proved).
// `unroll_all`: sums over a literal few are written out (law UNROLL) also where no guard asks for an index.
NormalForm normalise(Term element, const Context& context, std::size_t limit = 4096, bool unroll_all = false);

// The term that a normal form stands for; its binders become folds again. normalise() of it gives an equal
// normal form.
Term to_term(const NormalForm& form, calculus::Sort sort = calculus::Sort::real());

}  // namespace hallmark::rules
