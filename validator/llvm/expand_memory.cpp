#include "validator/llvm/expand_memory.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>

#include <optional>

namespace hallmark::validator::source {

namespace {

constexpr std::size_t most_leaves = 1024, most_single_bytes = 64;

void collect_leaves(llvm::Type* type, std::uint64_t offset, const llvm::DataLayout& layout,
                    std::vector<Leaf>& out) {
  if (out.size() > most_leaves) return;
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout* places = layout.getStructLayout(structure);
    for (unsigned n = 0; n < structure->getNumElements(); ++n)
      collect_leaves(structure->getElementType(n), offset + places->getElementOffset(n), layout, out);
  } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    const std::uint64_t step = layout.getTypeAllocSize(array->getElementType()).getFixedSize();
    for (std::uint64_t n = 0; n < array->getNumElements() && out.size() <= most_leaves; ++n)
      collect_leaves(array->getElementType(), offset + n * step, layout, out);
  } else if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    const std::uint64_t step = layout.getTypeStoreSize(vector->getElementType()).getFixedSize();
    for (unsigned n = 0; n < vector->getNumElements(); ++n)
      out.push_back({vector->getElementType(), offset + n * step});
  } else {
    out.push_back({type, offset});
  }
}

// The type behind a pointer to bytes: what was cast to i8*.
llvm::Type* pointee(llvm::Value* pointer, std::uint64_t bytes, const llvm::DataLayout& layout) {
  for (llvm::Value* v = pointer;;) {
    llvm::Type* type = llvm::cast<llvm::PointerType>(v->getType())->getPointerElementType();
    if (type->isSized() && !type->isIntegerTy(8) && layout.getTypeAllocSize(type).getFixedSize() == bytes)
      return type;
    auto* cast = llvm::dyn_cast<llvm::Operator>(v);
    if (cast == nullptr || (cast->getOpcode() != llvm::Instruction::BitCast &&
                            cast->getOpcode() != llvm::Instruction::AddrSpaceCast))
      return nullptr;
    v = cast->getOperand(0);
  }
}

class Expander {
 public:
  explicit Expander(llvm::Function& f) : function_(f), layout_(f.getParent()->getDataLayout()) {}

  void run() {
    calls_as_intrinsics();
    std::vector<llvm::Instruction*> work;
    for (llvm::BasicBlock& block : function_)
      for (llvm::Instruction& i : block) work.push_back(&i);
    for (llvm::Instruction* i : work) {
      if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(i)) {
        if (expand_copy(*copy)) copy->eraseFromParent();
      } else if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(i)) {
        if (expand_fill(*fill)) fill->eraseFromParent();
      } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(i)) {
        if (load->getType()->isAggregateType() && expand_load(*load)) load->eraseFromParent();
      } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(i)) {
        if (store->getValueOperand()->getType()->isAggregateType() && expand_store(*store))
          store->eraseFromParent();
      }
    }
  }

 private:
  // What a program calls by name moves bytes, wherever they lie.
  void calls_as_intrinsics() {
    std::vector<llvm::CallInst*> calls;
    for (llvm::BasicBlock& block : function_)
      for (llvm::Instruction& i : block)
        if (auto* call = llvm::dyn_cast<llvm::CallInst>(&i))
          if (const llvm::Function* f = call->getCalledFunction();
              f != nullptr && f->isDeclaration() && call->arg_size() == 3 &&
              (f->getName() == "memcpy" || f->getName() == "memmove" || f->getName() == "memset"))
            calls.push_back(call);
    for (llvm::CallInst* call : calls) {
      llvm::IRBuilder<> b(call);
      llvm::Value *to = call->getArgOperand(0), *other = call->getArgOperand(1),
                  *bytes = call->getArgOperand(2);
      const llvm::StringRef name = call->getCalledFunction()->getName();
      if (name == "memcpy")
        b.CreateMemCpy(to, llvm::Align(1), other, llvm::Align(1), bytes);
      else if (name == "memmove")
        b.CreateMemMove(to, llvm::Align(1), other, llvm::Align(1), bytes);
      else
        b.CreateMemSet(to, b.CreateTrunc(other, b.getInt8Ty()), bytes, llvm::Align(1));
      call->replaceAllUsesWith(to);
      call->eraseFromParent();
    }
  }

  llvm::Value* element_pointer(llvm::IRBuilder<>& b, llvm::Value* base, const Leaf& leaf) {
    const unsigned space = base->getType()->getPointerAddressSpace();
    llvm::Value* bytes = b.CreateBitCast(base, llvm::Type::getInt8PtrTy(b.getContext(), space));
    if (leaf.offset != 0) bytes = b.CreateConstGEP1_64(b.getInt8Ty(), bytes, leaf.offset);
    return b.CreateBitCast(bytes, leaf.type->getPointerTo(space));
  }
  static llvm::Align alignment_at(llvm::Align base, std::uint64_t offset) {
    return offset == 0 ? base : llvm::commonAlignment(base, offset);
  }

  // One vector when the whole is aligned as one.
  std::optional<std::vector<Leaf>> as_vector(const std::vector<Leaf>& parts, std::uint64_t bytes,
                                             llvm::Align align) {
    if ((parts.size() != 2 && parts.size() != 4) || bytes > 16 || align.value() < bytes) return std::nullopt;
    const std::uint64_t step = layout_.getTypeStoreSize(parts[0].type).getFixedSize();
    for (std::size_t n = 0; n < parts.size(); ++n)
      if (parts[n].type != parts[0].type || parts[n].offset != n * step || parts[n].type->isPointerTy())
        return std::nullopt;
    if (step * parts.size() != bytes) return std::nullopt;
    return std::vector<Leaf>{
        {llvm::FixedVectorType::get(parts[0].type, static_cast<unsigned>(parts.size())), 0}};
  }

  std::optional<std::uint64_t> constant_size(const llvm::MemIntrinsic& i) {
    const auto* size = llvm::dyn_cast<llvm::ConstantInt>(i.getLength());
    if (size == nullptr || i.isVolatile()) return std::nullopt;
    return size->getZExtValue();
  }

  // A part of a variable, or several: byte by byte, where they are few.
  llvm::Type* as_bytes(std::uint64_t bytes) {
    if (bytes > most_single_bytes) return nullptr;
    return llvm::ArrayType::get(llvm::Type::getInt8Ty(function_.getContext()), bytes);
  }

  bool expand_copy(llvm::MemTransferInst& copy) {
    const auto bytes = constant_size(copy);
    if (!bytes) return false;
    llvm::Type* type = pointee(copy.getRawSource(), *bytes, layout_);
    if (type == nullptr) type = pointee(copy.getRawDest(), *bytes, layout_);
    if (type == nullptr) type = as_bytes(*bytes);
    if (type == nullptr) return false;
    std::vector<Leaf> parts = leaves(type, layout_);
    if (parts.size() > most_leaves) return false;
    const llvm::Align from = copy.getSourceAlign().valueOrOne(), to = copy.getDestAlign().valueOrOne();
    if (auto vector = as_vector(parts, *bytes, std::min(from, to))) parts = std::move(*vector);
    llvm::IRBuilder<> b(&copy);
    std::vector<llvm::Value*> values;
    values.reserve(parts.size());
    for (const Leaf& leaf : parts)
      values.push_back(b.CreateAlignedLoad(leaf.type, element_pointer(b, copy.getRawSource(), leaf),
                                           alignment_at(from, leaf.offset)));
    for (std::size_t n = 0; n < parts.size(); ++n)
      b.CreateAlignedStore(values[n], element_pointer(b, copy.getRawDest(), parts[n]),
                           alignment_at(to, parts[n].offset));
    return true;
  }

  bool expand_fill(llvm::MemSetInst& fill) {
    const auto bytes = constant_size(fill);
    const auto* byte = llvm::dyn_cast<llvm::ConstantInt>(fill.getValue());
    if (!bytes || byte == nullptr) return false;
    llvm::Type* type = pointee(fill.getRawDest(), *bytes, layout_);
    if (type == nullptr) type = as_bytes(*bytes);
    if (type == nullptr) return false;
    const std::vector<Leaf> parts = leaves(type, layout_);
    if (parts.size() > most_leaves) return false;
    llvm::IRBuilder<> b(&fill);
    for (const Leaf& leaf : parts) {
      llvm::Constant* value = nullptr;
      if (byte->isZero()) {
        value = llvm::Constant::getNullValue(leaf.type);
      } else if (leaf.type->isIntegerTy() || leaf.type->isFloatingPointTy()) {
        const unsigned width = static_cast<unsigned>(layout_.getTypeSizeInBits(leaf.type).getFixedSize());
        if (width % 8 != 0) return false;
        value = llvm::ConstantInt::get(b.getContext(), llvm::APInt::getSplat(width, byte->getValue()));
        if (leaf.type->isFloatingPointTy()) value = llvm::ConstantExpr::getBitCast(value, leaf.type);
      } else {
        return false;
      }
      b.CreateAlignedStore(value, element_pointer(b, fill.getRawDest(), leaf),
                           alignment_at(fill.getDestAlign().valueOrOne(), leaf.offset));
    }
    return true;
  }

  // The index path of each leaf of an aggregate, in the order of leaves().
  void paths(llvm::Type* type, std::vector<unsigned>& prefix, std::vector<std::vector<unsigned>>& out) {
    const unsigned count = type->isStructTy()  ? type->getStructNumElements()
                           : type->isArrayTy() ? static_cast<unsigned>(type->getArrayNumElements())
                                               : 0;
    if (!type->isStructTy() && !type->isArrayTy()) {
      out.push_back(prefix);
      return;
    }
    for (unsigned n = 0; n < count; ++n) {
      prefix.push_back(n);
      paths(type->isStructTy() ? type->getStructElementType(n) : type->getArrayElementType(), prefix, out);
      prefix.pop_back();
    }
  }

  bool expand_load(llvm::LoadInst& load) {
    const std::vector<Leaf> parts = leaves(load.getType(), layout_);
    std::vector<std::vector<unsigned>> path;
    std::vector<unsigned> prefix;
    if (parts.size() > most_leaves || load.isVolatile()) return false;
    paths(load.getType(), prefix, path);
    if (path.size() != parts.size()) return false;  // vectors inside
    llvm::IRBuilder<> b(&load);
    llvm::Value* whole = llvm::UndefValue::get(load.getType());
    for (std::size_t n = 0; n < parts.size(); ++n)
      whole = b.CreateInsertValue(
          whole,
          b.CreateAlignedLoad(parts[n].type, element_pointer(b, load.getPointerOperand(), parts[n]),
                              alignment_at(load.getAlign(), parts[n].offset)),
          path[n]);
    load.replaceAllUsesWith(whole);
    return true;
  }

  bool expand_store(llvm::StoreInst& store) {
    llvm::Value* value = store.getValueOperand();
    const std::vector<Leaf> parts = leaves(value->getType(), layout_);
    std::vector<std::vector<unsigned>> path;
    std::vector<unsigned> prefix;
    if (parts.size() > most_leaves || store.isVolatile()) return false;
    paths(value->getType(), prefix, path);
    if (path.size() != parts.size()) return false;
    llvm::IRBuilder<> b(&store);
    for (std::size_t n = 0; n < parts.size(); ++n)
      b.CreateAlignedStore(b.CreateExtractValue(value, path[n]),
                           element_pointer(b, store.getPointerOperand(), parts[n]),
                           alignment_at(store.getAlign(), parts[n].offset));
    return true;
  }

  llvm::Function& function_;
  const llvm::DataLayout& layout_;
};

}  // namespace

std::vector<Leaf> leaves(llvm::Type* type, const llvm::DataLayout& layout) {
  std::vector<Leaf> result;
  collect_leaves(type, 0, layout, result);
  return result;
}

void expand_memory_operations(llvm::Function& function) {
  Expander(function).run();
}

}  // namespace hallmark::validator::source
