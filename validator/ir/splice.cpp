#include "validator/ir/splice.h"

namespace hallmark::validator::ir {

std::vector<ValueId> splice(Builder& builder, const Kernel& part, BlockId exit,
                            const std::vector<ValueId>& inputs) {
  if (!part.arrays.empty()) throw Refusal("E3110", "a variable in it", Location{part.text_file, 0, 0, {}});
  std::vector<ValueId> renamed(part.values.size(), none);
  for (ValueId v = 0; v < part.values.size(); ++v)
    if (part.values[v].origin == Origin::constant)
      renamed[v] = builder.constant(part.values[v].type, part.values[v].bits);
  std::vector<BlockId> blocks{builder.block()};
  for (BlockId b = 1; b < part.blocks.size(); ++b) {
    blocks.push_back(builder.add_block(part.blocks[b].name));
    for (ValueId p : part.blocks[b].parameters)
      renamed[p] = builder.add_block_parameter(blocks[b], part.values[p].type, part.values[p].hint);
  }
  const auto all = [&](const std::vector<ValueId>& values) {
    std::vector<ValueId> out;
    for (ValueId v : values) {
      ensure(renamed[v] != none, "a value of a spliced kernel is used before it is defined");
      out.push_back(renamed[v]);
    }
    return out;
  };
  const auto input = [&](const Instruction& i) {
    const Type type = part.type_of(i.results[0]);
    if (i.index >= inputs.size() || inputs[i.index] == none ||
        bits_of(builder.type_of(inputs[i.index])) != bits_of(type))
      throw Refusal("E3110", "an operand of a wrong width", Location{part.text_file, 0, 0, {}});
    return builder.cast_bits(inputs[i.index], type);
  };
  for (BlockId b = 0; b < part.blocks.size(); ++b) {
    builder.set_block(blocks[b]);
    for (const Instruction& i : part.blocks[b].instructions) {
      if (i.opcode == Opcode::parameter) {
        renamed[i.results[0]] = input(i);
        continue;
      }
      if (i.opcode == Opcode::bitcast) {
        renamed[i.results[0]] = builder.cast_bits(all(i.operands)[0], part.type_of(i.results[0]));
        continue;
      }
      std::vector<Type> types;
      for (ValueId r : i.results) types.push_back(part.type_of(r));
      Instruction& made = builder.emit(i.opcode, all(i.operands), types);
      std::vector<ValueId> operands = std::move(made.operands), results = std::move(made.results);
      made = i;
      made.place = builder.place();
      made.operands = std::move(operands);
      made.results = std::move(results);
      for (std::size_t n = 0; n < i.results.size(); ++n) renamed[i.results[n]] = made.results[n];
    }
  }
  for (BlockId b = 0; b < part.blocks.size(); ++b) {
    if (b == exit) continue;
    Terminator end = part.blocks[b].terminator;
    ensure(end.kind != Terminator::Kind::leave, "a spliced kernel has two exits");
    end.place = builder.place();
    if (end.condition != none) end.condition = renamed[end.condition];
    for (Edge& edge : end.edges) {
      edge.target = blocks[edge.target];
      edge.arguments = all(edge.arguments);
    }
    builder.kernel().blocks[blocks[b]].terminator = std::move(end);
  }
  builder.set_block(blocks[exit]);
  return renamed;
}

}  // namespace hallmark::validator::ir
