#include "validator/llvm/hidden_faults.h"

#include <fmt/format.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <map>
#include <set>

namespace hallmark::validator::source {

namespace {

// The condition that an assumption promises; nullptr where it promises something else.
llvm::Value* promised(llvm::CallInst& call) {
  llvm::IRBuilder<> b(&call);
  llvm::Value* condition = call.getArgOperand(0);
  for (unsigned n = 0; n < call.getNumOperandBundles(); ++n) {
    const llvm::OperandBundleUse bundle = call.getOperandBundleAt(n);
    if (bundle.getTagName() != "align" || bundle.Inputs.size() < 2 || bundle.Inputs.size() > 3)
      return nullptr;
    llvm::Type* word = b.getInt64Ty();
    llvm::Value* address = b.CreatePtrToInt(bundle.Inputs[0], word);
    if (bundle.Inputs.size() == 3)
      address = b.CreateSub(address, b.CreateZExtOrTrunc(bundle.Inputs[2], word));
    llvm::Value* mask = b.CreateSub(b.CreateZExtOrTrunc(bundle.Inputs[1], word), b.getInt64(1));
    llvm::Value* aligned = b.CreateICmpEQ(b.CreateAnd(address, mask), b.getInt64(0));
    condition = b.CreateAnd(condition, aligned);
  }
  return condition;
}

// A scope of the source in one of its inlined copies.
using Scope = std::pair<const llvm::DILocalScope*, const llvm::DILocation*>;

bool contains(const Scope& scope, const llvm::DILocation* place) {
  for (; place != nullptr; place = place->getInlinedAt())
    for (const llvm::DIScope* s = place->getScope(); s != nullptr; s = s->getScope()) {
      if (s == scope.first && place->getInlinedAt() == scope.second) return true;
      if (llvm::isa<llvm::DISubprogram>(s)) break;
    }
  return false;
}

struct Variable {
  Scope scope;
  std::string name;
};

std::map<const llvm::AllocaInst*, Variable> variables_in(llvm::Function& f) {
  std::map<const llvm::AllocaInst*, Variable> out;
  for (llvm::Instruction& i : llvm::instructions(f)) {
    const auto* declared = llvm::dyn_cast<llvm::DbgDeclareInst>(&i);
    if (declared == nullptr || declared->getDebugLoc().get() == nullptr) continue;
    const llvm::DILocalVariable* v = declared->getVariable();
    if (const auto* place = llvm::dyn_cast_or_null<llvm::AllocaInst>(declared->getAddress()))
      out[place] = {{v->getScope(), declared->getDebugLoc()->getInlinedAt()}, v->getName().str()};
  }
  return out;
}

class PointsTo {
 public:
  using Set = std::set<const llvm::AllocaInst*>;

  explicit PointsTo(llvm::Function& f) {
    for (bool changed = true; changed;) {
      changed = false;
      for (llvm::Instruction& i : llvm::instructions(f)) {
        if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i))
          changed |= add(store->getPointerOperand(), targets(store->getValueOperand()));
        else if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&i))
          changed |= add(copy->getRawDest(), held_by(copy->getRawSource()));
      }
    }
  }

  // The variables whose address the value may be.
  Set targets(const llvm::Value* value) const {
    Set out;
    std::set<const llvm::Value*> seen;
    collect(value, out, seen);
    return out;
  }

 private:
  void collect(const llvm::Value* value, Set& out, std::set<const llvm::Value*>& seen) const {
    if (!seen.insert(value).second) return;
    if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(value)) {
      out.insert(variable);
    } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(value)) {
      const Set held = held_by(load->getPointerOperand());
      out.insert(held.begin(), held.end());
    } else if (const auto* user = llvm::dyn_cast<llvm::User>(value); user != nullptr) {
      // Whatever is made of an address: casts, offsets, choices, integers, parts of aggregates.
      if (llvm::isa<llvm::CallBase>(user) || llvm::isa<llvm::GlobalValue>(user)) return;
      for (const llvm::Value* operand : user->operand_values()) collect(operand, out, seen);
    }
  }

  Set held_by(const llvm::Value* pointer) const {
    Set out;
    for (const llvm::AllocaInst* place : targets(pointer))
      if (const auto found = held_.find(place); found != held_.end())
        out.insert(found->second.begin(), found->second.end());
    return out;
  }

  bool add(const llvm::Value* pointer, const Set& held) {
    bool changed = false;
    if (held.empty()) return false;
    for (const llvm::AllocaInst* place : targets(pointer))
      for (const llvm::AllocaInst* variable : held) changed |= held_[place].insert(variable).second;
    return changed;
  }

  std::map<const llvm::AllocaInst*, Set> held_;
};

// The address that an instruction reads or writes at; nullptr where it does neither.
std::vector<const llvm::Value*> addresses_of(const llvm::Instruction& i) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) return {load->getPointerOperand()};
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) return {store->getPointerOperand()};
  if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&i))
    return {copy->getRawDest(), copy->getRawSource()};
  if (const auto* set = llvm::dyn_cast<llvm::MemSetInst>(&i)) return {set->getRawDest()};
  if (const auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&i)) return {atomic->getPointerOperand()};
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i))
    return {exchange->getPointerOperand()};
  return {};
}

}  // namespace

namespace {

// A variable of the function that truth values alone are assigned to.
bool holds_truth_values(const llvm::Value* place) {
  if (!llvm::isa<llvm::AllocaInst>(place)) return false;
  for (const llvm::User* user : place->users()) {
    if (llvm::isa<llvm::LoadInst>(user)) continue;
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user);
    if (call != nullptr && call->isLifetimeStartOrEnd()) continue;
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store == nullptr || store->getPointerOperand() != place) return false;
    const llvm::Value* value = store->getValueOperand();
    const auto* bit = llvm::dyn_cast<llvm::ZExtInst>(value);
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value);
    if (!(bit != nullptr && bit->getSrcTy()->isIntegerTy(1)) &&
        !(number != nullptr && number->getValue().ule(1)))
      return false;
  }
  return true;
}

void unreachable_where(llvm::Value* broken, llvm::Instruction* next, const llvm::DebugLoc& place) {
  llvm::SplitBlockAndInsertIfThen(broken, next, /*Unreachable=*/true)->setDebugLoc(place);
}

}  // namespace

void make_truth_values_explicit(llvm::Module& module) {
  std::vector<llvm::TruncInst*> read;
  for (llvm::Function& f : module)
    for (llvm::Instruction& i : llvm::instructions(f)) {
      auto* bit = llvm::dyn_cast<llvm::TruncInst>(&i);
      if (bit == nullptr || !bit->getType()->isIntegerTy(1) || !bit->getSrcTy()->isIntegerTy(8)) continue;
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(bit->getOperand(0));
      if (load != nullptr && !holds_truth_values(load->getPointerOperand())) read.push_back(bit);
    }
  for (llvm::TruncInst* bit : read) {
    llvm::IRBuilder<> b(bit);
    llvm::Value* byte = bit->getOperand(0);
    unreachable_where(b.CreateICmpUGT(byte, llvm::ConstantInt::get(byte->getType(), 1)), bit,
                      bit->getDebugLoc());
  }
}

void make_assumptions_explicit(llvm::Module& module) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Function& f : module)
    for (llvm::Instruction& i : llvm::instructions(f)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
      const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee != nullptr && callee->getIntrinsicID() == llvm::Intrinsic::assume) calls.push_back(call);
    }
  for (llvm::CallInst* call : calls) {
    llvm::Value* condition = promised(*call);
    if (condition == nullptr) continue;
    llvm::IRBuilder<> b(call);
    llvm::Value* broken = b.CreateNot(condition);
    llvm::Instruction* next = call->getNextNode();
    unreachable_where(broken, next, call->getDebugLoc());
    call->eraseFromParent();
  }
}

std::vector<HiddenFault> accesses_after_scope(llvm::Function& f) {
  const std::map<const llvm::AllocaInst*, Variable> variables = variables_in(f);
  const PointsTo points_to(f);
  std::vector<HiddenFault> out;
  for (llvm::Instruction& i : llvm::instructions(f)) {
    if (i.getDebugLoc().get() == nullptr) continue;
    for (const llvm::Value* address : addresses_of(i)) {
      // The variable named directly is in scope where it is named.
      if (llvm::isa<llvm::AllocaInst>(address->stripInBoundsOffsets())) continue;
      for (const llvm::AllocaInst* variable : points_to.targets(address)) {
        const auto known = variables.find(variable);
        if (known == variables.end() || contains(known->second.scope, i.getDebugLoc().get())) continue;
        out.push_back({i.getDebugLoc(),
                       fmt::format("an access through a pointer that may be to '{}', whose scope has ended",
                                   known->second.name)});
      }
    }
  }
  return out;
}

std::vector<HiddenFault> misaligned_accesses(llvm::Function& f, bool& rests_on_placement) {
  const llvm::DataLayout& layout = f.getParent()->getDataLayout();
  std::vector<HiddenFault> out;
  for (llvm::Instruction& i : llvm::instructions(f)) {
    std::uint64_t wanted = 1;
    const llvm::Value* address = nullptr;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i))
      wanted = load->getAlign().value(), address = load->getPointerOperand();
    else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i))
      wanted = store->getAlign().value(), address = store->getPointerOperand();
    if (address == nullptr || wanted == 1) continue;
    llvm::APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
    const llvm::Value* base = address->stripAndAccumulateConstantOffsets(layout, offset, true);
    const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(base);
    if (variable == nullptr) continue;
    const std::int64_t at = offset.getSExtValue();
    rests_on_placement = rests_on_placement || variable->getAlign().value() < wanted;
    if (at % static_cast<std::int64_t>(wanted) == 0) continue;
    out.push_back({i.getDebugLoc(),
                   fmt::format("an access at byte {} of a local variable asks for an alignment of {} bytes",
                               at, wanted)});
  }
  return out;
}

}  // namespace hallmark::validator::source
