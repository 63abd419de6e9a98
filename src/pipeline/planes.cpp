#include "pipeline/planes.h"

#include <algorithm>

#include "base/error.h"

namespace hallmark::pipeline {

std::string_view name(Plane plane) {
  switch (plane) {
    case Plane::algebra:
      return "algebra";
    case Plane::formulation:
      return "formulation";
    case Plane::schedule:
      return "schedule";
  }
  throw InternalError("a plane without a name");
}

bool is_formulation_rule(std::string_view rule) {
  return rule.starts_with("formulation/");
}

bool moves_only_on(Plane plane, const Candidate& c) {
  bool algebra = false,
       formulation = c.variant.rows != reference_variant.rows || c.variant.fma != reference_variant.fma;
  for (const search::Step& step : c.route->steps)
    (is_formulation_rule(step.rule) ? formulation : algebra) = true;
  const bool schedule = c.variant.fused != reference_variant.fused;
  return (plane == Plane::algebra || !algebra) && (plane == Plane::formulation || !formulation) &&
         (plane == Plane::schedule || !schedule);
}

}  // namespace hallmark::pipeline
