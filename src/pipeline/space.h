// Stage 2: the candidate space. Rules that can fire are put to the solvers, proved ones grow the e-graph, and
// the routes that are worth pricing are kept as closed exact programs with the steps that lead to them.
#pragma once
#include <functional>

#include "pipeline/context.h"
#include "pipeline/recall.h"
#include "rules/rule_text.h"
#include "search/explain.h"

namespace hallmark::pipeline {

struct Route {
  std::string name;  // "authored, one kernel a definition"
  calculus::Program exact;
  std::vector<search::Step> steps;  // from the authored program
  bool fused = false;               // the schedule that is wanted for it
};

struct Space {
  std::vector<Route> routes;             // the first is the authored program, one kernel a definition
  std::vector<rules::RuleFamily> rules;  // of the steps, in the order of the library
  json::value record;                    // growth, stop reason, rules, applications
  bool saturated = false;
};

struct SpaceOptions {
  std::vector<rules::RuleFamily> library;  // rules that may be tried; only proved ones are applied
  search::Budget budget;
};

using Tell = std::function<void(const std::string&)>;

Space explore(const calculus::Program& authored, const Context& context, const SpaceOptions& options,
              smt::Portfolio& portfolio, Recall* recall, const Tell& tell);

// The folder 2-candidates, and back.
Files space_files(const Space& space, const calculus::Program& authored);
Space read_space(const StageReader& in, const calculus::Program& authored);

// The families of the elected route as they stand in the bundle, with places in `file`.
std::string rules_text(const std::vector<rules::RuleFamily>& families);

}  // namespace hallmark::pipeline
