#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <map>

#include "base/error.h"
#include "base/files.h"
#include "bundle/gate.h"
#include "bundle/report.h"
#include "cli/command.h"
#include "cli/corpus.h"
#include "cli/exit_code.h"
#include "cli/rule_verbs.h"
#include "cli/say.h"
#include "pipeline/rule_pairs.h"
#include "rules/conditions.h"
#include "rules/effort.h"
#include "rules/prove_rule.h"
#include "rules/prover.h"
#include "rules/taso.h"

namespace hallmark::cli {
namespace {

const char* word(rules::Need need) {
  return need == rules::Need::needed ? "needed"
         : need == rules::Need::redundant
             ? "redundant"
             : "undecided: not needed on small instances, and not proved without it";
}

// The sums of both sides and how they are matched, as a bundle's certificate has it.
void show_pairs(const rules::RuleFamily& family) {
  try {
    const auto steps = pipeline::find_pairs(pipeline::sides_of(family));
    if (!steps) return;
    std::size_t claims = 0;
    for (const std::string& step : *steps) {
      for (const char* verb : {"sides ", "given ", "sum ", "pair ", "phi ", "psi ", "factors", "empty "})
        if (step.starts_with(verb)) show("matched {}\n", step);
      claims += step.starts_with("show ") ? 1 : 0;
    }
    show("matched without a solver: {} claims, each refuted in its negation by sums of inequalities\n",
         claims);
  } catch (const pairs::NotShown&) {
    // Numbers of Z: no sums that are read here.
  }
}

int explain(const std::string& name, const std::vector<std::string>& paths, const Common& common) {
  const std::vector<std::string> where =
      paths.empty() ? std::vector<std::string>{corpus_folder() + "/rules"} : paths;
  smt::PortfolioOptions options = rules::solvers_for_rules();
  options.selected = solver_list(common);
  smt::Portfolio portfolio(options);
  for (const rules::RuleFamily& family : rules::load_library(where)) {
    if (family.name != name) continue;
    const Obligation o = rules::prove_family(family, portfolio);
    show("{}\n\n{}: for {}\n", family.text, hallmark::name(o.outcome.state), o.scope);
    if (o.outcome.state == State::proved)
      show("strength: {} ({})\nby: {}\n{}\n", o.strength, rules::strength_text(o.strength),
           fmt::join(o.outcome.discharged_by, ", "), o.outcome.detail);
    else
      show("{}\n", o.outcome.detail);
    if (o.outcome.witness) {
      for (const auto& [symbol, value] : o.outcome.witness->bindings) show("  {} = {}\n", symbol, value);
      show("  left: {}\n  right: {}\n", o.outcome.witness->expected, o.outcome.witness->actual);
      for (const std::string& condition : rules::suggest_conditions(family, portfolio))
        show("proved with: {}\n", condition);
    }
    if (o.outcome.state == State::proved) {
      std::map<std::string, std::size_t> claims;
      for (std::size_t i = 0; i < family.instances.size(); ++i) {
        bool wanted = true;
        for (std::size_t c = 0; c < family.classes.size(); ++c)
          wanted = wanted && family.ranks[i][c] <= family.proved_ranks[c];
        if (!wanted) continue;
        for (const std::string& claim : rules::argument_of(family.instances[i], portfolio)) ++claims[claim];
      }
      for (const auto& [claim, n] : claims)
        show("claim {}{}\n", claim, n == 1 ? "" : fmt::format(" ({})", n));
    }
    if (o.outcome.state == State::proved && pipeline::is_of_sums(o.strength)) show_pairs(family);
    std::size_t goals = 0;
    for (const QueryRecord& q : o.outcome.queries)
      if (q.purpose == "goal") show("query {}: {}\n", ++goals, q.sha256);
    if (o.outcome.state == State::proved)
      for (const rules::ConditionReport& c : rules::examine_conditions(family, portfolio)) {
        show("{}: {}\n", c.text, word(c.need));
        if (!c.witness) continue;
        show("  without it: {}\n", c.witness->summary);
        for (const auto& [symbol, value] : c.witness->bindings) show("    {} = {}\n", symbol, value);
      }
    return o.outcome.state == State::proved ? met : o.outcome.state == State::refuted ? refuted : undecided;
  }
  throw UserError("E2112", "there is no rule named " + name + " here; `hallmark rules list PATH` lists them");
}

// Each rule of a TASO file, proved or refuted; the proved ones are written as rule text.
int import_rules(const std::string& file, const std::string& out, const Common& common) {
  smt::PortfolioOptions options = rules::solvers_for_rules();
  options.selected = solver_list(common);
  smt::Portfolio portfolio(options);
  std::string library = "hallmark 1\n";
  std::size_t proved = 0, wrong = 0, other = 0;
  for (const rules::ImportedRule& rule : rules::import_taso(read_file(file), file)) {
    std::string state = "unrun", detail = rule.failure;
    for (const std::string& text : rule.texts) {
      const Obligation o =
          rules::prove_family(rules::parse_rules("hallmark 1\n" + text, rule.name).at(0), portfolio);
      if (&text == &rule.texts.front() || o.outcome.state == State::proved) {
        state = hallmark::name(o.outcome.state);
        detail = o.outcome.state == State::proved ? o.strength : o.outcome.detail;
      }
      if (o.outcome.state != State::proved) continue;
      library += "\n";
      for (const std::string& condition : rule.conditions) library += "# needs " + condition + "\n";
      library += text;
      break;
    }
    (state == "proved" ? proved : state == "refuted" ? wrong : other) += 1;
    show("{:<8} {:<12} {}{}\n", state, rule.name, detail,
         rule.conditions.empty() ? "" : fmt::format("; needs {}", fmt::join(rule.conditions, ", ")));
  }
  show("{} proved, {} refuted, {} unrun\n", proved, wrong, other);
  if (!out.empty()) write_file(out, library);
  return other == 0 ? met : undecided;
}

int list(const std::vector<std::string>& paths) {
  for (const rules::RuleFamily& family : rules::load_library(paths))
    show("{:<44} {}\n", family.name, family.source);
  return met;
}

}  // namespace

void add_rules(Registration r) {
  CLI::App* rules =
      r.app.add_subcommand("rules", "rewrite rules: prove, try, explain, reference, import, list");
  rules->require_subcommand(1);
  auto paths = std::make_shared<std::vector<std::string>>();
  add_rules_prove(r, *rules);
  add_rules_try(r, *rules);
  add_rules_reference(r, *rules);
  CLI::App* explain_command = rules->add_subcommand(
      "explain", "one rule: its statement, its argument, and why each condition is needed");
  auto explained = std::make_shared<std::string>();
  auto places = std::make_shared<std::vector<std::string>>();
  explain_command->add_option("name", *explained, "the rule")->required();
  explain_command->add_option("paths", *places,
                              "rule files and folders; the shipped ones where none is named");
  explain_command->callback([r, explained, places] {
    r.chosen = [r, explained, places] { return explain(*explained, *places, r.common); };
  });
  CLI::App* import_command =
      rules->add_subcommand("import", "prove or refute the rules of another system's file");
  auto taso = std::make_shared<std::string>();
  auto out = std::make_shared<std::string>();
  import_command->add_option("--taso", *taso, "the substitutions of TASO (taso_graph_subst.pb)")->required();
  import_command->add_option("-o,--out", *out, "write the proved rules there as rule text");
  import_command->callback(
      [r, taso, out] { r.chosen = [r, taso, out] { return import_rules(*taso, *out, r.common); }; });
  CLI::App* list_command =
      rules->add_subcommand("list", "list the rules of the files and folders with their sources");
  list_command->add_option("paths", *paths, "rule files (.hm) and folders")->required();
  list_command->callback([r, paths] { r.chosen = [paths] { return list(*paths); }; });
}

}  // namespace hallmark::cli
