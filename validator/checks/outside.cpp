#include "validator/checks/outside.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace hallmark::validator {
namespace {

using ir::Opcode;

// Uses of an arbitrary value that conclude nothing from it.
bool is_harmless(const ir::Instruction& use, const std::set<ir::ValueId>& arbitrary,
                 const ir::Kernel& kernel) {
  const auto tainted = [&](std::size_t i) { return arbitrary.count(use.operands[i]) != 0; };
  if (use.opcode == Opcode::store) return !tainted(0) && use.space == ir::Space::global;
  if (use.opcode == Opcode::select) return ir::is_float(kernel.type_of(use.operands[1]));
  const auto all_float = [&](const std::vector<ir::ValueId>& values) {
    return std::all_of(values.begin(), values.end(),
                       [&](ir::ValueId v) { return ir::is_float(kernel.type_of(v)); });
  };
  switch (use.opcode) {
    case Opcode::compare_float:
      return true;
    case Opcode::float_add:
    case Opcode::float_sub:
    case Opcode::float_mul:
    case Opcode::float_fma:
    case Opcode::float_neg:
      return all_float(use.operands) && all_float(use.results);
    default:
      return false;
  }
}

// Whether control can come back to the block.
bool is_in_loop(const ir::Kernel& kernel, ir::BlockId block) {
  std::set<ir::BlockId> seen;
  std::vector<ir::BlockId> open{block};
  while (!open.empty()) {
    const ir::BlockId at = open.back();
    open.pop_back();
    for (const ir::BlockId next : ir::successors(kernel.blocks[at])) {
      if (next == block) return true;
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  return false;
}

// Two decisions by arbitrary values need not agree, so there may be one: one comparison, made once and used
// once.
bool decides_once(const ir::Kernel& kernel, const std::set<ir::ValueId>& arbitrary) {
  std::vector<ir::ValueId> decisions;
  std::size_t uses = 0;
  for (ir::BlockId b = 0; b < kernel.blocks.size(); ++b)
    for (const ir::Instruction& i : kernel.blocks[b].instructions)
      if (i.opcode == Opcode::compare_float &&
          std::any_of(i.operands.begin(), i.operands.end(),
                      [&](ir::ValueId v) { return arbitrary.count(v) != 0; })) {
        if (is_in_loop(kernel, b)) return false;
        decisions.insert(decisions.end(), i.results.begin(), i.results.end());
      }
  if (decisions.size() > 1) return false;
  for (const ir::ValueId decision : decisions)
    for (const ir::Block& block : kernel.blocks) {
      for (const ir::Instruction& i : block.instructions)
        uses += static_cast<std::size_t>(std::count(i.operands.begin(), i.operands.end(), decision));
      for (const ir::Edge& edge : block.terminator.edges)
        uses += static_cast<std::size_t>(std::count(edge.arguments.begin(), edge.arguments.end(), decision));
      if (block.terminator.condition == decision) ++uses;
    }
  return uses <= 1;
}

}  // namespace

bool may_decide(const ir::Kernel& kernel, const std::vector<Site>& loads) {
  std::set<ir::ValueId> arbitrary;
  for (const Site& site : loads)
    for (const ir::ValueId v : kernel.blocks[site.block].instructions[site.index].results) {
      if (!ir::is_float(kernel.type_of(v))) return true;
      arbitrary.insert(v);
    }
  const auto reaches = [&](const std::vector<ir::ValueId>& values) {
    return std::any_of(values.begin(), values.end(), [&](ir::ValueId v) { return arbitrary.count(v) != 0; });
  };
  for (std::size_t before = 0; before != arbitrary.size();) {
    before = arbitrary.size();
    for (const ir::Block& block : kernel.blocks) {
      for (const ir::Instruction& use : block.instructions) {
        if (!reaches(use.operands)) continue;
        if (!is_harmless(use, arbitrary, kernel)) return true;
        arbitrary.insert(use.results.begin(), use.results.end());
      }
      for (const ir::Edge& edge : block.terminator.edges)
        for (std::size_t i = 0; i < edge.arguments.size(); ++i)
          if (arbitrary.count(edge.arguments[i]) != 0)
            arbitrary.insert(kernel.blocks[edge.target].parameters[i]);
    }
  }
  return !decides_once(kernel, arbitrary);
}

bool decides(const ir::Kernel& kernel, const std::vector<Site>& loads) {
  std::set<ir::ValueId> reached;
  for (const Site& site : loads) {
    const auto& results = kernel.blocks[site.block].instructions[site.index].results;
    reached.insert(results.begin(), results.end());
  }
  const auto among = [&](ir::ValueId v) { return reached.count(v) != 0; };
  for (std::size_t before = 0; before != reached.size();) {
    before = reached.size();
    for (const ir::Block& block : kernel.blocks) {
      for (const ir::Instruction& use : block.instructions) {
        if (std::none_of(use.operands.begin(), use.operands.end(), among)) continue;
        const bool memory =
            use.opcode == Opcode::load || use.opcode == Opcode::store || use.opcode == Opcode::atomic;
        if (memory && among(use.operands[0])) return true;
        // Barriers and warp operations: the number, the mask, the lane.
        if (use.opcode == Opcode::barrier || use.opcode == Opcode::barrier_arrive ||
            use.opcode == Opcode::warp_sync)
          return true;
        if ((use.opcode == Opcode::shuffle || use.opcode == Opcode::vote || use.opcode == Opcode::match_any ||
             use.opcode == Opcode::match_all || use.opcode == Opcode::warp_reduce) &&
            std::any_of(use.operands.begin() + 1, use.operands.end(), among))
          return true;
        reached.insert(use.results.begin(), use.results.end());
      }
      if (block.terminator.condition != ir::none && among(block.terminator.condition)) return true;
      for (const ir::Edge& edge : block.terminator.edges)
        for (std::size_t i = 0; i < edge.arguments.size(); ++i)
          if (among(edge.arguments[i])) reached.insert(kernel.blocks[edge.target].parameters[i]);
    }
  }
  return false;
}

}  // namespace hallmark::validator
