// Constants of the second model that the first has not: each as a function of the first model's constants, so
// that the comparison can go on for whatever the constants hold. A compiler folds, transposes, joins, slices
// and scales weights; what it stored is looked up among such functions by its contents and compared element
// by element.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compare/pair.h"
#include "obligation/obligation.h"

namespace hallmark::compare {

// A tensor whose contents are known: a constant, or a definition over constants alone.
struct Source {
  calculus::Declaration declaration;
  std::vector<double> values;
  bool exact = false;  // the contents themselves, perhaps in other places, and not computed
};

// Constants of the first model, and what its definitions (or those given) make of constants alone. Tensors
// beyond 2^22 elements are left out.
std::vector<Source> sources_of(const Pair& pair, const std::vector<calculus::Definition>& more = {});

// How a stored constant is explained.
struct Recipe {
  std::string constant;  // of the second model; for a number in a definition, its text
  calculus::Term body = nullptr;
  double ulps = 0;  // greatest distance of a stored element from its value, in units of its format's spacing
  std::int64_t count = 0;  // elements compared
  bool moved = false;      // equal, and nothing but elements of stored constants in other places
  // Whether what is stored may differ from the body's value. Never so of what is not computed, nor where the
  // format has the very value: a compiler rounds nothing there, and another number is another number.
  bool rounded = false;
  calculus::Term number = nullptr;  // the number in the definitions; nothing for a constant
};

// The body over the sources' names for a constant with these contents, nothing where none fits within
// `most_ulps`.
std::optional<Recipe> recipe_for(const calculus::Constant& constant, const std::vector<Source>& sources,
                                 double most_ulps);

// Puts the recipe in the constant's place: it becomes the first definition of the second model.
void adopt(Pair& pair, const Recipe& recipe);

// Numbers in the second model's definitions that the first has not, as functions of its numbers: 0.17677669
// for 1 / sqrt(32). Several may fit (half of a root and its reciprocal); `alternative` says which is put in,
// from the nearest on.
struct Numbers {
  std::vector<Recipe> recipes;   // of what was replaced
  std::size_t alternatives = 1;  // the greatest number of functions that fit one number
  bool may_be_rounded = false;   // some number has no such function, or one that it is not exactly
};
Numbers explain_numbers(Pair& pair, const std::vector<Source>& sources, double most_ulps,
                        std::size_t alternative = 0);

// Kind `constant`: what was stored is the recipe's value up to rounding, compared element by element.
Obligation constant_obligation(const Pair& pair, const Recipe& recipe);

}  // namespace hallmark::compare
