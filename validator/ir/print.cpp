#include <fmt/format.h>

#include "validator/ir/kernel.h"

namespace hallmark::validator::ir {

namespace {

std::string modifiers(const Kernel& k, const Instruction& i) {
  std::string s;
  const auto add = [&s](std::string_view part) {
    s += '.';
    s += part;
  };
  switch (i.opcode) {
    case Opcode::compare_integer:
    case Opcode::compare_float:
      add(name(i.predicate));
      break;
    case Opcode::load:
    case Opcode::store:
      add(name(i.space));
      if (i.results.size() + i.operands.size() > 2)
        add(fmt::format("v{}", i.opcode == Opcode::load ? i.results.size() : i.operands.size() - 1));
      add(fmt::format("align{}", i.alignment));
      break;
    case Opcode::atomic:
      add(name(i.space));
      add(name(i.atomic_operation));
      if (i.is_signed) add("signed");
      break;
    case Opcode::warp_reduce:
      add(name(i.atomic_operation));
      if (i.is_signed) add("signed");
      break;
    case Opcode::shuffle:
      add(name(i.shuffle_mode));
      break;
    case Opcode::vote:
      add(name(i.vote_mode));
      break;
    case Opcode::fence:
      add(name(i.scope));
      break;
    case Opcode::async_wait:
      add(i.index == none ? "all" : std::to_string(i.index));
      break;
    case Opcode::special_register:
      add(name(i.special));
      break;
    case Opcode::address_cast:
      add(name(i.from_space));
      add(name(i.space));
      break;
    case Opcode::parameter:
      add(fmt::format("{}+{}", i.index, i.offset));
      break;
    case Opcode::symbol_address:
      add(i.index < k.arrays.size() ? k.arrays[i.index].name : "?");
      break;
    case Opcode::library_call:
      add(i.text);
      break;
    case Opcode::shift_left:
    case Opcode::shift_right_logical:
    case Opcode::shift_right_arithmetic:
    case Opcode::funnel_left:
    case Opcode::funnel_right:
      if (i.shift_overflow == ShiftOverflow::clamp) add("clamp");
      if (i.shift_overflow == ShiftOverflow::wrap) add("wrap");
      break;
    default:
      break;
  }
  if (i.rounding != Rounding::none) add(name(i.rounding));
  if (i.flush_subnormals) add("ftz");
  if (i.saturate) add("sat");
  if (i.approximate) add("approx");
  if (i.contractible) add("contractible");
  if (i.propagate_nan) add("nan");
  if (i.no_signed_wrap) add("nsw");
  if (i.no_unsigned_wrap) add("nuw");
  if (i.exact) add("exact");
  if (i.clamped_conversion) add("clamp");
  if (i.is_volatile) add("volatile");
  if (i.non_coherent) add("nc");
  if (i.asynchronous) add("async");
  return s;
}

std::string edge_text(const Kernel& k, const Edge& edge) {
  std::string s = fmt::format("b{}", edge.target);
  if (edge.arguments.empty()) return s;
  s += '(';
  for (std::size_t n = 0; n < edge.arguments.size(); ++n)
    s += (n ? ", " : "") + value_name(k, edge.arguments[n]);
  return s + ')';
}

std::string terminator_text(const Kernel& k, const Terminator& t) {
  switch (t.kind) {
    case Terminator::Kind::jump:
      return "jump " + edge_text(k, t.edges[0]);
    case Terminator::Kind::branch:
      return fmt::format("branch {} ? {} : {}", value_name(k, t.condition), edge_text(k, t.edges[0]),
                         edge_text(k, t.edges[1]));
    case Terminator::Kind::leave:
      return "leave";
    case Terminator::Kind::trap:
      return "trap";
    case Terminator::Kind::unreachable:
      return "unreachable";
  }
  return {};
}

}  // namespace

std::string value_name(const Kernel& k, ValueId id) {
  if (id >= k.values.size()) return "?";
  const Value& v = k.values[id];
  if (v.origin != Origin::constant) return fmt::format("%{}", id);
  if (is_float(v.type)) return fmt::format("0x{:x}:{}", v.bits, name(v.type));
  return fmt::format("{}:{}", v.bits, name(v.type));
}

std::string print(const Kernel& k, const Instruction& i) {
  std::string s;
  for (std::size_t n = 0; n < i.results.size(); ++n)
    s += fmt::format("{}%{}:{}", n ? ", " : "", i.results[n], name(k.type_of(i.results[n])));
  if (!i.results.empty()) s += " = ";
  s += name(i.opcode);
  s += modifiers(k, i);
  for (std::size_t n = 0; n < i.operands.size(); ++n) s += (n ? ", " : " ") + value_name(k, i.operands[n]);
  return s;
}

std::string print(const Kernel& k) {
  std::string s = fmt::format("kernel {}", k.name);
  for (std::size_t n = 0; n < k.parameters.size(); ++n) {
    const Parameter& p = k.parameters[n];
    s += fmt::format("{}{}: {}", n ? ", " : " (", p.name,
                     p.kind == Parameter::Kind::aggregate ? fmt::format("{} bytes", p.bytes)
                     : p.kind == Parameter::Kind::pointer ? std::string("pointer")
                                                          : std::string(name(p.type)));
  }
  s += k.parameters.empty() ? " ()\n" : ")\n";
  for (const Array& a : k.arrays)
    s += fmt::format("  array {} {} {} bytes align {}{}\n", name(a.space), a.name, a.bytes, a.alignment,
                     a.dynamic ? " dynamic" : "");
  for (std::size_t b = 0; b < k.blocks.size(); ++b) {
    const Block& block = k.blocks[b];
    s += fmt::format("b{}", b);
    for (std::size_t n = 0; n < block.parameters.size(); ++n)
      s += fmt::format("{}%{}:{}", n ? ", " : "(", block.parameters[n], name(k.type_of(block.parameters[n])));
    s += fmt::format("{}:{}\n", block.parameters.empty() ? "" : ")",
                     block.name.empty() ? "" : fmt::format("  ; {}", block.name));
    for (const Instruction& i : block.instructions)
      s += fmt::format("  {}  ; {}\n", print(k, i), i.place.line);
    s += fmt::format("  {}  ; {}\n", terminator_text(k, block.terminator), block.terminator.place.line);
  }
  return s;
}

}  // namespace hallmark::validator::ir
