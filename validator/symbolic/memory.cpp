// Memory instructions: from addresses to accesses of named memories, and what a load gives.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "validator/symbolic/executor.h"
#include "validator/symbolic/lane_moves.h"
#include "validator/symbolic/own_write.h"
#include "validator/symbolic/writers.h"

namespace hallmark::validator {

using calculus::Format;
using calculus::Kind;
using calculus::Sort;
using calculus::Term;

namespace {

bool has_base(Term term) {
  bool found = false;
  calculus::for_each_node(term, [&](Term node) {
    found = found || (node->kind == Kind::symbol && !node->name.empty() && node->name[0] == '&');
  });
  return found;
}

bool is_window(Term term) {
  return term == address_window(ir::Space::shared) || term == address_window(ir::Space::local);
}

// Whether an instruction for addresses of `accessed` that are offset by `window` reaches memory of `space`.
// Addresses of global and constant memory are generic ones.
bool names_place(ir::Space accessed, Term window, ir::Space space) {
  const auto plain = [](ir::Space s) { return s != ir::Space::shared && s != ir::Space::local; };
  const Term zero = calculus::integer(0);
  if (plain(space)) return plain(accessed) && window == zero;
  return accessed == ir::Space::generic ? window == address_window(space)
                                        : accessed == space && window == zero;
}

// As an operand, a condition or an argument of an edge.
bool is_used(const ir::Kernel& kernel, ir::ValueId value) {
  const auto among = [&](const std::vector<ir::ValueId>& list) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  for (const ir::Block& block : kernel.blocks) {
    if (block.terminator.condition == value) return true;
    for (const ir::Instruction& instruction : block.instructions)
      if (among(instruction.operands)) return true;
    for (const ir::Edge& edge : block.terminator.edges)
      if (among(edge.arguments)) return true;
  }
  return false;
}

// What the two are as values of one function at 0 and 1; nullptr where no such function is seen.
Term over_parts(Term at_zero, Term at_one) {
  if (at_zero == at_one) return at_zero;
  if (at_zero == nullptr || at_one == nullptr || at_zero->sort != at_one->sort) return nullptr;
  if (at_zero->sort == Sort::index()) {
    const Term step = calculus::subtract(at_one, at_zero);
    if (const Integer* constant = calculus::as_integer(step))
      return calculus::add(at_zero, calculus::scale(*constant, part_symbol()));
  }
  const bool alike = at_zero->kind == at_one->kind && at_zero->op == at_one->op &&
                     at_zero->name == at_one->name && at_zero->kind != Kind::fold &&
                     !at_zero->children.empty() && at_zero->children.size() == at_one->children.size();
  if (!alike || at_zero->kind == Kind::polynomial) return nullptr;
  std::vector<Term> children;
  for (std::size_t i = 0; i < at_zero->children.size(); ++i) {
    children.push_back(over_parts(at_zero->children[i], at_one->children[i]));
    if (children.back() == nullptr) return nullptr;
  }
  return calculus::rebuild(at_zero, children);
}

bool same_bits(Format format, ir::Type type) {
  return calculus::storage_bits(format) == ir::bits_of(type);
}

Format float_format(ir::Type type) {
  switch (type) {
    case ir::Type::f16:
      return Format::f16;
    case ir::Type::bf16:
      return Format::bf16;
    case ir::Type::f64:
      return Format::f64;
    default:
      return Format::f32;
  }
}

}  // namespace

Term part_symbol() {
  return calculus::symbol(".part");
}

// Each part is compared with what it really stores: the function is a guess.
void Executor::note_vector(std::size_t first) {
  Event& whole = trace_.events[first];
  const std::size_t count = trace_.events.size() - first;
  if (count < 2 || whole.lanes != count || whole.memory < 0 ||
      trace_.memories[static_cast<std::size_t>(whole.memory)].space != ir::Space::shared)
    return;
  for (std::size_t n = 0; n < count; ++n) {
    const Event& part = trace_.events[first + n];
    const Term step = calculus::subtract(part.offset, whole.offset);
    if (part.memory != whole.memory || part.bytes != whole.bytes || part.value.kind != whole.value.kind ||
        part.value.term == nullptr || step != calculus::integer(static_cast<long>(n * whole.bytes)))
      return;
  }
  const Term function = over_parts(whole.value.term, trace_.events[first + 1].value.term);
  if (function == nullptr) return;
  for (std::size_t n = 0; n < count; ++n)
    if (calculus::substitute(function, {{part_symbol(), calculus::integer(static_cast<long>(n))}}) !=
        trace_.events[first + n].value.term)
      return;
  Arithmetic arithmetic(prover_, true);
  if (arithmetic.modulo(whole.offset, from_u64(count * whole.bytes), whole.scope) != calculus::integer(0))
    return;
  for (std::size_t n = 0; n < count; ++n) trace_.events[first + n].of_part = function;
}

void Executor::memory_access(const Region& region, ir::BlockId block, std::uint32_t index, int node,
                             const Scope& scope) {
  const ir::Instruction& instruction = kernel_.blocks[block].instructions[index];
  const bool is_load = instruction.opcode == ir::Opcode::load;
  const bool is_atomic = instruction.opcode == ir::Opcode::atomic;
  Event event;
  event.kind = is_load ? Event::Kind::load : is_atomic ? Event::Kind::atomic : Event::Kind::store;
  event.instruction = &instruction;
  event.block = block;
  event.index = index;
  event.scope = scope;
  event.loops = region.loops;
  event.node = node;
  const std::size_t lanes = is_load     ? instruction.results.size()
                            : is_atomic ? 1
                                        : instruction.operands.size() - 1;
  event.lanes = static_cast<unsigned>(lanes);
  const Term address = integer_of(use(instruction.operands[0]));
  const std::size_t first = trace_.events.size();
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    event.lane = static_cast<unsigned>(lane);
    const ir::ValueId id = is_load ? instruction.results[lane] : instruction.operands[lane + 1];
    const ir::Type type = kernel_.type_of(id);
    event.bytes = ir::bytes_of(type);
    event.value = is_load ? Value{} : use(id);
    event.value.width = ir::bits_of(type);
    const Term here = calculus::add(address, calculus::integer(static_cast<long>(lane * event.bytes)));
    const Value value = memory_at(event, type, here);
    if (is_load) values_[id] = value;
  }
  if (event.kind == Event::Kind::store && trial_depth_ == 0) note_vector(first);
  if (is_atomic)
    for (ir::ValueId result : instruction.results)
      values_[result] = is_used(kernel_, result)
                            ? unsupported(instruction, kernel_.type_of(result),
                                          "what an atomic returns depends on the order of threads")
                            : unknown(kernel_.type_of(result), "");
}

Value Executor::memory_at(Event event, ir::Type type, Term address) {
  // Distribute over the choice of a pointer: one of several gives a value that is one of several.
  for (const calculus::Monomial& m : calculus::monomials(address)) {
    if (m.product == nullptr || m.product->kind != Kind::index_select || !has_base(m.product) ||
        m.coefficient != 1)
      continue;
    const Term rest = calculus::subtract(address, m.product), condition = m.product->children[0];
    std::array<Value, 2> arms;
    for (std::size_t arm = 0; arm < 2; ++arm) {
      Event part = event;
      part.scope = Context::extend(event.scope, arm == 0 ? condition : calculus::negation(condition));
      arms[arm] = memory_at(part, type, calculus::add(rest, m.product->children[arm + 1]));
    }
    return event.kind == Event::Kind::load ? join(condition, arms[0], arms[1], type, event.scope) : Value{};
  }
  std::vector<Term> offset;
  Term window = calculus::integer(0);
  for (const calculus::Monomial& m : calculus::monomials(address)) {
    if (m.product != nullptr && is_window(m.product)) {
      window = calculus::add(window, calculus::scale(m.coefficient, m.product));
      continue;
    }
    if (m.product != nullptr && m.product->kind == Kind::symbol && m.product->name[0] == '&' &&
        m.coefficient == 1 && event.memory < 0) {
      for (std::size_t i = 0; i < trace_.memories.size(); ++i)
        if ("&" + trace_.memories[i].name == m.product->name) event.memory = static_cast<int>(i);
    } else if (m.product != nullptr && has_base(m.product)) {
      event.detail = "the address is not a known buffer and an offset";
    }
    if (m.product == nullptr || m.product->kind != Kind::symbol || m.product->name[0] != '&')
      offset.push_back(m.product == nullptr ? calculus::integer(m.coefficient)
                                            : calculus::scale(m.coefficient, m.product));
  }
  // An address of one space means another place, or none, in another one.
  if (event.memory >= 0 && !names_place(event.instruction->space, window,
                                        trace_.memories[static_cast<std::size_t>(event.memory)].space))
    event.detail = "the address is not one of the space that the instruction accesses";
  if (event.memory < 0 || !event.detail.empty()) {
    event.memory = -1;
    if (event.detail.empty()) event.detail = "the address does not start from a known buffer";
    event.offset = calculus::integer(0);
  } else {
    const bool narrow = kernel_.type_of(event.instruction->operands[0]) == ir::Type::i32;
    event.offset = Arithmetic::reduce(calculus::add(offset), narrow ? 32 : 64);
    // An address is meant modulo 2^w: of its representatives the one near 0.
    const Interval range = event.scope->range(event.offset);
    const Integer modulus = power_of_two(narrow ? 32 : 64);
    if (range.low && range.high && (*range.high < 0 || *range.low >= modulus / 2))
      event.offset = calculus::subtract(
          event.offset, calculus::integer(Integer(floor_div(*range.low + modulus / 2, modulus) * modulus)));
  }
  if ((event.kind == Event::Kind::store || event.kind == Event::Kind::atomic) && trial_depth_ == 0)
    event.value = at_fixed_lane(event.value, event.scope, spec_, prover_);
  const unsigned piece = piece_bytes(event);
  return piece < event.bytes ? in_pieces(event, type, piece) : access(event, type);
}

Value Executor::access(Event& event, ir::Type type) {
  if (event.kind == Event::Kind::load) event.value = loaded(event, type);
  // The bits of a float, stored from an integer register.
  if (event.kind == Event::Kind::store && event.value.kind == Value::Kind::integer && event.memory >= 0) {
    const Memory& memory = trace_.memories[static_cast<std::size_t>(event.memory)];
    if (memory.parameter != nullptr && calculus::is_float(*memory.format) && same_bits(*memory.format, type))
      event.value = {Value::Kind::element, event.value.width,
                     element_of(event.value, calculus::stored_sort(*memory.format))};
  }
  trace_.nodes[static_cast<std::size_t>(event.node)].events.push_back(static_cast<int>(trace_.events.size()));
  trace_.events.push_back(event);
  return event.value;
}

unsigned Executor::piece_bytes(const Event& event) const {
  if (event.memory < 0 || event.kind == Event::Kind::atomic) return event.bytes;
  const Memory& memory = trace_.memories[static_cast<std::size_t>(event.memory)];
  unsigned piece = event.bytes;
  if (memory.parameter != nullptr) {
    piece = calculus::storage_bits(*memory.format) / 8;
  } else if (const auto known = pieces_.find(event.memory); known != pieces_.end()) {
    piece = known->second;
  }
  return piece != 0 && piece < event.bytes && event.bytes % piece == 0 ? piece : event.bytes;
}

Value Executor::in_pieces(const Event& whole, ir::Type type, unsigned piece) {
  const unsigned bits = 8 * piece, count = whole.bytes / piece;
  const ir::Type part = ir::integer_type(bits);
  const Memory& memory = trace_.memories[static_cast<std::size_t>(whole.memory)];
  const bool floats = memory.parameter != nullptr && calculus::is_float(*memory.format);
  Arithmetic arithmetic(prover_, trial_depth_ == 0);
  const bool is_load = whole.kind == Event::Kind::load;
  const Term number =
      is_load ? nullptr : arithmetic.observe_unsigned(integer_of(whole.value), 8 * whole.bytes, whole.scope);
  std::vector<Term> sum;
  for (unsigned n = 0; n < count; ++n) {
    Event event = whole;
    event.bytes = piece;
    event.lane = whole.lane * count + n;
    event.lanes = whole.lanes * count;
    event.offset = calculus::add(whole.offset, calculus::integer(static_cast<long>(n * piece)));
    if (!is_load) {
      event.value = {Value::Kind::integer, bits,
                     arithmetic.modulo(arithmetic.divide(number, power_of_two(n * bits), whole.scope),
                                       power_of_two(bits), whole.scope)};
      if (floats) {
        const Sort sort = calculus::stored_sort(*memory.format);
        event.value = {Value::Kind::element, bits, element_of(event.value, sort)};
      }
    }
    const Value value = access(event, part);
    if (is_load)
      sum.push_back(calculus::scale(power_of_two(n * bits),
                                    arithmetic.observe_unsigned(integer_of(value), bits, whole.scope)));
  }
  if (!is_load) return {};
  const Value value{Value::Kind::integer, 8 * whole.bytes, calculus::add(sum)};
  if (!ir::is_float(type)) return value;
  return {Value::Kind::element, value.width, element_of(value, Sort::floating(float_format(type)))};
}

Value Executor::loaded(Event& event, ir::Type type) {
  if (event.memory < 0) return unknown(type, event.detail);
  const Memory& memory = trace_.memories[static_cast<std::size_t>(event.memory)];
  if (memory.parameter == nullptr) {
    if (memory.space == ir::Space::shared && trial_depth_ == 0) {
      WriterSearch search(trace_, spec_, prover_, stored_in_loop_, flow_);
      ReadResult result = search.resolve(event);
      event.initialised = result.initialised;
      event.detail = result.detail;
      if (const auto known = known_.find(static_cast<int>(trace_.events.size()));
          !result.value && known != known_.end() && known->second.instruction == event.instruction &&
          known->second.offset == event.offset && known->second.facts == event.scope->facts()) {
        event.initialised = true;
        result.value = known->second.value;
        if (result.value) event.detail.clear();
      }
      if (result.value) {
        Value value = *result.value;
        if (ir::is_float(type))
          return {Value::Kind::element, ir::bits_of(type),
                  element_of(value, Sort::floating(float_format(type)))};
        return value;
      }
      return unknown(type, result.detail);
    }
    if (trial_depth_ == 0) {
      event.initialised = memory.space == ir::Space::constant || memory.space == ir::Space::global;
      event.detail = "reads of local and module memory are not followed";
    }
    return unknown(type, "an array's contents");
  }
  if (!same_bits(*memory.format, type)) {
    event.detail = "an access of another width than the buffer's elements";
    return unknown(type, event.detail);
  }
  // What the buffer held before the launch, if nothing wrote it until then.
  if (memory.parameter->access == plan::Access::out || doubts_.initial.count(event.instruction) != 0) {
    if (trial_depth_ == 0 && doubts_.own_write.count(event.instruction) == 0)
      if (const auto found = find_own_write(trace_, event, prover_)) {
        event.own_write = found->write;
        if (!calculus::is_float(*memory.format)) return found->value;
        return {Value::Kind::element, ir::bits_of(type),
                element_of(found->value, calculus::stored_sort(*memory.format))};
      }
    event.initialised = memory.parameter->access != plan::Access::out;
    event.detail = "a read of memory that the kernel writes";
    return unknown(type, event.detail);
  }
  event.taken_for_initial = true;
  const Integer size = from_u64(event.bytes);
  std::vector<Term> parts;
  for (const calculus::Monomial& m : calculus::monomials(event.offset)) {
    if (floor_mod(m.coefficient, size) != 0) {
      event.detail = "an address between two elements";
      return unknown(type, event.detail);
    }
    const Integer c = floor_div(m.coefficient, size);
    parts.push_back(m.product == nullptr ? calculus::integer(c) : calculus::scale(c, m.product));
  }
  const Term element =
      calculus::load(memory.name, {calculus::add(parts)}, calculus::stored_sort(*memory.format));
  if (calculus::is_float(*memory.format)) return {Value::Kind::element, ir::bits_of(type), element};
  return {Value::Kind::integer, ir::bits_of(type), calculus::to_index(element)};
}

Pieces narrowest_accesses(const Trace& trace) {
  std::map<int, std::pair<unsigned, unsigned>> widths;
  std::set<int> open;
  for (const Event& event : trace.events) {
    if (event.memory < 0 || (event.kind != Event::Kind::load && event.kind != Event::Kind::store) ||
        trace.memories[static_cast<std::size_t>(event.memory)].space != ir::Space::shared)
      continue;
    const auto [known, is_new] = widths.emplace(event.memory, std::pair(event.bytes, event.bytes));
    if (!is_new)
      known->second = {std::min(known->second.first, event.bytes),
                       std::max(known->second.second, event.bytes)};
    if (event.kind == Event::Kind::load && !event.detail.empty()) open.insert(event.memory);
  }
  Pieces out;
  for (const auto& [memory, width] : widths)
    if (width.first < width.second && open.count(memory) != 0) out.emplace(memory, width.first);
  return out;
}

KnownReads Executor::reads_behind(const Trace& trace) {
  KnownReads out;
  WriterSearch search(trace, spec_, prover_, stored_in_loop_, flow_);
  for (std::size_t id = 0; id < trace.events.size(); ++id) {
    const Event& read = trace.events[id];
    if (read.kind != Event::Kind::load || read.memory < 0 || read.detail.empty() || read.loops.empty() ||
        trace.memories[static_cast<std::size_t>(read.memory)].space != ir::Space::shared)
      continue;
    const std::size_t mark = prover_.mark();
    const ReadResult result = search.resolve(read, static_cast<int>(id));
    // Only what has one name in both executions.
    std::vector<Term> iterations;
    for (int loop : read.loops) iterations.push_back(trace.loops[static_cast<std::size_t>(loop)].iteration);
    const bool has_value =
        result.value && result.value->term != nullptr && visible(result.value->term, iterations);
    if (has_value || (result.initialised && !read.initialised))
      out[static_cast<int>(id)] = {read.instruction, read.offset, read.scope->facts(),
                                   has_value ? result.value : std::nullopt};
    else
      prover_.rewind(mark);
  }
  return out;
}

void Executor::shuffle(const ir::Instruction& instruction, const Scope& scope) {
  const Value value = use(instruction.operands.at(0));
  const Value lane = use(instruction.operands.at(1)), clamp = use(instruction.operands.at(2));
  const Integer* source = calculus::as_integer(integer_of(lane));
  const Integer* limit = calculus::as_integer(integer_of(clamp));
  // From a lane of the whole warp that each lane computes; what a wmma instruction moves, from any.
  if ((source == nullptr || instruction.of_fragment) && limit != nullptr && *limit == 31 &&
      instruction.shuffle_mode == ir::ShuffleMode::index && instruction.results.size() == 1) {
    if (const auto moved = in_lane(value, integer_of(lane), scope, spec_, prover_, trial_depth_ == 0)) {
      values_[instruction.results[0]] = shallow(instruction, kernel_.type_of(instruction.results[0]), *moved);
      return;
    }
  }
  if (source == nullptr || limit == nullptr) {
    for (ir::ValueId result : instruction.results)
      values_[result] =
          unsupported(instruction, kernel_.type_of(result), "a shuffle from a lane that is not a constant");
    return;
  }
  const LaneMove move{instruction.shuffle_mode, static_cast<int>(floor_mod(*source, 32).get_si()),
                      static_cast<int>(floor_mod(*limit, 1 << 13).get_si())};
  const std::string name = move.name();
  trace_.events.back().move = name;
  Value out = value;
  if (value.kind == Value::Kind::element) {
    out.term = calculus::custom_operation(name, {value.term}, value.term->sort);
  } else {
    const Sort sort = Sort::integer(Format::u32);
    Arithmetic arithmetic(prover_, trial_depth_ == 0);
    out = {Value::Kind::integer, 32,
           calculus::to_index(
               calculus::custom_operation(name, {calculus::from_index(integer_of(value), sort)}, sort))};
  }
  values_[instruction.results.at(0)] = shallow(instruction, kernel_.type_of(instruction.results[0]), out);
  for (std::size_t i = 1; i < instruction.results.size(); ++i)
    values_[instruction.results[i]] =
        move.always_in_range()
            ? Value{Value::Kind::boolean, 1, calculus::truth(true)}
            : unknown(kernel_.type_of(instruction.results[i]), "whether the source lane is in range");
}

}  // namespace hallmark::validator
