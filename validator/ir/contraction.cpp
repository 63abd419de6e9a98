#include "validator/ir/contraction.h"

namespace hallmark::validator::ir {
namespace {

// Whether the instruction computes a rounded value of its own, or brings one from elsewhere: then nothing
// about how its operands were computed can be fused with a user of its result.
bool ends_the_search(Opcode opcode) {
  switch (opcode) {
    case Opcode::float_add:
    case Opcode::float_sub:
    case Opcode::float_mul:
    case Opcode::float_fma:
    case Opcode::float_div:
    case Opcode::float_sqrt:
    case Opcode::float_reciprocal:
    case Opcode::float_reciprocal_sqrt:
    case Opcode::float_exp2:
    case Opcode::float_log2:
    case Opcode::float_sin:
    case Opcode::float_cos:
    case Opcode::float_tanh:
    case Opcode::library_call:
    case Opcode::load:
    case Opcode::atomic:
    case Opcode::shuffle:
    case Opcode::vote:
    case Opcode::match_any:
    case Opcode::match_all:
    case Opcode::warp_reduce:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::set<const Instruction*> fusible_additions(const Kernel& kernel) {
  // What a block parameter may be.
  std::vector<std::vector<ValueId>> incoming(kernel.values.size());
  for (const Block& block : kernel.blocks)
    for (const Edge& edge : block.terminator.edges)
      for (std::size_t i = 0; i < edge.arguments.size(); ++i)
        incoming[kernel.blocks[edge.target].parameters[i]].push_back(edge.arguments[i]);
  // Forwards from the bare products.
  std::vector<bool> product(kernel.values.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    const auto mark = [&](ValueId id) {
      if (product[id]) return;
      product[id] = true;
      changed = true;
    };
    const auto any = [&](const std::vector<ValueId>& ids) {
      for (const ValueId id : ids)
        if (product[id]) return true;
      return false;
    };
    for (const Block& block : kernel.blocks) {
      for (const ValueId parameter : block.parameters)
        if (any(incoming[parameter])) mark(parameter);
      for (const Instruction& i : block.instructions) {
        const bool bare = i.opcode == Opcode::float_mul && i.contractible;
        if (bare || (!ends_the_search(i.opcode) && any(i.operands)))
          for (const ValueId result : i.results) mark(result);
      }
    }
  }
  std::set<const Instruction*> out;
  for (const Block& block : kernel.blocks)
    for (const Instruction& i : block.instructions)
      if (i.contractible && (i.opcode == Opcode::float_add || i.opcode == Opcode::float_sub))
        for (const ValueId operand : i.operands)
          if (product[operand]) out.insert(&i);
  return out;
}

}  // namespace hallmark::validator::ir
