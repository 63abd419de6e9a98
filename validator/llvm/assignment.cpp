#include "validator/llvm/assignment.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <map>
#include <set>

#include "validator/llvm/copies.h"

namespace hallmark::validator::source {

namespace {

constexpr std::uint64_t largest_variable = 4096;  // bytes; a larger one stays memory

bool collect(llvm::Value& pointer, std::uint64_t offset, std::uint64_t size, const llvm::DataLayout& layout,
             std::vector<DirectAccess>& accesses) {
  for (llvm::User* user : pointer.users()) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      if (load->isVolatile()) return false;
      accesses.push_back({load, offset, layout.getTypeStoreSize(load->getType()).getFixedSize(), false});
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      if (store->getPointerOperand() != &pointer || store->getValueOperand() == &pointer ||
          store->isVolatile())
        return false;
      accesses.push_back(
          {store, offset, layout.getTypeStoreSize(store->getValueOperand()->getType()).getFixedSize(), true});
    } else if (auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
      llvm::APInt step(layout.getIndexTypeSizeInBits(gep->getType()), 0);
      if (!gep->accumulateConstantOffset(layout, step)) return false;
      const std::int64_t inner = static_cast<std::int64_t>(offset) + step.getSExtValue();
      if (inner < 0 || !collect(*gep, static_cast<std::uint64_t>(inner), size, layout, accesses))
        return false;
    } else if (llvm::isa<llvm::BitCastInst>(user)) {
      if (!collect(*user, offset, size, layout, accesses)) return false;
    } else if (!llvm::isa<llvm::DbgInfoIntrinsic>(user)) {
      return false;
    }
  }
  return true;
}

std::string variable_name(const llvm::AllocaInst& variable) {
  std::string name = variable.getName().str();
  if (const std::size_t dot = name.find(".addr"); dot != std::string::npos) name.resize(dot);
  return name;
}

}  // namespace

bool direct_accesses(llvm::AllocaInst& variable, std::vector<DirectAccess>& accesses) {
  const llvm::DataLayout& layout = variable.getModule()->getDataLayout();
  const auto size = variable.getAllocationSizeInBits(layout);
  if (!variable.isStaticAlloca() || !size || size->getFixedSize() / 8 > largest_variable) return false;
  const std::uint64_t bytes = size->getFixedSize() / 8;
  if (!collect(variable, 0, bytes, layout, accesses)) return false;
  for (const DirectAccess& a : accesses)
    if (a.offset > bytes || a.bytes > bytes - a.offset) return false;  // outside: stays visible to `bounds`
  return true;
}

AssignmentResult check_assignment(llvm::Function& function, const std::vector<llvm::AllocaInst*>& variables) {
  AssignmentResult result;
  struct Tracked {
    llvm::AllocaInst* variable;
    unsigned first;  // its first bit
  };
  std::vector<Tracked> tracked;
  AccessesByInstruction by_instruction;
  unsigned bits = 0;
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  for (llvm::AllocaInst* variable : variables) {
    std::vector<DirectAccess> accesses;
    if (!direct_accesses(*variable, accesses)) {
      result.kept.push_back(variable);
      continue;
    }
    for (const DirectAccess& a : accesses) by_instruction[a.instruction].emplace_back(tracked.size(), a);
    tracked.push_back({variable, bits});
    bits += static_cast<unsigned>(variable->getAllocationSizeInBits(layout)->getFixedSize() / 8);
  }

  // Forward, all paths: a byte is assigned at the start of a block if it is at the end of all predecessors.
  llvm::ReversePostOrderTraversal<llvm::Function*> order(&function);
  std::map<const llvm::BasicBlock*, llvm::BitVector> at_end;
  const auto start_of = [&](const llvm::BasicBlock* block) {
    if (block == &function.getEntryBlock()) return llvm::BitVector(bits, false);
    llvm::BitVector state(bits, true);
    for (const llvm::BasicBlock* predecessor : llvm::predecessors(block))
      if (const auto found = at_end.find(predecessor); found != at_end.end()) state &= found->second;
    return state;
  };
  // Copies between two of the variables: the bytes that a store takes from another one.
  std::map<const llvm::Instruction*, unsigned> copied_from;
  std::set<const llvm::Instruction*> copies;
  for (const Copy& copy : find_copies(by_instruction)) {
    copies.insert(copy.load);
    copied_from[copy.store] = tracked[copy.from].first + static_cast<unsigned>(copy.from_offset);
  }
  const auto assign = [&](llvm::BitVector& state, const std::pair<std::size_t, DirectAccess>& a) {
    const unsigned first = tracked[a.first].first + static_cast<unsigned>(a.second.offset);
    const auto copy = copied_from.find(a.second.instruction);
    for (unsigned n = 0; n < a.second.bytes; ++n)
      state[first + n] = copy == copied_from.end() || state.test(copy->second + n);
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (const llvm::BasicBlock* block : order) {
      llvm::BitVector state = start_of(block);
      for (const llvm::Instruction& i : *block)
        if (const auto found = by_instruction.find(&i); found != by_instruction.end())
          for (const auto& a : found->second)
            if (a.second.is_write) assign(state, a);
      llvm::BitVector& end = at_end.try_emplace(block, bits, true).first->second;
      if (end != state) {
        end = state;
        changed = true;
      }
    }
  }
  std::set<std::size_t> unassigned;
  for (const llvm::BasicBlock* block : order) {
    llvm::BitVector state = start_of(block);
    for (const llvm::Instruction& i : *block) {
      const auto found = by_instruction.find(&i);
      if (found == by_instruction.end()) continue;
      for (const auto& a : found->second) {
        if (a.second.is_write) {
          assign(state, a);
          continue;
        }
        if (copies.contains(&i)) continue;
        const unsigned first = tracked[a.first].first + static_cast<unsigned>(a.second.offset);
        bool all = true;
        for (unsigned n = 0; n < a.second.bytes; ++n) all = all && state.test(first + n);
        if (all) continue;
        unassigned.insert(a.first);
        result.reads.push_back({variable_name(*tracked[a.first].variable), &i, i.getDebugLoc()});
      }
    }
  }
  for (std::size_t n = 0; n < tracked.size(); ++n)
    (unassigned.contains(n) ? result.kept : result.assigned).push_back(tracked[n].variable);
  return result;
}

}  // namespace hallmark::validator::source
