// Two models as one program: the same inputs, the same symbols for the same sizes, one copy of equal
// constants.
//
// Inputs and outputs are matched by name, or by position where the names differ. A size that one model leaves
// open and the other fixes is fixed in both; two sizes that one model calls by one name are one size in both.
// Each such narrowing is a note and part of the claim's scope.
//
// Errors: UserError E9201 inputs or outputs that do not fit together, and those of the importer and the
// contract.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "calculus/program.h"
#include "contract/contract.h"

namespace hallmark::compare {

// The note of a pair whose second model asks more of its sizes than the first.
inline constexpr const char* second_accepts = "the sizes that the second model accepts";

struct OutputPair {
  std::string name;         // as the first model calls it
  std::string left, right;  // definitions of the program
};

struct Pair {
  calculus::Program program;      // definitions of both; those of the second model are named "B.NAME"
  std::set<std::string> second;   // names of the second model's definitions
  std::set<std::string> adopted;  // of those, stored constants that a recipe replaced (compare/constants.h)
  std::vector<OutputPair> outputs;
  std::vector<std::string> notes;  // "N = 4, since the second model fixes it"
  // -0, infinities or NaN in either file: then nothing is claimed bit for bit (model/specials.h).
  bool specials = false;
  // Float tensors of more than one format: widening leaves no trace in the exact meaning, so nothing is
  // claimed bit for bit here either.
  bool mixed_formats = false;
  // The second model divides, takes roots, logarithms or powers: total in the model of the reals and not in
  // numbers.
  bool partial = false;
  std::vector<std::string> assumptions;
  std::optional<contract::Contract> contract;  // complete; over the first model's names
};

Pair load_pair(const std::string& first, const std::string& second,
               const std::optional<contract::Contract>& contract);

// "any N >= 1, M >= 1" with the notes.
std::string scope_of(const Pair& pair);

}  // namespace hallmark::compare
