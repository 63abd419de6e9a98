// Solving `address = target` for the unknowns of the address: a guess in mixed radix, to be confirmed by
// claims. It finds the thread that wrote a place, the element that a store names, and the thread that a place
// of the output belongs to.
#pragma once
#include "validator/symbolic/arithmetic.h"

namespace hallmark::validator {

struct InvertOptions {
  // Divide by a symbolic stride with floor_div where monomials do not divide (one flat index taken apart).
  bool floor_symbolic = false;
  // The digits of a flat index that the target takes apart again are numbers of their own: of
  // c * (i / p) + i % p the first is a multiple of c and the second the rest.
  bool target_in_digits = false;
};
// In the order in which they are tried.
inline constexpr InvertOptions invert_attempts[] = {{false, false}, {true, false}, {true, true}};

// A replacement for each unknown, or nothing where the address is not affine in their digits. An unknown u
// with divisions u/c1, u/c2 (c1 | c2) among address and facts is split into digits d0 + c1*d1 + c2*d2;
// equalities among `facts` determine what the address leaves open; the rest becomes 0.
std::optional<calculus::Substitution> invert(calculus::Term address,
                                             const std::vector<calculus::Term>& unknowns,
                                             const std::vector<calculus::Term>& facts, calculus::Term target,
                                             const Scope& scope, Arithmetic& arithmetic,
                                             InvertOptions options = {});

// p = quotient * stride + rest, monomial by monomial, for a product of atoms as stride (nullptr: 1).
void divide_by_product(calculus::Term p, calculus::Term stride, calculus::Term& quotient,
                       calculus::Term& rest);

// The atoms of a product in order; none for nullptr.
std::vector<calculus::Term> factors_of(calculus::Term product);

}  // namespace hallmark::validator
