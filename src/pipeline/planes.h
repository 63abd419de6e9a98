// Which of the three planes of the design a candidate moves on, seen from the reference (the authored program
// in the reference formulation, one kernel a definition).
#pragma once
#include <array>
#include <string_view>

#include "pipeline/candidate.h"

namespace hallmark::pipeline {

enum class Plane { algebra, formulation, schedule };
inline constexpr std::array<Plane, 3> all_planes{Plane::algebra, Plane::formulation, Plane::schedule};
std::string_view name(Plane);

// Rules named formulation/... give other ways to compute one operation (a variance in one pass, for example);
// all others change what is computed from what.
bool is_formulation_rule(std::string_view rule);

// The candidate is the reference, or differs from it on this plane alone.
bool moves_only_on(Plane plane, const Candidate& candidate);

}  // namespace hallmark::pipeline
