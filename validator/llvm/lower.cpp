#include "validator/llvm/lower.h"

#include <fmt/format.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <filesystem>

#include "validator/ir/demangle.h"
#include "validator/llvm/expand_memory.h"

namespace hallmark::validator::source {

Lowering::Lowering(llvm::Function& function, const std::string& main_file, const std::string& stub_folder,
                   ir::Kernel& kernel, std::string opaque_fragments)
    : function_(function),
      main_file_(main_file),
      stub_folder_(stub_folder),
      layout_(function.getParent()->getDataLayout()),
      builder_(kernel),
      spaces_(function),
      opaque_fragments_(std::move(opaque_fragments)) {
  file_number(main_file);
}

std::uint32_t Lowering::file_number(const std::string& name) {
  const auto [it, fresh] =
      files_.try_emplace(name, static_cast<std::uint32_t>(builder_.kernel().source_files.size()));
  if (fresh) builder_.kernel().source_files.push_back(name);
  return it->second;
}

// Debug information splits names into folder and rest wherever they share a prefix with the current folder.
std::string Lowering::file_name(const llvm::DILocation& at) const {
  const std::string name = at.getFilename().str(), folder = at.getDirectory().str();
  const std::filesystem::path full =
      (name.starts_with('/') ? std::filesystem::path(name) : std::filesystem::path(folder) / name)
          .lexically_normal();
  const std::filesystem::path main = std::filesystem::absolute(main_file_).lexically_normal();
  if (full == main) return main_file_;
  // Beside the main file: named as the user would name it.
  const std::string prefix = main.parent_path().string() + "/";
  if (full.string().starts_with(prefix))
    return (std::filesystem::path(main_file_).parent_path() / full.string().substr(prefix.size())).string();
  return full.string();
}

// The innermost place in a file of the user's: functions of the stub headers are shown at their call.
ir::Place Lowering::place_of(const llvm::DebugLoc& location) {
  ir::Place place;
  for (const llvm::DILocation* at = location.get(); at != nullptr; at = at->getInlinedAt()) {
    const std::string name = file_name(*at);
    if (name.starts_with(stub_folder_)) continue;
    place.line = place.source_line = at->getLine();
    place.column = at->getColumn();
    place.source_file = file_number(name);
    return place;
  }
  return place;
}

std::string Lowering::describe(const llvm::Instruction& i) const {
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) {
    const llvm::Function* callee = call->getCalledFunction();
    if (callee != nullptr) {
      const std::string name = ir::demangled_name(callee->getName().str());
      const bool tensor_cores = name.starts_with("nvcuda::wmma::");
      return "the function " + name + (tensor_cores ? " (tensor cores are read from PTX: --level ptx)" : "");
    }
    return call->isInlineAsm() ? "inline assembly" : "a call through a pointer";
  }
  return fmt::format("the instruction `{}`", i.getOpcodeName());
}

void Lowering::refuse(const std::string& what) {
  Location where;
  where.node = "kernel " + builder_.kernel().source_name;
  where.file = main_file_;
  std::string construct;
  if (current_ != nullptr) {
    const ir::Place place = place_of(current_->getDebugLoc());
    if (place.source_file != ir::none) where.file = builder_.kernel().source_files[place.source_file];
    where.line = place.line;
    where.column = place.column;
    construct = describe(*current_) + ": ";
  }
  throw Refusal("E3210", construct + what, where);
}

void Lowering::declare_parameters() {
  ir::Kernel& k = builder_.kernel();
  llvm::DITypeRefArray types;
  if (const llvm::DISubprogram* program = function_.getSubprogram())
    if (const llvm::DISubroutineType* type = program->getType()) types = type->getTypeArray();
  for (llvm::Argument& a : function_.args()) {
    ir::Parameter p;
    p.name = a.getName().str();
    if (a.hasByValAttr()) {
      llvm::Type* type = a.getParamByValType();
      p.kind = ir::Parameter::Kind::aggregate;
      p.bytes = static_cast<std::uint32_t>(layout_.getTypeAllocSize(type).getFixedSize());
      p.alignment = static_cast<std::uint32_t>(a.getParamAlign().valueOrOne().value());
      p.type = ir::Type::i8;
    } else if (a.getType()->isPointerTy()) {
      llvm::Type* pointee = a.getType()->getPointerElementType();
      p.kind = ir::Parameter::Kind::pointer;
      p.is_restrict = a.hasNoAliasAttr();
      if (pointee->isSized()) p.pointee_alignment = layout_.getABITypeAlignment(pointee);
      if ((pointee->isIntegerTy() &&
           (pointee->getIntegerBitWidth() == 8 || pointee->getIntegerBitWidth() == 16 ||
            pointee->getIntegerBitWidth() == 32 || pointee->getIntegerBitWidth() == 64)) ||
          pointee->isFloatTy() || pointee->isDoubleTy() || pointee->isHalfTy() || pointee->isBFloatTy())
        p.pointee = scalar_type(pointee);
      if (types && a.getArgNo() + 1 < types.size()) {
        // Through typedefs and qualifiers to the pointer, then to what it points to.
        const llvm::DIType* type = types[a.getArgNo() + 1];
        while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
          const bool is_pointer = derived->getTag() == llvm::dwarf::DW_TAG_pointer_type;
          type = derived->getBaseType();
          if (!is_pointer) continue;
          const auto* target = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type);
          p.is_read_only = target != nullptr && target->getTag() == llvm::dwarf::DW_TAG_const_type;
          break;
        }
      }
    } else {
      p.type = scalar_type(a.getType());
      p.bytes = p.alignment = ir::bytes_of(p.type);
    }
    k.parameters.push_back(std::move(p));
  }
  const llvm::NamedMDNode* annotations = function_.getParent()->getNamedMetadata("nvvm.annotations");
  if (annotations == nullptr) return;
  for (const llvm::MDNode* node : annotations->operands()) {
    if (node->getNumOperands() < 3) continue;
    const auto* subject = llvm::dyn_cast_or_null<llvm::ValueAsMetadata>(node->getOperand(0));
    if (subject == nullptr || subject->getValue() != &function_) continue;
    for (unsigned n = 1; n + 1 < node->getNumOperands(); n += 2) {
      const auto* name = llvm::dyn_cast<llvm::MDString>(node->getOperand(n));
      const auto* number = llvm::mdconst::dyn_extract<llvm::ConstantInt>(node->getOperand(n + 1));
      if (name == nullptr || number == nullptr) continue;
      if (name->getString() == "maxntidx")
        k.maximum_block = {static_cast<std::uint32_t>(number->getZExtValue()), 1, 1};
    }
  }
}

std::string Lowering::run() {
  ir::Kernel& k = builder_.kernel();
  const ir::BlockId entry = builder_.add_block("entry");
  builder_.set_block(entry);
  declare_parameters();
  // Parameters and local arrays belong to the entry.
  for (llvm::Argument& a : function_.args()) {
    if (a.hasByValAttr()) continue;
    const ir::Type type = scalar_type(a.getType());
    const ValueId value = emit(Op::parameter, {}, type);
    builder_.modify().index = a.getArgNo();
    set(a, {value});
  }
  llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
  for (llvm::BasicBlock* b : order) {
    const ir::BlockId number =
        b == &function_.getEntryBlock() ? entry : builder_.add_block(b->getName().str());
    blocks_[b] = number;
    origin_[number] = b;
    for (llvm::PHINode& phi : b->phis()) {
      current_ = &phi;
      Values parameters;
      for (ir::Type type : scalar_types(phi.getType()))
        parameters.push_back(builder_.add_block_parameter(number, type, phi.getName().str()));
      set(phi, std::move(parameters));
    }
  }
  for (llvm::BasicBlock* b : order) block(*b);
  fill_edges();
  current_ = nullptr;
  bool multiplies = false, adds = false;  // with the operators of the language, which a compiler may fuse
  for (const llvm::BasicBlock* b : order)
    for (const llvm::Instruction& i : *b) {
      multiplies = multiplies || i.getOpcode() == llvm::Instruction::FMul;
      adds = adds || i.getOpcode() == llvm::Instruction::FAdd || i.getOpcode() == llvm::Instruction::FSub;
    }
  k.rests_on_no_contraction = multiplies && adds;
  return ir::finish_reading(k, std::move(fragments_));
}

void Lowering::block(llvm::BasicBlock& b) {
  builder_.set_block(blocks_.at(&b));
  for (llvm::Instruction& i : b) {
    current_ = &i;
    builder_.set_place(place_of(i.getDebugLoc()));
    if (i.isTerminator())
      terminator(i);
    else
      instruction(i);
  }
}

void Lowering::terminator(llvm::Instruction& i) {
  exits_[i.getParent()].push_back(builder_.block());
  if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(&i)) {
    if (branch->isUnconditional()) return builder_.jump(blocks_.at(branch->getSuccessor(0)));
    return builder_.branch(value(branch->getCondition()), blocks_.at(branch->getSuccessor(0)),
                           blocks_.at(branch->getSuccessor(1)));
  }
  if (auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&i)) return switch_chain(*choice);
  if (llvm::isa<llvm::ReturnInst>(i)) return builder_.finish_block(ir::Terminator::Kind::leave);
  if (llvm::isa<llvm::UnreachableInst>(i)) {
    // After __trap(). Clang's own llvm.trap stands where control runs off the end of a function with a
    // result, which C++ says never happens.
    const auto* before = llvm::dyn_cast_or_null<llvm::CallInst>(i.getPrevNonDebugInstruction());
    const llvm::Function* callee = before == nullptr ? nullptr : before->getCalledFunction();
    const bool trap = callee != nullptr && (callee->getName() == "__trap");
    return builder_.finish_block(trap ? ir::Terminator::Kind::trap : ir::Terminator::Kind::unreachable);
  }
  refuse("is not understood");
}

void Lowering::switch_chain(llvm::SwitchInst& i) {
  const ValueId subject = value(i.getCondition());
  const ir::Type type = builder_.type_of(subject);
  for (const auto& choice : i.cases()) {
    const ValueId equal =
        compare(ir::Predicate::equal, subject, constant_bits(type, choice.getCaseValue()->getZExtValue()));
    const ir::BlockId next = builder_.add_block("");
    builder_.branch(equal, blocks_.at(choice.getCaseSuccessor()), next);
    builder_.set_block(next);
    exits_[i.getParent()].push_back(next);
  }
  builder_.jump(blocks_.at(i.getDefaultDest()));
}

void Lowering::fill_edges() {
  for (const auto& [number, to] : origin_) {
    if (to->phis().empty()) continue;
    std::vector<const llvm::BasicBlock*> done;
    for (const llvm::BasicBlock* from : llvm::predecessors(to)) {
      if (!blocks_.contains(from) || std::find(done.begin(), done.end(), from) != done.end()) continue;
      done.push_back(from);
      for (ir::BlockId exit : exits_.at(from)) {
        for (std::size_t e = 0; e < builder_.kernel().blocks[exit].terminator.edges.size(); ++e) {
          if (builder_.kernel().blocks[exit].terminator.edges[e].target != number) continue;
          builder_.set_block(exit);
          builder_.set_place(place_of(from->getTerminator()->getDebugLoc()));
          Values arguments;
          for (const llvm::PHINode& phi : to->phis()) {
            current_ = const_cast<llvm::PHINode*>(&phi);
            llvm::Value* incoming = phi.getIncomingValueForBlock(from);
            if (incoming->getType()->isPointerTy()) {
              arguments.push_back(pointer_in(incoming, spaces_.of(&phi)));
            } else {
              for (ValueId v : values(incoming)) arguments.push_back(v);
            }
          }
          builder_.kernel().blocks[exit].terminator.edges[e].arguments = std::move(arguments);
        }
      }
    }
  }
}

void Lowering::instruction(llvm::Instruction& i) {
  if (llvm::isa<llvm::DbgInfoIntrinsic>(i) || llvm::isa<llvm::PHINode>(i)) return;
  if (auto* op = llvm::dyn_cast<llvm::BinaryOperator>(&i)) return arithmetic(*op);
  if (auto* op = llvm::dyn_cast<llvm::CastInst>(&i)) return cast(*op);
  if (auto* op = llvm::dyn_cast<llvm::CmpInst>(&i)) return comparison(*op);
  if (auto* op = llvm::dyn_cast<llvm::SelectInst>(&i)) return select(*op);
  if (auto* op = llvm::dyn_cast<llvm::LoadInst>(&i)) return load(*op);
  if (auto* op = llvm::dyn_cast<llvm::StoreInst>(&i)) return store(*op);
  if (auto* op = llvm::dyn_cast<llvm::CallInst>(&i)) return call(*op);
  switch (i.getOpcode()) {
    case llvm::Instruction::Alloca: {
      auto& variable = llvm::cast<llvm::AllocaInst>(i);
      const auto bits = variable.getAllocationSizeInBits(layout_);
      if (!variable.isStaticAlloca() || !bits) refuse("a local array of variable size");
      ir::Array a;
      a.name = variable.getName().str();
      a.space = ir::Space::local;
      a.bytes = bits->getFixedSize() / 8;
      a.alignment = static_cast<std::uint32_t>(variable.getAlign().value());
      arrays_[&variable] = static_cast<std::uint32_t>(builder_.kernel().arrays.size());
      builder_.kernel().arrays.push_back(std::move(a));
      const ValueId address = emit(Op::symbol_address, {}, ir::Type::i64);
      builder_.modify().index = arrays_[&variable];
      return set(i, {address});
    }
    case llvm::Instruction::GetElementPtr:
      if (spaces_.of(&i).aggregate) return;  // resolved where it is loaded from
      return set(i, {element_address(llvm::cast<llvm::GEPOperator>(i))});
    case llvm::Instruction::FNeg:
      return set(i, {float_operation(Op::float_neg, {value(i.getOperand(0))}, scalar_type(i.getType()),
                                     ir::Rounding::none)});
    case llvm::Instruction::Freeze: {
      Values results;
      for (ValueId v : values(i.getOperand(0))) results.push_back(emit(Op::freeze, {v}, builder_.type_of(v)));
      return set(i, std::move(results));
    }
    case llvm::Instruction::ExtractValue:
    case llvm::Instruction::InsertValue:
    case llvm::Instruction::ExtractElement:
    case llvm::Instruction::InsertElement:
    case llvm::Instruction::ShuffleVector:
      return aggregate(i);
    case llvm::Instruction::Fence:
      builder_.emit(Op::fence, {}, {}).scope = ir::Scope::device;
      return;
    default:
      refuse("is not understood");
  }
}

}  // namespace hallmark::validator::source
