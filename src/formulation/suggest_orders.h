// Which reductions gain from one block a row: a proposal for Options::orders, never a fact.
#pragma once
#include <map>
#include <string>

#include "formulation/formulate.h"

namespace hallmark::formulation {

// For each definition whose closed folds are all plain sums, products, maxima or minima from their neutral
// element, over at least 64 steps along the innermost axis of a tensor that they read about once:
// block_order(lanes), with 64 lanes below 256 steps, 128 below 1024 and 256 from there on. Matrix products
// and convolutions, which read each element many times, keep seq.
std::map<std::string, const calculus::Order*> suggest_orders(const calculus::Program& exact);

}  // namespace hallmark::formulation
