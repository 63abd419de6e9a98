// What a small change of a constant changes by much: a comparison, a floor, a conversion to an integer.
// "Equal up to the rounding of a stored constant" says nothing of an output behind one.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "compare/constants.h"
#include "smt/portfolio.h"

namespace hallmark::compare {

// Definitions of the second model whose value may jump where one of the rounded constants or numbers moves,
// as the second model has them: a definition that depends on one by way of
//   floor, ceil, trunc, round, sign, a remainder, a conversion (also to another float format), a comparison;
// but not of a choice by a comparison whose two arms are shown equal where its operands are, which is
// continuous: a leaky rectifier.
std::set<std::string> jumping(const Pair& given, const std::vector<Recipe>& recipes,
                              smt::Portfolio& portfolio);

}  // namespace hallmark::compare
