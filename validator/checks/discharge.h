// From obligations to outcomes: claims are put to both solvers, what does not hold is looked for in executed
// launches, and every verdict is held against executed launches (soundness D1).
#pragma once
#include "smt/portfolio.h"
#include "validator/checks/obligations.h"

namespace hallmark::validator {

struct DischargeOptions {
  smt::Rule rule = smt::Rule::both;
  std::size_t launches = 8;                 // small concrete launches that are executed
  std::uint64_t steps = 120'000;            // instructions of each of them
  std::uint64_t search_steps = 12'000'000;  // and of those executed again for a witness, all together
  std::size_t claims_per_query = 48;
  // Undefined behaviour that the reader of the source saw (uninitialised locals, unsequenced effects): kind
  // `ub` is not proved while there is any.
  std::vector<std::string> undefined{};
};

// Fills the outcome of every obligation of list_obligations(spec, kernel, level). Throws UserError E4001 when
// kernel and specification do not fit, InternalError when an execution contradicts a proof. A Refusal inside
// is an outcome, never an exception.
void discharge(std::vector<Obligation>& obligations, const plan::KernelSpec& spec, const ir::Kernel& kernel,
               Level level, smt::Portfolio& portfolio, const DischargeOptions& options = {});

}  // namespace hallmark::validator
