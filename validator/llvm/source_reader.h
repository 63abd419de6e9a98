// Reads CUDA C++ into the kernel IR: Clang's unoptimised device IR (clang.h), brought into SSA form without
// using undefinedness (prepare.h), then mapped instruction by instruction. Device functions of CUDA are known
// by name (lower_calls.cpp); a call of any other function is refused.
//
// Meaning that is fixed here: nvcc's defaults with --fmad=false (no contraction, IEEE division and square
// root, no ftz); integer overflow flags as the text has them; no other optimisation than inlining and SROA.
#pragma once
#include <string>
#include <vector>

#include "validator/ir/module.h"
#include "validator/llvm/clang.h"

namespace hallmark::validator::source {

// A read of a local variable that some path reaches before an assignment. The variable is then memory (an
// array in local space) in the kernel IR.
struct UninitialisedRead {
  std::string variable;
  ir::Place place;
};

// What was decided before any pass ran.
struct SourceFindings {
  std::string kernel;  // its symbol
  std::vector<UninitialisedRead> reads;
  // Undefined behaviour that Clang saw while it read the file, inside or outside this kernel: unsequenced
  // effects, overflow in constant expressions. Kind `ub` is not proved while there is one.
  std::vector<SourceWarning> undefined;
};

struct SourceModule {
  ir::Module module;
  std::vector<SourceFindings> findings;  // one for each kernel of the module, in its order
  std::vector<std::pair<std::string, std::string>> sources;  // files that were read and their SHA-256
  std::vector<std::string> command;  // of Clang's preprocessor, without temporary names
  std::vector<HostLaunch> launches;  // in the host code of the text
};

// Throws what run_clang() throws. A construct that is not understood is the Refusal E3210 of its kernel
// alone; a kernel that does not compile is the Refusal E3211, a template that nothing instantiates E3212.
SourceModule read_cuda(const std::string& file, const ClangOptions& options = {});

}  // namespace hallmark::validator::source
