#include "pipeline/context.h"

#include "base/sha256.h"

namespace hallmark::pipeline {
namespace {

constexpr const char* target_file = "3-selection/target.toml";
constexpr const char* workload_file = "3-selection/workload.toml";
constexpr const char* cost_model_file = "3-selection/cost-model.toml";
constexpr const char* constraints_file = "3-selection/constraints.toml";

std::string context_json(const Context& context, const contract::Contract& contract) {
  const std::map<std::string, std::string> parts = context_parts(context, contract);
  json::object digests;
  for (const auto& [part, digest] : parts) digests[part] = digest;
  return canonical_json(
      json::object{{"format", "hallmark-context/1"}, {"parts", digests}, {"sha256", context_digest(parts)}});
}

}  // namespace

Context load_context(const ContextRequest& request, const calculus::Program& program) {
  Context out;
  out.target = select::load_target(request.target, request.corpus);
  out.workload = request.workload ? select::load_workload(*request.workload, request.corpus)
                                  : select::default_workload(program);
  select::check_workload(out.workload, program);
  out.model = select::load_cost_model(request.cost_model, request.corpus);
  out.constraints = select::load_constraints(request.constraints, request.corpus);
  return out;
}

std::map<std::string, std::string> context_parts(const Context& context, const contract::Contract& contract) {
  return {{"target", context.target.sha256},
          {"workload", context.workload.sha256},
          {"cost-model", context.model.sha256},
          {"constraints", context.constraints.sha256},
          {"contract", sha256_hex(contract::print(contract))}};
}

std::string context_digest(const std::map<std::string, std::string>& parts) {
  json::object out;
  for (const auto& [part, digest] : parts) out[part] = digest;
  return sha256_hex(canonical_json(out));
}

Files context_files(const Context& context, const contract::Contract& contract) {
  return {{target_file, context.target.text},
          {workload_file, context.workload.text},
          {cost_model_file, context.model.text},
          {constraints_file, context.constraints.text},
          {context_file, context_json(context, contract)}};
}

Context read_context(const StageReader& in, const contract::Contract& contract) {
  Context out;
  out.target = select::parse_target(in.read(target_file), target_file);
  out.workload = select::parse_workload(in.read(workload_file), workload_file);
  out.model = select::parse_cost_model(in.read(cost_model_file), cost_model_file);
  out.constraints = select::parse_constraints(in.read(constraints_file), constraints_file);
  if (in.read(context_file) != context_json(out, contract))
    mismatch(std::string(context_file) + " does not hold the digests of the context");
  return out;
}

}  // namespace hallmark::pipeline
