// Loads, stores, atomics and fences (ISA 9.7.9, 9.7.13).
#include <fmt/format.h>

#include <algorithm>

#include "validator/ptx/lower.h"

namespace hallmark::validator::ptx {

Lowering::MemoryModifiers Lowering::memory_modifiers(Work& w) {
  MemoryModifiers m;
  Suffixes& s = w.suffixes;
  if (s.take("acquire") || s.take("release") || s.take("acq_rel") || s.take("mmio"))
    refuse(w, "an access that orders others is not understood");
  if (s.take("volatile") || s.take("relaxed")) m.is_volatile = true;
  s.take("weak");
  if (s.take("cta"))
    m.scope = ir::Scope::block;
  else if (s.take("cluster"))
    m.scope = ir::Scope::cluster;
  else if (s.take("sys"))
    m.scope = ir::Scope::system;
  else
    s.take("gpu");
  const std::string_view space = s.take_any(
      {"global", "shared", "shared::cta", "local", "const", "param", "param::entry", "param::func"});
  if (space == "global") m.space = ir::Space::global;
  if (space == "shared" || space == "shared::cta") m.space = ir::Space::shared;
  if (space == "local") m.space = ir::Space::local;
  if (space == "const") m.space = ir::Space::constant;
  m.is_param = space.starts_with("param");
  // Cache hints change no value.
  s.take_any({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  m.non_coherent = s.take("nc");
  for (std::string_view hint :
       {"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate",
        "L2::evict_normal", "L2::evict_first", "L2::evict_last", "L2::64B", "L2::128B", "L2::256B"})
    s.take(hint);
  const std::string_view vector = s.take_any({"v2", "v4", "v8"});
  if (!vector.empty()) m.vector = static_cast<unsigned>(vector[1] - '0');
  return m;
}

ir::ValueId Lowering::address(const Work& w, const Operand& o, ir::Space space) {
  if (o.kind != Operand::Kind::address) reject(w, "expected an address in brackets");
  const Operand& base = o.elements[0];
  ValueId a;
  if (base.kind == Operand::Kind::reg) {
    a = read_register(base.number);
    const Type t = builder_.type_of(a);
    if (t != Type::i64 && !(t == Type::i32 && (space == ir::Space::shared || space == ir::Space::local)))
      refuse(w, "an address of this width in this space");
  } else if (base.kind == Operand::Kind::symbol) {
    const std::uint32_t number = array(w, base.name);
    if (builder_.kernel().arrays[number].space != space)
      reject(w, fmt::format("{} lies in another space", base.name));
    a = emit(Op::symbol_address, {}, Type::i64);
    builder_.modify().index = number;
  } else {
    refuse(w, "this form of address is not understood");
  }
  if (o.value != 0) a = emit(Op::add, {a, constant(builder_.type_of(a), o.value)}, builder_.type_of(a));
  return a;
}

std::vector<const Operand*> Lowering::elements(const Work& w, const Operand& o, unsigned vector) const {
  std::vector<const Operand*> result;
  if (vector == 1) {
    if (o.kind == Operand::Kind::vector) {
      if (o.elements.size() != 1) reject(w, "a list of registers without .v2, .v4 or .v8");
      return {&o.elements[0]};
    }
    return {&o};
  }
  if (o.kind != Operand::Kind::vector || o.elements.size() != vector)
    reject(w, fmt::format("expected {} registers in braces", vector));
  for (const Operand& e : o.elements) result.push_back(&e);
  return result;
}

void Lowering::load(Work& w) {
  expect_count(w, 2);
  if (w.s.name == "ldu") w.suffixes.take("nothing");
  const MemoryModifiers m = memory_modifiers(w);
  const TypeSuffix t = type(w);
  if (t.is_packed() || t.type == Type::i1) refuse(w, "its type is not understood");
  if (m.is_param) return parameter_load(w, m, t);
  const auto targets = elements(w, w.operand(0), m.vector);
  // A load into a register that holds floats is a load of floats.
  Type loaded = t.type;
  for (const Operand* target : targets)
    if (target->kind == Operand::Kind::reg && !t.is_signed()) {
      const Type reg = register_types_[target->number];
      if (ir::bits_of(reg) == ir::bits_of(t.type)) {
        loaded = reg;
        break;
      }
    }
  const ValueId a = address(w, w.operand(1), m.space);
  ir::Instruction& i = builder_.emit(Op::load, {a}, std::vector<Type>(m.vector, loaded));
  i.space = m.space;
  i.is_volatile = m.is_volatile;
  i.non_coherent = m.non_coherent || w.s.name == "ldu";
  i.scope = m.scope;
  i.alignment = ir::bytes_of(loaded) * m.vector;
  const std::vector<ValueId> results = i.results;
  for (unsigned n = 0; n < m.vector; ++n) write_extended(w, *targets[n], results[n], t.is_signed());
}

void Lowering::store(Work& w) {
  expect_count(w, 2);
  const MemoryModifiers m = memory_modifiers(w);
  const TypeSuffix t = type(w);
  if (t.is_packed() || t.type == Type::i1) refuse(w, "its type is not understood");
  if (m.is_param) return parameter_store(w, m, t);
  if (m.space == ir::Space::constant) reject(w, "constant memory cannot be written");
  std::vector<ValueId> operands{address(w, w.operand(0), m.space)};
  std::optional<Type> stored;
  for (const Operand* source : elements(w, w.operand(1), m.vector)) {
    ValueId value = read_low(w, *source, t);
    // A store from a register that holds floats is a store of floats, unless the text says otherwise.
    if (source->kind == Operand::Kind::reg && !stored && !t.is_float()) {
      const Type reg = register_types_[source->number];
      if (ir::bits_of(reg) == ir::bits_of(t.type)) stored = reg;
    }
    if (!stored) stored = t.type;
    operands.push_back(cast_bits(value, *stored));
  }
  ir::Instruction& i = builder_.emit(Op::store, std::move(operands), {});
  i.space = m.space;
  i.is_volatile = m.is_volatile;
  i.scope = m.scope;
  i.alignment = ir::bytes_of(*stored) * m.vector;
}

void Lowering::declare_param_variables() {
  // Every access to a call's .param variable, in bytes; one variable for each place, none may overlap in
  // part.
  std::map<std::uint32_t, std::map<std::uint32_t, unsigned>> places;
  for (const PreBlock& block : blocks_)
    for (const Step& step : block.steps) {
      const Statement& s = *step.statement;
      if ((s.name != "ld" && s.name != "st") || s.operands.size() != 2) continue;
      Work w{s, Suffixes(s.suffixes)};
      const MemoryModifiers m = memory_modifiers(w);
      if (!m.is_param) continue;
      const Operand& address = s.operands[s.name == "ld" ? 1 : 0];
      if (address.kind != Operand::Kind::address || address.elements[0].kind != Operand::Kind::param)
        continue;
      const std::uint32_t number = address.elements[0].number;
      if (number < flat_.parameters.size()) continue;
      const auto t = w.suffixes.take_type();
      if (!t || t->is_packed() || t->type == Type::i1) continue;
      const unsigned width = ir::bytes_of(t->type);
      for (unsigned n = 0; n < m.vector; ++n) {
        const std::uint64_t offset = address.value + std::uint64_t{n} * width;
        if (offset > flat_.param_variables[number].bytes ||
            offset + width > flat_.param_variables[number].bytes)
          reject(w, "an access outside the parameter");
        const auto [it, fresh] = places[number].emplace(static_cast<std::uint32_t>(offset), width);
        if (!fresh && it->second != width) refuse(w, "a parameter accessed in pieces of different sizes");
      }
    }
  for (const auto& [number, offsets] : places) {
    std::uint32_t end = 0;
    for (const auto& [offset, width] : offsets) {
      if (offset < end)
        context_.refuse(ir::Place{}, fmt::format("the parameter {} is accessed in overlapping pieces",
                                                 flat_.param_variables[number].name));
      end = offset + width;
      param_variables_[{number, offset, 8 * width}] =
          ssa_->add(ir::integer_type(8 * width), flat_.param_variables[number].name);
    }
  }
}

ir::Variable Lowering::param_slot(const Work& w, const Operand& address, std::uint32_t extra, unsigned bits) {
  const auto found = param_variables_.find(
      {address.elements[0].number, static_cast<std::uint32_t>(address.value + extra), bits});
  if (found == param_variables_.end()) refuse(w, "this access to a parameter is not understood");
  return found->second;
}

void Lowering::undefine_parameter(Work& w) {
  const std::uint32_t number = w.operand(0).number;
  for (const auto& [slot, variable] : param_variables_)
    if (slot.param == number) ssa_->write(variable, emit(Op::arbitrary, {}, ir::integer_type(slot.bits)));
}

void Lowering::parameter_load(Work& w, const MemoryModifiers& m, const TypeSuffix& t) {
  const Operand& from = w.operand(1);
  if (from.kind != Operand::Kind::address || from.elements[0].kind != Operand::Kind::param)
    refuse(w, "a parameter at a computed address");
  const std::uint32_t number = from.elements[0].number;
  const auto targets = elements(w, w.operand(0), m.vector);
  const unsigned width = ir::bytes_of(t.type);
  for (unsigned n = 0; n < m.vector; ++n) {
    ValueId value;
    if (number < flat_.parameters.size()) {
      const std::uint64_t offset = from.value + std::uint64_t{n} * width;
      if (offset > flat_.param_variables[number].bytes ||
          offset + width > flat_.param_variables[number].bytes)
        reject(w, "an access outside the parameter");
      Type loaded = t.type;
      if (targets[n]->kind == Operand::Kind::reg && !t.is_signed() &&
          ir::bits_of(register_types_[targets[n]->number]) == ir::bits_of(t.type))
        loaded = register_types_[targets[n]->number];
      value = emit(Op::parameter, {}, loaded);
      builder_.modify().index = number;
      builder_.modify().offset = static_cast<std::uint32_t>(offset);
    } else {
      value = cast_bits(ssa_->read(param_slot(w, from, n * width, 8 * width)), t.type);
    }
    write_extended(w, *targets[n], value, t.is_signed());
  }
}

void Lowering::parameter_store(Work& w, const MemoryModifiers& m, const TypeSuffix& t) {
  const Operand& to = w.operand(0);
  if (to.kind != Operand::Kind::address || to.elements[0].kind != Operand::Kind::param)
    refuse(w, "a parameter at a computed address");
  if (to.elements[0].number < flat_.parameters.size()) reject(w, "a kernel's parameters cannot be written");
  const auto sources = elements(w, w.operand(1), m.vector);
  const unsigned width = ir::bytes_of(t.type);
  for (unsigned n = 0; n < m.vector; ++n) {
    const ValueId value = read_low(w, *sources[n], t);
    ssa_->write(param_slot(w, to, n * width, 8 * width), cast_bits(value, ir::integer_type(8 * width)));
  }
}

void Lowering::atomic(Work& w) {
  const bool reduction = w.s.name == "red";
  const MemoryModifiers m = memory_modifiers(w);
  w.suffixes.take("noftz");
  const std::string_view word =
      w.suffixes.take_any({"exch", "cas", "add", "inc", "dec", "min", "max", "and", "or", "xor"});
  const TypeSuffix t = type(w);
  static const std::map<std::string_view, ir::AtomicOperation> table{
      {"exch", ir::AtomicOperation::exchange}, {"cas", ir::AtomicOperation::compare_swap},
      {"add", ir::AtomicOperation::add},       {"inc", ir::AtomicOperation::increment},
      {"dec", ir::AtomicOperation::decrement}, {"min", ir::AtomicOperation::min},
      {"max", ir::AtomicOperation::max},       {"and", ir::AtomicOperation::bit_and},
      {"or", ir::AtomicOperation::bit_or},     {"xor", ir::AtomicOperation::bit_xor}};
  if (word.empty() || t.is_packed() || t.type == Type::i1 || t.type == Type::i8 || m.vector != 1 ||
      m.is_param || m.non_coherent)
    refuse(w, "this form is not understood");
  const ir::AtomicOperation op = table.at(word);
  const bool is_arithmetic =
      word == "add" || word == "min" || word == "max" || word == "inc" || word == "dec";
  if (is_arithmetic == (t.kind == TypeSuffix::Kind::bits) || (t.is_float() && word != "add"))
    reject(w, "an operation that does not fit the type");
  const std::size_t values = op == ir::AtomicOperation::compare_swap ? 2 : 1, first = reduction ? 0 : 1;
  expect_count(w, first + 1 + values);
  std::vector<ValueId> operands{address(w, w.operand(first), m.space)};
  for (std::size_t n = 0; n < values; ++n) operands.push_back(read(w, first + 1 + n, t));
  const bool has_result = !reduction && w.operand(0).kind != Operand::Kind::sink;
  ir::Instruction& i = builder_.emit(Op::atomic, std::move(operands),
                                     has_result ? std::vector<Type>{t.type} : std::vector<Type>{});
  i.space = m.space;
  i.scope = m.scope;
  i.alignment = ir::bytes_of(t.type);
  i.atomic_operation = op;
  i.is_signed = t.is_signed();
  if (t.is_float()) i.rounding = ir::Rounding::nearest_even;
  if (has_result) write(w, w.operand(0), i.results[0]);
}

void Lowering::fence(Work& w) {
  expect_count(w, 0);
  w.suffixes.take_any({"sc", "acq_rel"});
  const std::string_view word = w.suffixes.take_any({"cta", "cluster", "gl", "gpu", "sys"});
  if (word.empty()) refuse(w, "this form is not understood");
  builder_.emit(Op::fence, {}, {}).scope = word == "cta"       ? ir::Scope::block
                                           : word == "cluster" ? ir::Scope::cluster
                                           : word == "sys"     ? ir::Scope::system
                                                               : ir::Scope::device;
}

}  // namespace hallmark::validator::ptx
