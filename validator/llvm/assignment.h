// Definite assignment of local variables, per byte and on every path, on IR in which every access names its
// variable directly (constant offset). A variable declared inside a loop needs no special care: nothing
// before the loop can assign it, so a path on which it is read unassigned exists in the first iteration if in
// any.
#pragma once
#include <llvm/IR/Instructions.h>

#include <vector>

#include "validator/llvm/prepare.h"

namespace hallmark::validator::source {

struct AssignmentResult {
  std::vector<llvm::AllocaInst*> assigned;  // every read follows an assignment
  std::vector<llvm::AllocaInst*> kept;      // some read may not, or some access has a computed address
  std::vector<UnassignedRead> reads;        // of variables whose accesses are all direct
};

AssignmentResult check_assignment(llvm::Function& function, const std::vector<llvm::AllocaInst*>& variables);

// Whether every use of the variable is a load or store at a constant offset (or debug information).
struct DirectAccess {
  llvm::Instruction* instruction = nullptr;
  std::uint64_t offset = 0, bytes = 0;
  bool is_write = false;
};
bool direct_accesses(llvm::AllocaInst& variable, std::vector<DirectAccess>& accesses);

}  // namespace hallmark::validator::source
