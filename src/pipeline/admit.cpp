#include "pipeline/admit.h"

#include <fmt/format.h>

#include "numerics/admission.h"

namespace hallmark::pipeline {
namespace {

numerics::AdmissionInput input_of(const Candidate& c, const contract::Contract& contract) {
  return {c.route->exact, c.formulation.program, c.formulation.constants, contract};
}

}  // namespace

Admission::Admission(const contract::Contract& contract, const Candidate& reference)
    : contract_(contract), reference_(numerics::assess(input_of(reference, contract))) {}

void Admission::examine(Candidate& candidate) const {
  if (candidate.examined) return;
  candidate.examined = true;
  if (std::string why = objection(candidate); !why.empty()) candidate.rejected = std::move(why);
}

std::string Admission::objection(const Candidate& candidate) const {
  const numerics::AdmissionInput input = input_of(candidate, contract_);
  if (const auto violations = numerics::contract_violations(input); !violations.empty())
    return violations.front();
  const numerics::Assessment own = numerics::assess(input);
  for (const auto& [id, why] : own.open)
    if (!reference_.open.contains(id)) return fmt::format("{}: {}", id, why);
  for (const auto& [output, mine] : own.outputs) {
    if (mine.within_tolerance) continue;
    const auto other = reference_.outputs.find(output);
    if (other == reference_.outputs.end()) return output + " is no output of the reference";
    const numerics::AssessedOutput& theirs = other->second;
    if (theirs.within_tolerance)
      return fmt::format("tolerance/{}: {}, which the reference formulation keeps", output, mine.detail);
    if (theirs.error && (!mine.error || *mine.error > *theirs.error * 2))
      return fmt::format("tolerance/{}: {}; more than twice the reference formulation's: {}", output,
                         mine.detail, theirs.detail);
  }
  return {};
}

}  // namespace hallmark::pipeline
