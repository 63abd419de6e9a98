// Why the outputs of two models are equal: equations between small closed programs, each proved, that a
// congruence closure connects (search/explain.h). They are looked for in three ways, strongest first:
//   same operations   tensors of both models with equal values on executed instances are shown to come from
//   the same
//                     operations on tensors already shown equal: bit for bit, or with the identities of
//                     ieee.h
//   proved rules      one e-graph over both models; every rule that fires is proved first
//   normal form       as the first, over the reals: sum normal form, bijections, solvers (rules/prover.h)
// Nothing here is trusted: each equation is an obligation, proved from its text alone, and the replay shares
// nothing with the search.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compare/pair.h"
#include "obligation/obligation.h"
#include "rules/rule_text.h"
#include "search/explain.h"
#include "smt/portfolio.h"

namespace hallmark::compare {

struct Link {
  search::Step step;
  Obligation proof;      // proved; without an identity of its own
  std::string strength;  // bits, ieee, reals
};

struct Connection {
  std::vector<Link> links;                      // that some output needs, in order
  std::map<std::string, std::string> strength;  // by output that is connected
  std::map<std::string, std::string> open;      // by output that is not: the deepest pair without an argument
  // What rules make of constants alone: candidates for constants that a compiler folded.
  std::vector<calculus::Definition> made;
};

struct ConnectOptions {
  std::vector<rules::RuleFamily> library;
  std::size_t largest_search = 160;  // definitions of both models beyond which rules are not tried
  std::function<void(const std::string&)> say;
};

Connection connect(const Pair& pair, smt::Portfolio& portfolio, const ConnectOptions& options);

// A step as a rule of its own, under the program's ranges and preconditions.
rules::Rule as_rule(const search::Step& step, const calculus::Program& program);

}  // namespace hallmark::compare
