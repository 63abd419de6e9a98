// One way to compute the authored program: a route (which exact program), a formulation (roundings, fma,
// orders of the sums) and a schedule, lowered and priced over the workload. A price is never a proof.
#pragma once
#include <string>
#include <vector>

#include "contract/contract.h"
#include "formulation/formulate.h"
#include "lowering/lower.h"
#include "pipeline/context.h"
#include "search/explain.h"
#include "select/cost.h"

namespace hallmark::pipeline {

// A closed exact program and the steps that lead to it from the authored one.
struct Route {
  std::string name;
  calculus::Program exact;
  std::vector<search::Step> steps;
};

// What is chosen on the formulation plane and on the schedule plane.
struct Variant {
  bool fused = true;  // schedule: elementwise work inside its producer; otherwise one kernel a definition
  bool rows =
      true;  // sums along rows by the threads of a block (formulation/suggest_orders.h), else in sequence
  // Products that are added: rounded by themselves; as one fma in the steps of sums; as one fma everywhere.
  enum class Contraction { none, sums, everywhere } fma = Contraction::sums;
  bool operator==(const Variant&) const = default;
};
std::string_view name(Variant::Contraction);
// "fused, sums by rows, fma in sums"
std::string text(const Variant& variant);

// The reference formulation (soundness B10): in sequence, no fma, nearest; one kernel a definition.
inline constexpr Variant reference_variant{false, false, Variant::Contraction::none};

// Variants that the contract permits, in a fixed order, the reference first.
std::vector<Variant> permitted_variants(const contract::Contract& contract);

struct Candidate {
  const Route* route = nullptr;
  Variant variant;
  formulation::Formulation formulation;
  lowering::Artifact artifact;
  select::Price price;                                          // of a call, weighted mean over the workload
  select::Price prepare;                                        // of the launches that run once, at load
  std::vector<Rational> seconds;                                // of a call at each point
  std::vector<std::pair<std::string, select::Price>> launches;  // by kernel, in launch order, weighted means
  Integer kept_bytes;                                           // of what is prepared and stays in memory
  std::string rejected;   // why it is not admitted; empty when it is or was not looked at
  bool examined = false;  // whether its numerics were looked at
  bool unpriced = false;  // it could not be formulated or lowered; `rejected` says why

  std::string name() const { return route->name + "; " + text(variant); }
};

// The value of an index term of a plan at given sizes. Throws InternalError when they do not determine it.
Integer value_at(calculus::Term term, const select::Sizes& sizes);

formulation::Formulation formulate(const calculus::Program& exact, const Variant& variant);
lowering::Schedule schedule_of(bool fused);

// Throws Refusal for what cannot be formulated or lowered.
Candidate make_candidate(const Route& route, const Variant& variant, const Context& context);

}  // namespace hallmark::pipeline
