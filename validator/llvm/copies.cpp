#include "validator/llvm/copies.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace hallmark::validator::source {

namespace {

bool overlap(std::uint64_t a, std::uint64_t a_bytes, std::uint64_t b, std::uint64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

// The variables' addresses do not escape, so that nothing but their own accesses writes them.
bool written_between(const llvm::LoadInst& load, const llvm::StoreInst& store, std::size_t variable,
                     const DirectAccess& source, const AccessesByInstruction& accesses) {
  for (const llvm::Instruction* i = load.getNextNode(); i != &store; i = i->getNextNode()) {
    if (i == nullptr) return true;  // the store comes first in its block
    const auto found = accesses.find(i);
    if (found == accesses.end()) continue;
    for (const auto& [written, a] : found->second)
      if (a.is_write && written == variable && overlap(a.offset, a.bytes, source.offset, source.bytes))
        return true;
  }
  return false;
}

}  // namespace

std::vector<Copy> find_copies(const AccessesByInstruction& accesses) {
  std::vector<Copy> copies;
  for (const auto& [instruction, from] : accesses) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction);
    if (load == nullptr || from.size() != 1 || !load->hasOneUse()) continue;
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(*load->user_begin());
    if (store == nullptr || store->getValueOperand() != load || store->getParent() != load->getParent())
      continue;
    const auto to = accesses.find(store);
    if (to == accesses.end() || to->second.size() != 1 ||
        written_between(*load, *store, from[0].first, from[0].second, accesses))
      continue;
    copies.push_back({const_cast<llvm::LoadInst*>(load), const_cast<llvm::StoreInst*>(store), from[0].first,
                      to->second[0].first, from[0].second.offset, to->second[0].second.offset,
                      from[0].second.bytes});
  }
  return copies;
}

void fold_aggregates(llvm::Function& function) {
  std::vector<llvm::ExtractValueInst*> work;
  for (llvm::Instruction& i : llvm::instructions(function))
    if (auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(&i)) work.push_back(extract);
  for (llvm::ExtractValueInst* extract : work) {
    llvm::Value* member = llvm::FindInsertedValue(extract->getAggregateOperand(), extract->getIndices());
    if (member == nullptr || member == extract) continue;
    extract->replaceAllUsesWith(member);
    extract->eraseFromParent();
  }
  bool changed = true;
  while (changed) {
    changed = false;
    std::vector<llvm::Instruction*> dead;
    for (llvm::Instruction& i : llvm::instructions(function))
      if ((llvm::isa<llvm::InsertValueInst>(i) || llvm::isa<llvm::ExtractValueInst>(i)) && i.use_empty())
        dead.push_back(&i);
    for (llvm::Instruction* i : dead) i->eraseFromParent();
    changed = !dead.empty();
  }
}

void erase_unread_copies(const std::vector<llvm::AllocaInst*>& variables) {
  AccessesByInstruction by_instruction;
  std::vector<llvm::BitVector>
      read;  // of each variable, per byte: whether something other than a copy reads it
  for (llvm::AllocaInst* variable : variables) {
    std::vector<DirectAccess> accesses;
    if (!direct_accesses(*variable, accesses)) continue;
    for (const DirectAccess& a : accesses) by_instruction[a.instruction].emplace_back(read.size(), a);
    read.emplace_back(static_cast<unsigned>(
        variable->getAllocationSizeInBits(variable->getModule()->getDataLayout())->getFixedSize() / 8));
  }
  const std::vector<Copy> copies = find_copies(by_instruction);
  std::map<const llvm::Instruction*, const Copy*> by_load;
  for (const Copy& copy : copies) by_load[copy.load] = &copy;
  for (const auto& [instruction, accesses] : by_instruction) {
    if (by_load.contains(instruction)) continue;
    for (const auto& [variable, a] : accesses)
      if (!a.is_write)
        read[variable].set(static_cast<unsigned>(a.offset), static_cast<unsigned>(a.offset + a.bytes));
  }
  const auto is_read = [&](const Copy& copy) {
    for (std::uint64_t n = 0; n < copy.bytes; ++n)
      if (read[copy.to].test(static_cast<unsigned>(copy.to_offset + n))) return true;
    return false;
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (const Copy& copy : copies) {
      if (!is_read(copy)) continue;
      for (std::uint64_t n = 0; n < copy.bytes; ++n) {
        const auto byte = static_cast<unsigned>(copy.from_offset + n);
        changed = changed || !read[copy.from].test(byte);
        read[copy.from].set(byte);
      }
    }
  }
  for (const Copy& copy : copies) {
    if (is_read(copy)) continue;
    copy.store->eraseFromParent();
    copy.load->eraseFromParent();
  }
}

}  // namespace hallmark::validator::source
