#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>

#include "validator/llvm/expand_memory.h"
#include "validator/llvm/lower.h"

namespace hallmark::validator::source {

ir::Type Lowering::scalar_type(llvm::Type* type) {
  if (type->isPointerTy()) return ir::Type::i64;
  if (type->isFloatTy()) return ir::Type::f32;
  if (type->isDoubleTy()) return ir::Type::f64;
  if (type->isHalfTy()) return ir::Type::f16;
  if (type->isBFloatTy()) return ir::Type::bf16;
  if (type->isIntegerTy()) {
    const unsigned bits = type->getIntegerBitWidth();
    if (bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64) return ir::integer_type(bits);
    refuse(fmt::format("integers of {} bits are not understood", bits));
  }
  refuse("this type is not understood");
}

std::vector<ir::Type> Lowering::scalar_types(llvm::Type* type) {
  std::vector<ir::Type> result;
  for (const Leaf& leaf : leaves(type, layout_)) result.push_back(scalar_type(leaf.type));
  return result;
}

Lowering::Values Lowering::constant(llvm::Constant* c) {
  if (llvm::isa<llvm::UndefValue>(c)) {
    Values result;
    for (ir::Type type : scalar_types(c->getType())) result.push_back(arbitrary(type));
    return result;
  }
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(c))
    return {constant_bits(scalar_type(c->getType()), number->getValue().getZExtValue())};
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(c))
    return {constant_bits(scalar_type(c->getType()), number->getValueAPF().bitcastToAPInt().getZExtValue())};
  if (c->isNullValue()) {
    Values result;
    for (ir::Type type : scalar_types(c->getType())) result.push_back(constant_bits(type, 0));
    return result;
  }
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(c)) return {symbol(*global)};
  if (auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(c)) {
    switch (expression->getOpcode()) {
      case llvm::Instruction::GetElementPtr:
        return {element_address(llvm::cast<llvm::GEPOperator>(*expression))};
      case llvm::Instruction::BitCast:
        if (expression->getType()->isPointerTy()) return values(expression->getOperand(0));
        break;
      case llvm::Instruction::AddrSpaceCast:
        return {pointer_in(expression->getOperand(0), spaces_.of(expression))};
      case llvm::Instruction::PtrToInt:
        if (expression->getType()->isIntegerTy(64)) return {generic_pointer(expression->getOperand(0))};
        break;
      default:
        break;
    }
    refuse("this constant expression is not understood");
  }
  if (llvm::isa<llvm::ConstantAggregate>(c)) {
    Values result;
    for (llvm::Use& part : c->operands())
      for (ValueId v : values(part.get())) result.push_back(v);
    return result;
  }
  if (const auto* data = llvm::dyn_cast<llvm::ConstantDataSequential>(c)) {
    Values result;
    for (unsigned n = 0; n < data->getNumElements(); ++n)
      for (ValueId v : constant(data->getElementAsConstant(n))) result.push_back(v);
    return result;
  }
  refuse("this constant is not understood");
}

Lowering::Values Lowering::values(llvm::Value* v) {
  if (auto* c = llvm::dyn_cast<llvm::Constant>(v)) return constant(c);
  const auto found = values_.find(v);
  if (found == values_.end()) refuse("an operand of a form that is not understood");
  return found->second;
}

ir::ValueId Lowering::value(llvm::Value* v) {
  const Values all = values(v);
  if (all.size() != 1) refuse("a structure or vector where a number is expected");
  return all[0];
}

ir::ValueId Lowering::pointer_in(llvm::Value* pointer, const PointerInfo& wanted) {
  const PointerInfo info = spaces_.of(pointer);
  if (info.aggregate) refuse("the address of a parameter is used as a pointer");
  const ValueId address = value(pointer);
  if (info.space == wanted.space) return address;
  if (llvm::isa<llvm::ConstantPointerNull>(pointer) || llvm::isa<llvm::UndefValue>(pointer)) return address;
  // Global and constant addresses are generic addresses.
  const auto plain = [](ir::Space s) {
    return s == ir::Space::global || s == ir::Space::generic || s == ir::Space::constant;
  };
  if (plain(info.space) && plain(wanted.space)) return address;
  const ValueId result = emit(Op::address_cast, {address}, ir::Type::i64);
  builder_.modify().from_space = info.space;
  builder_.modify().space = wanted.space;
  return result;
}

// What nvcc gives every extern __shared__ array, whatever its elements are (".extern .shared .align 16").
constexpr std::uint32_t dynamic_shared_alignment = 16;

ir::ValueId Lowering::symbol(const llvm::GlobalVariable& variable) {
  auto found = arrays_.find(&variable);
  if (found == arrays_.end()) {
    ir::Array a;
    a.name = variable.getName().str();
    a.space = space_of_number(variable.getType()->getPointerAddressSpace());
    // Clang keeps constant initialisers in the generic space.
    if (a.space == ir::Space::generic)
      a.space = variable.isConstant() ? ir::Space::constant : ir::Space::global;
    llvm::Type* type = variable.getValueType();
    a.bytes = layout_.getTypeAllocSize(type).getFixedSize();
    a.alignment = static_cast<std::uint32_t>(variable.getAlign().valueOrOne().value());
    a.dynamic = a.space == ir::Space::shared && variable.isDeclaration() && a.bytes == 0;
    if (a.dynamic) {
      a.declared_alignment = a.alignment;
      a.alignment = std::max(a.alignment, dynamic_shared_alignment);
    }
    if (variable.isDeclaration() && !a.dynamic)
      refuse(fmt::format("the variable {} is defined elsewhere", a.name));
    const bool initialised =
        variable.hasInitializer() && !llvm::isa<llvm::UndefValue>(variable.getInitializer());
    if (initialised && a.space != ir::Space::shared) {
      std::vector<std::uint8_t> bytes(a.bytes, 0);
      const std::vector<Leaf> parts = leaves(type, layout_);
      if (!variable.getInitializer()->isNullValue()) {
        const Values contents = constant(const_cast<llvm::Constant*>(variable.getInitializer()));
        if (contents.size() != parts.size())
          refuse(fmt::format("the initial value of {} is not understood", a.name));
        for (std::size_t n = 0; n < parts.size(); ++n) {
          if (!builder_.kernel().is_constant(contents[n]))
            refuse(fmt::format("the initial value of {} is not understood", a.name));
          const std::uint64_t bits = builder_.kernel().value(contents[n]).bits;
          for (unsigned byte = 0; byte < ir::bytes_of(scalar_type(parts[n].type)); ++byte)
            bytes[parts[n].offset + byte] = static_cast<std::uint8_t>(bits >> (8 * byte));
        }
      }
      a.initial = std::move(bytes);
    }
    found = arrays_.emplace(&variable, static_cast<std::uint32_t>(builder_.kernel().arrays.size())).first;
    builder_.kernel().arrays.push_back(std::move(a));
  }
  const ValueId address = emit(Op::symbol_address, {}, ir::Type::i64);
  builder_.modify().index = found->second;
  return address;
}

ir::ValueId Lowering::element_address(llvm::GEPOperator& gep) {
  ValueId address = pointer_in(gep.getPointerOperand(), spaces_.of(&gep));
  std::uint64_t constant = 0;
  llvm::Type* type = gep.getSourceElementType();
  bool first = true;
  for (llvm::Use& index : gep.indices()) {
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(index.get());
    if (!first && type->isStructTy()) {
      const auto field = static_cast<unsigned>(number->getZExtValue());
      constant += layout_.getStructLayout(llvm::cast<llvm::StructType>(type))->getElementOffset(field);
      type = type->getStructElementType(field);
      continue;
    }
    if (!first) {
      if (type->isArrayTy())
        type = type->getArrayElementType();
      else if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
        type = vector->getElementType();
      else
        refuse("this address is not understood");
    }
    first = false;
    const std::uint64_t size = layout_.getTypeAllocSize(type).getFixedSize();
    if (number != nullptr) {
      constant += static_cast<std::uint64_t>(number->getSExtValue()) * size;
      continue;
    }
    ValueId i = value(index.get());
    const ir::Type from = builder_.type_of(i);
    if (from != ir::Type::i64) i = emit(Op::sign_extend, {i}, ir::Type::i64);
    if (size != 1) i = emit(Op::mul, {i, constant_bits(ir::Type::i64, size)}, ir::Type::i64);
    address = emit(Op::add, {address, i}, ir::Type::i64);
  }
  if (constant != 0)
    address = emit(Op::add, {address, constant_bits(ir::Type::i64, constant)}, ir::Type::i64);
  return address;
}

// Inlining leaves arithmetic on constants behind, for example in the clamp operand of shuffles.
std::optional<ir::ValueId> Lowering::folded(const llvm::BinaryOperator& i, ValueId a, ValueId b) {
  const ir::Kernel& k = builder_.kernel();
  if (!k.is_constant(a) || !k.is_constant(b) || !i.getType()->isIntegerTy()) return std::nullopt;
  if (llvm::isa<llvm::OverflowingBinaryOperator>(i) && (i.hasNoSignedWrap() || i.hasNoUnsignedWrap()))
    return std::nullopt;
  const std::uint64_t x = k.value(a).bits, y = k.value(b).bits;
  const ir::Type type = k.type_of(a);
  switch (i.getOpcode()) {
    case llvm::Instruction::Add:
      return constant_bits(type, x + y);
    case llvm::Instruction::Sub:
      return constant_bits(type, x - y);
    case llvm::Instruction::Mul:
      return constant_bits(type, x * y);
    case llvm::Instruction::And:
      return constant_bits(type, x & y);
    case llvm::Instruction::Or:
      return constant_bits(type, x | y);
    case llvm::Instruction::Xor:
      return constant_bits(type, x ^ y);
    case llvm::Instruction::Shl:
      if (y < ir::bits_of(type)) return constant_bits(type, x << y);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

void Lowering::arithmetic(llvm::BinaryOperator& i) {
  if (i.getType()->isVectorTy()) refuse("arithmetic on vectors is not understood");
  const ValueId a = value(i.getOperand(0)), b = value(i.getOperand(1));
  if (const auto constant = folded(i, a, b)) return set(i, {*constant});
  const ir::Type type = scalar_type(i.getType());
  const auto integer = [&](Op op) {
    const ValueId result = emit(op, {a, b}, type);
    ir::Instruction& made = builder_.modify();
    if (llvm::isa<llvm::OverflowingBinaryOperator>(i)) {
      made.no_signed_wrap = i.hasNoSignedWrap();
      made.no_unsigned_wrap = i.hasNoUnsignedWrap();
    }
    if (llvm::isa<llvm::PossiblyExactOperator>(i)) made.exact = i.isExact();
    // A shift by a number of bits that the value has is defined, and bears no obligation.
    const ir::Kernel& k = builder_.kernel();
    if (i.isShift() && k.is_constant(b) && k.value(b).bits < ir::bits_of(type))
      made.shift_overflow = ir::ShiftOverflow::clamp;
    set(i, {result});
  };
  const auto floating = [&](Op op) {
    set(i, {float_operation(op, {a, b}, type, ir::Rounding::nearest_even)});
  };
  switch (i.getOpcode()) {
    case llvm::Instruction::Add:
      return integer(Op::add);
    case llvm::Instruction::Sub:
      return integer(Op::sub);
    case llvm::Instruction::Mul:
      return integer(Op::mul);
    case llvm::Instruction::SDiv:
      return integer(Op::div_signed);
    case llvm::Instruction::UDiv:
      return integer(Op::div_unsigned);
    case llvm::Instruction::SRem:
      return integer(Op::rem_signed);
    case llvm::Instruction::URem:
      return integer(Op::rem_unsigned);
    case llvm::Instruction::Shl:
      return integer(Op::shift_left);
    case llvm::Instruction::LShr:
      return integer(Op::shift_right_logical);
    case llvm::Instruction::AShr:
      return integer(Op::shift_right_arithmetic);
    case llvm::Instruction::And:
      return integer(Op::bit_and);
    case llvm::Instruction::Or:
      return integer(Op::bit_or);
    case llvm::Instruction::Xor:
      if (const auto* c = llvm::dyn_cast<llvm::ConstantInt>(i.getOperand(1)); c != nullptr && c->isMinusOne())
        return set(i, {emit(Op::bit_not, {a}, type)});
      return integer(Op::bit_xor);
    case llvm::Instruction::FAdd:
      return floating(Op::float_add);
    case llvm::Instruction::FSub:
      return floating(Op::float_sub);
    case llvm::Instruction::FMul:
      return floating(Op::float_mul);
    case llvm::Instruction::FDiv:
      return floating(Op::float_div);
    default:
      refuse("is not understood");
  }
}

void Lowering::cast(llvm::CastInst& i) {
  llvm::Value* from = i.getOperand(0);
  const auto simple = [&](Op op) { set(i, {emit(op, {value(from)}, scalar_type(i.getType()))}); };
  const auto rounded = [&](Op op, ir::Rounding rounding) {
    simple(op);
    builder_.modify().rounding = rounding;
  };
  if (spaces_.of(&i).aggregate && i.getType()->isPointerTy()) return;  // resolved where it is loaded from
  switch (i.getOpcode()) {
    case llvm::Instruction::Trunc:
      return simple(Op::truncate);
    case llvm::Instruction::ZExt:
      return simple(Op::zero_extend);
    case llvm::Instruction::SExt:
      return simple(Op::sign_extend);
    case llvm::Instruction::FPExt:
      return simple(Op::float_convert);
    case llvm::Instruction::FPTrunc:
      return rounded(Op::float_convert, ir::Rounding::nearest_even);
    case llvm::Instruction::FPToSI:
      return rounded(Op::float_to_signed, ir::Rounding::toward_zero);
    case llvm::Instruction::FPToUI:
      return rounded(Op::float_to_unsigned, ir::Rounding::toward_zero);
    case llvm::Instruction::SIToFP:
      return rounded(Op::signed_to_float, ir::Rounding::nearest_even);
    case llvm::Instruction::UIToFP:
      return rounded(Op::unsigned_to_float, ir::Rounding::nearest_even);
    case llvm::Instruction::PtrToInt:
      if (!i.getType()->isIntegerTy(64)) refuse("a pointer as a narrow integer");
      return set(i, {generic_pointer(from)});
    case llvm::Instruction::IntToPtr:
      if (!from->getType()->isIntegerTy(64)) refuse("a narrow integer as a pointer");
      return set(i, {value(from)});
    case llvm::Instruction::AddrSpaceCast:
      return set(i, {pointer_in(from, spaces_.of(&i))});
    case llvm::Instruction::BitCast: {
      if (i.getType()->isPointerTy()) return set(i, {value(from)});
      const std::vector<ir::Type> types = scalar_types(i.getType());
      const Values parts = values(from);
      if (types.size() != parts.size()) refuse("a bit cast between vectors of different lengths");
      Values results;
      for (std::size_t n = 0; n < parts.size(); ++n)
        results.push_back(builder_.type_of(parts[n]) == types[n] ? parts[n]
                                                                 : emit(Op::bitcast, {parts[n]}, types[n]));
      return set(i, std::move(results));
    }
    default:
      refuse("is not understood");
  }
}

void Lowering::comparison(llvm::CmpInst& i) {
  using L = llvm::CmpInst;
  using P = ir::Predicate;
  ValueId a, b;
  if (i.getOperand(0)->getType()->isPointerTy()) {
    a = generic_pointer(i.getOperand(0));
    b = generic_pointer(i.getOperand(1));
  } else {
    a = value(i.getOperand(0));
    b = value(i.getOperand(1));
  }
  const auto predicate = [&]() -> P {
    switch (i.getPredicate()) {
      case L::ICMP_EQ:
        return P::equal;
      case L::ICMP_NE:
        return P::not_equal;
      case L::ICMP_SLT:
        return P::less_signed;
      case L::ICMP_SLE:
        return P::less_equal_signed;
      case L::ICMP_SGT:
        return P::greater_signed;
      case L::ICMP_SGE:
        return P::greater_equal_signed;
      case L::ICMP_ULT:
        return P::less_unsigned;
      case L::ICMP_ULE:
        return P::less_equal_unsigned;
      case L::ICMP_UGT:
        return P::greater_unsigned;
      case L::ICMP_UGE:
        return P::greater_equal_unsigned;
      case L::FCMP_OEQ:
        return P::ordered_equal;
      case L::FCMP_ONE:
        return P::ordered_not_equal;
      case L::FCMP_OLT:
        return P::ordered_less;
      case L::FCMP_OLE:
        return P::ordered_less_equal;
      case L::FCMP_OGT:
        return P::ordered_greater;
      case L::FCMP_OGE:
        return P::ordered_greater_equal;
      case L::FCMP_ORD:
        return P::ordered;
      case L::FCMP_UEQ:
        return P::unordered_equal;
      case L::FCMP_UNE:
        return P::unordered_not_equal;
      case L::FCMP_ULT:
        return P::unordered_less;
      case L::FCMP_ULE:
        return P::unordered_less_equal;
      case L::FCMP_UGT:
        return P::unordered_greater;
      case L::FCMP_UGE:
        return P::unordered_greater_equal;
      case L::FCMP_UNO:
        return P::unordered;
      default:
        refuse("this comparison is not understood");
    }
  };
  set(i, {compare(predicate(), a, b)});
}

void Lowering::select(llvm::SelectInst& i) {
  const ValueId condition = value(i.getCondition());
  Values results;
  if (i.getType()->isPointerTy()) {
    const PointerInfo info = spaces_.of(&i);
    if (info.aggregate) refuse("the address of a parameter is used as a pointer");
    results.push_back(
        emit(Op::select, {condition, pointer_in(i.getTrueValue(), info), pointer_in(i.getFalseValue(), info)},
             ir::Type::i64));
  } else {
    const Values a = values(i.getTrueValue()), b = values(i.getFalseValue());
    for (std::size_t n = 0; n < a.size(); ++n)
      results.push_back(emit(Op::select, {condition, a[n], b[n]}, builder_.type_of(a[n])));
  }
  set(i, std::move(results));
}

// Where the leaf (or first leaf) of this element lies among the leaves of the whole.
std::size_t Lowering::leaf_index(llvm::Type* type, llvm::ArrayRef<unsigned> path) {
  std::size_t index = 0;
  for (unsigned step : path) {
    if (type->isStructTy()) {
      for (unsigned n = 0; n < step; ++n) index += leaves(type->getStructElementType(n), layout_).size();
      type = type->getStructElementType(step);
    } else {
      type = type->getArrayElementType();
      index += step * leaves(type, layout_).size();
    }
  }
  return index;
}

void Lowering::aggregate(llvm::Instruction& i) {
  // Undefined parts that are about to be overwritten must not become values of their own at every step.
  const auto element = [&](llvm::Value* index) {
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(index);
    if (number == nullptr) refuse("a vector element at a computed index");
    return static_cast<std::size_t>(number->getZExtValue());
  };
  if (auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(&i)) {
    const Values whole = values(extract->getAggregateOperand());
    const auto first = static_cast<std::ptrdiff_t>(
        leaf_index(extract->getAggregateOperand()->getType(), extract->getIndices()));
    const auto count = static_cast<std::ptrdiff_t>(scalar_types(i.getType()).size());
    return set(i, Values(whole.begin() + first, whole.begin() + first + count));
  }
  if (auto* insert = llvm::dyn_cast<llvm::InsertValueInst>(&i)) {
    Values whole = values(insert->getAggregateOperand());
    const std::size_t first = leaf_index(i.getType(), insert->getIndices());
    const Values part = values(insert->getInsertedValueOperand());
    std::copy(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(first));
    return set(i, std::move(whole));
  }
  if (llvm::isa<llvm::ExtractElementInst>(i)) {
    const Values whole = values(i.getOperand(0));
    const std::size_t n = element(i.getOperand(1));
    if (n >= whole.size()) refuse("a vector element outside the vector");
    return set(i, {whole[n]});
  }
  if (llvm::isa<llvm::InsertElementInst>(i)) {
    Values whole = values(i.getOperand(0));
    const std::size_t n = element(i.getOperand(2));
    if (n >= whole.size()) refuse("a vector element outside the vector");
    whole[n] = value(i.getOperand(1));
    return set(i, std::move(whole));
  }
  auto& shuffle = llvm::cast<llvm::ShuffleVectorInst>(i);
  Values both = values(i.getOperand(0));
  const Values second = values(i.getOperand(1));
  both.insert(both.end(), second.begin(), second.end());
  Values results;
  for (int from : shuffle.getShuffleMask())
    results.push_back(from < 0 ? arbitrary(scalar_types(i.getType())[0])
                               : both[static_cast<std::size_t>(from)]);
  set(i, std::move(results));
}

}  // namespace hallmark::validator::source
