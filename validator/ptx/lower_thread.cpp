// Barriers, shuffles, votes (ISA 9.7.13, 9.7.9).
#include <fmt/format.h>

#include "validator/ptx/lower.h"

namespace hallmark::validator::ptx {

void Lowering::barrier(Work& w) {
  if (w.suffixes.take("warp")) {
    expect_count(w, 1);
    if (!w.suffixes.take("sync")) refuse(w, "this form is not understood");
    const ValueId mask = read_i32(w, 0);
    builder_.emit(Op::warp_sync, {mask}, {});
    return;
  }
  const bool arrive = w.suffixes.take("arrive");
  if (!arrive && !w.suffixes.take("sync")) refuse(w, "this form is not understood");
  w.suffixes.take("cta");
  const bool aligned = w.suffixes.take("aligned") || w.s.name == "bar";
  if (w.count() == 0 || w.count() > 2 || (arrive && w.count() != 2))
    reject(w, "takes a barrier and a thread count");
  std::vector<ValueId> operands;
  for (std::size_t n = 0; n < w.count(); ++n) operands.push_back(read_i32(w, n));
  builder_.emit(arrive ? Op::barrier_arrive : Op::barrier, std::move(operands), {}).aligned = aligned;
}

void Lowering::shuffle(Work& w) {
  expect_count(w, 5);
  if (!w.suffixes.take("sync")) refuse(w, "shuffles without .sync are not understood");
  const std::string_view mode = w.suffixes.take_any({"up", "down", "bfly", "idx"});
  const TypeSuffix t = type(w);
  if (mode.empty() || t.kind != TypeSuffix::Kind::bits || t.type != Type::i32)
    refuse(w, "this form is not understood");
  Type carried = Type::i32;
  if (w.operand(0).kind == Operand::Kind::reg && register_types_[w.operand(0).number] == Type::f32)
    carried = Type::f32;
  const ValueId a = read(w, w.operand(1), carried, t);
  const ValueId lane = read_i32(w, 2), clamp = read_i32(w, 3), mask = read_i32(w, 4);
  const bool with_predicate = !w.operand(0).second.empty();
  std::vector<Type> results{carried};
  if (with_predicate) results.push_back(Type::i1);
  ir::Instruction& i = builder_.emit(Op::shuffle, {a, lane, clamp, mask}, results);
  i.shuffle_mode = mode == "up"     ? ir::ShuffleMode::up
                   : mode == "down" ? ir::ShuffleMode::down
                   : mode == "bfly" ? ir::ShuffleMode::butterfly
                                    : ir::ShuffleMode::index;
  const std::vector<ValueId> values = i.results;
  write(w, w.operand(0), values[0]);
  if (with_predicate) write(w, w.operand(0).second[0], values[1]);
}

void Lowering::vote(Work& w) {
  expect_count(w, 3);
  if (!w.suffixes.take("sync")) refuse(w, "votes without .sync are not understood");
  const std::string_view mode = w.suffixes.take_any({"all", "any", "uni", "ballot"});
  const TypeSuffix t = type(w);
  const bool ballot = mode == "ballot";
  if (mode.empty() || t.type != (ballot ? Type::i32 : Type::i1)) refuse(w, "this form is not understood");
  const ValueId a = read_predicate(w, w.operand(1)), mask = read_i32(w, 2);
  const ValueId result = emit(Op::vote, {a, mask}, ballot ? Type::i32 : Type::i1);
  builder_.modify().vote_mode = ballot          ? ir::VoteMode::ballot
                                : mode == "all" ? ir::VoteMode::all
                                : mode == "any" ? ir::VoteMode::any
                                                : ir::VoteMode::uniform;
  write(w, w.operand(0), result);
}

void Lowering::match(Work& w) {
  expect_count(w, 3);
  const std::string_view mode = w.suffixes.take_any({"any", "all"});
  if (!w.suffixes.take("sync") || mode.empty()) refuse(w, "this form is not understood");
  const TypeSuffix t = type(w);
  if (t.kind != TypeSuffix::Kind::bits || (t.type != Type::i32 && t.type != Type::i64))
    refuse(w, "its type is not understood");
  const ValueId a = read(w, 1, t), mask = read_i32(w, 2);
  const bool with_predicate = !w.operand(0).second.empty();
  if (with_predicate && mode == "any") reject(w, "has one result");
  std::vector<Type> results{Type::i32};
  if (with_predicate) results.push_back(Type::i1);
  const std::vector<ValueId> values =
      builder_.emit(mode == "any" ? Op::match_any : Op::match_all, {a, mask}, results).results;
  write(w, w.operand(0), values[0]);
  if (with_predicate) write(w, w.operand(0).second[0], values[1]);
}

void Lowering::redux(Work& w) {
  expect_count(w, 3);
  if (!w.suffixes.take("sync")) refuse(w, "this form is not understood");
  const std::string_view word = w.suffixes.take_any({"add", "min", "max", "and", "or", "xor"});
  const TypeSuffix t = type(w);
  if (word.empty() || t.type != Type::i32 || t.is_packed()) refuse(w, "this form is not understood");
  const ValueId a = read(w, 1, t), mask = read_i32(w, 2);
  const ValueId result = emit(Op::warp_reduce, {a, mask}, Type::i32);
  ir::Instruction& i = builder_.modify();
  i.is_signed = t.is_signed();
  i.atomic_operation = word == "add"   ? ir::AtomicOperation::add
                       : word == "min" ? ir::AtomicOperation::min
                       : word == "max" ? ir::AtomicOperation::max
                       : word == "and" ? ir::AtomicOperation::bit_and
                       : word == "or"  ? ir::AtomicOperation::bit_or
                                       : ir::AtomicOperation::bit_xor;
  write(w, w.operand(0), result);
}

void Lowering::active_mask(Work& w) {
  expect_count(w, 1);
  const TypeSuffix t = type(w);
  if (t.type != Type::i32 || t.kind != TypeSuffix::Kind::bits) refuse(w, "its type is not understood");
  write(w, w.operand(0), emit(Op::active_mask, {}, Type::i32));
}

}  // namespace hallmark::validator::ptx
