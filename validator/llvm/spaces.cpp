#include "validator/llvm/spaces.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

namespace hallmark::validator::source {

ir::Space space_of_number(unsigned number) {
  switch (number) {
    case 1:
      return ir::Space::global;
    case 3:
      return ir::Space::shared;
    case 4:
      return ir::Space::constant;
    case 5:
      return ir::Space::local;
    default:
      return ir::Space::generic;
  }
}

PointerInfo PointerSpaces::join(const PointerInfo& a, const PointerInfo& b) {
  if (a == b) return a;
  PointerInfo result;
  if (a.space == b.space && a.aggregate == b.aggregate) {
    result = a;
    result.non_coherent = false;
  }
  return result;
}

// Nothing for what no defined pointer has reached yet (null, undef, loops).
std::optional<PointerInfo> PointerSpaces::compute(const llvm::Value* pointer) const {
  if (const auto known = known_.find(pointer); known != known_.end()) return known->second;
  if (llvm::isa<llvm::ConstantPointerNull>(pointer) || llvm::isa<llvm::UndefValue>(pointer))
    return std::nullopt;
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(pointer)) {
    const unsigned number = variable->getType()->getPointerAddressSpace();
    if (number == 0)
      return PointerInfo{variable->isConstant() ? ir::Space::constant : ir::Space::global, false, {}};
    return PointerInfo{space_of_number(number), false, {}};
  }
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(pointer)) {
    if (argument->hasByValAttr()) return PointerInfo{ir::Space::generic, false, argument->getArgNo()};
    return PointerInfo{ir::Space::global, false, {}};
  }
  if (const auto* op = llvm::dyn_cast<llvm::Operator>(pointer)) {
    switch (op->getOpcode()) {
      case llvm::Instruction::GetElementPtr:
      case llvm::Instruction::BitCast:
      case llvm::Instruction::Freeze:
        return compute(op->getOperand(0));
      case llvm::Instruction::AddrSpaceCast: {
        const ir::Space to = space_of_number(op->getType()->getPointerAddressSpace());
        const auto from = compute(op->getOperand(0));
        if (to == ir::Space::generic) return from;
        return PointerInfo{to, from && from->non_coherent, {}};
      }
      case llvm::Instruction::Alloca:
        return PointerInfo{ir::Space::local, false, {}};
      case llvm::Instruction::Call: {
        const auto* call = llvm::dyn_cast<llvm::CallInst>(op);
        const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
        if (callee != nullptr && callee->getName() == "__hallmark_non_coherent" && call->arg_size() == 1) {
          auto info = compute(call->getArgOperand(0));
          if (info) info->non_coherent = true;
          return info;
        }
        break;
      }
      default:
        break;
    }
  }
  return PointerInfo{space_of_number(pointer->getType()->getPointerAddressSpace()), false, {}};
}

PointerSpaces::PointerSpaces(llvm::Function& function) {
  // Joins start from nothing and grow until no phi or select changes.
  std::vector<const llvm::Instruction*> joins;
  for (const llvm::Instruction& i : llvm::instructions(function))
    if (i.getType()->isPointerTy() && (llvm::isa<llvm::PHINode>(i) || llvm::isa<llvm::SelectInst>(i))) {
      joins.push_back(&i);
      known_[&i] = std::nullopt;
    }
  bool changed = true;
  while (changed) {
    changed = false;
    for (const llvm::Instruction* i : joins) {
      std::optional<PointerInfo> sum;
      for (const llvm::Use& use : i->operands()) {
        if (!use->getType()->isPointerTy()) continue;
        const auto one = compute(use.get());
        if (one) sum = sum ? join(*sum, *one) : *one;
      }
      if (known_[i] != sum) {
        known_[i] = sum;
        changed = true;
      }
    }
  }
}

PointerInfo PointerSpaces::of(const llvm::Value* pointer) const {
  return compute(pointer).value_or(PointerInfo{});
}

}  // namespace hallmark::validator::source
