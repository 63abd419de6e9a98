// Everything that a bundle's obligations are about, and the obligations: the list is a pure function of it,
// computed without looking at any verdict (design, section 4), by `run` and again by `audit`.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "contract/contract.h"
#include "formulation/formulate.h"
#include "obligation/obligation.h"
#include "pipeline/kernels.h"
#include "pipeline/nvcc.h"
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
  plan::LaunchPlan plan;
  std::vector<std::pair<std::string, std::string>> cuda;  // file name, text
  Ptx ptx;
};

std::vector<Obligation> list_obligations(const Evidence& evidence, const ArtifactTexts& texts);

using Progress = std::function<void(const std::string& stage, std::size_t done, std::size_t total)>;

// Fills every outcome. Nothing that a stage throws becomes a proof: a Refusal makes its obligations unrun,
// other errors pass.
void discharge(std::vector<Obligation>& obligations, const Evidence& evidence, const ArtifactTexts& texts,
               smt::Portfolio& portfolio, const Progress& progress);

}  // namespace hallmark::pipeline
