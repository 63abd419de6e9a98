// Brings Clang's unoptimised IR of one kernel into SSA form without using undefinedness: no pass that may
// assume that undefined behaviour does not occur runs before it has been looked for (soundness G1).
//
// In order: every defined function is inlined; memcpy and memset of constant size become typed loads and
// stores; variables that hold pointers (references, `this`) become values; then the definite-assignment
// analysis of assignment.h decides for each remaining local variable whether every read follows an assignment
// on every path. Those for which it holds become values (LLVM's SROA). The others stay memory, so that a read
// of a byte that nobody wrote remains visible to the checks (kind `init`), as do arrays with computed
// indices. Loops of constant length around such indices are taken apart first (peel.h).
#pragma once
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace hallmark::validator::source {

struct UnassignedRead {
  std::string variable;
  const llvm::Instruction* read = nullptr;
  llvm::DebugLoc where;
};

// For each kernel, in the order given, the reads that some path reaches before an assignment.
std::vector<std::vector<UnassignedRead>> prepare(llvm::Module& module,
                                                 const std::vector<llvm::Function*>& kernels);

}  // namespace hallmark::validator::source
