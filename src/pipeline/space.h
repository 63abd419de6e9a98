// Stage 2: the candidate space. Rules that can fire are put to the solvers, proved ones grow the e-graph, and
// the routes that are worth pricing are kept as closed exact programs with the steps that lead to them: one
// for each rule, used wherever it fired; the rules that pay off one after the other, together; and the
// cheapest choice of the whole graph by the cost of its nodes alone.
#pragma once
#include <functional>

#include "pipeline/candidate.h"
#include "pipeline/recall.h"
#include "rules/rule_text.h"

namespace hallmark::pipeline {

struct Space {
  std::vector<Route> routes;             // the first is the authored program
  std::vector<rules::RuleFamily> rules;  // of the steps, in the order of the library
  json::value record;                    // growth, stop reason, rules, applications
  bool saturated = false;
};

struct SpaceOptions {
  std::vector<rules::RuleFamily> library;  // rules that may be tried; only proved ones are applied
  search::Budget budget;
  // What is known of a rule, where a space that was recorded is computed again; then nothing is proved.
  std::function<State(const rules::RuleFamily&)> known;
};
// The library of `corpus`/rules.
SpaceOptions space_options(const std::string& corpus);
// SHA-256 of the texts of a library, which stands in the record of the space.
std::string library_digest(const std::vector<rules::RuleFamily>& library);
inline constexpr const char* space_file = "2-candidates/space.json";
// The digest that the record of a space gives its library, or "unknown".
std::string recorded_library(const json::value& record);
// The states that the record of a space gives its rules; `unrun` for those that it does not name.
std::function<State(const rules::RuleFamily&)> recorded_states(const Space& space);

using Tell = std::function<void(const std::string&)>;

Space explore(const calculus::Program& authored, const contract::Contract& contract, const Context& context,
              const SpaceOptions& options, smt::Portfolio& portfolio, Recall* recall, const Tell& tell);

// The folder 2-candidates, and back.
Files space_files(const Space& space, const calculus::Program& authored);
Space read_space(const StageReader& in, const calculus::Program& authored);

// The families of the elected route as they stand in the bundle, with places in `file`.
std::string rules_text(const std::vector<rules::RuleFamily>& families);

}  // namespace hallmark::pipeline
