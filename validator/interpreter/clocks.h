// Which accesses of other threads happen before what a thread does now: vector clocks (Mattern 1989) with
// shared, immutable vectors, so that a barrier of a whole block costs one vector.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace hallmark::validator::interpreter {

using ThreadIndex = std::uint32_t;  // block * threads per block + thread

class Clocks {
 public:
  Clocks(std::uint32_t blocks, std::uint32_t threads_per_block);
  std::uint32_t now(ThreadIndex t) const { return clock_[t]; }
  std::uint32_t threads_per_block() const { return threads_; }
  // Whether what `earlier` did at its time `clock` happens before what `t` does now.
  bool ordered(ThreadIndex earlier, std::uint32_t clock, ThreadIndex t) const;
  // All of them wait for each other: barrier, __syncwarp.
  void synchronise(const std::vector<ThreadIndex>& threads);
  // Fences and atomics order as in C++: what stands before a fence that precedes a strong write happens
  // before what follows a fence after a strong access that read from it.
  void fence(ThreadIndex t, bool device_wide);
  void publish(ThreadIndex t, std::uint64_t place);
  void observe(ThreadIndex t, std::uint64_t place);

 private:
  using Vector = std::shared_ptr<const std::vector<std::uint32_t>>;
  using Knowledge = std::map<std::uint32_t, Vector>;  // block -> clocks of its threads
  static void join(Knowledge& into, const Knowledge& other);

  std::uint32_t threads_;
  std::vector<std::uint32_t> clock_;
  // What a fence has released, and what strong accesses have read and a fence may acquire: once for the whole
  // device and once within the block, because a fence of block scope does nothing for other blocks.
  struct Scoped {
    Knowledge device, block;
  };
  static constexpr std::uint32_t any_block = 0xffffffff;
  std::vector<Knowledge> known_;
  std::vector<Scoped> released_, pending_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Knowledge> places_;  // by address and block
};

}  // namespace hallmark::validator::interpreter
