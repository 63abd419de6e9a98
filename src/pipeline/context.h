// The context of an election: target, workload, cost model, the user's constraints and the contract (design,
// section 3). It narrows what is explored and elected and never justifies an equality. A plan carries its
// digest; under another context it is stale.
#pragma once
#include <optional>
#include <string>

#include "contract/contract.h"
#include "pipeline/stage_files.h"
#include "select/constraints.h"
#include "select/workload.h"

namespace hallmark::pipeline {

// Paths, or names in the corpus. No workload: the default one, which is written out.
struct ContextRequest {
  std::string target = "h100-sxm5";
  std::optional<std::string> workload;
  std::string cost_model = "roofline";
  std::string constraints = "none";
  std::string corpus;
};

struct Context {
  select::Target target;
  select::Workload workload;
  select::CostModel model;
  select::Constraints constraints;

  select::Pricing pricing() const { return {target, model, workload.metric}; }
};

// Throws what the readers of the four files throw, and E7312 when the workload does not fit the program.
Context load_context(const ContextRequest& request, const calculus::Program& program);

inline constexpr const char* context_file = "3-selection/context.json";
// SHA-256 by part: "target", "workload", "cost-model", "constraints", "contract".
std::map<std::string, std::string> context_parts(const Context& context, const contract::Contract& contract);
// SHA-256 over those.
std::string context_digest(const std::map<std::string, std::string>& parts);

// The texts of the context and 3-selection/context.json with their digests.
Files context_files(const Context& context, const contract::Contract& contract);
// The inverse. Throws UserError E7401 when the digests are not those of the texts.
Context read_context(const StageReader& in, const contract::Contract& contract);

}  // namespace hallmark::pipeline
