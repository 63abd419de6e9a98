// memcpy, memmove and memset of constant size, and loads and stores of whole structures, as typed accesses.
#pragma once
#include <llvm/IR/Function.h>

#include <cstdint>
#include <vector>

namespace hallmark::validator::source {

// The scalars inside a type, with their byte offsets.
struct Leaf {
  llvm::Type* type = nullptr;
  std::uint64_t offset = 0;
};
std::vector<Leaf> leaves(llvm::Type* type, const llvm::DataLayout& layout);

// A copy of 2 or 4 equal scalars that is aligned as a whole (float4) becomes one vector access, so that its
// alignment stays visible. What has no constant size or is too large is left as it is.
void expand_memory_operations(llvm::Function& function);

}  // namespace hallmark::validator::source
