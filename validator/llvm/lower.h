// From prepared LLVM IR of one kernel to kernel IR; not for use outside llvm/.
#pragma once
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <map>
#include <string>
#include <vector>

#include "validator/ir/builder.h"
#include "validator/ir/fragment_use.h"
#include "validator/llvm/spaces.h"

namespace hallmark::validator::source {

class Lowering {
 public:
  // `main_file` as the user named it; names starting with `stub_folder` are not the user's.
  // `opaque_fragments`: why wmma instructions are not to be understood, if they are not.
  Lowering(llvm::Function& function, const std::string& main_file, const std::string& stub_folder,
           ir::Kernel& kernel, std::string opaque_fragments = {});
  // What depends on how fragments of wmma are distributed, if anything does: then the kernel is to be read
  // with opaque ones.
  std::string run();
  ir::Place place_of(const llvm::DebugLoc& location);

 private:
  using ValueId = ir::ValueId;
  using Values = std::vector<ir::ValueId>;  // the scalars of one LLVM value
  using Op = ir::Opcode;

  // --- lower.cpp ---
  void declare_parameters();
  void declare_arrays();
  void block(llvm::BasicBlock& block);
  void terminator(llvm::Instruction& i);
  void switch_chain(llvm::SwitchInst& i);
  void fill_edges();
  void instruction(llvm::Instruction& i);
  [[noreturn]] void refuse(const std::string& what);
  std::string describe(const llvm::Instruction& i) const;
  std::string file_name(const llvm::DILocation& at) const;
  std::uint32_t file_number(const std::string& name);

  // --- lower_values.cpp ---
  ir::Type scalar_type(llvm::Type* type);
  std::vector<ir::Type> scalar_types(llvm::Type* type);  // of structures, arrays and vectors: of their leaves
  Values values(llvm::Value* value);
  ValueId value(llvm::Value* value);  // a scalar
  Values constant(llvm::Constant* constant);
  ValueId emit(Op op, Values operands, ir::Type result) {
    return builder_.value(op, std::move(operands), result);
  }
  ValueId constant_bits(ir::Type type, std::uint64_t bits) { return builder_.constant(type, bits); }
  ValueId arbitrary(ir::Type type) { return emit(Op::arbitrary, {}, type); }
  // A pointer, seen from this space.
  ValueId pointer_in(llvm::Value* pointer, const PointerInfo& wanted);
  ValueId generic_pointer(llvm::Value* pointer) { return pointer_in(pointer, PointerInfo{}); }
  ValueId symbol(const llvm::GlobalVariable& variable);
  ValueId element_address(llvm::GEPOperator& gep);
  // Of two constants, when nothing can be undefined; none otherwise.
  std::optional<ValueId> folded(const llvm::BinaryOperator& i, ValueId a, ValueId b);
  void arithmetic(llvm::BinaryOperator& i);
  void cast(llvm::CastInst& i);
  void comparison(llvm::CmpInst& i);
  void select(llvm::SelectInst& i);
  void aggregate(llvm::Instruction& i);
  std::size_t leaf_index(llvm::Type* type, llvm::ArrayRef<unsigned> path);
  void set(llvm::Value& of, Values results) { values_[&of] = std::move(results); }

  // --- lower_memory.cpp ---
  void load(llvm::LoadInst& i);
  void store(llvm::StoreInst& i);
  void parameter_load(llvm::LoadInst& i, unsigned parameter);
  ValueId address(llvm::Value* pointer, const PointerInfo& info);

  // --- lower_calls.cpp ---
  void call(llvm::CallInst& i);
  bool intrinsic(llvm::CallInst& i, llvm::StringRef name);
  bool special_register(llvm::CallInst& i, llvm::StringRef name);
  bool float_function(llvm::CallInst& i, llvm::StringRef name);
  bool half_function(llvm::CallInst& i, llvm::StringRef name);
  bool conversion(llvm::CallInst& i, llvm::StringRef name);
  bool integer_function(llvm::CallInst& i, llvm::StringRef name);
  bool thread_function(llvm::CallInst& i, llvm::StringRef name);
  bool atomic_function(llvm::CallInst& i, llvm::StringRef name);
  ValueId float_operation(Op op, Values operands, ir::Type type, ir::Rounding rounding);
  ValueId compare(ir::Predicate predicate, ValueId a, ValueId b);

  // --- lower_assembly.cpp ---
  void assembly(llvm::CallInst& i, const llvm::InlineAsm& text);

  llvm::Function& function_;
  const std::string& main_file_;
  const std::string& stub_folder_;
  const llvm::DataLayout& layout_;
  ir::Builder builder_;
  PointerSpaces spaces_;
  std::map<const llvm::Value*, Values> values_;
  std::map<const llvm::BasicBlock*, ir::BlockId> blocks_;
  std::map<const llvm::BasicBlock*, std::vector<ir::BlockId>>
      exits_;                                              // blocks whose edges leave this LLVM block
  std::map<ir::BlockId, const llvm::BasicBlock*> origin_;  // of blocks that start an LLVM block
  std::map<const llvm::Value*, std::uint32_t> arrays_;
  std::map<std::string, std::uint32_t> files_;
  llvm::Instruction* current_ = nullptr;
  const std::string opaque_fragments_;
  ir::Fragments fragments_;
};

}  // namespace hallmark::validator::source
