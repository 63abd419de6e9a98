#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <memory>

#include "base/error.h"
#include "base/files.h"
#include "bundle/gate.h"
#include "bundle/report.h"
#include "cli/exit_code.h"
#include "cli/rule_verbs.h"
#include "cli/say.h"
#include "pipeline/rule_program.h"
#include "pipeline/rule_run.h"
#include "rules/conditions.h"
#include "rules/effort.h"

namespace hallmark::cli {
namespace {

struct ProveOptions {
  std::vector<std::string> paths;
  std::string only, cache, observations, reproducer;
  bool suggest = false;
};

// For each refuted rule the conditions with which it is proved.
void suggest(const std::vector<rules::RuleFamily>& families,
             const std::vector<pipeline::RuleVerdict>& verdicts, const Common& common) {
  smt::PortfolioOptions options = rules::solvers_for_rules();
  options.selected = solver_list(common);
  smt::Portfolio portfolio(options);
  for (std::size_t i = 0; i < families.size(); ++i) {
    if (verdicts[i].obligation.outcome.state != State::refuted) continue;
    const std::vector<std::string> found = rules::suggest_conditions(families[i], portfolio);
    for (const std::string& condition : found) tell("{} is proved with: {}\n", families[i].name, condition);
    if (found.empty()) tell("{}: no single condition was found with which it is proved\n", families[i].name);
  }
}

// Of the one refuted rule among those that were proved.
void reproduce(const std::vector<rules::RuleFamily>& families,
               const std::vector<pipeline::RuleVerdict>& verdicts, const std::string& folder) {
  std::vector<std::size_t> refuted;
  for (std::size_t i = 0; i < families.size(); ++i)
    if (verdicts[i].obligation.outcome.state == State::refuted) refuted.push_back(i);
  if (refuted.empty()) {
    tell("no reproducer: nothing is refuted\n");
    return;
  }
  if (refuted.size() > 1)
    throw UserError("E9107", "several rules are refuted; --reproducer is for one: name it with --only");
  pipeline::write_rule_reproducer(families[refuted[0]].instances, verdicts[refuted[0]].obligation, folder);
  tell("reproducer: {}/README.txt\n", folder);
}

int prove(const ProveOptions& o, const Common& common) {
  std::vector<rules::RuleFamily> families = rules::load_library(o.paths);
  if (!o.only.empty()) {
    std::erase_if(families, [&](const rules::RuleFamily& f) { return f.name != o.only; });
    if (families.empty())
      throw UserError("E2112",
                      "there is no rule named " + o.only + " here; `hallmark rules list PATH` lists them");
  }
  pipeline::RuleRunOptions options;
  options.solvers = solver_list(common);
  options.jobs = common.jobs;
  options.cache = o.cache;
  options.warn = [](const std::string& text) { tell("{}\n", text); };
  const bool terminal = ::isatty(2) != 0;
  if (terminal)
    options.progress = [](std::size_t done, std::size_t total, const std::string& rule) {
      tell("\r\033[K[{}/{}] {}", done, total, rule);
    };
  const std::vector<pipeline::RuleVerdict> verdicts = pipeline::prove_rules(families, options);
  if (terminal) tell("\r\033[K");
  tell("{}", pipeline::summary_table(verdicts));
  if (!o.observations.empty())
    write_file(o.observations, bundle::observations_text(pipeline::observations_of(verdicts)));
  if (o.suggest) suggest(families, verdicts, common);
  for (std::size_t i = 0; i < families.size() && !o.suggest; ++i) {
    if (verdicts[i].obligation.outcome.state != State::refuted) continue;
    fmt::print(stderr, "a condition that repairs {} is looked for by: hallmark rules explain {} {}\n",
               families[i].name, families[i].name, bundle::shell_word(families[i].where.file));
    break;  // the first is example enough
  }
  if (!o.reproducer.empty()) reproduce(families, verdicts, o.reproducer);
  std::vector<Obligation> all;
  for (const pipeline::RuleVerdict& v : verdicts) all.push_back(v.obligation);
  const bundle::Report report = bundle::checked_report(
      fmt::format("{}", fmt::join(o.paths, " ")), std::move(all), "rule", "rules",
      [&](const Obligation& rule) {
        return fmt::format("hallmark rules prove {} --only {}", bundle::shell_word(rule.location.file),
                           bundle::shell_word(rule.subject));
      });
  std::cout << bundle::render(report, *bundle::format_of(common.format));
  return report.exit_code.value_or(internal);
}

}  // namespace

void add_rules_prove(Registration r, CLI::App& rules) {
  auto o = std::make_shared<ProveOptions>();
  CLI::App* command = rules.add_subcommand("prove", "prove or refute every rule of the files and folders");
  command->add_option("paths", o->paths, "rule files (.hm) and folders")->required();
  command->add_option("--only", o->only, "one rule by its name");
  command->add_option("--cache", o->cache,
                      "folder of verdicts that earlier runs reached, by content; default: none");
  command->add_option("--observations", o->observations,
                      "write there the time of each rule, and whether its verdict is fresh or cached (JSON)");
  command->add_flag("--suggest", o->suggest,
                    "for each refuted rule, look for a condition with which it is proved");
  command->add_option(
      "--reproducer", o->reproducer,
      "write a stand-alone folder for the refuted rule: tensors, and a C++ program of both sides");
  command->callback([r, o] { r.chosen = [r, o] { return prove(*o, r.common); }; });
}

}  // namespace hallmark::cli
