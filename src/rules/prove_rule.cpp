#include "rules/prove_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "rules/ieee.h"
#include "rules/in_bounds.h"
#include "rules/prover.h"
#include "rules/smt_oracle.h"
#include "rules/substance.h"
#include "rules/whole.h"

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
std::string argue(const Rule& rule, SmtOracle& oracle, Obligation& obligation, Argument argument) {
  const std::vector<Term>&left = left_result(rule).extents, &right = right_result(rule).extents;
  if (left.size() != right.size()) return "the sides have different ranks";
  if (left_result(rule).format != right_result(rule).format) return "the sides have different formats";
  const Rule whole = rule.unbounded ? over_whole_numbers(rule) : rule;
  Claim claim{rule.symbols, rule.requirements, {}, left_term(whole), right_term(whole),
              {},           exact_powers(rule)};
  // The rule is for programs that exist: the tensors it reads and those of its left side have extents of at
  // least 0. Those of its right side have to.
  for (const Declaration& tensor : rule.tensors)
    claim.existing.insert(claim.existing.end(), tensor.extents.begin(), tensor.extents.end());
  for (const Definition& d : rule.left)
    claim.existing.insert(claim.existing.end(), d.declaration.extents.begin(), d.declaration.extents.end());
  const Facts sizes = facts_of(claim);
  for (std::size_t d = 0; d < left.size(); ++d)
    if (!oracle.entails(sizes, equal(left[d], right[d]), "SHAPE"))
      return fmt::format("axis {} is not shown to have the same extent on both sides", d);
  for (const Definition& d : rule.right)
    for (Term extent : d.declaration.extents)
      if (!oracle.entails(sizes, at_most(integer(Integer(0)), extent), "SHAPE"))
        return fmt::format("an extent of {} on the right side is not shown to be at least 0",
                           d.declaration.name);
  for (const auto* side : {&rule.left, &rule.right}) {
    // Every definition is computed as a whole, so each of its elements has to read elements that exist.
    std::vector<Declaration> tensors = rule.tensors;
    std::vector<Definition> earlier;
    for (const Definition& d : *side) {
      claim.extents = d.declaration.extents;
      if (const std::string failure = out_of_bounds(d.body, tensors, earlier, facts_of(claim), oracle);
          !failure.empty())
        return failure;
      tensors.push_back(d.declaration);
      earlier.push_back(d);
    }
  }
  claim.extents = left;
  const Equality equality =
      argument == Argument::all ? prove_equal(claim, oracle) : prove_same_operations(claim, oracle);
  if (!equality.shown) return "the values are not shown to be equal: " + equality.failure;
  obligation.strength = equality.strength;
  if ((equality.strength == "any-type" || equality.strength == "ieee") && !rounds_as_written(rule))
    obligation.strength = "reals";
  if (rule.unbounded) obligation.strength = "unbounded integers";
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

Obligation prove_instance(const Rule& rule, smt::Portfolio& portfolio, Argument argument) {
  Obligation out = rule_obligation(rule);
  SmtOracle oracle(portfolio, out.id, rule.unbounded ? over_whole_numbers(rule).givens : rule.givens);
  oracle.declare(rule.operators);
  if (const std::string failure = argue(rule, oracle, out, argument); !failure.empty()) {
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

Obligation prove_where_nothing_wraps(const Rule& rule, const WholeRanges& ranges, smt::Portfolio& portfolio) {
  for (const auto* side : {&rule.left, &rule.right})
    if (const std::string what = may_wrap(*side, rule.symbols, ranges); !what.empty()) {
      Obligation out = rule_obligation(rule);
      out.outcome = Outcome::unrun(Reason::gap, what + " may leave its format");
      return out;
    }
  Rule bounded = rule;
  for (Given& given : givens_of(ranges, rule.tensors)) bounded.givens.push_back(std::move(given));
  Obligation out = prove_instance(bounded, portfolio);
  // The numbers are then those of Z, and equal as such.
  if (out.outcome.state == State::proved) out.strength = "wrap-around integers";
  return out;
}

std::vector<std::string> argument_of(const Rule& rule, smt::Portfolio& portfolio) {
  Obligation ignored = rule_obligation(rule);
  SmtOracle oracle(portfolio, ignored.id, rule.unbounded ? over_whole_numbers(rule).givens : rule.givens);
  oracle.declare(rule.operators);
  if (!argue(rule, oracle, ignored, Argument::all).empty()) return {};
  return oracle.purposes();
}

Obligation execute_rule(const Rule& rule, const RefuteLimits& limits, Trials* seen) {
  const Trials trials = try_instances(rule, limits);
  if (seen != nullptr) *seen = trials;
  Obligation out = rule_obligation(rule);
  if (trials.witness) {
    out.outcome.state = State::refuted;
    out.outcome.reason = Reason::none;
    out.outcome.witness = trials.witness;
    out.outcome.discharged_by = {"evaluator"};
    out.outcome.detail = trials.witness->summary + " (" + trials.arithmetic + ")";
  } else if (trials.instances == 0) {
    out.outcome = Outcome::unrun(Reason::vacuous,
                                 "no sizes that are small enough to be executed meet the requirements");
  } else {
    out.outcome = Outcome::unrun(Reason::bounded, fmt::format("{} instances executed", trials.instances));
  }
  return out;
}

namespace {

// A true rule gains nothing from more instances than show that its requirements can be met and that nothing
// plain is wrong; a rule that is not proved is then tried on all of them.
constexpr long first_evaluations = 240;

}  // namespace

Obligation prove_rule(const Rule& rule, smt::Portfolio& portfolio, const RefuteLimits& limits) {
  RefuteLimits first = limits;
  first.evaluations = std::min(limits.evaluations, first_evaluations);
  Trials trials;
  Obligation out = execute_rule(rule, first, &trials);
  if (trials.witness) return out;
  if (trials.instances > 0) {
    out = prove_instance(rule, portfolio);
    if (out.outcome.state == State::proved) {
      out.outcome.detail += fmt::format("; {} instances executed ({})", trials.instances, trials.arithmetic);
      return out;
    }
  }
  RefuteLimits last = limits;
  last.evaluations *= 5;  // seldom needed, and then better spent than on a rule that is wrong
  last.undefined_differs = true;
  const Obligation executed = execute_rule(rule, last, &trials);
  if (trials.witness || trials.instances == 0) return executed;
  // Instances lie among the larger sizes only.
  return out.outcome.reason == Reason::vacuous ? prove_instance(rule, portfolio) : out;
}

Obligation family_obligation(const RuleFamily& family) {
  Obligation out = rule_obligation(family.instances.back());
  out.subject = family.name;
  out.id = "rule/" + family.name + "/rule";
  out.statement = fmt::format("rule {}\n{}", family.name, family.text);
  for (const Rule& instance : family.instances)
    out.statement += fmt::format("\ninstance {} sha256:{}", instance.name, digest(instance));
  if (family.instances.size() > 1) {
    // The sizes are those of the instance with an axis for each class.
    for (std::size_t i = 0; i < family.instances.size(); ++i)
      if (std::all_of(family.ranks[i].begin(), family.ranks[i].end(), [](int r) { return r == 1; }))
        out.scope = scope_text(family.instances[i]);
    out.scope += fmt::format("; {}", fmt::join(family.arguments, "; "));
  }
  out.location = family.where;
  return out;
}

Obligation prove_family(const RuleFamily& family, smt::Portfolio& portfolio, const RefuteLimits& limits) {
  Obligation out = family_obligation(family);
  std::vector<Outcome> parts;
  std::set<std::string> strengths;
  std::string detail;
  bool by_solver = false;
  for (std::size_t i = 0; i < family.instances.size(); ++i) {
    const Rule& instance = family.instances[i];
    bool wanted = true;
    for (std::size_t c = 0; c < family.classes.size(); ++c)
      wanted = wanted && family.ranks[i][c] <= family.proved_ranks[c];
    // Instances that follow from others are executed all the same.
    Obligation one =
        wanted ? prove_rule(instance, portfolio, limits)
               : execute_rule(instance, {limits.largest_sum, limits.fillings, limits.evaluations / 16});
    if (one.outcome.state != State::proved && (wanted || one.outcome.state == State::refuted)) {
      out.outcome = std::move(one.outcome);
      if (family.instances.size() > 1) out.outcome.detail = instance.name + ": " + out.outcome.detail;
      return out;
    }
    if (!wanted) continue;
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
  strengths.erase("any-type");
  out.strength = strengths.empty() ? "any-type" : strengths.size() == 1 ? *strengths.begin() : "reals";
  if (std::string lacking = without_substance(family, portfolio); !lacking.empty()) {
    out.strength.clear();
    out.outcome = Outcome::unrun(Reason::vacuous, std::move(lacking));
    return out;
  }
  out.outcome.detail = detail;
  if (const std::string conditions = conditions_text(family, portfolio); !conditions.empty())
    out.outcome.detail += "; " + conditions;
  return out;
}

}  // namespace hallmark::rules
