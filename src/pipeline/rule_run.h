// Every rule of a library proved or refuted: several at a time, with verdicts that an earlier run reached.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bundle/observations.h"
#include "obligation/obligation.h"
#include "rules/rule_text.h"

namespace hallmark::pipeline {

struct RuleVerdict {
  Obligation obligation;
  double seconds = 0;  // of this run
  bool cached = false;
};

struct RuleRunOptions {
  std::vector<std::string> solvers;  // names that may be used; empty: all
  unsigned jobs = 0;                 // rules at a time; 0: one a core
  std::string cache;                 // folder; empty: none
  std::function<void(std::size_t done, std::size_t total, const std::string& rule)> progress;
  std::function<void(const std::string& warning)> warn;
};

// In the order of the families. The outcomes do not depend on `jobs` or on the cache.
std::vector<RuleVerdict> prove_rules(const std::vector<rules::RuleFamily>& families,
                                     const RuleRunOptions& options);

// By family (the name up to its last '/'): rules, states, strengths, times; then all together, the share of
// queries that both solvers closed with the others named, and the slowest rules. For people: it holds times.
std::string summary_table(const std::vector<RuleVerdict>& verdicts);

// Times and fresh or cached, by obligation.
bundle::Observations observations_of(const std::vector<RuleVerdict>& verdicts);

// SHA-256 of everything that a rule's outcome depends on beside its statement: this program's bytes, solvers
// with their libraries and options, seed and budgets. Empty where the program cannot read itself.
std::string rule_context(const std::vector<std::string>& solvers);

}  // namespace hallmark::pipeline
