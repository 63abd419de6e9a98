#include <fmt/format.h>
#include <llvm/IR/Constants.h>

#include "validator/llvm/expand_memory.h"
#include "validator/llvm/lower.h"

namespace hallmark::validator::source {

ir::ValueId Lowering::address(llvm::Value* pointer, const PointerInfo& info) {
  return pointer_in(pointer, info);
}

// Bytes of a by-value structure: the address must be constant.
void Lowering::parameter_load(llvm::LoadInst& i, unsigned parameter) {
  llvm::APInt offset(64, 0);
  const llvm::Value* base = i.getPointerOperand()->stripAndAccumulateConstantOffsets(layout_, offset, true);
  const auto* argument = llvm::dyn_cast<llvm::Argument>(base);
  if (argument == nullptr || argument->getArgNo() != parameter || offset.isNegative())
    refuse("a parameter is read at a computed place");
  Values results;
  for (const Leaf& leaf : leaves(i.getType(), layout_)) {
    if (leaf.type->isPointerTy() && i.getType() != leaf.type) refuse("a pointer inside a vector");
    const ir::Type type = scalar_type(leaf.type);
    const std::uint64_t at = offset.getZExtValue() + leaf.offset;
    if (at + ir::bytes_of(type) > builder_.kernel().parameters[parameter].bytes)
      refuse("a parameter is read outside its bytes");
    if (type == ir::Type::i1) refuse("a bit in memory");
    results.push_back(emit(Op::parameter, {}, type));
    builder_.modify().index = parameter;
    builder_.modify().offset = static_cast<std::uint32_t>(at);
  }
  set(i, std::move(results));
}

void Lowering::load(llvm::LoadInst& i) {
  if (i.isAtomic()) refuse("an atomic load is not understood");
  const PointerInfo info = spaces_.of(i.getPointerOperand());
  if (info.aggregate) return parameter_load(i, *info.aggregate);
  const std::vector<ir::Type> types = scalar_types(i.getType());
  if (i.getType()->isStructTy() || i.getType()->isArrayTy()) refuse("a load of a whole structure");
  if (types.size() != 1 && types.size() != 2 && types.size() != 4) refuse("a vector of this length");
  if (types[0] == ir::Type::i1) refuse("a bit in memory");
  const ValueId from = address(i.getPointerOperand(), info);
  ir::Instruction& made = builder_.emit(Op::load, {from}, types);
  made.space = info.space;
  made.non_coherent = info.non_coherent;
  made.is_volatile = i.isVolatile();
  made.scope = ir::Scope::system;
  made.alignment = static_cast<std::uint32_t>(i.getAlign().value());
  set(i, made.results);
}

void Lowering::store(llvm::StoreInst& i) {
  if (i.isAtomic()) refuse("an atomic store is not understood");
  const PointerInfo info = spaces_.of(i.getPointerOperand());
  if (info.aggregate) refuse("a parameter is written");
  llvm::Value* what = i.getValueOperand();
  if (what->getType()->isStructTy() || what->getType()->isArrayTy()) refuse("a store of a whole structure");
  // Pointers lie in memory as generic addresses.
  const Values parts = what->getType()->isPointerTy() ? Values{generic_pointer(what)} : values(what);
  if (parts.size() != 1 && parts.size() != 2 && parts.size() != 4) refuse("a vector of this length");
  if (builder_.type_of(parts[0]) == ir::Type::i1) refuse("a bit in memory");
  Values operands{address(i.getPointerOperand(), info)};
  operands.insert(operands.end(), parts.begin(), parts.end());
  ir::Instruction& made = builder_.emit(Op::store, std::move(operands), {});
  made.space = info.space;
  made.is_volatile = i.isVolatile();
  made.scope = ir::Scope::system;
  made.alignment = static_cast<std::uint32_t>(i.getAlign().value());
}

}  // namespace hallmark::validator::source
