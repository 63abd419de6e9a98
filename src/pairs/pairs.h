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
//   part N where G       (law SPLIT) two new summands stand for N: where G holds, and where it does not
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
// At the end nothing is left of any summand. Where factors differ in sums or maxima that stand inside them,
// each of these follows the claims of its pair, over the same and its own variables:
//
//   inner sum            then as above, from "sum" to the last pair
//   inner max            or min (laws MONOID, MAX-SPLIT; extrema.h)
//   left max(k1 < E where G) BODY    each part of the set that it is the maximum of; then the parts on the
//   right within M             the elements of the next part are among those of part M of the other side phi
//   j1 = TERM        for each binder of M over those of the part; then its claims and inner elements empty
//   the next part has no element part where G         the next part as two: where G holds, and where it does
//   not end                  of the inner element
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

}  // namespace hallmark::pairs
