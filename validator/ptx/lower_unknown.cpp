// Instructions whose results are not modelled: the kernel is read nevertheless, and what depends on them is
// not decided. Tensor-core instructions (ISA 9.7.15) and asynchronous copies (ISA 9.7.9.27) are among them
// where nothing more is known of them.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "validator/ir/unknown.h"
#include "validator/ir/warp_lanes.h"
#include "validator/ptx/lower.h"

namespace hallmark::validator::ptx {

namespace {

bool has_shared_prefix(const std::vector<std::string>& suffixes) {
  for (const std::string& suffix : suffixes)
    if (suffix.rfind("shared", 0) == 0) return true;
  return false;
}

bool is_copy(const Statement& s) {
  return s.name == "cp" && s.operands.size() >= 3 && s.operands[0].kind == Operand::Kind::address;
}

// Two copies write different bytes for certain: constants beside the same register, apart by a size.
bool land_apart(const Statement& a, const Statement& b) {
  const Operand &x = a.operands[0], &y = b.operands[0];
  if (&a == &b || !is_copy(b) || x.elements.size() != 1 || y.elements.size() != 1 ||
      x.elements[0].kind != Operand::Kind::reg || y.elements[0].kind != Operand::Kind::reg ||
      x.elements[0].number != y.elements[0].number)
    return false;
  constexpr std::int64_t greatest_copy = 16;
  return std::abs(static_cast<std::int64_t>(x.value - y.value)) >= greatest_copy;
}

// Whether the instruction may change the register.
bool may_write(const Statement& s, const Operand& reg) {
  const auto names = [&](const Operand& o) {
    return (o.kind == Operand::Kind::reg && o.number == reg.number) ||
           std::any_of(o.elements.begin(), o.elements.end(), [&](const Operand& e) {
             return e.kind == Operand::Kind::reg && e.number == reg.number;
           });
  };
  return !s.operands.empty() && s.operands[0].kind != Operand::Kind::address && names(s.operands[0]);
}

}  // namespace

bool Lowering::only_registers(const std::string& name) {
  static const std::set<std::string, std::less<>> names{
      "mma",          "vadd",       "vsub",   "vmin",     "vmax",     "vabsdiff",  "vset",      "vmad",
      "vshl",         "vshr",       "vadd2",  "vsub2",    "vavrg2",   "vmin2",     "vmax2",     "vset2",
      "vadd4",        "vsub4",      "vavrg4", "vmin4",    "vmax4",    "vset4",     "vabsdiff2", "fns",
      "bmsk",         "szext",      "mapa",   "isspacep", "prefetch", "prefetchu", "pmevent",   "nanosleep",
      "createpolicy", "getctarank", "add",    "sub",      "mul",      "mad",       "fma",       "min",
      "max",          "abs",        "neg",    "cvt",      "mov",      "set",       "setp",      "selp",
      "slct",         "tanh",       "ex2",    "lg2",      "sin",      "cos",       "sqrt",      "rsqrt",
      "rcp",          "div",        "rem",    "dp4a",     "dp2a",     "lop3",      "prmt",      "shf",
      "bfe",          "bfi",        "popc",   "clz",      "bfind",    "brev"};
  return names.contains(name);
}

std::string Lowering::described(const Statement& s) const {
  return s.name == "wmma" && !opaque_fragments_.empty() ? opcode_text(s) + ": " + opaque_fragments_
                                                        : opcode_text(s);
}

ir::ValueId Lowering::not_understood(const Work& w, Type type) {
  const ValueId value = emit(Op::library_call, {}, type);
  builder_.modify().text = ir::unknown_text(described(w.s));
  return value;
}

void Lowering::unknown(Work& w) {
  // Whatever it computes, all lanes of the warp execute it together.
  if (w.s.name == "mma") ir::WarpLanes(builder_).together();
  const bool known_name = handlers().contains(w.s.name) || only_registers(w.s.name);
  // Of a name that is known the first operand is the result; of another any register may be one.
  for (std::size_t n = 0; n < (known_name ? std::min<std::size_t>(w.count(), 1) : w.count()); ++n) {
    std::vector<const Operand*> results;
    const auto add = [&](const Operand& o) {
      if (o.kind == Operand::Kind::reg) results.push_back(&o);
      for (const Operand& second : o.second) results.push_back(&second);
    };
    add(w.operand(n));
    if (w.operand(n).kind == Operand::Kind::vector)
      for (const Operand& element : w.operand(n).elements) add(element);
    for (const Operand* result : results) {
      Operand plain = *result;
      plain.second.clear();
      write(w, plain, not_understood(w, register_types_[result->number]));
    }
  }
  if (only_registers(w.s.name)) return;
  // It may write anywhere, and what it asks of its operands nobody knows.
  ir::Instruction& store =
      builder_.emit(Op::store, {not_understood(w, Type::i64), constant(Type::i8, 0)}, {});
  store.space = ir::Space::generic;
  store.alignment = 16;
  store.text = ir::unknown_text(described(w.s));
}

// cp.async whose completion is waited for before the block can see what it wrote is a load and a store; see
// awaited(). Waits and commits are nothing then.
void Lowering::async_copy(Work& w) {
  const auto& suffixes = w.s.suffixes;
  const auto has = [&](const char* word) {
    return std::find(suffixes.begin(), suffixes.end(), word) != suffixes.end();
  };
  if (!has("async") || has("bulk") || has("mbarrier") || has("reduce") || has("ignore-src"))
    refuse(w, "this form is not understood");
  const bool waits = has("commit_group") || has("wait_group") || has("wait_all");
  while (!w.suffixes.rest().empty()) w.suffixes.take(w.suffixes.rest().front());
  if (waits) return;
  if (!has_shared_prefix(suffixes) || !has("global")) refuse(w, "this form is not understood");
  const bool sized = w.count() == 4 && w.operand(3).kind == Operand::Kind::integer &&
                     w.operand(3).value == w.operand(2).value;
  if ((w.count() != 3 && !sized) || w.operand(2).kind != Operand::Kind::integer)
    refuse(w, "a copy whose size is not a constant");
  if (!awaited(w.s))
    refuse(w, "a copy that the thread does not wait for before the next barrier or access to shared memory");
  const std::uint64_t bytes = w.operand(2).value;
  if (bytes != 4 && bytes != 8 && bytes != 16) reject(w, "copies 4, 8 or 16 bytes");
  const auto words = static_cast<unsigned>(bytes / 4);
  const ValueId from = address(w, w.operand(1), ir::Space::global);
  ir::Instruction& load = builder_.emit(Op::load, {from}, std::vector<Type>(words, Type::i32));
  load.space = ir::Space::global;
  load.alignment = static_cast<std::uint32_t>(bytes);
  std::vector<ValueId> moved = load.results;
  moved.insert(moved.begin(), address(w, w.operand(0), ir::Space::shared));
  ir::Instruction& store = builder_.emit(Op::store, std::move(moved), {});
  store.space = ir::Space::shared;
  store.alignment = static_cast<std::uint32_t>(bytes);
}

// On every path from the copy its thread waits for all its copies before it comes to a barrier, touches
// shared memory in any other way, or ends. A wait for groups counts for copies that were committed before it.
// Copies that are under way together land in any order (ISA 9.7.9.27): they have to write different bytes.
bool Lowering::awaited(const Statement& copy) const {
  struct Place {
    std::uint32_t block;
    std::size_t step;
    bool committed;
    bool same_base = true;  // the register of the copy's address has not changed
    bool operator<(const Place& o) const {
      return std::tie(block, step, committed, same_base) <
             std::tie(o.block, o.step, o.committed, o.same_base);
    }
  };
  std::vector<Place> work;
  std::set<Place> seen;
  for (std::uint32_t b = 0; b < blocks_.size(); ++b)
    for (std::size_t s = 0; s < blocks_[b].steps.size(); ++s)
      if (blocks_[b].steps[s].statement == &copy) work.push_back({b, s + 1, false, true});
  static const std::set<std::string, std::less<>> harmless{"prefetch", "nanosleep"};
  while (!work.empty()) {
    Place at = work.back();
    work.pop_back();
    if (!seen.insert(at).second) continue;
    const PreBlock& block = blocks_[at.block];
    bool done = false;
    for (; at.step < block.steps.size() && !done; ++at.step) {
      const Statement& s = *block.steps[at.step].statement;
      const auto has = [&](const char* word) {
        return std::find(s.suffixes.begin(), s.suffixes.end(), word) != s.suffixes.end();
      };
      if (s.name == "cp") {
        if (has("commit_group")) at.committed = true;
        if (has("wait_all") || (has("wait_group") && at.committed && s.operands.size() == 1 &&
                                s.operands[0].kind == Operand::Kind::integer && s.operands[0].value == 0))
          done = true;
        if (is_copy(s) && (!at.same_base || !land_apart(copy, s))) return false;
        continue;
      }
      // What the constants stand beside has to be one value for both.
      if (is_copy(copy) && !copy.operands[0].elements.empty() && may_write(s, copy.operands[0].elements[0]))
        at.same_base = false;
      if (s.name == "ld" && (has("global") || has("param") || has("const"))) continue;
      if (!handlers().contains(s.name) && !harmless.contains(s.name)) return false;
      static const std::set<std::string, std::less<>> touches{
          "ld",   "ldu",  "st",    "atom",  "red",        "membar",   "fence", "bar", "barrier",
          "shfl", "vote", "match", "redux", "activemask", "ldmatrix", "mma",   "wmma"};
      if (touches.contains(s.name)) return false;
    }
    if (done) continue;
    if (block.end == PreBlock::End::leave) return false;
    for (std::uint32_t target : block.targets) work.push_back({target, 0, at.committed, at.same_base});
  }
  return true;
}

}  // namespace hallmark::validator::ptx
