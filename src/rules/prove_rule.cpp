#include "rules/prove_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "rules/in_bounds.h"
#include "rules/prover.h"
#include "rules/smt_oracle.h"

namespace hallmark::rules {
namespace {

using namespace calculus;

std::string scope_text(const Rule& rule) {
  std::string out;
  for (const SymbolRange& s : rule.symbols) {
    out += (out.empty() ? "any " : ", ") + s.name + " >= " + s.low.get_str();
    if (s.high) out += " and <= " + s.high->get_str();
  }
  return out.empty() ? "the sizes as written" : out;
}

// What was not shown, or nothing.
std::string argue(const Rule& rule, SmtOracle& oracle, Obligation& obligation) {
  const std::vector<Term>&left = left_result(rule).extents, &right = right_result(rule).extents;
  if (left.size() != right.size()) return "the sides have different ranks";
  Claim claim{rule.symbols, rule.requirements, {}, left_term(rule), right_term(rule)};
  const Facts sizes = facts_of(claim);
  for (std::size_t d = 0; d < left.size(); ++d)
    if (!oracle.entails(sizes, equal(left[d], right[d]), "SHAPE"))
      return fmt::format("axis {} is not shown to have the same extent on both sides", d);
  claim.extents = left;
  const Facts facts = facts_of(claim);
  for (Term side : {claim.left, claim.right})
    if (const std::string failure = out_of_bounds(side, rule.tensors, facts, oracle); !failure.empty())
      return failure;
  const Equality equality = prove_equal(claim, oracle);
  if (!equality.shown) return "the values are not shown to be equal: " + equality.failure;
  obligation.strength = equality.strength;
  obligation.outcome.detail = fmt::format("laws: {}", fmt::join(equality.laws, ", "));
  return {};
}

}  // namespace

Obligation rule_obligation(const Rule& rule) {
  Obligation out;
  out.kind = ObligationKind::rule;
  out.level = Level::rule;
  out.subject = rule.name;
  out.id = "rule/" + rule.name + "/rule";
  out.statement = fmt::format("rule {} sha256:{}\n{}", rule.name, digest(rule), rule.text);
  out.scope = scope_text(rule);
  return out;
}

Obligation prove_instance(const Rule& rule, smt::Portfolio& portfolio) {
  Obligation out = rule_obligation(rule);
  SmtOracle oracle(portfolio, out.id);
  if (const std::string failure = argue(rule, oracle, out); !failure.empty()) {
    out.strength.clear();
    out.outcome = Outcome::unrun(Reason::gave_up, failure);
    return out;
  }
  const std::string detail = out.outcome.detail;
  out.outcome = oracle.discharge(smt::Rule::one_suffices);
  if (out.outcome.state != State::proved)
    out.strength.clear();
  else
    out.outcome.detail = fmt::format("{}; {} claims", detail, oracle.relied_on());
  return out;
}

Obligation prove_rule(const Rule& rule, smt::Portfolio& portfolio, const RefuteLimits& limits) {
  const Trials trials = try_instances(rule, limits);
  if (trials.witness) {
    Obligation out = rule_obligation(rule);
    out.outcome.state = State::refuted;
    out.outcome.reason = Reason::none;
    out.outcome.witness = trials.witness;
    out.outcome.discharged_by = {"evaluator"};
    out.outcome.detail = trials.witness->summary + " (" + trials.arithmetic + ")";
    return out;
  }
  if (trials.instances == 0) {
    Obligation out = rule_obligation(rule);
    out.outcome = Outcome::unrun(Reason::vacuous, "no sizes were found that meet the requirements");
    return out;
  }
  Obligation out = prove_instance(rule, portfolio);
  if (out.outcome.state == State::proved)
    out.outcome.detail += fmt::format("; {} instances executed ({})", trials.instances, trials.arithmetic);
  return out;
}

Obligation family_obligation(const RuleFamily& family) {
  Obligation out = rule_obligation(family.instances.back());
  out.subject = family.name;
  out.id = "rule/" + family.name + "/rule";
  out.statement = fmt::format("rule {}\n{}", family.name, family.text);
  for (const Rule& instance : family.instances)
    out.statement += fmt::format("\ninstance {} sha256:{}", instance.name, digest(instance));
  if (family.instances.size() > 1)
    out.scope += fmt::format("; {} to {}", family.instances.front().name, family.instances.back().name);
  out.location = family.where;
  return out;
}

Obligation prove_family(const RuleFamily& family, smt::Portfolio& portfolio, const RefuteLimits& limits) {
  Obligation out = family_obligation(family);
  std::vector<Outcome> parts;
  std::set<std::string> strengths;
  std::string detail;
  bool by_solver = false;
  for (const Rule& instance : family.instances) {
    Obligation one = prove_rule(instance, portfolio, limits);
    if (one.outcome.state != State::proved) {
      out.outcome = std::move(one.outcome);
      if (family.instances.size() > 1) out.outcome.detail = instance.name + ": " + out.outcome.detail;
      return out;
    }
    strengths.insert(one.strength);
    if (!detail.empty()) detail += " | ";
    detail += one.outcome.detail;
    if (one.outcome.queries.empty()) continue;
    by_solver = true;
    parts.push_back(std::move(one.outcome));
  }
  if (by_solver) {
    out.outcome =
        portfolio.settle(portfolio.conjoin(parts, smt::Rule::one_suffices), smt::Rule::one_suffices);
  } else {
    out.outcome.state = State::proved;
    out.outcome.reason = Reason::none;
    out.outcome.discharged_by = {"syntactic"};
  }
  if (out.outcome.state != State::proved) return out;
  // The weakest of the instances' strengths is the rule's.
  out.strength = strengths.count("reals") != 0 ? "reals" : "any-type";
  out.outcome.detail = detail;
  return out;
}

}  // namespace hallmark::rules
