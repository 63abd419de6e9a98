#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "base/error.h"
#include "bundle/gate.h"
#include "bundle/report.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "rules/prove_rule.h"

namespace hallmark::cli {
namespace {

int prove(const std::vector<std::string>& paths, const std::string& only, const Common& common) {
  const std::vector<rules::RuleFamily> families = rules::load_library(paths);
  smt::PortfolioOptions options;
  options.selected = solver_list(common);
  smt::Portfolio portfolio(options);
  std::vector<Obligation> proved;
  for (std::size_t i = 0; i < families.size(); ++i) {
    if (!only.empty() && families[i].name != only) continue;
    if (::isatty(2) != 0) fmt::print(stderr, "\r\033[K[{}/{}] {}", i + 1, families.size(), families[i].name);
    proved.push_back(rules::prove_family(families[i], portfolio));
  }
  if (::isatty(2) != 0) fmt::print(stderr, "\r\033[K");
  // A solver that was caught lying late takes back what rested on it.
  for (Obligation& o : proved)
    if (!o.outcome.queries.empty()) o.outcome = portfolio.settle(o.outcome, smt::Rule::one_suffices);
  const bundle::Report report = bundle::checked_report(
      fmt::format("{}", fmt::join(paths, " ")), std::move(proved), "rule", "rules", [&](const Obligation& o) {
        return fmt::format("hallmark rules prove {} --only {}", bundle::shell_word(o.location.file),
                           bundle::shell_word(o.subject));
      });
  std::cout << bundle::render(report, *bundle::format_of(common.format));
  return report.exit_code.value_or(internal);
}

int list(const std::vector<std::string>& paths) {
  for (const rules::RuleFamily& family : rules::load_library(paths))
    fmt::print("{:<44} {}\n", family.name, family.source);
  return met;
}

}  // namespace

void add_rules(Registration r) {
  CLI::App* rules = r.app.add_subcommand("rules", "rewrite rules: prove, list");
  rules->require_subcommand(1);
  auto paths = std::make_shared<std::vector<std::string>>();
  CLI::App* prove_command =
      rules->add_subcommand("prove", "prove or refute every rule of the files and folders");
  prove_command->add_option("paths", *paths, "rule files (.hm) and folders")->required();
  auto only = std::make_shared<std::string>();
  prove_command->add_option("--only", *only, "one rule by its name");
  prove_command->callback(
      [r, paths, only] { r.chosen = [r, paths, only] { return prove(*paths, *only, r.common); }; });
  CLI::App* list_command =
      rules->add_subcommand("list", "list the rules of the files and folders with their sources");
  list_command->add_option("paths", *paths, "rule files (.hm) and folders")->required();
  list_command->callback([r, paths] { r.chosen = [paths] { return list(*paths); }; });
}

}  // namespace hallmark::cli
