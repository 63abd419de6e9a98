// Rule files: the calculus notation of programs (calculus/text/text.h) with two sides.
//
//   hallmark 1
//   rule matmul-associativity
//     source "associativity of the product of matrices over a ring"
//     size M, K, L, N
//     require M % 2 = 0
//     input A : f32[..b, M, K]
//     input B : f32[K, L]
//     given [k < K, l < L] : B[k, l] >= 0
//     left  T : f32[..b, i < M, l < L] = sum(k < K) A[..b, i, k] * B[k, l]
//     left  Y : ...
//     right Y : ...
//
//   size       extents and attributes, at least 0; also `size S >= 1`, `size d >= -3 <= 3`
//   class b    any number of axes (rules/classes.h)
//   degenerate the rule is about extents below 2 (rules/substance.h)
//   unbounded  the integers of the rule are those of Z; it is used only where none of its operations wraps
//              (rules/whole.h)
//   given      a demand on contents, at every index in range
//   left       the last definition of a side is its result
//   operator f(real, real) : real commutative associative
//              an operation of which nothing else is known: the rule is claimed for every one with these
//              laws, and executed with one (stand_ins in rule.h)
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "rules/classes.h"
#include "rules/rule.h"

namespace hallmark::rules {

// A rule as written, with one instance for each choice of ranks of its classes.
struct RuleFamily {
  std::string name, source, text;
  Location where;
  std::vector<Rule> instances;  // named NAME, or NAME@RANKS where there are classes
  std::vector<AxisClass> classes;
  std::vector<std::vector<int>> ranks;  // of each instance, by class
  // Instances of at most these ranks have to be proved, by class; what follows from them, by class.
  std::vector<int> proved_ranks;
  std::vector<std::string> arguments;
};

// Throws UserError E21xx: E2110 (structure), E2111 (a rule of this name stands above), and those of the text
// form; E1104 also for a side of more than ten thousand operations, its definitions put in.
std::vector<RuleFamily> parse_rules(std::string_view text, const std::string& file);
// Files, and the *.hm of folders without those of folders below them, in the order of their names. This is
// what a search over models uses: corpus/rules itself, whose rules match operators; corpus/rules/library has
// more.
std::vector<RuleFamily> load_rules(const std::vector<std::string>& paths);
// The same with the folders below.
std::vector<RuleFamily> load_library(const std::vector<std::string>& paths);

}  // namespace hallmark::rules
