// Stages 2 and 3: the candidate space and the election. A candidate is an exact program, a formulation of it
// and a schedule; it is priced for one target under the cost model, and a price is never a proof.
#pragma once
#include <string>
#include <vector>

#include "contract/contract.h"
#include "formulation/formulate.h"
#include "lowering/lower.h"
#include "rules/rule_text.h"
#include "search/explain.h"
#include "select/cost.h"
#include "smt/portfolio.h"

namespace hallmark::pipeline {

struct Candidate {
  std::string name;  // "authored, one kernel a definition"
  calculus::Program exact;
  std::vector<search::Step> steps;
  formulation::Formulation formulation;
  lowering::Artifact artifact;
  select::Price price;
  std::vector<std::pair<std::string, select::Price>> launches;  // by kernel, in launch order
  std::string rejected;                                         // why it is not admitted; empty when it is
};

struct Choice {
  std::vector<Candidate> candidates;
  std::size_t elected = 0;
  std::vector<rules::RuleFamily> rules;  // of the elected route
  json::value space;                     // 2-candidates/space.json: growth, stop reason, rules, applications
  json::value record;                    // 3-selection/selection.json: context, prices, election
};

struct ChooseOptions {
  select::Target target;
  select::Sizes sizes;                     // the workload: one point
  std::vector<rules::RuleFamily> library;  // rules that may be tried; only proved ones are applied
  search::Budget budget;
};

// Throws what formulate and lower throw for the authored program; a rewritten candidate that cannot be
// lowered is rejected.
Choice choose(const calculus::Program& authored, const contract::Contract& contract,
              const ChooseOptions& options, smt::Portfolio& portfolio,
              const std::function<void(const std::string&)>& progress);

}  // namespace hallmark::pipeline
