// Instructions whose results are not modelled: the kernel is read nevertheless, and what depends on them is
// not decided. Tensor-core instructions (ISA 9.7.15) are among them where nothing more is known of them.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "validator/ir/unknown.h"
#include "validator/ir/warp_lanes.h"
#include "validator/ptx/lower.h"

namespace hallmark::validator::ptx {

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

}  // namespace hallmark::validator::ptx
