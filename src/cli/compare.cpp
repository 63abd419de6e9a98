#include "compare/compare.h"

#include <fmt/format.h>

#include <iostream>
#include <map>
#include <memory>

#include "bundle/gate.h"
#include "bundle/report.h"
#include "cli/command.h"
#include "cli/corpus.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "pipeline/assumptions.h"
#include "rules/effort.h"

namespace hallmark::cli {
namespace {

struct CompareOptions {
  std::string first, second, contract, strength = "reals", cache;
  bool exact_constants = false;
};

int compare_models(const CompareOptions& o, const Common& common) {
  std::optional<contract::Contract> contract;
  if (!o.contract.empty()) contract = contract::load(o.contract);
  compare::Options options;
  options.demanded = *compare::strength_of(o.strength);
  options.exact_constants = o.exact_constants;
  options.library = rules::load_rules({corpus_folder() + "/rules"});
  options.say = progress();
  smt::PortfolioOptions solvers = rules::solvers_for_rules();
  solvers.selected = solver_list(common);
  solvers.cache_path = o.cache;
  smt::Portfolio portfolio(solvers);
  std::vector<Obligation> obligations =
      compare::compare(compare::load_pair(o.first, o.second, contract), portfolio, options);
  const std::string verdict = compare::verdict_of(obligations);
  bundle::Report report =
      bundle::checked_report(o.first + " and " + o.second, std::move(obligations), "obligation",
                             "obligations", [&](const Obligation&) {
                               return fmt::format("hallmark compare {} {}", bundle::shell_word(o.first),
                                                  bundle::shell_word(o.second));
                             });
  report.verdict = verdict;
  std::map<std::string, std::string> assumed;
  for (const Obligation& each : report.obligations) {
    if (each.outcome.state != State::proved) continue;
    for (const std::string& id : each.outcome.assumptions)
      if (const std::string text = compare::assumption_text(id); !text.empty())
        assumed.emplace(id, text);
      else if (const auto known = pipeline::named_assumption(id))
        assumed.emplace(id, bundle::words(*known));
  }
  report.assumed.assign(assumed.begin(), assumed.end());
  std::cout << bundle::render(report, *bundle::format_of(common.format));
  return report.exit_code.value_or(internal);
}

}  // namespace

void add_compare(Registration r) {
  auto o = std::make_shared<CompareOptions>();
  CLI::App* command = r.app.add_subcommand(
      "compare", "whether model B, made from A by another compiler, is the same computation as A");
  command->add_option("first", o->first, "A: ONNX model (.onnx or .onnxtxt)")->required();
  command->add_option("second", o->second, "B: the model to compare with it")->required();
  command->add_option("--contract", o->contract, "sizes and input boxes to compare for (TOML)");
  command->add_option("--strength", o->strength, "least equality to accept: reals, ieee or bits")
      ->check(CLI::IsMember({"reals", "ieee", "bits"}))
      ->capture_default_str();
  command->add_flag("--exact-constants", o->exact_constants,
                    "take no stored constant for the rounding of a computed one");
  command->add_option("--cache", o->cache, "verdict cache (SQLite file); default: none");
  command->callback([r, o] { r.chosen = [r, o] { return compare_models(*o, r.common); }; });
}

}  // namespace hallmark::cli
