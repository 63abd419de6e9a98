// Whether what the stages 3 and 4 say is about the authored program at all. Their files may have been changed
// by hand, with every digest made to fit: what a proof takes from them as given is compared here with what
// the model and the contract give, or it is an obligation (the plan's ranges and requirements:
// validator/launch).
#pragma once
#include "pipeline/choose.h"
#include "pipeline/nvcc.h"
#include "plan/launch_plan.h"

namespace hallmark::pipeline {

// Elected program and formulation have the authored symbols, inputs and outputs; the elected one its
// constants and functions; the formulation's functions are ours, which the accuracy tables speak of. Throws
// UserError E7401.
void check_selection(const Selection& selection, const calculus::Program& authored);

// Whether a text of stage 4 may have that name: a plain name of CUDA text, no path.
bool is_source_name(const std::string& name);

// The plan is one of the formulation (plan::unlike, derive_specs), names kernels and texts by plain names,
// and as the binary of every launch the PTX that is validated, or none where there is none. Throws UserError
// E7401.
void check_artifact(const calculus::Program& formulation, const plan::LaunchPlan& plan, const Ptx& ptx);

}  // namespace hallmark::pipeline
