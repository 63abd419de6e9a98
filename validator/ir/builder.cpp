#include "validator/ir/builder.h"

#include <algorithm>
#include <iterator>

namespace hallmark::validator::ir {

ValueId Builder::constant(Type type, std::uint64_t bits) {
  bits &= mask_of(type);
  const auto [it, fresh] = constants_.try_emplace({type, bits}, static_cast<ValueId>(kernel_.values.size()));
  if (fresh) {
    Value v;
    v.type = type;
    v.bits = bits;
    kernel_.values.push_back(v);
  }
  return it->second;
}

BlockId Builder::add_block(std::string name) {
  Block block;
  block.name = std::move(name);
  kernel_.blocks.push_back(std::move(block));
  return static_cast<BlockId>(kernel_.blocks.size() - 1);
}

ValueId Builder::add_block_parameter(BlockId block, Type type, std::string hint) {
  Value v;
  v.type = type;
  v.origin = Origin::block_parameter;
  v.block = block;
  v.index = static_cast<std::uint32_t>(kernel_.blocks[block].parameters.size());
  v.hint = std::move(hint);
  kernel_.values.push_back(std::move(v));
  const auto id = static_cast<ValueId>(kernel_.values.size() - 1);
  kernel_.blocks[block].parameters.push_back(id);
  return id;
}

Instruction& Builder::emit(Opcode opcode, std::vector<ValueId> operands, const std::vector<Type>& results) {
  Block& block = kernel_.blocks[block_];
  Instruction i;
  i.opcode = opcode;
  i.operands = std::move(operands);
  i.place = place_;
  for (std::size_t n = 0; n < results.size(); ++n) {
    Value v;
    v.type = results[n];
    v.origin = Origin::result;
    v.block = block_;
    v.index = static_cast<std::uint32_t>(block.instructions.size());
    v.result = static_cast<std::uint32_t>(n);
    kernel_.values.push_back(std::move(v));
    i.results.push_back(static_cast<ValueId>(kernel_.values.size() - 1));
  }
  block.instructions.push_back(std::move(i));
  return block.instructions.back();
}

ValueId Builder::value(Opcode opcode, std::vector<ValueId> operands, Type result) {
  return emit(opcode, std::move(operands), {result}).results[0];
}

Instruction& Builder::modify() {
  return kernel_.blocks[block_].instructions.back();
}

ValueId Builder::cast_bits(ValueId value, Type to) {
  if (type_of(value) == to) return value;
  if (kernel_.is_constant(value)) return constant(to, kernel_.value(value).bits);
  const Instruction* definition = kernel_.definition(value);
  if (definition != nullptr && definition->opcode == Opcode::bitcast &&
      type_of(definition->operands[0]) == to)
    return definition->operands[0];
  return this->value(Opcode::bitcast, {value}, to);
}

void Builder::jump(BlockId target) {
  Terminator& t = kernel_.blocks[block_].terminator;
  t.kind = Terminator::Kind::jump;
  t.edges = {Edge{target, {}}};
  t.place = place_;
}

void Builder::branch(ValueId condition, BlockId then_target, BlockId else_target) {
  Terminator& t = kernel_.blocks[block_].terminator;
  t.kind = Terminator::Kind::branch;
  t.condition = condition;
  t.edges = {Edge{then_target, {}}, Edge{else_target, {}}};
  t.place = place_;
}

void Builder::finish_block(Terminator::Kind kind) {
  Terminator& t = kernel_.blocks[block_].terminator;
  t.kind = kind;
  t.edges.clear();
  t.place = place_;
}

namespace {

bool may_be_dropped(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::load:
    case Opcode::store:
    case Opcode::atomic:
    case Opcode::fence:
    case Opcode::async_commit:
    case Opcode::async_wait:
    case Opcode::barrier:
    case Opcode::barrier_arrive:
    case Opcode::warp_sync:
    case Opcode::shuffle:
    case Opcode::vote:
    case Opcode::match_any:
    case Opcode::match_all:
    case Opcode::warp_reduce:
    case Opcode::active_mask:
    case Opcode::div_signed:
    case Opcode::div_unsigned:
    case Opcode::rem_signed:
    case Opcode::rem_unsigned:
      return false;
    case Opcode::shift_left:
    case Opcode::shift_right_logical:
    case Opcode::shift_right_arithmetic:
      return i.shift_overflow != ShiftOverflow::undefined && !i.no_signed_wrap && !i.no_unsigned_wrap &&
             !i.exact;
    case Opcode::float_to_signed:
    case Opcode::float_to_unsigned:
      return i.clamped_conversion;
    default:
      return !i.no_signed_wrap && !i.no_unsigned_wrap && !i.exact;
  }
}

// Reverse post-order by depth-first search with successors in order.
std::vector<BlockId> reverse_post_order(const Kernel& k) {
  std::vector<BlockId> order;
  std::vector<char> seen(k.blocks.size(), 0);
  std::vector<std::pair<BlockId, std::size_t>> stack{{0, 0}};
  seen[0] = 1;
  while (!stack.empty()) {
    const BlockId b = stack.back().first;
    const auto& edges = k.blocks[b].terminator.edges;
    if (stack.back().second < edges.size()) {
      // Last edge first, so that the first edge's blocks come first in the reversed order.
      const BlockId next = edges[edges.size() - 1 - stack.back().second++].target;
      if (!seen[next]) {
        seen[next] = 1;
        stack.emplace_back(next, 0);
      }
    } else {
      order.push_back(b);
      stack.pop_back();
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

void order_blocks(Kernel& k) {
  const std::vector<BlockId> order = reverse_post_order(k);
  std::vector<BlockId> position(k.blocks.size(), none);
  for (std::size_t n = 0; n < order.size(); ++n) position[order[n]] = static_cast<BlockId>(n);
  std::vector<Block> blocks;
  blocks.reserve(order.size());
  for (BlockId b : order) blocks.push_back(std::move(k.blocks[b]));
  for (Block& block : blocks)
    for (Edge& edge : block.terminator.edges) edge.target = position[edge.target];
  k.blocks = std::move(blocks);
}

// For each value what it is to be replaced by; itself when it stays.
using Replacement = std::vector<ValueId>;

ValueId find(Replacement& map, ValueId id) {
  while (map[id] != id) {
    map[id] = map[map[id]];
    id = map[id];
  }
  return id;
}

Replacement redundant_parameters(const Kernel& k) {
  Replacement map(k.values.size());
  for (ValueId id = 0; id < map.size(); ++id) map[id] = id;
  std::vector<std::vector<const Edge*>> incoming(k.blocks.size());
  for (const Block& block : k.blocks)
    for (const Edge& edge : block.terminator.edges) incoming[edge.target].push_back(&edge);
  bool changed = true;
  while (changed) {
    changed = false;
    for (BlockId b = 0; b < k.blocks.size(); ++b)
      for (std::size_t p = 0; p < k.blocks[b].parameters.size(); ++p) {
        const ValueId self = k.blocks[b].parameters[p];
        if (map[self] != self) continue;
        ValueId only = none;
        bool several = false;
        for (const Edge* edge : incoming[b]) {
          const ValueId argument = find(map, edge->arguments[p]);
          if (argument == self || argument == only) continue;
          several = several || only != none;
          only = argument;
        }
        if (several || only == none) continue;
        map[self] = only;
        changed = true;
      }
  }
  return map;
}

void apply(Kernel& k, Replacement& map) {
  const auto change = [&map](ValueId& id) { id = find(map, id); };
  std::vector<std::vector<char>> keep(k.blocks.size());
  for (BlockId b = 0; b < k.blocks.size(); ++b)
    for (ValueId p : k.blocks[b].parameters) keep[b].push_back(map[p] == p ? 1 : 0);
  for (Block& block : k.blocks) {
    for (Instruction& i : block.instructions) std::for_each(i.operands.begin(), i.operands.end(), change);
    if (block.terminator.kind == Terminator::Kind::branch) change(block.terminator.condition);
    for (Edge& edge : block.terminator.edges) {
      std::vector<ValueId> arguments;
      for (std::size_t n = 0; n < edge.arguments.size(); ++n)
        if (keep[edge.target][n]) arguments.push_back(find(map, edge.arguments[n]));
      edge.arguments = std::move(arguments);
    }
  }
  for (BlockId b = 0; b < k.blocks.size(); ++b) {
    auto& parameters = k.blocks[b].parameters;
    std::erase_if(parameters, [&map](ValueId p) { return map[p] != p; });
  }
}

// A block that is entered by one jump alone becomes the end of the block that jumps.
void merge_chains(Kernel& k) {
  std::vector<unsigned> incoming(k.blocks.size(), 0);
  for (const Block& block : k.blocks)
    for (const Edge& edge : block.terminator.edges) ++incoming[edge.target];
  for (BlockId b = 0; b < k.blocks.size(); ++b) {
    Block& block = k.blocks[b];
    while (block.terminator.kind == Terminator::Kind::jump) {
      const BlockId next = block.terminator.edges[0].target;
      if (next == b || next == 0 || incoming[next] != 1 || !k.blocks[next].parameters.empty()) break;
      Block& rest = k.blocks[next];
      std::move(rest.instructions.begin(), rest.instructions.end(), std::back_inserter(block.instructions));
      rest.instructions.clear();
      block.terminator = std::move(rest.terminator);
      rest.terminator = Terminator{};
      rest.terminator.edges.clear();
    }
  }
  order_blocks(k);
}

void drop_unneeded(Kernel& k) {
  std::vector<char> needed(k.values.size(), 0);
  std::vector<ValueId> work;
  const auto need = [&](ValueId id) {
    if (!needed[id]) {
      needed[id] = 1;
      work.push_back(id);
    }
  };
  // Where each value is defined, found anew because blocks have moved.
  struct Definition {
    const Instruction* instruction = nullptr;
    BlockId block = none;
    std::size_t parameter = 0;
  };
  std::vector<Definition> definitions(k.values.size());
  std::vector<std::vector<const Edge*>> incoming(k.blocks.size());
  for (BlockId b = 0; b < k.blocks.size(); ++b) {
    const Block& block = k.blocks[b];
    for (const Edge& edge : block.terminator.edges) incoming[edge.target].push_back(&edge);
    for (std::size_t p = 0; p < block.parameters.size(); ++p)
      definitions[block.parameters[p]] = {nullptr, b, p};
    for (const Instruction& i : block.instructions) {
      for (ValueId r : i.results) definitions[r].instruction = &i;
      if (!may_be_dropped(i))
        for (ValueId o : i.operands) need(o);
    }
    if (block.terminator.kind == Terminator::Kind::branch) need(block.terminator.condition);
  }
  while (!work.empty()) {
    const Definition& d = definitions[work.back()];
    work.pop_back();
    if (d.instruction != nullptr)
      for (ValueId o : d.instruction->operands) need(o);
    else if (d.block != none)
      for (const Edge* edge : incoming[d.block]) need(edge->arguments[d.parameter]);
  }
  for (Block& block : k.blocks) {
    for (Edge& edge : block.terminator.edges) {
      const auto& parameters = k.blocks[edge.target].parameters;
      std::vector<ValueId> arguments;
      for (std::size_t n = 0; n < parameters.size(); ++n)
        if (needed[parameters[n]]) arguments.push_back(edge.arguments[n]);
      edge.arguments = std::move(arguments);
    }
    std::erase_if(block.instructions, [&needed](const Instruction& i) {
      return may_be_dropped(i) &&
             std::none_of(i.results.begin(), i.results.end(), [&needed](ValueId r) { return needed[r]; });
    });
  }
  for (Block& block : k.blocks) std::erase_if(block.parameters, [&needed](ValueId p) { return !needed[p]; });
}

void number_values(Kernel& k, std::vector<ValueId>* followed) {
  std::vector<ValueId> number(k.values.size(), none);
  std::vector<Value> values;
  const auto define = [&](ValueId& id, Origin origin, BlockId b, std::size_t index, std::size_t result) {
    number[id] = static_cast<ValueId>(values.size());
    Value v = std::move(k.values[id]);
    v.origin = origin;
    v.block = b;
    v.index = static_cast<std::uint32_t>(index);
    v.result = static_cast<std::uint32_t>(result);
    values.push_back(std::move(v));
    id = number[id];
  };
  for (BlockId b = 0; b < k.blocks.size(); ++b) {
    for (std::size_t p = 0; p < k.blocks[b].parameters.size(); ++p)
      define(k.blocks[b].parameters[p], Origin::block_parameter, b, p, 0);
    for (std::size_t n = 0; n < k.blocks[b].instructions.size(); ++n)
      for (std::size_t r = 0; r < k.blocks[b].instructions[n].results.size(); ++r)
        define(k.blocks[b].instructions[n].results[r], Origin::result, b, n, r);
  }
  const auto use = [&](ValueId& id) {
    if (number[id] == none) {  // a constant at its first use
      number[id] = static_cast<ValueId>(values.size());
      values.push_back(k.values[id]);
    }
    id = number[id];
  };
  for (Block& block : k.blocks) {
    for (Instruction& i : block.instructions) std::for_each(i.operands.begin(), i.operands.end(), use);
    if (block.terminator.kind == Terminator::Kind::branch) use(block.terminator.condition);
    for (Edge& edge : block.terminator.edges)
      std::for_each(edge.arguments.begin(), edge.arguments.end(), use);
  }
  k.values = std::move(values);
  if (followed != nullptr)
    for (ValueId& id : *followed)
      if (id != none) id = number[id];
}

}  // namespace

void normalise(Kernel& kernel, std::vector<ValueId>* followed) {
  ensure(!kernel.blocks.empty(), "kernel without blocks");
  order_blocks(kernel);
  Replacement map = redundant_parameters(kernel);
  apply(kernel, map);
  if (followed != nullptr)
    for (ValueId& id : *followed)
      if (id != none) id = find(map, id);
  merge_chains(kernel);
  drop_unneeded(kernel);
  number_values(kernel, followed);
}

}  // namespace hallmark::validator::ir
