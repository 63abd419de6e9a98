// Operations that several threads execute together: barriers (PTX ISA 9.7.13.1) and warp operations.
#include <fmt/format.h>

#include <algorithm>

#include "validator/interpreter/machine.h"

namespace hallmark::validator::interpreter {

using ir::Opcode;

ir::BlockId Machine::block_of(const ir::Instruction& i) const {
  for (ir::BlockId b = 0; b < k_.blocks.size(); ++b) {
    const auto& list = k_.blocks[b].instructions;
    if (!list.empty() && &i >= &list.front() && &i <= &list.back()) return b;
  }
  throw InternalError("an instruction of no block");
}

bool Machine::same_iteration(const Thread& a, const std::vector<std::uint32_t>& iterations,
                             const ir::Instruction& i) const {
  if (!flow_) return true;
  for (std::uint32_t loop = flow_->loop_of(block_of(i)); loop != ir::none; loop = flow_->loops()[loop].parent)
    if (a.iterations[loop] != iterations[loop]) return false;
  return true;
}

// --- barriers ---

void Machine::arrive_at_barrier(BlockRun& b, Thread& t, const ir::Instruction& i) {
  const Cell id = value(t, i.operands[0]);
  std::optional<std::uint32_t> count;
  if (i.operands.size() > 1) count = static_cast<std::uint32_t>(value(t, i.operands[1]).bits);
  if (id.undefined != 0 || id.bits >= 16) {
    fault(ObligationKind::barrier, t, i.place,
          fmt::format("waits at barrier {} at {}, there are 16", id.bits, at_line(i.place)));
    return;
  }
  if (count && (*count == 0 || *count % 32 != 0 || *count > (threads_per_block_ + 31) / 32 * 32))
    fault(ObligationKind::barrier, t, i.place,
          fmt::format("names {} threads for a barrier of a block of {} at {}", *count, threads_per_block_,
                      at_line(i.place)));
  const auto barrier = static_cast<std::uint32_t>(id.bits);
  if (i.opcode == Opcode::barrier_arrive) {
    // What stands before the arrival happens before what the waiting threads do afterwards.
    b.arrived[barrier].push_back({t.index % threads_per_block_, &i, t.iterations});
  } else {
    t.state = State::at_barrier;
    ++b.waiting[barrier];
    b.counted[barrier] = b.counted[barrier] || count.has_value();
    t.waiting = &i;
    t.barrier = barrier;
    t.count = count;
  }
  try_barrier(b, barrier);
}

bool Machine::try_barrier(BlockRun& b, std::uint32_t id) {
  const auto arrived = b.arrived.find(id);
  const std::size_t early = arrived == b.arrived.end() ? 0 : arrived->second.size();
  // Asked at every arrival, so the threads are looked through only when it may be the last.
  if (b.waiting[id] == 0 || (!b.counted[id] && b.waiting[id] + early < b.alive)) return false;
  std::vector<std::uint32_t> waiting;
  std::optional<std::uint32_t> count;
  for (std::uint32_t n = 0; n < b.threads.size(); ++n) {
    const Thread& t = b.threads[n];
    if (t.state == State::at_barrier && t.barrier == id) {
      waiting.push_back(n);
      if (t.count) count = t.count;
    }
  }
  if (count) {
    // Barriers count warps: lanes that do not exist or have exited count as arrived with their warp.
    std::size_t missing = 0;
    for (std::uint32_t first = 0; first < b.threads.size(); first += 32) {
      bool takes_part = false;
      std::size_t absent = 0;
      for (std::uint32_t n = first; n < first + 32; ++n) {
        if (n >= b.threads.size() || b.threads[n].state == State::exited)
          ++absent;
        else if (b.threads[n].state == State::at_barrier && b.threads[n].barrier == id)
          takes_part = true;
      }
      if (takes_part) missing += absent;
    }
    if (waiting.size() + early + missing < *count) return false;
  }
  std::vector<Arrival> arrivals;
  if (arrived != b.arrived.end()) {
    arrivals = std::move(arrived->second);
    b.arrived.erase(arrived);
  }
  b.waiting[id] = 0;
  b.counted[id] = false;
  complete_barrier(b, waiting, arrivals);
  return true;
}

void Machine::complete_barrier(BlockRun& b, const std::vector<std::uint32_t>& threads,
                               const std::vector<Arrival>& arrivals) {
  const Thread& first = b.threads[threads.front()];
  const ir::Instruction& at = *first.waiting;
  if (at.aligned || k_.is_source) {
    for (std::uint32_t n : threads) {
      const Thread& t = b.threads[n];
      const bool same_place = t.waiting == first.waiting;
      if (same_place && same_iteration(t, first.iterations, at)) continue;
      fault(ObligationKind::barrier, t, t.waiting->place,
            fmt::format("waits at {} while {} waits at {}{}", at_line(t.waiting->place),
                        to_string(thread_name(first.index)), at_line(at.place),
                        same_place ? ", in another iteration" : ""),
            std::pair(first.index, at.place));
      break;
    }
  }
  if (request_.strict_barriers && !first.count)
    for (const Thread& t : b.threads)
      if (t.state == State::exited) {
        fault(ObligationKind::barrier, first, at.place,
              fmt::format("waits at {} for {}, which has exited", at_line(at.place),
                          to_string(thread_name(t.index))),
              std::pair(t.index, at.place));
        break;
      }
  std::vector<ThreadIndex> all;
  all.reserve(threads.size() + arrivals.size());
  for (std::uint32_t n : threads) all.push_back(b.threads[n].index);
  for (const Arrival& a : arrivals) all.push_back(b.threads[a.thread].index);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  clocks_.synchronise(all);
  for (std::uint32_t n : threads) {
    b.threads[n].state = State::ready;
    b.threads[n].waiting = nullptr;
  }
}

// --- warp operations ---

void Machine::arrive_at_warp(BlockRun& b, Thread& t, const ir::Instruction& i) {
  const Cell mask = value(t, i.operands.back());
  t.mask = static_cast<std::uint32_t>(mask.bits);
  if (mask.undefined != 0)
    fault(ObligationKind::init, t, i.place,
          fmt::format("uses an undefined lane mask at {}", at_line(i.place)));
  if ((t.mask >> lane(t) & 1) == 0) {
    fault(ObligationKind::shuffle, t, i.place,
          fmt::format("executes a warp operation at {} whose mask 0x{:08x} does not name its lane {}",
                      at_line(i.place), t.mask, lane(t)));
    for (ir::ValueId r : i.results) set(t, r, {garbage(), ~std::uint64_t{0}});
    return;
  }
  t.state = State::at_warp;
  t.waiting = &i;
  try_warp(b, t);
}

// Executes the operation that `t` waits at when every lane of its mask that still runs waits there too.
bool Machine::try_warp(BlockRun& b, Thread& t) {
  const std::uint32_t first = t.index % threads_per_block_ / 32 * 32;
  std::vector<std::uint32_t> threads;
  std::optional<std::uint32_t> absent;  // a lane that is named and cannot come
  bool exited = false;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if ((t.mask >> l & 1) == 0) continue;
    const std::uint32_t n = first + l;
    if (n >= b.threads.size() || b.threads[n].state == State::exited) {
      if (!absent) {
        absent = l;
        exited = n < b.threads.size();
      }
      continue;
    }
    const Thread& other = b.threads[n];
    if (other.state != State::at_warp || other.waiting != t.waiting || other.mask != t.mask ||
        !same_iteration(other, t.iterations, *t.waiting))
      return false;
    threads.push_back(n);
  }
  const ir::Instruction& i = *t.waiting;
  if (absent)
    fault(ObligationKind::shuffle, t, i.place,
          fmt::format("executes a warp operation at {} whose mask 0x{:08x} names lane {}, which {}",
                      at_line(i.place), t.mask, *absent,
                      exited ? "has exited without coming to it" : "does not exist"));
  complete_warp(b, threads, t.mask, i);
  for (std::uint32_t n : threads) {
    b.threads[n].state = State::ready;
    b.threads[n].waiting = nullptr;
  }
  return true;
}

void Machine::complete_warp(BlockRun& b, const std::vector<std::uint32_t>& threads, std::uint32_t mask,
                            const ir::Instruction& i) {
  if (i.opcode == Opcode::warp_sync) {
    std::vector<ThreadIndex> all;
    all.reserve(threads.size());
    for (std::uint32_t n : threads) all.push_back(b.threads[n].index);
    return clocks_.synchronise(all);
  }
  if (i.opcode == Opcode::shuffle) return shuffle(b, threads, mask, i);
  std::vector<Cell> in;
  std::uint64_t undefined = 0;
  for (std::uint32_t n : threads) {
    in.push_back(value(b.threads[n], i.operands[0]));
    undefined |= in.back().undefined;
  }
  if (undefined != 0) undefined = ~std::uint64_t{0};
  const auto lane_bit = [&](std::size_t n) { return std::uint64_t{1} << lane(b.threads[threads[n]]); };
  if (i.opcode == Opcode::vote) {
    std::uint64_t ballot = 0;
    std::size_t yes = 0;
    for (std::size_t n = 0; n < in.size(); ++n)
      if (in[n].bits != 0) {
        ballot |= lane_bit(n);
        ++yes;
      }
    const std::uint64_t result = i.vote_mode == ir::VoteMode::ballot ? ballot
                                 : i.vote_mode == ir::VoteMode::all  ? yes == in.size()
                                 : i.vote_mode == ir::VoteMode::any  ? yes != 0
                                                                     : yes == 0 || yes == in.size();
    for (std::uint32_t n : threads) set(b.threads[n], i.results[0], {result, undefined});
    return;
  }
  if (i.opcode == Opcode::warp_reduce) {
    std::uint64_t result = in[0].bits;
    for (std::size_t n = 1; n < in.size(); ++n)
      result = atomic_value(i, ir::Type::i32, result, in[n].bits, 0);
    for (std::uint32_t n : threads) set(b.threads[n], i.results[0], {result, undefined});
    return;
  }
  std::uint64_t everyone = 0;
  bool all_equal = true;
  for (std::size_t n = 0; n < in.size(); ++n) {
    everyone |= lane_bit(n);
    all_equal = all_equal && in[n].bits == in[0].bits;
  }
  for (std::size_t n = 0; n < threads.size(); ++n) {
    Thread& t = b.threads[threads[n]];
    if (i.opcode == Opcode::match_all) {
      set(t, i.results[0], {all_equal ? everyone : 0, undefined});
      if (i.results.size() > 1) set(t, i.results[1], {all_equal, undefined});
      continue;
    }
    std::uint64_t same = 0;
    for (std::size_t m = 0; m < in.size(); ++m)
      if (in[m].bits == in[n].bits) same |= lane_bit(m);
    set(t, i.results[0], {same, undefined});
  }
}

// PTX ISA 9.7.9.6.
void Machine::shuffle(BlockRun& b, const std::vector<std::uint32_t>& threads, std::uint32_t mask,
                      const ir::Instruction& i) {
  std::array<std::optional<Cell>, 32> source;
  for (std::uint32_t n : threads) source[lane(b.threads[n])] = value(b.threads[n], i.operands[0]);
  for (std::uint32_t n : threads) {
    Thread& t = b.threads[n];
    const Cell amount = value(t, i.operands[1]), clamp = value(t, i.operands[2]);
    if ((amount.undefined | clamp.undefined) != 0)
      fault(ObligationKind::init, t, i.place,
            fmt::format("shuffles by an undefined lane at {}", at_line(i.place)));
    const int own = static_cast<int>(lane(t)), by = static_cast<int>(amount.bits & 31);
    const int limit = static_cast<int>(clamp.bits & 31), segment = static_cast<int>(clamp.bits >> 8 & 31);
    const int last = (own & segment) | (limit & ~segment), lowest = own & segment;
    int from = 0;
    bool inside = false;
    switch (i.shuffle_mode) {
      case ir::ShuffleMode::up:
        from = own - by;
        inside = from >= last;
        break;
      case ir::ShuffleMode::down:
        from = own + by;
        inside = from <= last;
        break;
      case ir::ShuffleMode::butterfly:
        from = own ^ by;
        inside = from <= last;
        break;
      case ir::ShuffleMode::index:
        from = lowest | (by & ~segment);
        inside = from <= last;
        break;
    }
    if (!inside) from = own;
    Cell result{garbage(), ~std::uint64_t{0}};
    if (source[static_cast<std::size_t>(from)]) {
      result = *source[static_cast<std::size_t>(from)];
    } else {
      fault(ObligationKind::shuffle, t, i.place,
            fmt::format("reads the value of lane {} at {}, which {}", from, at_line(i.place),
                        (mask >> from & 1) == 0 ? "the mask does not name" : "does not take part"));
    }
    set(t, i.results[0], result);
    if (i.results.size() > 1) set(t, i.results[1], {inside, 0});
  }
}

void Machine::report_stuck(BlockRun& b) {
  const auto waits = [](const Thread& t) { return t.state != State::exited; };
  const auto first = std::find_if(b.threads.begin(), b.threads.end(), waits);
  // Somebody whom the first waiting thread waits for and who waits elsewhere.
  const auto other = std::find_if(b.threads.begin(), b.threads.end(), [&](const Thread& t) {
    return waits(t) &&
           (t.waiting != first->waiting || t.state != first->state || t.mask != first->mask ||
            t.barrier != first->barrier || !same_iteration(t, first->iterations, *first->waiting));
  });
  const bool warp =
      first->state == State::at_warp || (other != b.threads.end() && other->state == State::at_warp);
  const Thread& blamed = warp && first->state != State::at_warp ? *other : *first;
  std::string text = fmt::format("waits for ever at {}", at_line(blamed.waiting->place));
  std::optional<std::pair<ThreadIndex, ir::Place>> second;
  if (other != b.threads.end()) {
    const Thread& o = &blamed == &*first ? *other : *first;
    text += fmt::format(" while {} waits at {}", to_string(thread_name(o.index)), at_line(o.waiting->place));
    second = std::pair(o.index, o.waiting->place);
  }
  fault(warp ? ObligationKind::shuffle : ObligationKind::barrier, blamed, blamed.waiting->place, text,
        second);
  result_.end = Result::End::deadlock;
  stop_ = true;
}

}  // namespace hallmark::validator::interpreter
