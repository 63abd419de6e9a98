#include "validator/llvm/peel.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <map>
#include <vector>

namespace hallmark::validator::source {

namespace {

constexpr unsigned most_iterations = 64;
constexpr std::size_t most_instructions = 20000;  // of the function after it

bool is_local(const llvm::Value* pointer) {
  return llvm::isa<llvm::AllocaInst>(pointer->stripInBoundsOffsets());
}

bool has_computed_index(const llvm::Loop& loop) {
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& i : *block) {
      const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&i);
      if (gep == nullptr || gep->hasAllConstantIndices() || !is_local(gep->getPointerOperand())) continue;
      for (const llvm::Use& index : gep->indices())
        if (!loop.isLoopInvariant(index)) return true;
    }
  return false;
}

bool overflows(const llvm::Instruction& i) {
  const auto* operation = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&i);
  if (operation == nullptr) return false;
  const auto* a = llvm::dyn_cast<llvm::ConstantInt>(i.getOperand(0));
  const auto* b = llvm::dyn_cast<llvm::ConstantInt>(i.getOperand(1));
  if (a == nullptr || b == nullptr) return true;
  bool is_signed = false, is_unsigned = false;
  switch (i.getOpcode()) {
    case llvm::Instruction::Add:
      (void)a->getValue().sadd_ov(b->getValue(), is_signed);
      (void)a->getValue().uadd_ov(b->getValue(), is_unsigned);
      break;
    case llvm::Instruction::Sub:
      (void)a->getValue().ssub_ov(b->getValue(), is_signed);
      (void)a->getValue().usub_ov(b->getValue(), is_unsigned);
      break;
    case llvm::Instruction::Mul:
      (void)a->getValue().smul_ov(b->getValue(), is_signed);
      (void)a->getValue().umul_ov(b->getValue(), is_unsigned);
      break;
    default:
      return operation->hasNoSignedWrap() || operation->hasNoUnsignedWrap();
  }
  return (operation->hasNoSignedWrap() && is_signed) || (operation->hasNoUnsignedWrap() && is_unsigned);
}

// Integer operations whose operands are all numbers.
llvm::Constant* folded(llvm::Instruction& i) {
  if (!llvm::isa<llvm::BinaryOperator>(i) && !llvm::isa<llvm::CmpInst>(i) && !llvm::isa<llvm::CastInst>(i) &&
      !llvm::isa<llvm::SelectInst>(i))
    return nullptr;
  if (!i.getType()->isIntegerTy()) return nullptr;
  for (const llvm::Use& operand : i.operands())
    if (!llvm::isa<llvm::ConstantInt>(operand)) return nullptr;
  if (overflows(i)) return nullptr;
  llvm::Constant* value = llvm::ConstantFoldInstruction(&i, i.getModule()->getDataLayout());
  return value != nullptr && llvm::isa<llvm::ConstantInt>(value) ? value : nullptr;
}

void fold_constants(llvm::Function& f) {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = llvm::inst_begin(f); it != llvm::inst_end(f);) {
      llvm::Instruction& i = *it++;
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&i);
          phi != nullptr && phi->getNumIncomingValues() == 1 && phi->getIncomingValue(0) != phi) {
        phi->replaceAllUsesWith(phi->getIncomingValue(0));
        phi->eraseFromParent();
        changed = true;
      } else if (llvm::Constant* value = folded(i); value != nullptr) {
        i.replaceAllUsesWith(value);
        i.eraseFromParent();
        changed = true;
      }
    }
    for (llvm::BasicBlock& block : f) changed |= llvm::ConstantFoldTerminator(&block);
    changed |= llvm::removeUnreachableBlocks(f);
  }
}

// One iteration in front of the loop: its blocks are copied, the preheader enters the copy, and what went
// back to the header from the copy enters the loop.
void peel_once(llvm::Loop& loop, unsigned number) {
  llvm::BasicBlock *header = loop.getHeader(), *before = loop.getLoopPreheader(),
                   *latch = loop.getLoopLatch();
  llvm::Function& f = *header->getParent();
  llvm::ValueToValueMapTy map;
  std::vector<llvm::BasicBlock*> copies;
  for (llvm::BasicBlock* block : loop.blocks()) {
    llvm::BasicBlock* copy = llvm::CloneBasicBlock(block, map, ".peel" + llvm::Twine(number), &f);
    map[block] = copy;
    copies.push_back(copy);
  }
  // The header's values are those at entry.
  for (llvm::PHINode& phi : header->phis()) {
    auto* copy = llvm::cast<llvm::PHINode>(map[&phi]);
    map[&phi] = phi.getIncomingValueForBlock(before);
    copy->eraseFromParent();
  }
  for (llvm::BasicBlock* copy : copies)
    for (llvm::Instruction& i : *copy)
      llvm::RemapInstruction(&i, map, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
  auto* copied_header = llvm::cast<llvm::BasicBlock>(map[header]);
  auto* copied_latch = llvm::cast<llvm::BasicBlock>(map[latch]);
  copied_latch->getTerminator()->replaceSuccessorWith(copied_header, header);
  before->getTerminator()->replaceSuccessorWith(header, copied_header);
  for (llvm::PHINode& phi : header->phis()) {
    llvm::Value* next = phi.getIncomingValueForBlock(latch);
    if (const auto found = map.find(next); found != map.end()) next = found->second;
    const int entry = phi.getBasicBlockIndex(before);
    phi.setIncomingValue(static_cast<unsigned>(entry), next);
    phi.setIncomingBlock(static_cast<unsigned>(entry), copied_latch);
  }
  // Exits have one more way in for each copied edge.
  for (llvm::BasicBlock* block : loop.blocks())
    for (llvm::BasicBlock* successor : llvm::successors(block)) {
      if (loop.contains(successor)) continue;
      for (llvm::PHINode& phi : successor->phis()) {
        llvm::Value* value = phi.getIncomingValueForBlock(block);
        if (const auto found = map.find(value); found != map.end()) value = found->second;
        phi.addIncoming(value, llvm::cast<llvm::BasicBlock>(map[block]));
      }
    }
}

std::size_t size_of(const llvm::Loop& loop) {
  std::size_t count = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) count += block->size();
  return count;
}

// A loop whose own indices move and in which no other such loop stands.
llvm::Loop* candidate(const std::vector<llvm::Loop*>& loops, llvm::ScalarEvolution& evolution,
                      std::size_t size, unsigned& iterations) {
  for (llvm::Loop* loop : loops) {
    if (llvm::Loop* inner = candidate(loop->getSubLoops(), evolution, size, iterations); inner != nullptr)
      return inner;
    if (!has_computed_index(*loop) || !loop->isLoopSimplifyForm() || !loop->isSafeToClone()) continue;
    // The length, and the visit that leaves the loop at its top.
    iterations = evolution.getSmallConstantTripCount(loop);
    if (iterations == 0 || iterations > most_iterations) continue;
    if (size + size_of(*loop) * iterations <= most_instructions) return loop;
  }
  return nullptr;
}

}  // namespace

bool peel_around_local_arrays(llvm::Function& f) {
  bool computed = false;
  for (llvm::Instruction& i : llvm::instructions(f))
    if (auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&i))
      computed = computed || (!gep->hasAllConstantIndices() && is_local(gep->getPointerOperand()));
  if (!computed) return false;
  llvm::DominatorTree tree(f);
  llvm::LoopInfo loops(tree);
  llvm::AssumptionCache assumptions(f);
  llvm::TargetLibraryInfoImpl library_data;
  llvm::TargetLibraryInfo library(library_data);
  llvm::ScalarEvolution evolution(f, library, assumptions, tree, loops);
  const std::vector<llvm::Loop*> outer(loops.begin(), loops.end());
  for (llvm::Loop* loop : outer)
    llvm::simplifyLoop(loop, &tree, &loops, &evolution, &assumptions, nullptr, false);
  unsigned iterations = 0;
  llvm::Loop* loop = candidate(outer, evolution, f.getInstructionCount(), iterations);
  if (loop == nullptr) return false;
  llvm::formLCSSARecursively(*loop, tree, &loops, &evolution);
  const llvm::WeakVH rest(loop->getHeader());
  for (unsigned n = 0; n < iterations; ++n) {
    peel_once(*loop, n);
    // The last copy's latch is where the loop is entered from now on.
    llvm::BasicBlock* header = loop->getHeader();
    llvm::BasicBlock* before = nullptr;
    for (llvm::BasicBlock* p : llvm::predecessors(header))
      if (!loop->contains(p)) before = p;
    // A preheader of its own, so that the next copy can be put between.
    llvm::BasicBlock* entry =
        llvm::BasicBlock::Create(f.getContext(), header->getName() + ".entry", &f, header);
    llvm::BranchInst::Create(header, entry);
    before->getTerminator()->replaceSuccessorWith(header, entry);
    for (llvm::PHINode& phi : header->phis()) phi.replaceIncomingBlockWith(before, entry);
  }
  fold_constants(f);
  return static_cast<llvm::Value*>(rest) == nullptr;
}

}  // namespace hallmark::validator::source
