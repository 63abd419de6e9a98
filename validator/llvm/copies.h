// Copies from one local variable into another, as copying, passing and returning a class makes them. They
// move bytes that may be padding, or the one byte of a class without members, or a member that is not
// assigned yet: a byte counts as read where something other than a copy reads it ([class.copy.ctor],
// [dcl.init] of C++17 leave padding without a value).
#pragma once
#include <llvm/IR/Instructions.h>

#include <map>
#include <vector>

#include "validator/llvm/assignment.h"

namespace hallmark::validator::source {

// The accesses of each instruction, with the number of the variable.
using AccessesByInstruction =
    std::map<const llvm::Instruction*, std::vector<std::pair<std::size_t, DirectAccess>>>;

struct Copy {
  llvm::LoadInst* load = nullptr;
  llvm::StoreInst* store = nullptr;
  std::size_t from = 0, to = 0;  // numbers of variables
  std::uint64_t from_offset = 0, to_offset = 0, bytes = 0;
};

// Loads whose only use is a store into a variable in the same block, with no write of the loaded bytes
// between.
std::vector<Copy> find_copies(const AccessesByInstruction& accesses);

// Members of aggregates that are taken out of the aggregate they were put into.
void fold_aggregates(llvm::Function& function);

// Removes the copies of bytes that nothing but copies reads.
void erase_unread_copies(const std::vector<llvm::AllocaInst*>& variables);

}  // namespace hallmark::validator::source
