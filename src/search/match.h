// Matching a rule's left side against the e-graph: the pattern's bodies are compared with the nodes' bodies,
// extents and attributes bound on the way. Pattern and node are terms of one calculus, so there is no second
// definition of what matches. What decides is the last step: the left side with the bound values put in,
// simplified as the importer simplifies (a guard that always holds is left out), has to be the matched nodes,
// term for term.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "rules/rule.h"
#include "search/egraph.h"

namespace hallmark::search {

struct Match {
  std::map<std::string, calculus::Term> symbols;  // of the rule, to index terms of the program
  std::map<std::string, ClassId> tensors;         // of the rule and of its left definitions, to classes
  std::map<std::string, NodeId> nodes;            // of the left definitions, to the nodes that they are
  std::map<std::string, calculus::Term>
      constants;  // rank-0 tensors of the rule that stand for a constant in a node
  ClassId root = 0;
};

// All matches of the left side with its result in `root`, in a fixed order. A requirement that is not decided
// true by the bound values does not match (unknown does not fire).
std::vector<Match> match_rule(const rules::Rule& rule, const EGraph& graph, ClassId root);

// Why the left side does not stand at `root`, for a reader: the furthest that any attempt came. Empty where
// it matches. `reached`: definitions of the left side that fit, 0 when the class has no node of the result's
// kind.
struct Mismatch {
  std::size_t reached = 0;
  std::string why;
};
Mismatch mismatch(const rules::Rule& rule, const EGraph& graph, ClassId root);

// One side of the rule as definitions over names[class], with the match's values put in and simplified. Names
// of inner definitions get `prefix`.
struct Instance {
  std::vector<calculus::Definition> definitions;
};
Instance instantiate_side(const std::vector<calculus::Definition>& side, const rules::Rule& rule,
                          const Match& match, const std::map<ClassId, std::string>& names,
                          const EGraph& graph, const std::string& prefix);

// Whether the right side's result has the shape of the matched class.
bool right_side_fits(const rules::Rule& rule, const Match& match, const EGraph& graph);

// The right side added to the graph; returns its class. `provenance` goes to new nodes; `nodes` gets those of
// the right side, new or not.
ClassId add_right_side(const rules::Rule& rule, const Match& match, EGraph& graph,
                       const Provenance& provenance, std::vector<NodeId>& nodes);

}  // namespace hallmark::search
