#include "validator/ir/split_halves.h"

#include <map>
#include <optional>

#include "validator/ir/builder.h"

namespace hallmark::validator::ir {

namespace {

struct Halves {
  ValueId low = none, high = none;
};

constexpr unsigned half_bits = 16;

class Splitter {
 public:
  explicit Splitter(Kernel& kernel) : kernel_(kernel), builder_(kernel) {}

  bool run() {
    bool some = false;
    for (BlockId b = 1; b < kernel_.blocks.size(); ++b)
      for (std::size_t p = 0; p < kernel_.blocks[b].parameters.size(); ++p) {
        const auto type = packed_type(b, p);
        if (!type) continue;
        split(b, p, *type);
        some = true;
        ++p;
      }
    return some;
  }

 private:
  const Instruction* defined_by(ValueId id, Opcode opcode) const {
    const Instruction* i = kernel_.is_constant(id) ? nullptr : definition(id);
    return i != nullptr && i->opcode == opcode ? i : nullptr;
  }
  // Instructions move while blocks grow: looked up among the block's.
  const Instruction* definition(ValueId id) const {
    const Value& value = kernel_.value(id);
    if (value.origin != Origin::result) return nullptr;
    for (const Instruction& i : kernel_.blocks[value.block].instructions)
      for (ValueId result : i.results)
        if (result == id) return &i;
    return nullptr;
  }

  // The float whose 16 bits are extended by zeros.
  std::optional<ValueId> extended_float(ValueId id) const {
    const Instruction* extension = defined_by(id, Opcode::zero_extend);
    const Instruction* bits =
        extension == nullptr ? nullptr : defined_by(extension->operands[0], Opcode::bitcast);
    if (bits == nullptr || !is_float(kernel_.type_of(bits->operands[0])) ||
        bits_of(kernel_.type_of(bits->operands[0])) != half_bits)
      return std::nullopt;
    return bits->operands[0];
  }

  // high << 16 | low
  std::optional<Halves> packed(ValueId id) const {
    const Instruction* both = defined_by(id, Opcode::bit_or);
    if (both == nullptr) return std::nullopt;
    for (std::size_t first = 0; first < 2; ++first) {
      const auto low = extended_float(both->operands[first]);
      const Instruction* shifted = defined_by(both->operands[1 - first], Opcode::shift_left);
      if (!low || shifted == nullptr || !kernel_.is_constant(shifted->operands[1]) ||
          kernel_.value(shifted->operands[1]).bits != half_bits)
        continue;
      if (const auto high = extended_float(shifted->operands[0]))
        if (kernel_.type_of(*high) == kernel_.type_of(*low)) return Halves{*low, *high};
    }
    return std::nullopt;
  }

  std::optional<Type> packed_type(BlockId block, std::size_t parameter) const {
    if (kernel_.type_of(kernel_.blocks[block].parameters[parameter]) != Type::i32) return std::nullopt;
    for (const Block& from : kernel_.blocks)
      for (const Edge& edge : from.terminator.edges)
        if (edge.target == block)
          if (const auto halves = packed(edge.arguments[parameter])) return kernel_.type_of(halves->low);
    return std::nullopt;
  }

  ValueId half_of(ValueId whole, Type type, bool high) {
    if (high) {
      whole = builder_.value(Opcode::shift_right_logical, {whole, builder_.constant(Type::i32, half_bits)},
                             Type::i32);
      builder_.modify().shift_overflow = ShiftOverflow::clamp;
    }
    return builder_.value(Opcode::bitcast, {builder_.value(Opcode::truncate, {whole}, Type::i16)}, type);
  }

  void split(BlockId block, std::size_t parameter, Type type) {
    const ValueId whole = kernel_.blocks[block].parameters[parameter];
    for (BlockId from = 0; from < kernel_.blocks.size(); ++from) {
      builder_.set_block(from);
      builder_.set_place(kernel_.blocks[from].terminator.place);
      for (std::size_t e = 0; e < kernel_.blocks[from].terminator.edges.size(); ++e) {
        if (kernel_.blocks[from].terminator.edges[e].target != block) continue;
        const ValueId argument = kernel_.blocks[from].terminator.edges[e].arguments[parameter];
        Halves halves;
        if (const auto known = packed(argument); known && kernel_.type_of(known->low) == type)
          halves = *known;
        else if (kernel_.is_constant(argument))
          halves = {builder_.constant(type, kernel_.value(argument).bits & 0xffff),
                    builder_.constant(type, kernel_.value(argument).bits >> half_bits)};
        else
          halves = {half_of(argument, type, false), half_of(argument, type, true)};
        auto& arguments = kernel_.blocks[from].terminator.edges[e].arguments;
        arguments[parameter] = halves.low;
        arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(parameter) + 1, halves.high);
      }
    }
    // The whole, at the start of the block, from its two parameters.
    std::vector<Instruction> rest = std::move(kernel_.blocks[block].instructions);
    kernel_.blocks[block].instructions.clear();
    const ValueId low = builder_.add_block_parameter(block, type),
                  high = builder_.add_block_parameter(block, type);
    auto& parameters = kernel_.blocks[block].parameters;
    parameters.resize(parameters.size() - 2);
    parameters[parameter] = low;
    parameters.insert(parameters.begin() + static_cast<std::ptrdiff_t>(parameter) + 1, high);
    builder_.set_block(block);
    const auto wide = [&](ValueId half) {
      return builder_.value(Opcode::zero_extend, {builder_.value(Opcode::bitcast, {half}, Type::i16)},
                            Type::i32);
    };
    const ValueId low_part = wide(low);
    const ValueId high_part =
        builder_.value(Opcode::shift_left, {wide(high), builder_.constant(Type::i32, half_bits)}, Type::i32);
    builder_.modify().shift_overflow = ShiftOverflow::clamp;
    const ValueId packed_again = builder_.value(Opcode::bit_or, {low_part, high_part}, Type::i32);
    auto& instructions = kernel_.blocks[block].instructions;
    instructions.insert(instructions.end(), std::make_move_iterator(rest.begin()),
                        std::make_move_iterator(rest.end()));
    replace(whole, packed_again);
  }

  void replace(ValueId from, ValueId to) {
    const auto change = [&](ValueId& id) {
      if (id == from) id = to;
    };
    for (Block& b : kernel_.blocks) {
      for (Instruction& i : b.instructions)
        for (ValueId& operand : i.operands) change(operand);
      if (b.terminator.condition != none) change(b.terminator.condition);
      for (Edge& edge : b.terminator.edges)
        for (ValueId& argument : edge.arguments) change(argument);
    }
  }

  Kernel& kernel_;
  Builder builder_;
};

}  // namespace

bool split_halves(Kernel& kernel) {
  return Splitter(kernel).run();
}

}  // namespace hallmark::validator::ir
