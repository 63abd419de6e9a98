#include "pipeline/conditions.h"

#include <fmt/format.h>

#include <algorithm>

#include "calculus/text/text.h"
#include "validator/symbolic/prover.h"

namespace hallmark::pipeline {
namespace {

using namespace calculus;

constexpr std::size_t most_tries = 4096;

text::Scope scope_of(const Program& program) {
  text::Scope out;
  for (const SymbolRange& range : program.symbols) out.names.emplace(range.name, symbol(range.name));
  return out;
}

std::string sizes_text(const Program& program) {
  std::string out;
  for (const SymbolRange& range : program.symbols)
    out += (out.empty() ? "" : ", ") + range.low.get_str() + " <= " + range.name +
           (range.high ? " <= " + range.high->get_str() : "");
  return out;
}

// The ends of each range and what stands beside the lower one, in all combinations up to a number of tries.
std::optional<std::string> sizes_without(const Program& program, Term condition) {
  std::vector<std::vector<Integer>> values;
  for (const SymbolRange& range : program.symbols) {
    std::vector<Integer> some{range.low, range.low + 1};
    if (range.high) some.push_back(*range.high);
    std::erase_if(some, [&](const Integer& value) { return range.high && value > *range.high; });
    values.push_back(std::move(some));
  }
  std::vector<std::size_t> at(values.size(), 0);
  for (std::size_t tries = 0; tries < most_tries; ++tries) {
    Substitution sizes;
    std::string text;
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (values[i].empty()) return std::nullopt;
      sizes[symbol(program.symbols[i].name)] = integer(values[i][at[i]]);
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", program.symbols[i].name,
                          values[i][at[i]].get_str());
    }
    if (substitute(condition, sizes) == truth(false)) return text;
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == values[i].size()) at[i++] = 0;
    if (i == at.size()) break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Obligation> conditions_obligation(const Evidence& evidence) {
  const Program& program = evidence.authored;
  if (program.preconditions.empty()) return std::nullopt;
  Obligation o;
  o.kind = ObligationKind::defined;
  o.level = Level::model;
  o.subject = "sizes";
  while (find_declaration(program, o.subject) != nullptr ||
         find_declaration(evidence.elected, o.subject) != nullptr)
    o.subject += "'";
  o.id = fmt::format("defined/{}/model", o.subject);
  o.scope = sizes_text(program);
  o.statement = "The model has a meaning for every size of the contract, " + o.scope + ":";
  for (Term condition : program.preconditions)
    o.statement += "\n  " + text::print_term(condition, scope_of(program));
  return o;
}

ConditionsFinding examine_conditions(const Program& authored, const validator::Prover::Probe& probe) {
  ConditionsFinding out;
  std::vector<Term> facts;
  for (const SymbolRange& range : authored.symbols) {
    facts.push_back(at_most(integer(range.low), symbol(range.name)));
    if (range.high) facts.push_back(at_most(symbol(range.name), integer(*range.high)));
  }
  validator::Prover prover(probe);
  const validator::Scope scope = validator::Context::make(facts);
  for (Term condition : authored.preconditions) {
    if (condition == truth(true) || prover.rely(scope, condition)) continue;
    const std::string text = text::print_term(condition, scope_of(authored));
    if (const auto sizes = sizes_without(authored, condition)) {
      out.reason = Reason::undefined_input;
      out.failure = fmt::format("for {} the model has no meaning: it demands {}", *sizes, text);
    } else {
      out.failure = "not shown for every size of the contract: " + text;
    }
    return out;
  }
  out.holds = true;
  out.claims = prover.log();
  return out;
}

}  // namespace hallmark::pipeline
