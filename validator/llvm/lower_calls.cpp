// The device functions of CUDA, by name. Sources: CUDA Math API 13.0; CUDA C++ Programming Guide 13.0,
// section 10. What nvcc makes of each with default flags is in the PTX ISA section named beside it.
#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <array>
#include <optional>

#include "validator/llvm/lower.h"

namespace hallmark::validator::source {

namespace {

using ir::Rounding;
using ir::Type;

// "_rn", "_rz", "_ru", "_rd" at the end of a name.
std::optional<Rounding> take_rounding(llvm::StringRef& name) {
  const std::array<std::pair<const char*, Rounding>, 4> table{{{"_rn", Rounding::nearest_even},
                                                               {"_rz", Rounding::toward_zero},
                                                               {"_ru", Rounding::up},
                                                               {"_rd", Rounding::down}}};
  for (const auto& [suffix, rounding] : table)
    if (name.consume_back(suffix)) return rounding;
  return std::nullopt;
}

template <class Value, std::size_t N>
std::optional<Value> look_up(const std::array<std::pair<const char*, Value>, N>& table,
                             llvm::StringRef name) {
  for (const auto& [key, value] : table)
    if (name == key) return value;
  return std::nullopt;
}

}  // namespace

ir::ValueId Lowering::float_operation(Op op, Values operands, Type type, Rounding rounding) {
  const ValueId result = emit(op, std::move(operands), type);
  builder_.modify().rounding = rounding;
  return result;
}

ir::ValueId Lowering::compare(ir::Predicate predicate, ValueId a, ValueId b) {
  const ValueId result =
      emit(ir::is_float(builder_.type_of(a)) ? Op::compare_float : Op::compare_integer, {a, b}, Type::i1);
  builder_.modify().predicate = predicate;
  return result;
}

void Lowering::call(llvm::CallInst& i) {
  if (const auto* text = llvm::dyn_cast<llvm::InlineAsm>(i.getCalledOperand())) return assembly(i, *text);
  const llvm::Function* callee = i.getCalledFunction();
  if (callee == nullptr) refuse("is not understood");
  const llvm::StringRef name = callee->getName();
  if (intrinsic(i, name) || special_register(i, name) || thread_function(i, name) ||
      atomic_function(i, name) || conversion(i, name) || half_function(i, name) || float_function(i, name) ||
      integer_function(i, name))
    return;
  refuse("is not understood");
}

bool Lowering::intrinsic(llvm::CallInst& i, llvm::StringRef name) {
  if (!name.startswith("llvm.")) return false;
  if (name == "llvm.trap") return true;  // see terminator()
  if (name.startswith("llvm.lifetime.") || name.startswith("llvm.experimental.noalias")) return true;
  if (name == "llvm.nvvm.barrier0") {
    builder_.emit(Op::barrier, {constant_bits(Type::i32, 0)}, {}).aligned = true;
    return true;
  }
  const Type type = i.getType()->isVoidTy() ? Type::i32 : scalar_type(i.getType());
  if (name.startswith("llvm.fabs.")) {
    set(i, {emit(Op::float_abs, {value(i.getArgOperand(0))}, type)});
    return true;
  }
  if (name.startswith("llvm.fma.")) {
    set(i, {float_operation(Op::float_fma,
                            {value(i.getArgOperand(0)), value(i.getArgOperand(1)), value(i.getArgOperand(2))},
                            type, Rounding::nearest_even)});
    return true;
  }
  refuse("is not understood");
}

bool Lowering::special_register(llvm::CallInst& i, llvm::StringRef name) {
  using R = ir::SpecialRegister;
  static constexpr std::array<std::pair<const char*, R>, 12> table{{{"__hallmark_tid_x", R::thread_x},
                                                                    {"__hallmark_tid_y", R::thread_y},
                                                                    {"__hallmark_tid_z", R::thread_z},
                                                                    {"__hallmark_ntid_x", R::block_size_x},
                                                                    {"__hallmark_ntid_y", R::block_size_y},
                                                                    {"__hallmark_ntid_z", R::block_size_z},
                                                                    {"__hallmark_ctaid_x", R::block_x},
                                                                    {"__hallmark_ctaid_y", R::block_y},
                                                                    {"__hallmark_ctaid_z", R::block_z},
                                                                    {"__hallmark_nctaid_x", R::grid_size_x},
                                                                    {"__hallmark_nctaid_y", R::grid_size_y},
                                                                    {"__hallmark_nctaid_z", R::grid_size_z}}};
  const auto found = look_up(table, name);
  if (!found) return false;
  set(i, {emit(Op::special_register, {}, Type::i32)});
  builder_.modify().special = *found;
  return true;
}

// Functions whose float result is fixed by IEEE 754, and vendor functions whose bits are not known.
bool Lowering::float_function(llvm::CallInst& i, llvm::StringRef name) {
  if (!i.getType()->isFloatTy() && !i.getType()->isDoubleTy() && !name.startswith("__hallmark_is_"))
    return false;
  Values operands;
  for (llvm::Use& a : i.args()) operands.push_back(value(a.get()));
  if (operands.empty()) return false;
  const Type type = builder_.type_of(operands[0]);
  if (!ir::is_float(type)) return false;
  if (name.consume_front("__hallmark_is_")) {
    const ValueId magnitude = emit(Op::float_abs, {operands[0]}, type);
    const ValueId infinity = constant_bits(type, type == Type::f32 ? 0x7f800000 : 0x7ff0000000000000);
    if (name.startswith("nan"))
      set(i, {compare(ir::Predicate::unordered, operands[0], operands[0])});
    else if (name.startswith("inf"))
      set(i, {compare(ir::Predicate::ordered_equal, magnitude, infinity)});
    else
      set(i, {compare(ir::Predicate::ordered_less, magnitude, infinity)});
    return true;
  }
  const llvm::StringRef whole = name;
  if (const auto rounding = take_rounding(name)) {
    static constexpr std::array<std::pair<const char*, Op>, 14> rounded{{{"__fadd", Op::float_add},
                                                                         {"__fsub", Op::float_sub},
                                                                         {"__fmul", Op::float_mul},
                                                                         {"__fdiv", Op::float_div},
                                                                         {"__fmaf", Op::float_fma},
                                                                         {"__fsqrt", Op::float_sqrt},
                                                                         {"__frcp", Op::float_reciprocal},
                                                                         {"__dadd", Op::float_add},
                                                                         {"__dsub", Op::float_sub},
                                                                         {"__dmul", Op::float_mul},
                                                                         {"__ddiv", Op::float_div},
                                                                         {"__fma", Op::float_fma},
                                                                         {"__dsqrt", Op::float_sqrt},
                                                                         {"__drcp", Op::float_reciprocal}}};
    if (const auto op = look_up(rounded, name)) {
      set(i, {float_operation(*op, operands, type, *rounding)});
      return true;
    }
    if (name == "__frsqrt") {  // correctly rounded, but no one PTX instruction
      set(i, {emit(Op::library_call, operands, type)});
      builder_.modify().text = whole.str();
      return true;
    }
    return false;
  }
  name = whole;
  if (name == "__saturatef") {
    set(i, {emit(Op::float_convert, operands, type)});
    builder_.modify().saturate = true;
    return true;
  }
  if (name == "fdividef" || name == "__fdividef") {
    set(i, {emit(Op::float_div, operands, type)});
    builder_.modify().approximate = true;
    return true;
  }
  const llvm::StringRef stem = type == Type::f32 && name.endswith("f") ? name.drop_back() : name;
  struct Known {
    Op op;
    Rounding rounding;
  };
  static constexpr std::array<std::pair<const char*, Known>, 12> exact{{
      {"sqrt", {Op::float_sqrt, Rounding::nearest_even}},
      {"fabs", {Op::float_abs, Rounding::none}},
      {"fmax", {Op::float_max, Rounding::none}},
      {"fmin", {Op::float_min, Rounding::none}},
      {"fma", {Op::float_fma, Rounding::nearest_even}},
      {"floor", {Op::round_to_integral, Rounding::down}},
      {"ceil", {Op::round_to_integral, Rounding::up}},
      {"trunc", {Op::round_to_integral, Rounding::toward_zero}},
      {"rint", {Op::round_to_integral, Rounding::nearest_even}},
      {"nearbyint", {Op::round_to_integral, Rounding::nearest_even}},
      {"round", {Op::round_to_integral, Rounding::nearest_away}},
      {"copysign", {Op::float_copysign, Rounding::none}},
  }};
  if (const auto known = look_up(exact, stem)) {
    set(i, {float_operation(known->op, operands, type, known->rounding)});
    return true;
  }
  static constexpr auto vendor = std::to_array<const char*>(
      {"rsqrt",   "cbrt",    "exp",       "exp2",       "exp10",  "expm1",  "log",     "log2",  "log10",
       "log1p",   "sin",     "cos",       "tan",        "asin",   "acos",   "atan",    "sinh",  "cosh",
       "tanh",    "asinh",   "acosh",     "atanh",      "erf",    "erfc",   "fmod",    "pow",   "erfcx",
       "erfinv",  "erfcinv", "normcdf",   "normcdfinv", "tgamma", "lgamma", "sinpi",   "cospi", "rcbrt",
       "logb",    "fdim",    "remainder", "atan2",      "hypot",  "__exp",  "__exp10", "__log", "__log2",
       "__log10", "__sin",   "__cos",     "__tan",      "__pow"});
  if (std::find(vendor.begin(), vendor.end(), stem) != vendor.end()) {
    set(i, {emit(Op::library_call, operands, type)});
    builder_.modify().text = whole.str();
    return true;
  }
  return false;
}

// __hallmark_f16_add and its kin, on encodings in 16-bit integers.
bool Lowering::half_function(llvm::CallInst& i, llvm::StringRef name) {
  Type type = Type::f16;
  if (name.consume_front("__hallmark_bf16_"))
    type = Type::bf16;
  else if (!name.consume_front("__hallmark_f16_"))
    return false;
  const auto operand = [&](unsigned n) { return emit(Op::bitcast, {value(i.getArgOperand(n))}, type); };
  const auto result = [&](ValueId v) { set(i, {emit(Op::bitcast, {v}, Type::i16)}); };
  static constexpr std::array<std::pair<const char*, Rounding>, 4> from_floats{
      {{"from_f32", Rounding::nearest_even},
       {"from_f32_rz", Rounding::toward_zero},
       {"from_f32_ru", Rounding::up},
       {"from_f32_rd", Rounding::down}}};
  if (const auto rounding = look_up(from_floats, name)) {
    result(float_operation(Op::float_convert, {value(i.getArgOperand(0))}, type, *rounding));
    return true;
  }
  if (name == "from_f64" || name == "from_s32" || name == "from_u32") {
    const Op op = name == "from_f64"   ? Op::float_convert
                  : name == "from_s32" ? Op::signed_to_float
                                       : Op::unsigned_to_float;
    result(float_operation(op, {value(i.getArgOperand(0))}, type, Rounding::nearest_even));
    return true;
  }
  if (name == "to_f32") {
    set(i, {emit(Op::float_convert, {operand(0)}, Type::f32)});
    return true;
  }
  static constexpr std::array<std::pair<const char*, ir::Predicate>, 12> comparisons{
      {{"eq", ir::Predicate::ordered_equal},
       {"ne", ir::Predicate::ordered_not_equal},
       {"lt", ir::Predicate::ordered_less},
       {"le", ir::Predicate::ordered_less_equal},
       {"gt", ir::Predicate::ordered_greater},
       {"ge", ir::Predicate::ordered_greater_equal},
       {"equ", ir::Predicate::unordered_equal},
       {"neu", ir::Predicate::unordered_not_equal},
       {"ltu", ir::Predicate::unordered_less},
       {"leu", ir::Predicate::unordered_less_equal},
       {"gtu", ir::Predicate::unordered_greater},
       {"geu", ir::Predicate::unordered_greater_equal}}};
  if (const auto predicate = look_up(comparisons, name)) {
    set(i, {compare(*predicate, operand(0), operand(1))});
    return true;
  }
  // The forms without _rn may be fused by nvcc whatever its flags (soundness B6).
  const bool pinned = name.consume_back("_rn"), propagates = name.consume_back("nan");
  static constexpr std::array<std::pair<const char*, Op>, 8> arithmetic{{{"add", Op::float_add},
                                                                         {"sub", Op::float_sub},
                                                                         {"mul", Op::float_mul},
                                                                         {"max", Op::float_max},
                                                                         {"min", Op::float_min},
                                                                         {"fma", Op::float_fma},
                                                                         {"neg", Op::float_neg},
                                                                         {"abs", Op::float_abs}}};
  const auto op = look_up(arithmetic, name);
  if (!op) return false;
  Values operands;
  for (unsigned n = 0; n < i.arg_size(); ++n) operands.push_back(operand(n));
  const bool rounds =
      *op == Op::float_add || *op == Op::float_sub || *op == Op::float_mul || *op == Op::float_fma;
  const ValueId v =
      float_operation(*op, std::move(operands), type, rounds ? Rounding::nearest_even : Rounding::none);
  builder_.modify().contractible = rounds && *op != Op::float_fma && !pinned;
  builder_.modify().propagate_nan = propagates;
  result(v);
  return true;
}

// __float2int_rn and its kin (PTX ISA, cvt), __float_as_int and its kin (mov).
bool Lowering::conversion(llvm::CallInst& i, llvm::StringRef name) {
  static constexpr std::array<std::pair<const char*, Type>, 6> casts{{{"__float_as_int", Type::i32},
                                                                      {"__float_as_uint", Type::i32},
                                                                      {"__int_as_float", Type::f32},
                                                                      {"__uint_as_float", Type::f32},
                                                                      {"__double_as_longlong", Type::i64},
                                                                      {"__longlong_as_double", Type::f64}}};
  if (const auto type = look_up(casts, name)) {
    set(i, {emit(Op::bitcast, {value(i.getArgOperand(0))}, *type)});
    return true;
  }
  const auto rounding = take_rounding(name);
  if (!rounding || !name.consume_front("__")) return false;
  const auto [from, to] = name.split('2');
  if (to.empty()) return false;
  struct Number {
    Type type;
    bool is_signed;
  };
  static constexpr std::array<std::pair<const char*, Number>, 6> numbers{{{"float", {Type::f32, true}},
                                                                          {"double", {Type::f64, true}},
                                                                          {"int", {Type::i32, true}},
                                                                          {"uint", {Type::i32, false}},
                                                                          {"ll", {Type::i64, true}},
                                                                          {"ull", {Type::i64, false}}}};
  const auto a = look_up(numbers, from), b = look_up(numbers, to);
  if (!a || !b) return false;
  const bool from_float = ir::is_float(a->type), to_float = ir::is_float(b->type);
  if (!from_float && !to_float) return false;
  const Op op = from_float && to_float ? Op::float_convert
                : from_float           ? (b->is_signed ? Op::float_to_signed : Op::float_to_unsigned)
                                       : (a->is_signed ? Op::signed_to_float : Op::unsigned_to_float);
  set(i, {emit(op, {value(i.getArgOperand(0))}, b->type)});
  builder_.modify().rounding = *rounding;
  builder_.modify().clamped_conversion = from_float && !to_float;
  return true;
}

bool Lowering::integer_function(llvm::CallInst& i, llvm::StringRef name) {
  Values operands;
  for (llvm::Use& a : i.args()) {
    if (a->getType()->isPointerTy()) return false;
    operands.push_back(value(a.get()));
  }
  static constexpr std::array<std::pair<const char*, Op>, 23> table{
      {{"__mulhi", Op::mul_high_signed},
       {"__umulhi", Op::mul_high_unsigned},
       {"__mul64hi", Op::mul_high_signed},
       {"__umul64hi", Op::mul_high_unsigned},
       {"__popc", Op::population_count},
       {"__popcll", Op::population_count},
       {"__clz", Op::count_leading_zeros},
       {"__clzll", Op::count_leading_zeros},
       {"__brev", Op::bit_reverse},
       {"__brevll", Op::bit_reverse},
       {"__byte_perm", Op::byte_permute},
       {"__funnelshift_l", Op::funnel_left},
       {"__funnelshift_lc", Op::funnel_left},
       {"__funnelshift_r", Op::funnel_right},
       {"__funnelshift_rc", Op::funnel_right},
       {"__hallmark_min_s32", Op::min_signed},
       {"__hallmark_min_u32", Op::min_unsigned},
       {"__hallmark_min_s64", Op::min_signed},
       {"__hallmark_min_u64", Op::min_unsigned},
       {"__hallmark_max_s32", Op::max_signed},
       {"__hallmark_max_u32", Op::max_unsigned},
       {"__hallmark_max_s64", Op::max_signed},
       {"__hallmark_max_u64", Op::max_unsigned}}};
  const auto op = look_up(table, name);
  if (!op) return false;
  if (*op == Op::byte_permute) {
    // Only the low three bits of each selector count (CUDA Math API); PTX's fourth bit repeats a sign.
    operands[2] = emit(Op::bit_and, {operands[2], constant_bits(Type::i32, 0x7777)}, Type::i32);
  }
  const bool counts = *op == Op::population_count || *op == Op::count_leading_zeros;
  set(i, {emit(*op, operands, counts ? Type::i32 : builder_.type_of(operands[0]))});
  builder_.modify().shift_overflow = name.endswith("c") ? ir::ShiftOverflow::clamp : ir::ShiftOverflow::wrap;
  return true;
}

bool Lowering::thread_function(llvm::CallInst& i, llvm::StringRef name) {
  const auto argument = [&](unsigned n) { return value(i.getArgOperand(n)); };
  if (name == "__trap") return true;  // see terminator()
  if (name == "__syncthreads") {
    builder_.emit(Op::barrier, {constant_bits(Type::i32, 0)}, {}).aligned = true;
    return true;
  }
  if (name == "__hallmark_syncwarp") {
    builder_.emit(Op::warp_sync, {argument(0)}, {});
    return true;
  }
  static constexpr std::array<std::pair<const char*, ir::Scope>, 3> fences{
      {{"__threadfence_block", ir::Scope::block},
       {"__threadfence", ir::Scope::device},
       {"__threadfence_system", ir::Scope::system}}};
  if (const auto scope = look_up(fences, name)) {
    builder_.emit(Op::fence, {}, {}).scope = *scope;
    return true;
  }
  if (name == "__activemask") {
    set(i, {emit(Op::active_mask, {}, Type::i32)});
    return true;
  }
  if (name == "__match_any_sync") {
    set(i, {emit(Op::match_any, {argument(1), argument(0)}, Type::i32)});
    return true;
  }
  if (name.startswith("__hallmark_shfl_")) {
    name.consume_front("__hallmark_shfl_");
    const auto [mode, suffix] = name.split('_');
    const Type type = suffix == "f32" ? Type::f32 : Type::i32;
    const ValueId mask = argument(0), shuffled = argument(1), lane = argument(2), clamp = argument(3);
    set(i, {emit(Op::shuffle, {shuffled, lane, clamp, mask}, type)});
    builder_.modify().shuffle_mode = mode == "up"     ? ir::ShuffleMode::up
                                     : mode == "down" ? ir::ShuffleMode::down
                                     : mode == "bfly" ? ir::ShuffleMode::butterfly
                                                      : ir::ShuffleMode::index;
    return true;
  }
  static constexpr std::array<std::pair<const char*, ir::VoteMode>, 3> votes{
      {{"__hallmark_any_sync", ir::VoteMode::any},
       {"__hallmark_all_sync", ir::VoteMode::all},
       {"__hallmark_ballot_sync", ir::VoteMode::ballot}}};
  if (const auto mode = look_up(votes, name)) {
    const bool ballot = *mode == ir::VoteMode::ballot;
    const ValueId mask = argument(0), vote = argument(1);
    ValueId result = emit(Op::vote, {vote, mask}, ballot ? Type::i32 : Type::i1);
    builder_.modify().vote_mode = *mode;
    if (!ballot) result = emit(Op::zero_extend, {result}, Type::i32);
    set(i, {result});
    return true;
  }
  if (name.consume_front("__hallmark_reduce_")) {
    const auto [word, suffix] = name.split('_');
    static constexpr std::array<std::pair<const char*, ir::AtomicOperation>, 6> reductions{
        {{"add", ir::AtomicOperation::add},
         {"min", ir::AtomicOperation::min},
         {"max", ir::AtomicOperation::max},
         {"and", ir::AtomicOperation::bit_and},
         {"or", ir::AtomicOperation::bit_or},
         {"xor", ir::AtomicOperation::bit_xor}}};
    const auto op = look_up(reductions, word);
    if (!op) return false;
    const ValueId mask = argument(0), reduced = argument(1);
    set(i, {emit(Op::warp_reduce, {reduced, mask}, Type::i32)});
    builder_.modify().atomic_operation = *op;
    builder_.modify().is_signed = suffix == "s32";
    return true;
  }
  if (name == "printf") {  // writes to a buffer that no kernel reads; what it returns is not specified here
    if (!i.use_empty()) set(i, {emit(Op::freeze, {arbitrary(Type::i32)}, Type::i32)});
    return true;
  }
  if (name == "__cvta_generic_to_shared") {
    set(i, {pointer_in(i.getArgOperand(0), PointerInfo{ir::Space::shared, false, {}})});
    return true;
  }
  if (name == "__hallmark_non_coherent") {
    set(i, {value(i.getArgOperand(0))});
    return true;
  }
  return false;
}

// __hallmark_atomic_add_u32, __hallmark_block_atomic_add_u32 and their kin (PTX ISA, atom; relaxed).
bool Lowering::atomic_function(llvm::CallInst& i, llvm::StringRef name) {
  if (!name.consume_front("__hallmark_")) return false;
  const ir::Scope scope = name.consume_front("block_")    ? ir::Scope::block
                          : name.consume_front("system_") ? ir::Scope::system
                                                          : ir::Scope::device;
  if (!name.consume_front("atomic_")) return false;
  const auto [word, suffix] = name.split('_');
  static constexpr std::array<std::pair<const char*, ir::AtomicOperation>, 10> table{
      {{"add", ir::AtomicOperation::add},
       {"exch", ir::AtomicOperation::exchange},
       {"cas", ir::AtomicOperation::compare_swap},
       {"inc", ir::AtomicOperation::increment},
       {"dec", ir::AtomicOperation::decrement},
       {"min", ir::AtomicOperation::min},
       {"max", ir::AtomicOperation::max},
       {"and", ir::AtomicOperation::bit_and},
       {"or", ir::AtomicOperation::bit_or},
       {"xor", ir::AtomicOperation::bit_xor}}};
  const auto op = look_up(table, word);
  if (!op) return false;
  const PointerInfo info = spaces_.of(i.getArgOperand(0));
  if (info.aggregate) refuse("a parameter is written");
  Values operands{address(i.getArgOperand(0), info)};
  for (unsigned n = 1; n < i.arg_size(); ++n) operands.push_back(value(i.getArgOperand(n)));
  const Type type = builder_.type_of(operands[1]);
  ir::Instruction& made = builder_.emit(Op::atomic, std::move(operands), {type});
  made.space = info.space;
  made.scope = scope;
  made.alignment = ir::bytes_of(type);
  made.atomic_operation = *op;
  made.is_signed = suffix.startswith("s");
  if (ir::is_float(type)) made.rounding = Rounding::nearest_even;
  set(i, {made.results[0]});
  return true;
}

}  // namespace hallmark::validator::source
