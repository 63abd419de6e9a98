#include "validator/ir/cfg.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace hallmark::validator::ir {

namespace {

// Post-order of the nodes that the root reaches, without recursion.
std::vector<std::uint32_t> post_order(const std::vector<std::vector<std::uint32_t>>& successors) {
  std::vector<std::uint32_t> order;
  std::vector<char> seen(successors.size(), 0);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack;
  if (successors.empty()) return order;
  stack.emplace_back(0, 0);
  seen[0] = 1;
  while (!stack.empty()) {
    const std::uint32_t node = stack.back().first;
    if (stack.back().second < successors[node].size()) {
      const std::uint32_t next = successors[node][stack.back().second++];
      if (!seen[next]) {
        seen[next] = 1;
        stack.emplace_back(next, 0);
      }
    } else {
      order.push_back(node);
      stack.pop_back();
    }
  }
  return order;
}

bool dominates_in(const std::vector<std::uint32_t>& parent, std::uint32_t a, std::uint32_t b) {
  while (b != none && b != a) b = parent[b];
  return b == a;
}

}  // namespace

std::vector<std::uint32_t> immediate_dominators(const std::vector<std::vector<std::uint32_t>>& successors) {
  const std::size_t n = successors.size();
  std::vector<std::uint32_t> order = post_order(successors), position(n, none), result(n, none);
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = static_cast<std::uint32_t>(i);
  std::vector<std::vector<std::uint32_t>> predecessors(n);
  for (std::uint32_t node : order)
    for (std::uint32_t next : successors[node]) predecessors[next].push_back(node);
  if (n == 0) return result;
  result[0] = 0;
  bool changed = true;
  while (changed) {
    changed = false;
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::uint32_t node = order[i];
      if (node == 0) continue;
      std::uint32_t best = none;
      for (std::uint32_t p : predecessors[node]) {
        if (result[p] == none) continue;
        if (best == none) {
          best = p;
          continue;
        }
        std::uint32_t a = p, b = best;
        while (a != b) {
          while (position[a] < position[b]) a = result[a];
          while (position[b] < position[a]) b = result[b];
        }
        best = a;
      }
      if (result[node] != best) {
        result[node] = best;
        changed = true;
      }
    }
  }
  result[0] = none;
  return result;
}

bool Loop::contains(BlockId b) const {
  return std::binary_search(blocks.begin(), blocks.end(), b);
}

bool ControlFlow::dominates(BlockId a, BlockId b) const {
  return dominates_in(dominator_, a, b);
}
bool ControlFlow::post_dominates(BlockId a, BlockId b) const {
  return a == b || (post_dominator_[b] != none && dominates_in(post_dominator_, a, post_dominator_[b]));
}

ControlFlow::ControlFlow(const Kernel& kernel) {
  const std::size_t n = kernel.blocks.size();
  successors_.resize(n);
  predecessors_.resize(n);
  for (BlockId b = 0; b < n; ++b) {
    for (BlockId s : ir::successors(kernel.blocks[b]))
      if (std::find(successors_[b].begin(), successors_[b].end(), s) == successors_[b].end())
        successors_[b].push_back(s);
    for (BlockId s : successors_[b]) predecessors_[s].push_back(b);
  }
  dominator_ = immediate_dominators(successors_);

  // Post-dominators: dominators of the reversed graph with a virtual root, node 0, before all ends.
  std::vector<std::vector<std::uint32_t>> reversed(n + 1);
  for (BlockId b = 0; b < n; ++b) {
    if (successors_[b].empty()) reversed[0].push_back(b + 1);
    for (BlockId s : successors_[b]) reversed[s + 1].push_back(b + 1);
  }
  const std::vector<std::uint32_t> parents = immediate_dominators(reversed);
  post_dominator_.assign(n, none);
  for (BlockId b = 0; b < n; ++b)
    if (parents[b + 1] != none && parents[b + 1] != 0) post_dominator_[b] = parents[b + 1] - 1;

  // A back edge goes to a dominator. Without the back edges a reducible graph has no cycle, so an edge
  // against the order of blocks that is no back edge means irreducible (blocks stand in reverse post-order).
  std::map<BlockId, Loop> by_header;
  for (BlockId b = 0; b < n; ++b)
    for (BlockId s : successors_[b]) {
      if (s > b) continue;
      if (!dominates(s, b))
        throw Refusal(
            "E3010",
            fmt::format("the loop through {} is entered at more than one place (irreducible control flow)",
                        kernel.blocks[s].name.empty() ? fmt::format("block {}", s) : kernel.blocks[s].name),
            kernel.location(kernel.blocks[b].terminator.place));
      Loop& loop = by_header[s];
      loop.header = s;
      loop.latches.push_back(b);
    }
  for (auto& [header, loop] : by_header) {
    std::vector<char> inside(n, 0);
    std::vector<BlockId> work;
    inside[header] = 1;
    for (BlockId latch : loop.latches)
      if (!inside[latch]) {
        inside[latch] = 1;
        work.push_back(latch);
      }
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      for (BlockId p : predecessors_[b])
        if (!inside[p]) {
          inside[p] = 1;
          work.push_back(p);
        }
    }
    for (BlockId b = 0; b < n; ++b)
      if (inside[b]) loop.blocks.push_back(b);
    for (BlockId b : loop.blocks)
      for (BlockId s : successors_[b])
        if (!inside[s]) loop.exits.push_back({b, s});
    loops_.push_back(loop);
  }
  // Headers are in ascending order, so an enclosing loop stands before the loops inside it.
  loop_of_.assign(n, none);
  for (std::uint32_t l = 0; l < loops_.size(); ++l) {
    loops_[l].parent = loop_of_[loops_[l].header];
    loops_[l].depth = loops_[l].parent == none ? 1 : loops_[loops_[l].parent].depth + 1;
    for (BlockId b : loops_[l].blocks) loop_of_[b] = l;
  }
}

}  // namespace hallmark::validator::ir
