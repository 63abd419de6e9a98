// Asynchronous copies of a thread, their groups and its waits for them (ISA 9.7.9.27.3): cp.async,
// cp.async.commit_group, cp.async.wait_group, cp.async.wait_all. What may happen while a copy is under way is
// for the checks (checks/async_copies.cpp).
#include <algorithm>

#include "validator/ptx/lower.h"

namespace hallmark::validator::ptx {

void Lowering::async_copy(Work& w) {
  const auto& suffixes = w.s.suffixes;
  const auto has = [&](const char* word) {
    return std::find(suffixes.begin(), suffixes.end(), word) != suffixes.end();
  };
  if (!has("async") || has("bulk") || has("mbarrier") || has("reduce") || has("ignore-src") ||
      has("L2::cache_hint"))
    refuse(w, "this form is not understood");
  while (!w.suffixes.rest().empty()) w.suffixes.take(w.suffixes.rest().front());
  if (has("commit_group")) {
    expect_count(w, 0);
    builder_.emit(Op::async_commit, {}, {});
    return;
  }
  if (has("wait_all") || has("wait_group")) {
    expect_count(w, has("wait_all") ? 0 : 1);
    ir::Instruction& wait = builder_.emit(Op::async_wait, {}, {});
    if (has("wait_all")) return;
    const Operand& groups = w.operand(0);
    if (groups.kind != Operand::Kind::integer || groups.value >= ir::none)
      reject(w, "waits for a number of groups that is a constant");
    wait.index = static_cast<std::uint32_t>(groups.value);
    return;
  }
  const bool to_shared = has("shared") || has("shared::cta");
  if (!to_shared || !has("global")) refuse(w, "this form is not understood");
  if ((w.count() != 3 && w.count() != 4) || w.operand(2).kind != Operand::Kind::integer)
    refuse(w, "a copy whose size is not a constant");
  const std::uint64_t bytes = w.operand(2).value;
  if (bytes != 4 && bytes != 8 && bytes != 16) reject(w, "copies 4, 8 or 16 bytes");
  const bool constant_part = w.count() == 4 && w.operand(3).kind == Operand::Kind::integer;
  if (constant_part && w.operand(3).value != bytes && w.operand(3).value != 0) refuse(w, "a copy of a part");
  const bool zeros = w.form == Step::Form::zeros || (constant_part && w.operand(3).value == 0);
  const auto words = static_cast<unsigned>(bytes / 4);
  std::vector<ValueId> moved(words, constant(Type::i32, 0));
  const ValueId from = address(w, w.operand(1), ir::Space::global);
  if (!zeros) {
    ir::Instruction& load = builder_.emit(Op::load, {from}, std::vector<Type>(words, Type::i32));
    load.space = ir::Space::global;
    load.alignment = static_cast<std::uint32_t>(bytes);
    load.asynchronous = true;
    moved = load.results;
  }
  moved.insert(moved.begin(), address(w, w.operand(0), ir::Space::shared));
  ir::Instruction& store = builder_.emit(Op::store, std::move(moved), {});
  store.space = ir::Space::shared;
  store.alignment = static_cast<std::uint32_t>(bytes);
  store.asynchronous = true;
}

}  // namespace hallmark::validator::ptx
