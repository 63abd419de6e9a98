// Everything that a bundle's obligations are about, and the obligations: the list is a pure function of it,
// computed without looking at any verdict (design, section 4), by `run` and again by `audit`.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "contract/contract.h"
#include "formulation/formulate.h"
#include "obligation/obligation.h"
#include "pipeline/kernels.h"
#include "pipeline/nvcc.h"
#include "pipeline/recall.h"
#include "plan/launch_plan.h"
#include "rules/rule_text.h"
#include "search/explain.h"
#include "smt/portfolio.h"

namespace hallmark::pipeline {

struct Evidence {
  calculus::Program authored;            // exact, as imported
  contract::Contract contract;           // complete
  std::vector<rules::RuleFamily> rules;  // those of the elected route
  std::vector<search::Step> steps;       // from the authored to the elected program
  calculus::Program elected;             // exact
  formulation::Formulation formulation;  // of the elected program
  std::map<std::string, std::string>
      context;                     // SHA-256 by part (context.h): under another, the plan is stale
  std::string compute_capability;  // of the target: "9.0"
  plan::LaunchPlan plan;
  std::vector<std::pair<std::string, std::string>> cuda;  // file name, text
  Ptx ptx;
};

// A step as the rule that it claims: both closed sides over the tensors that they read.
rules::Rule step_rule(const search::Step& step, const calculus::Program& authored);

// The obligation of one step, without its outcome.
Obligation step_obligation(const search::Step& step, std::size_t index, const calculus::Program& authored);
// The obligation of one step with its outcome, as discharge() decides it. A step about Z whose ranges do not
// follow from the contract and the authored program is unrun, gap.
Obligation prove_step(const Evidence& evidence, std::size_t index, smt::Portfolio& portfolio);

std::vector<Obligation> list_obligations(const Evidence& evidence, const ArtifactTexts& texts);

using Progress = std::function<void(const std::string& stage, std::size_t done, std::size_t total)>;

struct DischargeOptions {
  Recall* recall = nullptr;  // verdicts that are known, and where new ones are kept
  unsigned jobs = 0;         // threads, each with its own solvers; 0: one a core
  // From then on nothing more is asked: what is open is unrun, interrupted.
  std::optional<std::chrono::steady_clock::time_point> deadline;
  // Only these obligations are wanted (an audit of a sample); the others stay as they are. Empty: all.
  std::set<std::string> only;
};

// Fills every outcome. Nothing that a stage throws becomes a proof: a Refusal makes its obligations unrun,
// other errors pass.
void discharge(std::vector<Obligation>& obligations, const Evidence& evidence, const ArtifactTexts& texts,
               smt::Portfolio& portfolio, const Progress& progress, const DischargeOptions& options = {});

}  // namespace hallmark::pipeline
