// What the makers and checkers of certificates of boxes share.
#pragma once
#include <optional>
#include <set>
#include <string>

#include "boxes/term_range.h"
#include "contract/contract.h"

namespace hallmark::boxes {

// Of what is read and not defined: inputs by the contract, constants by their data. Throws NotShown where
// inputs may have no finite value.
Ranges given_ranges(const calculus::Program& program, const contract::Contract& contract);
// A rational in lowest terms, or nothing.
std::optional<Rational> rational(const std::string& text);
// The definitions that `wanted` rests on, itself included.
std::set<std::string> needed_definitions(const calculus::Program& program, const std::string& wanted);

}  // namespace hallmark::boxes
