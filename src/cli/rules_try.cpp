#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "cli/corpus.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/rule_verbs.h"
#include "cli/say.h"
#include "contract/contract.h"
#include "model/import.h"
#include "rules/rule_text.h"
#include "search/match.h"
#include "search/saturate.h"

namespace hallmark::cli {
namespace {

struct TryOptions {
  std::string rule, model, contract;
  std::vector<std::string> paths;
  bool all = false;
};

const rules::RuleFamily& find_rule(const std::vector<rules::RuleFamily>& families, const std::string& name) {
  for (const rules::RuleFamily& family : families)
    if (family.name == name) return family;
  throw UserError("E2112", "there is no rule named " + name + " here; `hallmark rules list PATH` lists them");
}

std::string value_text(calculus::Term t) {
  const Integer* value = calculus::as_integer(t);
  return value != nullptr ? value->get_str() : t->kind == calculus::Kind::symbol ? t->name : "symbolic";
}

std::string match_text(const search::Match& match, const search::EGraph& graph) {
  std::vector<std::string> parts;
  for (const auto& [tensor, cls] : match.tensors)
    parts.push_back(tensor + " is " + graph.provenance(graph.nodes(cls).front()).authored);
  for (const auto& [name, value] : match.symbols) parts.push_back(name + " = " + value_text(value));
  return fmt::format("{}", fmt::join(parts, ", "));
}

int try_rule(const TryOptions& o) {
  const std::vector<std::string> where =
      o.paths.empty() ? std::vector<std::string>{corpus_folder() + "/rules"} : o.paths;
  const std::vector<rules::RuleFamily> families = rules::load_library(where);
  const rules::RuleFamily& family = find_rule(families, o.rule);
  model::Options options;
  if (!o.contract.empty())
    for (const auto& [name, range] : contract::load(o.contract).dimensions)
      options.dimensions[name] = {name, range.low, range.high};
  const model::Model model = model::import_model(o.model, options);
  const search::Search search = search::grow(model.program, {}, {4000, 1, 1});
  std::size_t matches = 0, close = 0, others = 0;
  for (const calculus::Definition& d : model.program.definitions) {
    search::ClassId cls = 0;
    for (const auto& [name, id] : search.authored)
      if (name == d.declaration.name) cls = search.graph.find(id);
    search::Mismatch nearest;
    std::size_t here = 0;
    for (const rules::Rule& instance : family.instances) {
      for (const search::Match& match : search::match_rule(instance, search.graph, cls)) {
        show("matches   {} ({}), as {}: {}\n", d.declaration.name, d.origin, instance.name,
             match_text(match, search.graph));
        ++here;
      }
      if (here != 0) continue;
      search::Mismatch m = search::mismatch(instance, search.graph, cls);
      if (nearest.why.empty() || m.reached > nearest.reached) nearest = std::move(m);
    }
    matches += here;
    if (here != 0) continue;
    // A definition of another kind than the rule's result is no news.
    if (nearest.reached == 0 && !o.all) {
      ++others;
      continue;
    }
    ++close;
    show("no match  {} ({}): {}\n", d.declaration.name, d.origin, nearest.why);
  }
  show("{} matches; {} definitions come close and do not match", matches, close);
  if (others != 0) show("; {} more have another result (--all says why)", others);
  show("\n");
  return matches == 0 ? undecided : met;
}

}  // namespace

void add_rules_try(Registration r, CLI::App& rules) {
  auto o = std::make_shared<TryOptions>();
  CLI::App* command =
      rules.add_subcommand("try", "where a rule matches in a model, and why it does not elsewhere");
  command->add_option("rule", o->rule, "the rule's name")->required();
  command->add_option("model", o->model, "ONNX model (.onnx or .onnxtxt)")->required();
  command->add_option("paths", o->paths, "rule files and folders; the shipped ones where none is named");
  command->add_option("--contract", o->contract, "sizes (TOML)");
  command->add_flag("--all", o->all, "also say why for definitions of another kind");
  command->callback([r, o] { r.chosen = [o] { return try_rule(*o); }; });
}

}  // namespace hallmark::cli
