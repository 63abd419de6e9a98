#include "validator/ir/divergence.h"

#include <algorithm>
#include <vector>

#include "validator/ir/cfg.h"

namespace hallmark::validator::ir {

namespace {

bool differs_between_lanes(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::special_register:
      switch (i.special) {
        case SpecialRegister::block_size_x:
        case SpecialRegister::block_size_y:
        case SpecialRegister::block_size_z:
        case SpecialRegister::block_x:
        case SpecialRegister::block_y:
        case SpecialRegister::block_z:
        case SpecialRegister::grid_size_x:
        case SpecialRegister::grid_size_y:
        case SpecialRegister::grid_size_z:
        case SpecialRegister::dynamic_shared_bytes:
          return false;
        default:
          return true;
      }
    case Opcode::arbitrary:
    case Opcode::freeze:
    case Opcode::load:
    case Opcode::atomic:
    case Opcode::shuffle:
    case Opcode::vote:
    case Opcode::match_any:
    case Opcode::match_all:
    case Opcode::warp_reduce:
    case Opcode::active_mask:
      return true;
    case Opcode::library_call:
      return i.operands.empty();  // not understood
    default:
      return false;
  }
}

class Divergence {
 public:
  Divergence(const Kernel& kernel, const std::set<BlockId>& together)
      : kernel_(kernel), together_(together), flow_(kernel), differs_(kernel.values.size(), false) {}

  std::set<BlockId> run() {
    for (bool changed = true; changed;) {
      changed = values();
      for (BlockId b = 0; b < kernel_.blocks.size(); ++b) {
        const ValueId condition = kernel_.blocks[b].terminator.condition;
        if (condition == none || !differs_[condition] || parting_.count(b) != 0 || keeps_together(b))
          continue;
        parting_.insert(b);
        changed = true;
        join(b);
      }
    }
    return joins_;
  }

 private:
  bool values() {
    bool some = false, changed = true;
    const auto mark = [&](ValueId v) {
      if (differs_[v]) return;
      differs_[v] = true;
      some = changed = true;
    };
    while (changed) {
      changed = false;
      for (BlockId b = 0; b < kernel_.blocks.size(); ++b) {
        const Block& block = kernel_.blocks[b];
        if (joins_.count(b) != 0)
          for (ValueId p : block.parameters) mark(p);
        for (const Instruction& i : block.instructions)
          if (differs_between_lanes(i) ||
              std::any_of(i.operands.begin(), i.operands.end(), [&](ValueId o) { return differs_[o]; }))
            for (ValueId r : i.results) mark(r);
        for (const Edge& edge : block.terminator.edges)
          for (std::size_t n = 0; n < edge.arguments.size(); ++n)
            if (differs_[edge.arguments[n]]) mark(kernel_.blocks[edge.target].parameters[n]);
      }
    }
    return some;
  }

  bool keeps_together(BlockId branch) const {
    for (BlockId next : successors(kernel_.blocks[branch])) {
      std::set<BlockId> seen;
      while (seen.insert(next).second) {
        if (together_.count(next) != 0) return true;
        const std::vector<BlockId> on = successors(kernel_.blocks[next]);
        if (on.size() != 1) break;
        next = on[0];
      }
    }
    return false;
  }

  void join(BlockId branch) {
    // Rounds that some lanes make more often than others.
    for (const Loop& loop : flow_.loops())
      if (loop.contains(branch))
        for (BlockId next : successors(kernel_.blocks[branch]))
          if (!loop.contains(next)) {
            joins_.insert(loop.header);
            joins_.insert(next);
          }
    std::vector<BlockId> label(kernel_.blocks.size(), none), work;
    const auto arrive = [&](BlockId block, BlockId from) {
      if (label[block] == from || label[block] == block) {
        if (label[block] != from) joins_.insert(block);
        return;
      }
      if (label[block] != none) {
        joins_.insert(block);
        from = block;
      }
      label[block] = from;
      if (block != branch) work.push_back(block);
    };
    const std::vector<BlockId> ways = successors(kernel_.blocks[branch]);
    const auto& edges = kernel_.blocks[branch].terminator.edges;
    // Two ways to one block, with arguments of their own.
    if (edges.size() == 2 && edges[0].target == edges[1].target) joins_.insert(edges[0].target);
    for (BlockId next : ways) arrive(next, next);
    while (!work.empty()) {
      const BlockId block = work.back();
      work.pop_back();
      for (BlockId next : successors(kernel_.blocks[block])) arrive(next, label[block]);
    }
  }

  const Kernel& kernel_;
  const std::set<BlockId>& together_;
  ControlFlow flow_;
  std::vector<bool> differs_;
  std::set<BlockId> parting_, joins_;
};

}  // namespace

std::set<BlockId> diverging_joins(const Kernel& kernel, const std::set<BlockId>& together) {
  return Divergence(kernel, together).run();
}

}  // namespace hallmark::validator::ir
