// One instance of a set of facts, found by trying values and solving single facts for single unknowns. It
// makes the paired checks of a query easy (smt/query.h): a solver that is told where to look need not search
// for it. It is a suggestion only: one that does not fit costs a question and decides nothing.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "calculus/term.h"

namespace hallmark::validator {

// A value for each of the terms, of which the facts and each other are made: numbers for terms of sort Index,
// 0 or 1 for terms of sort Bool. Nothing where no try is met by all facts. The same arguments give the same
// values in every run.
std::optional<std::vector<Integer>> find_example(const std::vector<calculus::Term>& facts,
                                                 const std::vector<calculus::Term>& terms);

}  // namespace hallmark::validator
