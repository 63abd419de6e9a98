// `hallmark compare A B`: is B, made from A by another compiler, the same computation?
//
// Obligations, all of level model:
//   rewrite-step  one for each output ("output y"): equal to the first model's for every input, because of
//   the steps
//                 below, which a congruence closure replays; or refuted by an executed instance
//   rewrite-step  one for each equation that an output needs ("step 2: ..."), proved from its text alone
//   constant      one for each constant of B that A has not and that the argument uses: its stored contents
//   are what
//                 A's constants give, up to rounding
// Strength of an output:
//   bits   the same operations on the same elements: equal encodings for any deterministic operations whose
//   order of
//          a reduction depends on its extents alone
//   ieee   the same with identities of IEEE 754 arithmetic (ieee.h)
//   reals  equal in the total model of the reals; with rounded constants, up to their last places, and where
//          none of them stands before a step (compare/jumps.h); an output behind one is unrun: gap
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compare/pair.h"
#include "obligation/obligation.h"
#include "rules/rule_text.h"
#include "smt/portfolio.h"

namespace hallmark::compare {

enum class Strength { reals, ieee, bits };
std::optional<Strength> strength_of(std::string_view name);

struct Options {
  Strength demanded = Strength::reals;  // what falls short is unrun: gap
  bool exact_constants = false;         // a stored constant has to be the exact value
  std::vector<rules::RuleFamily> library;
  std::function<void(const std::string&)> say;
};

// The obligations with their outcomes, outputs first. Deterministic.
std::vector<Obligation> compare(Pair pair, smt::Portfolio& portfolio, const Options& options);

// One sentence for a reader.
std::string verdict_of(const std::vector<Obligation>& obligations);

// What an identifier among the assumptions of an obligation stands for, as a sentence with its source. Empty
// for those that compare() does not use.
std::string assumption_text(const std::string& id);

}  // namespace hallmark::compare
