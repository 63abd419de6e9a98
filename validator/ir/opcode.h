// The instruction set of the kernel IR and the modifiers that its instructions carry. It is the union of what
// PTX (ISA 9.0) and LLVM IR say, reduced to one spelling: mad, mul.wide, carry chains, packed halves, vector
// moves and switches arrive already taken apart.
#pragma once
#include <cstdint>
#include <string_view>

namespace hallmark::validator::ir {

enum class Opcode : std::uint8_t {
  // --- leaves ---
  parameter,         // () -> value: `bytes_of(type)` bytes of parameter `index` from byte `offset` on
  special_register,  // () -> i32 (i64 where PTX says .u64): `special`
  symbol_address,    // () -> i64 or i32: address of array `index` of Kernel::arrays in its own space
  arbitrary,         // () -> any value of the type. Two uses of one result may differ (LLVM undef): whoever
                     //   cannot track that must refuse a use that reaches an address, a guard or a store.
  freeze,            // (a) -> a, or one fixed arbitrary value where a is undefined
  // --- integers; all wrap modulo 2^w. Flags nsw and nuw are claims of the source (kind `ub`), never used ---
  add,
  sub,
  mul,
  mul_high_signed,
  mul_high_unsigned,
  div_signed,  // truncates; by zero: undefined (LLVM), unspecified value (PTX); min / -1: undefined (LLVM),
               // min (PTX)
  div_unsigned,
  rem_signed,  // sign of the dividend
  rem_unsigned,
  shift_left,  // second operand unsigned, of the same type (LLVM) or i32 (PTX); amount >= width: see
               // shift_overflow
  shift_right_logical,
  shift_right_arithmetic,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  min_signed,
  min_unsigned,
  max_signed,
  max_unsigned,
  abs_signed,             // |min| = min
  population_count,       // -> i32
  count_leading_zeros,    // -> i32
  find_leading_signed,    // -> i32: bit position of the most significant non-sign bit, or 0xffffffff (PTX
                          // bfind)
  find_leading_unsigned,  // -> i32
  bit_reverse,
  extract_bits_signed,  // (a, position i32, length i32): PTX bfe
  extract_bits_unsigned,
  insert_bits,   // (a, b, position, length): a into b, PTX bfi
  byte_permute,  // (a, b, selector) i32: PTX prmt, default mode
  funnel_left,   // (low, high, amount) i32: PTX shf.l; shift_overflow: wrap or clamp
  funnel_right,
  // --- conversions ---
  zero_extend,
  sign_extend,
  truncate,
  bitcast,            // same width
  float_convert,      // float to float: `rounding` when narrowing, ftz, saturate
  round_to_integral,  // float to the same float: `rounding`
  float_to_signed,    // `rounding`; clamped_conversion: PTX clamps and gives 0 for NaN, LLVM undefined
  float_to_unsigned,
  signed_to_float,
  unsigned_to_float,
  address_cast,  // address -> same address seen from another space: from_space, space
  // --- comparisons and selection ---
  compare_integer,  // -> i1: `predicate`
  compare_float,    // -> i1: `predicate`, ftz
  select,           // (i1, a, b)
  // --- floats: rounding, ftz, saturate, approximate, contractible ---
  float_add,
  float_sub,
  float_mul,
  float_fma,
  float_div,
  float_sqrt,
  float_reciprocal,
  float_reciprocal_sqrt,
  float_exp2,
  float_log2,
  float_sin,
  float_cos,
  float_tanh,
  float_min,  // number wins, -0 below +0 (PTX); with propagate_nan: minimum
  float_max,
  float_neg,       // flips the sign bit (ftz flushes first)
  float_abs,       // clears the sign bit
  float_copysign,  // (magnitude, sign)
  library_call,    // (floats) -> float: `text` names the vendor function ("expf"); its bits are not known
  // --- memory ---
  load,    // (address) -> 1, 2, 4 or 8 values of one type at consecutive places, one access
  store,   // (address, values...) likewise
  atomic,  // (address, value[, new value for compare_swap: compare, new]) -> old value or nothing
  fence,   // scope
  // What a thread copies asynchronously (loads and stores with `asynchronous`) belongs to groups that it
  // waits
  // for (PTX ISA 9.7.9.27).
  async_commit,  // ends a group
  async_wait,    // until all groups but the last `index` have landed; `none`: all copies, of any group
  // --- threads ---
  barrier,         // (id i32 [, thread count i32]): waits
  barrier_arrive,  // (id, thread count): does not wait
  warp_sync,       // (mask i32)
  shuffle,         // (value i32 or f32, lane i32, clamp i32, mask i32) -> value[, i1 in range]: PTX shfl.sync
  vote,            // (i1, mask) -> i1, or i32 for ballot
  match_any,       // (value, mask) -> i32
  match_all,       // (value, mask) -> i32[, i1]
  warp_reduce,     // (value i32, mask) -> i32: `atomic_operation`, `is_signed` (PTX redux.sync)
  active_mask,     // () -> i32
};
std::string_view name(Opcode);  // "add", "shift_left"

enum class Rounding : std::uint8_t {
  none,  // exact operations, and LLVM casts whose rule is fixed by the opcode
  nearest_even,
  toward_zero,
  down,
  up,
  nearest_away,  // cvt.rna
};
enum class Predicate : std::uint8_t {
  // integers
  equal,
  not_equal,
  less_signed,
  less_equal_signed,
  greater_signed,
  greater_equal_signed,
  less_unsigned,
  less_equal_unsigned,
  greater_unsigned,
  greater_equal_unsigned,
  // floats: ordered_* is false, unordered_* is true when an operand is NaN
  ordered_equal,
  ordered_not_equal,
  ordered_less,
  ordered_less_equal,
  ordered_greater,
  ordered_greater_equal,
  ordered,
  unordered_equal,
  unordered_not_equal,
  unordered_less,
  unordered_less_equal,
  unordered_greater,
  unordered_greater_equal,
  unordered,
};
enum class ShiftOverflow : std::uint8_t { clamp, wrap, undefined };  // PTX clamps, LLVM: undefined
enum class AtomicOperation : std::uint8_t {
  none,
  exchange,
  compare_swap,
  add,
  increment,
  decrement,
  min,
  max,
  bit_and,
  bit_or,
  bit_xor,
};
enum class ShuffleMode : std::uint8_t { up, down, butterfly, index };
enum class VoteMode : std::uint8_t { all, any, uniform, ballot };
enum class Scope : std::uint8_t { thread, block, cluster, device, system };
enum class SpecialRegister : std::uint8_t {
  thread_x,
  thread_y,
  thread_z,
  block_size_x,
  block_size_y,
  block_size_z,
  block_x,
  block_y,
  block_z,
  grid_size_x,
  grid_size_y,
  grid_size_z,
  lane,
  warp,
  warps_per_block,
  lane_mask_equal,
  lane_mask_less,
  lane_mask_less_equal,
  lane_mask_greater,
  lane_mask_greater_equal,
  dynamic_shared_bytes,
};

std::string_view name(Rounding);
std::string_view name(Predicate);
std::string_view name(AtomicOperation);
std::string_view name(ShuffleMode);
std::string_view name(VoteMode);
std::string_view name(Scope);
std::string_view name(SpecialRegister);  // PTX spelling without %: "tid.x"

}  // namespace hallmark::validator::ir
