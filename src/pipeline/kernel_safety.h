// Safety of a kernel without a specification: everything but values. The specification is proposed
// (validator/propose); what only the caller can answer for, how many elements each buffer has, becomes a
// precondition: `bounds` of such accesses are `unrun: bounded` with the precondition under which they are
// proved, and whatever else is proved names in `assumptions` what it rests on.
//
// What is not decided for every block is tried again for blocks of one usual size; a proof for one block size
// is `unrun: bounded`, never `proved`. So is `overflow` where it rests on buffers with fewer than 2^31
// elements.
#pragma once
#include <string>
#include <vector>

#include "pipeline/kernels.h"
#include "validator/propose/signature.h"

namespace hallmark::pipeline {

struct SafetyRequest {
  validator::LaunchHint launch;
  // Conditions on sizes and launch in the notation of specifications: "n % 4 = 0". A size that one of them
  // names has the range of its format and what the conditions say.
  std::vector<std::string> conditions;
};

struct Safety {
  std::vector<Obligation> obligations;
  std::vector<std::string> notes;  // assumptions and preconditions, for a person
  std::string specification;       // the proposal as text; empty where the kernel has none
};

// Throws UserError E1101..E1121 for a condition that cannot be read. A missing text gives obligations that
// say why.
Safety check_safety(const std::string& kernel, const KernelText& text, Level level,
                    const SafetyRequest& request, smt::Portfolio& portfolio);

// The proposal of validator/propose/signature.h with what the request says of launch and sizes.
validator::Signature requested_signature(const validator::ir::Kernel& kernel, const SafetyRequest& request);

// The proposal alone, with remarks on what is assumed as comments, as the text of a specification that may be
// edited.
std::string proposed_specification(const validator::ir::Kernel& kernel, const SafetyRequest& request,
                                   smt::Portfolio& portfolio);

}  // namespace hallmark::pipeline
