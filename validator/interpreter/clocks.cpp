#include "validator/interpreter/clocks.h"

#include <algorithm>
#include <set>

namespace hallmark::validator::interpreter {

Clocks::Clocks(std::uint32_t blocks, std::uint32_t threads_per_block)
    : threads_(threads_per_block),
      clock_(std::size_t{blocks} * threads_per_block, 1),
      known_(clock_.size()),
      released_(clock_.size()),
      pending_(clock_.size()) {}

bool Clocks::ordered(ThreadIndex earlier, std::uint32_t clock, ThreadIndex t) const {
  if (earlier == t) return true;
  const auto found = known_[t].find(earlier / threads_);
  return found != known_[t].end() && (*found->second)[earlier % threads_] >= clock;
}

void Clocks::join(Knowledge& into, const Knowledge& other) {
  for (const auto& [block, vector] : other) {
    Vector& mine = into[block];
    if (mine == vector) continue;
    if (!mine) {
      mine = vector;
      continue;
    }
    auto merged = std::make_shared<std::vector<std::uint32_t>>(*mine);
    for (std::size_t n = 0; n < merged->size(); ++n) (*merged)[n] = std::max((*merged)[n], (*vector)[n]);
    mine = std::move(merged);
  }
}

void Clocks::synchronise(const std::vector<ThreadIndex>& threads) {
  if (threads.empty()) return;
  // Each distinct vector is joined once: after a barrier of the block all threads share theirs.
  std::set<std::pair<std::uint32_t, const void*>> seen;
  Knowledge merged;
  for (ThreadIndex t : threads) {
    Knowledge fresh;
    for (const auto& [block, vector] : known_[t])
      if (seen.emplace(block, vector.get()).second) fresh.emplace(block, vector);
    join(merged, fresh);
  }
  const std::uint32_t block = threads.front() / threads_;
  auto own = merged.contains(block) ? std::make_shared<std::vector<std::uint32_t>>(*merged[block])
                                    : std::make_shared<std::vector<std::uint32_t>>(threads_, 0);
  for (ThreadIndex t : threads) (*own)[t % threads_] = clock_[t];
  merged[block] = std::move(own);
  for (ThreadIndex t : threads) {
    known_[t] = merged;
    ++clock_[t];
  }
}

void Clocks::fence(ThreadIndex t, bool device_wide) {
  join(known_[t], pending_[t].block);
  if (device_wide) join(known_[t], pending_[t].device);
  const std::uint32_t block = t / threads_;
  auto own = known_[t].contains(block) ? std::make_shared<std::vector<std::uint32_t>>(*known_[t][block])
                                       : std::make_shared<std::vector<std::uint32_t>>(threads_, 0);
  (*own)[t % threads_] = clock_[t];
  Knowledge released = known_[t];
  released[block] = std::move(own);
  if (device_wide) released_[t].device = released;
  released_[t].block = std::move(released);
  ++clock_[t];
}

void Clocks::publish(ThreadIndex t, std::uint64_t place) {
  if (!released_[t].device.empty()) join(places_[{place, any_block}], released_[t].device);
  if (!released_[t].block.empty()) join(places_[{place, t / threads_}], released_[t].block);
}

void Clocks::observe(ThreadIndex t, std::uint64_t place) {
  if (const auto found = places_.find({place, any_block}); found != places_.end())
    join(pending_[t].device, found->second);
  if (const auto found = places_.find({place, t / threads_}); found != places_.end())
    join(pending_[t].block, found->second);
}

}  // namespace hallmark::validator::interpreter
