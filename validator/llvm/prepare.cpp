#include "validator/llvm/prepare.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "validator/llvm/assignment.h"
#include "validator/llvm/copies.h"
#include "validator/llvm/expand_memory.h"
#include "validator/llvm/peel.h"

namespace hallmark::validator::source {

namespace {

struct Managers {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  Managers() {
    llvm::PassBuilder builder;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
};

std::vector<llvm::AllocaInst*> variables_of(llvm::Function& f) {
  std::vector<llvm::AllocaInst*> result;
  for (llvm::Instruction& i : llvm::instructions(f))
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&i)) result.push_back(variable);
  return result;
}

// References and `this` hide which variable an access means; they must become values first. Only those that
// are assigned before every read.
void promote_pointers(llvm::Function& f, Managers& managers) {
  for (;;) {
    std::vector<llvm::AllocaInst*> pointers;
    for (llvm::AllocaInst* v : variables_of(f))
      if (v->getAllocatedType()->isPointerTy() && llvm::isAllocaPromotable(v)) pointers.push_back(v);
    const AssignmentResult checked = check_assignment(f, pointers);
    if (checked.assigned.empty()) return;
    llvm::DominatorTree tree(f);
    llvm::PromoteMemToReg(checked.assigned, tree);
    managers.functions.invalidate(f, llvm::PreservedAnalyses::none());
  }
}

// A call that takes the variable's address keeps SROA away from it.
llvm::Function* keeper(llvm::Module& module) {
  llvm::LLVMContext& c = module.getContext();
  return llvm::cast<llvm::Function>(
      module
          .getOrInsertFunction(
              "__hallmark_keep",
              llvm::FunctionType::get(llvm::Type::getVoidTy(c), {llvm::Type::getInt8PtrTy(c)}, false))
          .getCallee());
}

// Variables that are assigned before every read become values; returns the reads of the others.
std::vector<UnassignedRead> promote_variables(llvm::Module& module, llvm::Function& f, Managers& managers) {
  erase_unread_copies(variables_of(f));
  const AssignmentResult checked = check_assignment(f, variables_of(f));
  std::vector<llvm::Instruction*> marks;
  for (llvm::AllocaInst* variable : checked.kept) {
    llvm::IRBuilder<> b(variable->getNextNode());
    llvm::Value* address = b.CreatePointerBitCastOrAddrSpaceCast(variable, b.getInt8PtrTy());
    marks.push_back(b.CreateCall(keeper(module), {address}));
  }
  managers.functions.invalidate(f, llvm::PreservedAnalyses::none());
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass());
  passes.run(f, managers.functions);
  for (llvm::Instruction* mark : marks) {
    llvm::Value* address = mark->getOperand(0);
    mark->eraseFromParent();
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(address); cast != nullptr && cast->use_empty())
      cast->eraseFromParent();
  }
  return checked.reads;
}

void add_reads(std::vector<UnassignedRead>& to, const std::vector<UnassignedRead>& found) {
  for (const UnassignedRead& read : found)
    if (std::none_of(to.begin(), to.end(), [&](const UnassignedRead& known) {
          return known.variable == read.variable && known.where == read.where;
        }))
      to.push_back(read);
}

void add_faults(std::vector<HiddenFault>& to, const std::vector<HiddenFault>& found) {
  for (const HiddenFault& fault : found)
    if (std::none_of(to.begin(), to.end(), [&](const HiddenFault& known) {
          return known.text == fault.text && known.where == fault.where;
        }))
      to.push_back(fault);
}

}  // namespace

std::vector<Prepared> prepare(llvm::Module& module, const std::vector<llvm::Function*>& kernels) {
  Managers managers;
  const std::set<llvm::Function*> entries(kernels.begin(), kernels.end());
  for (llvm::Function& f : module) {
    if (f.isDeclaration()) continue;
    f.removeFnAttr(llvm::Attribute::OptimizeNone);
    f.removeFnAttr(llvm::Attribute::NoInline);
    if (!entries.contains(&f)) f.addFnAttr(llvm::Attribute::AlwaysInline);
    for (llvm::Instruction& i : llvm::instructions(f))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) call->removeFnAttr(llvm::Attribute::NoInline);
  }
  make_truth_values_explicit(module);
  make_assumptions_explicit(module);
  llvm::ModulePassManager inlining;
  inlining.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
  inlining.run(module, managers.modules);

  std::vector<Prepared> result;
  for (llvm::Function* f : kernels) {
    Prepared prepared;
    std::vector<UnassignedRead>& reads = prepared.reads;
    llvm::removeUnreachableBlocks(*f);
    add_faults(prepared.faults, accesses_after_scope(*f));
    expand_memory_operations(*f);
    fold_aggregates(*f);
    // Counters become values first; then loops of constant length can be taken apart, which gives arrays
    // direct accesses. A variable with an unassigned read stays memory and is found again in the last round.
    do {
      // A closure that has become values no longer hides the variables whose addresses it held. Where a read
      // follows no assignment nothing more becomes a value: what was copied from there would look assigned.
      for (std::size_t before = 0, now = variables_of(*f).size(); now != before && reads.empty();) {
        before = now;
        promote_pointers(*f, managers);
        add_faults(prepared.faults, misaligned_accesses(*f, prepared.rests_on_placement));
        add_reads(reads, promote_variables(module, *f, managers));
        now = variables_of(*f).size();
      }
    } while (peel_around_local_arrays(*f) && reads.empty());
    result.push_back(std::move(prepared));
  }
  return result;
}

}  // namespace hallmark::validator::source
