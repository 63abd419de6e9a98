// Rule files: the calculus notation of programs (calculus/text/text.h) with two sides.
//
//   hallmark 1
//   rule matmul-associativity
//     source "associativity of the product of matrices over a ring"
//     size M, K, L, N                     extents, at least 0; `size S >= 1` raises the least value
//     class b                             any number of axes, written ..b; instances with 0 to 3 axes are
//     made require M % 2 = 0 input A : f32[..b, M, K] input B : f32[K, L] left  T : f32[..b, i < M, l < L] =
//     sum(k < K) A[..b, i, k] * B[k, l] left  Y : ...                       the last definition of a side is
//     its result right Y : ...
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "rules/rule.h"

namespace hallmark::rules {

// A rule as written, with one instance for each choice of ranks of its classes.
struct RuleFamily {
  std::string name, source, text;
  Location where;
  std::vector<Rule> instances;  // named NAME, or NAME@RANKS where there are classes
};

// Throws UserError E21xx: E2110 (structure), E2111 (a rule of this name stands above), and those of the text
// form.
std::vector<RuleFamily> parse_rules(std::string_view text, const std::string& file);
// Files, and *.hm below folders, in the order of their names.
std::vector<RuleFamily> load_rules(const std::vector<std::string>& paths);

}  // namespace hallmark::rules
