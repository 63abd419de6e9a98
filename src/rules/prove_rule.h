// One rule, one obligation of kind `rule`: tried on small instances, then SHAPE, INBOUNDS and VALUE argued
// and put to the solvers.
#pragma once
#include "rules/refute.h"
#include "rules/rule_text.h"
#include "smt/portfolio.h"

namespace hallmark::rules {

// The obligation without its outcome: identifier, statement, scope.
Obligation rule_obligation(const Rule& rule);

// The same with the outcome:
//   refuted   an executed instance on which the sides differ
//   proved    for every size: shapes equal, every read in bounds, values equal; `strength` says of which
//             arithmetic (rules/prover.h): bit for bit, of IEEE 754, of integers that wrap around, of reals
//   unrun     vacuous when no instance satisfies the requirements, otherwise with the reason of what was not
//   shown
Obligation prove_rule(const Rule& rule, smt::Portfolio& portfolio, const RefuteLimits& limits = {});

// What the argument for an instance relies on, in order: the law of each claim that was put to the solvers,
// with the map where a bijection was found ("BIJ body: k1 = j2, k2 = j1"). Empty where nothing was shown.
std::vector<std::string> argument_of(const Rule& rule, smt::Portfolio& portfolio);

// Executed on small instances and nothing more: refuted, or unrun with the reason bounded or vacuous.
Obligation execute_rule(const Rule& rule, const RefuteLimits& limits = {}, Trials* seen = nullptr);

// Which arguments for VALUE are tried.
enum class Argument {
  same_operations,  // any-type alone
  all,
};

// The same argument for one application, whose sizes are given: nothing is tried first, since its tensors may
// be large.
Obligation prove_instance(const Rule& rule, smt::Portfolio& portfolio, Argument argument = Argument::all);

// One application of a rule that is `unbounded`: that no operation of either side leaves its format, the
// elements of the tensors being in these ranges, and that the sides are equal over Z. Unrun with the reason
// gap where an operation may wrap.
Obligation prove_where_nothing_wraps(const Rule& rule, const WholeRanges& ranges, smt::Portfolio& portfolio);

// A rule as written: one obligation, whose detail says which of its conditions are needed. A rule that says
// nothing (rules/substance.h) is unrun and vacuous. Its scope says for which ranks of its classes it is
// claimed and why (rules/classes.h); the instances that the argument needs are proved and all are executed.
Obligation family_obligation(const RuleFamily& family);
Obligation prove_family(const RuleFamily& family, smt::Portfolio& portfolio, const RefuteLimits& limits = {});

}  // namespace hallmark::rules
