#include "numerics/output_bound.h"

#include "base/error.h"
#include "contract/number.h"
#include "numerics/program_analysis.h"
#include "numerics/tolerance.h"

namespace hallmark::numerics {

std::vector<OutputBound> output_bounds(const AdmissionInput& input, const WitnessOptions& options) {
  const ProgramResult exact =
      analyse({input.exact, input.contract, nullptr, nullptr, nullptr, nullptr}, Pass::exact);
  const ProgramResult local =
      analyse({input.formulation, input.contract, &input.constants, nullptr, nullptr, nullptr}, Pass::local);
  const ProgramResult composed = analyse(
      {input.formulation, input.contract, &input.constants, &input.exact, &local, &exact}, Pass::composed);
  std::vector<OutputBound> out;
  contract::Contract aim = input.contract;
  const bool finite_only = input.contract.nan_allowed || input.contract.infinity_allowed;
  WitnessGoals goals;
  for (const std::string& name : input.formulation.outputs) {
    OutputBound o;
    o.name = name;
    o.finite_only = finite_only;
    const DefinitionResult& r = composed.at(name);
    const bool truth = find_declaration(input.formulation, name)->format == calculus::Format::boolean;
    if (!r.value) {
      o.reason = r.failure->message;
    } else if (truth && !r.value->same) {
      o.reason = "the truth value may be another one on rounded operands";
    } else if (!r.value->bounded) {
      o.reason =
          "the exact value may leave a domain, or a discrete outcome may be another one on rounded operands";
    } else {
      o.absolute = r.value->absolute;
      o.budget = budget_text(*r.value, 12);
      contract::Tolerance tolerance;
      tolerance.absolute = r.value->absolute.exact_high();
      aim.outputs[name] = tolerance;
      goals.tolerance.insert(name);
    }
    out.push_back(o);
  }
  const Findings found = search_witnesses(input.exact, input.formulation, aim, goals, options);
  for (OutputBound& o : out) {
    if (found.tolerance.count(o.name) > 0)
      throw InternalError("a bound that an execution exceeds: " + o.name);
    const auto worst = found.worst_error.find(o.name);
    if (worst == found.worst_error.end()) continue;
    o.witness = contract::parse_number(worst->second);
    if (const auto origin = found.worst_origin.find(o.name); origin != found.worst_origin.end())
      o.origin = origin->second;
    if (o.absolute && o.witness && *o.witness > 0)
      o.ratio = Rational(o.absolute->exact_high() / *o.witness).get_d();
  }
  return out;
}

}  // namespace hallmark::numerics
