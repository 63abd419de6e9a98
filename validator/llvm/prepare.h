// Brings Clang's unoptimised IR of one kernel into SSA form without using undefinedness: no pass that may
// assume that undefined behaviour does not occur runs before it has been looked for (soundness G1).
//
// In order: what is promised (__builtin_assume) becomes a condition; every defined function is inlined;
// accesses out of scope are looked for (hidden_faults.h); memcpy and memset of constant size become typed
// loads and stores; variables that hold pointers (references, `this`) become values; then the
// definite-assignment analysis of assignment.h decides for each remaining local variable whether every read
// follows an assignment on every path. Those for which it holds become values (LLVM's SROA). The others stay
// memory, so that a read of a byte that nobody wrote remains visible to the checks (kind `init`), as do
// arrays with computed indices. Loops of constant length around such indices are taken apart first (peel.h).
#pragma once
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "validator/llvm/hidden_faults.h"

namespace hallmark::validator::source {

struct UnassignedRead {
  std::string variable;
  const llvm::Instruction* read = nullptr;
  llvm::DebugLoc where;
};

struct Prepared {
  std::vector<UnassignedRead> reads;  // that some path reaches before an assignment
  std::vector<HiddenFault> faults;    // of which the IR shows nothing any more
  bool rests_on_placement = false;    // misaligned_accesses
};

// For each kernel, in the order given.
std::vector<Prepared> prepare(llvm::Module& module, const std::vector<llvm::Function*>& kernels);

}  // namespace hallmark::validator::source
