// An element as a list of summands
//
//     coefficient * sum over binders (where guard) of factor_1 * ... * factor_m
//
// read anew, without the normal form of rules/: of the laws of a commutative ring only that products of sums
// are sums of products, that a choice is a sum under opposite guards, and for reals that x / y is x times the
// reciprocal of y. Everything else is a factor as it stands.
#pragma once
#include <string>
#include <vector>

#include "calculus/program.h"

namespace hallmark::pairs {

using calculus::Term;

// Thrown where something cannot be shown; says why. Never a verdict.
struct NotShown {
  std::string why;
};

struct Binder {
  Term variable = nullptr, extent = nullptr;  // 0 <= variable < extent
};

struct Summand {
  Rational coefficient = 1;
  std::vector<Binder> binders;
  Term guard = nullptr;
  std::vector<Term> factors;
};

// What a rule or a step says, as far as sums need it.
struct Sides {
  std::string name;
  std::vector<calculus::SymbolRange> symbols;
  std::vector<Term> requirements;
  std::vector<Term> existing;  // extents of tensors that exist: at least 0
  std::vector<Term> extents;   // of the result's axes
  Term left = nullptr, right = nullptr;
};
// The results are the last definitions; whatever else is defined is put in its place.
Sides sides_of(std::string name, std::vector<calculus::SymbolRange> symbols, std::vector<Term> requirements,
               const std::vector<calculus::Declaration>& tensors,
               const std::vector<calculus::Definition>& left, const std::vector<calculus::Definition>& right);

// What holds throughout: ranges, requirements, existing extents, axes in range. Bool terms, in this order.
std::vector<Term> facts_of(const Sides& sides);

// The summands of left - right, those of the left side first; the same list in every run. The binders of
// summand n are variables that no other summand has. Throws NotShown for a sort that is no ring or a list
// that grows too long.
std::vector<Summand> difference_of(Term left, Term right);

}  // namespace hallmark::pairs
