// Instructions over the lanes of a warp: numbers that follow from the own lane, and what other lanes hold.
#pragma once
#include <map>
#include <utility>

#include "validator/ir/builder.h"

namespace hallmark::validator::ir {

// Integer arithmetic on 32 bits, and what other lanes hold.
class WarpLanes {
 public:
  explicit WarpLanes(Builder& builder) : builder_(builder) {
    lane_ = builder_.value(Opcode::special_register, {}, Type::i32);
    builder_.modify().special = SpecialRegister::lane;
  }
  ValueId number(std::uint64_t n) { return builder_.constant(Type::i32, n); }
  ValueId lane() const { return lane_; }
  ValueId plus(ValueId a, std::uint64_t n) {
    return n == 0 ? a : builder_.value(Opcode::add, {a, number(n)}, Type::i32);
  }
  ValueId times(ValueId a, std::uint64_t n) {
    return n == 1 ? a : builder_.value(Opcode::mul, {a, number(n)}, Type::i32);
  }
  ValueId quotient(ValueId a, unsigned power) {
    const ValueId result = builder_.value(Opcode::shift_right_logical, {a, number(power)}, Type::i32);
    builder_.modify().shift_overflow = ShiftOverflow::clamp;
    return result;
  }
  ValueId remainder(ValueId a, std::uint64_t power_of_two) {
    return builder_.value(Opcode::bit_and, {a, number(power_of_two - 1)}, Type::i32);
  }
  // All lanes of the warp are here (obligation `shuffle`); what they did to memory is not ordered by it.
  void together() {
    builder_.value(Opcode::vote, {builder_.constant(Type::i1, 1), number(whole_warp)}, Type::i1);
    builder_.modify().vote_mode = VoteMode::all;
  }
  // `value` in another lane; all lanes of the warp take part.
  ValueId from(ValueId value, ValueId lane) {
    const auto key = std::pair(value, lane);
    if (const auto known = moved_.find(key); known != moved_.end()) return known->second;
    constexpr std::uint64_t last_lane = 31;
    const Type type = builder_.type_of(value);
    const ValueId result =
        builder_.value(Opcode::shuffle, {value, lane, number(last_lane), number(whole_warp)}, type);
    builder_.modify().shuffle_mode = ShuffleMode::index;
    moved_.emplace(key, result);
    return result;
  }

 private:
  static constexpr std::uint64_t whole_warp = 0xffffffff;
  Builder& builder_;
  ValueId lane_ = none;
  std::map<std::pair<ValueId, ValueId>, ValueId> moved_;
};

}  // namespace hallmark::validator::ir
