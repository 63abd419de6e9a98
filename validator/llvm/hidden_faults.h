// Faults of the source that inlining and the promotion of local variables to values would hide: nothing is
// left of them in the IR that the checks see, while C++ says that the behaviour is undefined and nvcc may use
// it.
#pragma once
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace hallmark::validator::source {

struct HiddenFault {
  llvm::DebugLoc where;
  std::string text;
};

// What a call of `llvm.assume` promises becomes a branch to `unreachable` where it does not hold, so that it
// is an obligation of kind `ub`: __builtin_assume, __builtin_assume_aligned. Promises of other kinds stay
// calls, which the reader refuses.
void make_assumptions_explicit(llvm::Module& module);

// A byte of memory that is read as a bool is 0 or 1, or the behaviour is undefined (C++ [basic.fundamental];
// nvcc tests it against 0, Clang takes its lowest bit): a branch to `unreachable` for every other byte.
void make_truth_values_explicit(llvm::Module& module);

// Accesses through pointers to variables whose scope has ended, as far as the scopes of the debug information
// tell. Flow-insensitive: a pointer counts as pointing to every variable whose address is ever stored in it,
// so that a fault may be reported where there is none. Not seen: temporaries, which have no name, and
// addresses that were kept in global or shared memory. After inlining, before any local variable has become a
// value.
std::vector<HiddenFault> accesses_after_scope(llvm::Function& f);

// Accesses to local variables at constant offsets that are no multiple of the alignment that they ask for.
// Before the variables become values. `rests_on_placement`: an offset is a multiple, but the variable itself
// is aligned to less (float4 of a float[4]), which nvcc sees and mends; C++ does not promise it.
std::vector<HiddenFault> misaligned_accesses(llvm::Function& f, bool& rests_on_placement);

}  // namespace hallmark::validator::source
