// Which memory a pointer of the source level points to. CUDA's pointers are generic; where they come from
// says more: kernel parameters point to global memory (CUDA C++ Programming Guide 7.2: only such memory may
// be passed),
// __shared__ and local variables carry their space along.
#pragma once
#include <llvm/IR/Function.h>

#include <map>
#include <optional>

#include "validator/ir/type.h"

namespace hallmark::validator::source {

struct PointerInfo {
  ir::Space space = ir::Space::generic;
  bool non_coherent = false;          // through __ldg
  std::optional<unsigned> aggregate;  // into this by-value parameter: no memory at all
  bool operator==(const PointerInfo&) const = default;
};

class PointerSpaces {
 public:
  explicit PointerSpaces(llvm::Function& function);
  // Of any pointer value, constants included.
  PointerInfo of(const llvm::Value* pointer) const;

 private:
  std::optional<PointerInfo> compute(const llvm::Value* pointer) const;
  static PointerInfo join(const PointerInfo& a, const PointerInfo& b);
  std::map<const llvm::Value*, std::optional<PointerInfo>> known_;
};

// The space of an LLVM address-space number of NVPTX; 0 is generic.
ir::Space space_of_number(unsigned number);

}  // namespace hallmark::validator::source
