// From the elected program back to the authored one: the rule applications that connect them, as equations
// between closed programs, and a separate check that replays them (design, section 3). The check shares
// nothing with the e-graph: it is a naive congruence closure over printed terms.
#pragma once
#include <string>
#include <vector>

#include "search/saturate.h"

namespace hallmark::search {

// left = right, two small closed programs over tensors of given shapes; the last definition of each is the
// result.
struct Step {
  std::string rule;
  std::string rule_digest;
  std::vector<calculus::Declaration> tensors;
  std::vector<calculus::Definition> left, right;
  // Of a rule about Z: both sides are equal because nothing wraps while the elements of the tensors are in
  // these ranges.
  bool unbounded = false;
  rules::WholeRanges ranges{};
};

struct Explanation {
  std::vector<Step> steps;  // in the order of application; only those that the replay needs
};

// The steps for what `choice` takes. Empty when the elected program is the authored one.
Explanation explain(const Search& search, const Choice& choice, const std::vector<rules::Rule>& rules,
                    const calculus::Program& authored);

// Replays: the definitions of both programs and both sides of each step as nodes, each step's results merged,
// then congruence. Returns what is not connected, empty when every output of `elected` equals that of
// `authored`.
std::string check_explanation(const calculus::Program& authored, const calculus::Program& elected,
                              const std::vector<Step>& steps);

// Two programs in one: which tensors of `program` are to be equal, by name.
using Equalities = std::vector<std::pair<std::string, std::string>>;

// Every application of the search as a step.
std::vector<Step> steps_of(const Search& search, const std::vector<rules::Rule>& rules);
// The same replay within one program: what is not connected, empty when each pair of tensors is.
std::string check_equalities(const calculus::Program& program, const Equalities& wanted,
                             const std::vector<Step>& steps);
// Those of the steps that the replay needs; all of them connect the wanted pairs.
std::vector<Step> needed_steps(const calculus::Program& program, const Equalities& wanted,
                               std::vector<Step> steps);

}  // namespace hallmark::search
