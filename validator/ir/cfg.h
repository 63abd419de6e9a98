// Dominators, post-dominators and natural loops of a kernel. Cooper, Harvey, Kennedy, "A simple, fast
// dominance algorithm" (2001): block numbers are the reverse post-order.
#pragma once
#include <vector>

#include "validator/ir/kernel.h"

namespace hallmark::validator::ir {

struct LoopExit {
  BlockId from, to;  // an edge that leaves the loop
};

// All back edges with one header form one loop.
struct Loop {
  BlockId header = none;
  std::vector<BlockId> blocks;   // ascending, the header first
  std::vector<BlockId> latches;  // sources of back edges, ascending
  std::vector<LoopExit> exits;   // in order of `from`
  std::uint32_t parent = none;   // index into ControlFlow::loops
  std::uint32_t depth = 1;
  bool contains(BlockId) const;
};

class ControlFlow {
 public:
  // Throws Refusal E3010, naming the place, when the graph is irreducible.
  explicit ControlFlow(const Kernel&);

  const std::vector<BlockId>& predecessors(BlockId b) const { return predecessors_[b]; }
  const std::vector<BlockId>& successors(BlockId b) const { return successors_[b]; }
  // `none` for the entry.
  BlockId immediate_dominator(BlockId b) const { return dominator_[b]; }
  bool dominates(BlockId a, BlockId b) const;  // reflexive
  // `none` when the paths of b have no common block before they end, or when b reaches no end.
  BlockId immediate_post_dominator(BlockId b) const { return post_dominator_[b]; }
  bool post_dominates(BlockId a, BlockId b) const;  // reflexive; false when b reaches no end
  // Outer loops before inner ones, by header.
  const std::vector<Loop>& loops() const { return loops_; }
  // Innermost loop, or `none`.
  std::uint32_t loop_of(BlockId b) const { return loop_of_[b]; }
  bool is_back_edge(BlockId from, BlockId to) const { return dominates(to, from); }

 private:
  std::vector<std::vector<BlockId>> predecessors_, successors_;
  std::vector<BlockId> dominator_, post_dominator_;
  std::vector<std::uint32_t> loop_of_;
  std::vector<Loop> loops_;
};

// Immediate dominators of any graph given as successor lists with node 0 as root and nodes numbered in any
// order; `none` for the root and for unreachable nodes.
std::vector<std::uint32_t> immediate_dominators(const std::vector<std::vector<std::uint32_t>>& successors);

}  // namespace hallmark::validator::ir
