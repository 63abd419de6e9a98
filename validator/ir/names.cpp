#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "validator/ir/opcode.h"
#include "validator/ir/type.h"

namespace hallmark::validator::ir {

namespace {

template <std::size_t N>
std::string_view pick(const std::array<std::string_view, N>& names, std::size_t index) {
  ensure(index < N, "enumerator without a name");
  return names[index];
}

}  // namespace

bool is_integer(Type t) {
  return t <= Type::i64;
}
bool is_float(Type t) {
  return !is_integer(t);
}
unsigned bits_of(Type t) {
  constexpr std::array<unsigned, 9> bits{1, 8, 16, 32, 64, 16, 16, 32, 64};
  return bits.at(static_cast<std::size_t>(t));
}
unsigned bytes_of(Type t) {
  return (bits_of(t) + 7) / 8;
}
std::uint64_t mask_of(Type t) {
  return bits_of(t) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits_of(t)) - 1;
}
Type integer_type(unsigned bits) {
  switch (bits) {
    case 1:
      return Type::i1;
    case 8:
      return Type::i8;
    case 16:
      return Type::i16;
    case 32:
      return Type::i32;
    case 64:
      return Type::i64;
    default:
      throw InternalError(fmt::format("no integer type of {} bits", bits));
  }
}

std::string_view name(Type t) {
  static constexpr std::array<std::string_view, 9> names{"i1",  "i8",   "i16", "i32", "i64",
                                                         "f16", "bf16", "f32", "f64"};
  return pick(names, static_cast<std::size_t>(t));
}

std::string_view name(Space s) {
  static constexpr std::array<std::string_view, 5> names{"generic", "global", "shared", "local", "constant"};
  return pick(names, static_cast<std::size_t>(s));
}

std::string_view name(Opcode op) {
  static constexpr auto names = std::to_array<std::string_view>({
      "parameter",
      "special_register",
      "symbol_address",
      "arbitrary",
      "freeze",
      "add",
      "sub",
      "mul",
      "mul_high_signed",
      "mul_high_unsigned",
      "div_signed",
      "div_unsigned",
      "rem_signed",
      "rem_unsigned",
      "shift_left",
      "shift_right_logical",
      "shift_right_arithmetic",
      "bit_and",
      "bit_or",
      "bit_xor",
      "bit_not",
      "min_signed",
      "min_unsigned",
      "max_signed",
      "max_unsigned",
      "abs_signed",
      "population_count",
      "count_leading_zeros",
      "find_leading_signed",
      "find_leading_unsigned",
      "bit_reverse",
      "extract_bits_signed",
      "extract_bits_unsigned",
      "insert_bits",
      "byte_permute",
      "funnel_left",
      "funnel_right",
      "zero_extend",
      "sign_extend",
      "truncate",
      "bitcast",
      "float_convert",
      "round_to_integral",
      "float_to_signed",
      "float_to_unsigned",
      "signed_to_float",
      "unsigned_to_float",
      "address_cast",
      "compare_integer",
      "compare_float",
      "select",
      "float_add",
      "float_sub",
      "float_mul",
      "float_fma",
      "float_div",
      "float_sqrt",
      "float_reciprocal",
      "float_reciprocal_sqrt",
      "float_exp2",
      "float_log2",
      "float_sin",
      "float_cos",
      "float_tanh",
      "float_min",
      "float_max",
      "float_neg",
      "float_abs",
      "float_copysign",
      "library_call",
      "load",
      "store",
      "atomic",
      "fence",
      "async_commit",
      "async_wait",
      "barrier",
      "barrier_arrive",
      "warp_sync",
      "shuffle",
      "vote",
      "match_any",
      "match_all",
      "warp_reduce",
      "active_mask",
  });
  static_assert(names.size() == static_cast<std::size_t>(Opcode::active_mask) + 1);
  return pick(names, static_cast<std::size_t>(op));
}

std::string_view name(Rounding r) {
  static constexpr std::array<std::string_view, 6> names{"none", "rn", "rz", "rm", "rp", "rna"};
  return pick(names, static_cast<std::size_t>(r));
}

std::string_view name(Predicate p) {
  static constexpr auto names = std::to_array<std::string_view>(
      {"eq",  "ne",  "slt", "sle", "sgt", "sge", "ult", "ule",  "ugt",  "uge",  "oeq",  "one",
       "olt", "ole", "ogt", "oge", "ord", "ueq", "une", "ultu", "uleu", "ugtu", "ugeu", "uno"});
  static_assert(names.size() == static_cast<std::size_t>(Predicate::unordered) + 1);
  return pick(names, static_cast<std::size_t>(p));
}

std::string_view name(AtomicOperation op) {
  static constexpr std::array<std::string_view, 11> names{"none", "exch", "cas", "add", "inc", "dec",
                                                          "min",  "max",  "and", "or",  "xor"};
  return pick(names, static_cast<std::size_t>(op));
}

std::string_view name(ShuffleMode m) {
  static constexpr std::array<std::string_view, 4> names{"up", "down", "bfly", "idx"};
  return pick(names, static_cast<std::size_t>(m));
}

std::string_view name(VoteMode m) {
  static constexpr std::array<std::string_view, 4> names{"all", "any", "uni", "ballot"};
  return pick(names, static_cast<std::size_t>(m));
}

std::string_view name(Scope s) {
  static constexpr std::array<std::string_view, 5> names{"thread", "cta", "cluster", "gpu", "sys"};
  return pick(names, static_cast<std::size_t>(s));
}

std::string_view name(SpecialRegister r) {
  static constexpr auto names =
      std::to_array<std::string_view>({"tid.x",       "tid.y",       "tid.z",
                                       "ntid.x",      "ntid.y",      "ntid.z",
                                       "ctaid.x",     "ctaid.y",     "ctaid.z",
                                       "nctaid.x",    "nctaid.y",    "nctaid.z",
                                       "laneid",      "warpid",      "nwarpid",
                                       "lanemask_eq", "lanemask_lt", "lanemask_le",
                                       "lanemask_gt", "lanemask_ge", "dynamic_smem_size"});
  static_assert(names.size() == static_cast<std::size_t>(SpecialRegister::dynamic_shared_bytes) + 1);
  return pick(names, static_cast<std::size_t>(r));
}

}  // namespace hallmark::validator::ir
