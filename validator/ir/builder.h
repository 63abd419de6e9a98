// Builds a Kernel block by block, then brings it into the form that kernel.h guarantees.
#pragma once
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "validator/ir/kernel.h"

namespace hallmark::validator::ir {

class Builder {
 public:
  explicit Builder(Kernel& kernel) : kernel_(kernel) {}

  Kernel& kernel() { return kernel_; }
  // Interned; `bits` above the type's width are cut off.
  ValueId constant(Type type, std::uint64_t bits);
  BlockId add_block(std::string name);
  ValueId add_block_parameter(BlockId block, Type type, std::string hint = {});
  // Instructions go to the end of this block and carry this place.
  void set_block(BlockId block) { block_ = block; }
  BlockId block() const { return block_; }
  void set_place(const Place& place) { place_ = place; }
  const Place& place() const { return place_; }

  // The reference is good until the next emit.
  Instruction& emit(Opcode opcode, std::vector<ValueId> operands, const std::vector<Type>& results);
  // With one result, which is returned; modify() reaches the instruction just emitted.
  ValueId value(Opcode opcode, std::vector<ValueId> operands, Type result);
  Instruction& modify();

  // The same bits in another type of that width; no instruction where they are a constant, or bits that were
  // cast from that type.
  ValueId cast_bits(ValueId value, Type to);

  void jump(BlockId target);
  void branch(ValueId condition, BlockId then_target, BlockId else_target);
  void finish_block(Terminator::Kind kind);  // leave, trap, unreachable
  Type type_of(ValueId id) const { return kernel_.values[id].type; }

 private:
  Kernel& kernel_;
  BlockId block_ = none;
  Place place_{};
  std::map<std::pair<Type, std::uint64_t>, ValueId> constants_;
};

// Drops unreachable blocks, orders blocks in reverse post-order, replaces block parameters that always hold
// one other value by it, drops results nobody needs (never memory accesses, thread operations or divisions,
// nor operations that carry nsw, nuw or exact, because those bear obligations), and numbers values densely.
// Afterwards verify() holds if the builder's caller kept the rules. `followed`: values that are renamed with
// the kernel's, `none` among them; `none` for those that are gone.
void normalise(Kernel& kernel, std::vector<ValueId>* followed = nullptr);

}  // namespace hallmark::validator::ir
