// The statement that each launch has to meet, from the formulation and the launch plan alone. Lowering's text
// and its reasons never enter, so a wrong lowering cannot weaken what is proved.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "calculus/program.h"
#include "plan/kernel_spec.h"
#include "plan/launch_plan.h"

namespace hallmark::plan {

// One specification a launch, in launch order. A launch computes each of its definitions whole; the value of
// an element is the definition's term in which every tensor that the launch does not receive as a read-only
// buffer is replaced by its own definition, down to the buffers that it does receive. Throws UserError E7103
// when a launch computes an unknown definition, a plan buffer differs from the program's declaration, a term
// needs an input or constant that the launch does not receive, or an exact program is given; InternalError
// when the plan is malformed (launch_plan.h).
//
// The program's preconditions are requirements of every specification, beside those of the plan.
//
// `elements`: what every admissible element of an integer buffer satisfies (low <= element < high); it
// becomes part of the statement.
using ElementRanges = std::map<std::string, std::pair<Integer, Integer>>;
std::vector<KernelSpec> derive_specs(const calculus::Program& formulation, const LaunchPlan& plan,
                                     const ElementRanges& elements = {});

// The term of one definition over the tensors in `available` (and no others).
calculus::Term inline_definitions(const calculus::Program& formulation, const std::string& definition,
                                  const std::vector<std::string>& available);

}  // namespace hallmark::plan
