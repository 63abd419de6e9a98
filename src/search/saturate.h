// Growing the candidate space: rules applied to the e-graph within a budget, each application recorded
// (design, section 3).
#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "search/match.h"

namespace hallmark::search {

struct Budget {
  std::size_t nodes = 4000;
  std::size_t iterations = 8;
  std::size_t applications = 4000;
};

enum class StopReason { saturated, node_limit, iteration_limit, application_limit };
std::string_view name(StopReason);

// One application: both sides are equal over the reals, whatever the tensors hold.
struct Application {
  std::size_t rule = 0;  // index into the rules
  Match match;
  ClassId left = 0, right = 0;  // classes at the time
  std::vector<NodeId> nodes;    // of the right side
};

struct Iteration {
  std::size_t nodes = 0, classes = 0;
  std::vector<std::size_t> fired;  // per rule
};

struct Search {
  EGraph graph;
  std::vector<std::pair<std::string, ClassId>> authored;  // tensors of the program, in order
  std::vector<Application> applications;
  std::vector<Iteration> iterations;
  StopReason stop = StopReason::saturated;
  std::set<std::string> constants;  // leaves that are the same on every call
  rules::WholeRanges ranges;        // of the program's integer tensors
};

// The program's exact definitions as nodes, then saturation. The order of rules, classes and matches is
// fixed, so the same inputs give the same graph. Definitions that are not of sort Real (integer and boolean
// tensors) are nodes too, but no rule for reals matches them. `ranges`: of the elements of integer inputs and
// constants; a rule that is `unbounded` fires only where no operation of either side wraps because of them.
Search grow(const calculus::Program& exact, const std::vector<rules::Rule>& rules, const Budget& budget,
            const rules::WholeRanges& ranges = {});

// Ranges of the named classes, as far as their oldest tensors are of the program: those that an explanation
// names.
rules::WholeRanges ranges_of(const Search& search, const std::map<ClassId, std::string>& names);

// One node for each class of the program's outputs and of what they need.
struct Choice {
  std::map<ClassId, NodeId> node;
};

// Cost of one node for sizes that are known: nonnegative, in any unit. Sums over the chosen nodes.
using NodeCost = std::function<Rational(const ENode&, const EGraph&)>;

// The cheapest choice by the cost of the term tree on each call, found as a least fixed point (shared
// subterms are counted once in `cost` afterwards). What depends on constants alone, and on no symbol, is
// computed once when a plan is loaded: it costs nothing on a call, and among such choices the cheapest to
// prepare is taken. `best found`: with sharing a dearer tree may be a cheaper graph, so no optimum is
// claimed.
struct Extraction {
  Choice choice;
  Rational cost;           // of a call: the chosen nodes, each once
  Rational authored_cost;  // of a call: the authored nodes, each once
};
Extraction extract(const Search& search, const std::vector<std::string>& outputs, const NodeCost& cost);

// A choice of authored nodes and of what the applications of these rules made, the latter taken wherever
// there is one, also where it is dearer alone: what pays off only inside a fused kernel is found by pricing
// that.
Choice extract_by_rules(const Search& search, const NodeCost& cost, const std::set<std::size_t>& rules);

// The chosen nodes as a program. Authored tensors keep their names where their class is used; other classes
// are named "r1", "r2", ... in order of definition.
calculus::Program to_program(const Search& search, const Choice& choice, const calculus::Program& authored);

}  // namespace hallmark::search
