// Conditions and folds of compiled bodies.
#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "evaluator/machine.h"

namespace hallmark::evaluator {

using namespace calculus;

// The lanes with coefficient * (first_lane + lane) + rest <= 0.
Machine::Span Machine::narrow(const Span& span, std::int64_t rest, std::int64_t coefficient) const {
  Span out = span;
  const std::int64_t start = rest + coefficient * first_lane_;
  if (coefficient == 0) {
    if (start > 0) out.high = out.low;
    return out;
  }
  // Floor division; coefficient * lane <= -start.
  const std::int64_t c = coefficient > 0 ? coefficient : -coefficient;
  const auto floored = [c](std::int64_t a) { return a >= 0 ? a / c : -((-a + c - 1) / c); };
  if (coefficient > 0) {
    const std::int64_t last = floored(-start);
    if (last < out.high - 1) out.high = static_cast<int>(std::max<std::int64_t>(last + 1, out.low));
  } else {
    const std::int64_t first = -floored(-start);
    if (first > out.low) out.low = static_cast<int>(std::min<std::int64_t>(first, out.high));
  }
  return out;
}

Machine::Span Machine::narrow(const GuardCode& guard, const Span& span, std::vector<std::uint8_t>& mask) {
  Span out = span;
  for (const LaneIndex& bound : guard.bounds) {
    out = narrow(out, *at<std::int64_t>(bound.rest), bound.coefficient).trimmed();
    if (out.empty()) return out;
  }
  if (guard.truth == -1) return out;
  run(guard.rest, out);
  const auto truth = operand<std::uint8_t>(guard.truth);
  if (!truth.varies) {
    if (truth[0] == 0) out.high = out.low;
    return out;
  }
  mask.resize(block_lanes);
  bool some = false, all = true;
  for (int l = out.low; l < out.high; ++l) {
    mask[static_cast<std::size_t>(l)] = out.active(l) && truth.data[l] != 0 ? 1 : 0;
    some = some || mask[static_cast<std::size_t>(l)] != 0;
    all = all && mask[static_cast<std::size_t>(l)] != 0;
  }
  if (!some) out.high = out.low;
  out.mask = all ? nullptr : mask.data();
  return out;
}

void Machine::branch(const Instruction& i, const Span& outside) {
  const BranchCode& b = *i.branch;
  // A result that does not vary is decided once.
  const Span span = varies(i.result) ? outside : Span{0, 1, nullptr};
  std::vector<std::uint8_t> mask, other;
  const Span yes = narrow(b.guard, span, mask);
  const auto side = [&](int which, const Span& lanes) {
    if (lanes.empty()) return;
    run(b.sides[which], lanes);
    assign(i.result, b.values[which], lanes);
  };
  side(0, yes);
  if (yes.empty()) return side(1, span);
  if (yes.mask == span.mask) {
    // A contiguous part: the others lie before and behind.
    side(1, Span{span.low, yes.low, span.mask}.trimmed());
    side(1, Span{yes.high, span.high, span.mask}.trimmed());
    return;
  }
  other.resize(block_lanes);
  bool some = false;
  for (int l = span.low; l < span.high; ++l) {
    const bool taken = l >= yes.low && l < yes.high && yes.active(l);
    other[static_cast<std::size_t>(l)] = span.active(l) && !taken ? 1 : 0;
    some = some || other[static_cast<std::size_t>(l)] != 0;
  }
  if (some) side(1, {span.low, span.high, other.data()});
}

std::int64_t Machine::trip_count(const LoopCode& l, const Span& span) const {
  const auto rest = operand<std::int64_t>(l.extent.rest);
  std::int64_t count = 0;
  if (l.extent.coefficient == 0 && !rest.varies) return rest[0];
  for (int lane = span.low; lane < span.high; ++lane)
    if (span.active(lane)) count = std::max(count, rest[lane] + l.extent.coefficient * (first_lane_ + lane));
  return count;
}

// The lanes whose own extent is above k.
Machine::Span Machine::within_extent(const LoopCode& l, const Span& span, std::int64_t k,
                                     std::vector<std::uint8_t>& mask) {
  const auto rest = operand<std::int64_t>(l.extent.rest);
  if (!rest.varies) {
    if (l.extent.coefficient == 0) return span;
    return narrow(span, k + 1 - rest[0], -l.extent.coefficient);
  }
  mask.resize(block_lanes);
  Span out = span;
  bool some = false;
  for (int lane = span.low; lane < span.high; ++lane) {
    mask[static_cast<std::size_t>(lane)] = span.active(lane) && k < rest.data[lane] ? 1 : 0;
    some = some || mask[static_cast<std::size_t>(lane)] != 0;
  }
  if (!some) out.high = out.low;
  out.mask = mask.data();
  return out;
}

void Machine::start_states(const LoopCode& l, const Span& span) {
  for (std::size_t j = 0; j < l.states.size(); ++j) assign(l.states[j], l.init[j], span);
}

void Machine::step(const LoopCode& l, const Span& span, std::int64_t k) {
  std::vector<std::uint8_t> extent_mask, guard_mask;
  *at<std::int64_t>(l.variable) = k;
  const Span alive = within_extent(l, span, k, extent_mask);
  if (alive.empty()) return;
  run(l.before, alive);
  const Span lanes = narrow(l.guard, alive, guard_mask);
  if (lanes.empty()) return;
  run(l.step, lanes);
  for (std::size_t j = 0; j < l.states.size(); ++j) assign(l.states[j], l.stepped[j], lanes);
}

void Machine::loop(const LoopCode& l, const Span& span) {
  const std::int64_t count = trip_count(l, span);
  const Order& order = *l.order;
  if (order.kind == Order::Kind::any || order.kind == Order::Kind::seq) {
    start_states(l, span);
    for (std::int64_t k = 0; k < count; ++k) step(l, span, k);
    return;
  }
  std::vector<Snapshot> parts;
  const bool strided = order.kind == Order::Kind::strided;
  const std::int64_t lanes = strided ? order_size(order.size) : std::max<std::int64_t>(count, 0);
  for (std::int64_t part = 0; part < lanes; ++part) {
    start_states(l, span);
    if (strided)
      for (std::int64_t k = part; k < count; k += lanes) step(l, span, k);
    else
      step(l, span, part);
    parts.push_back(snapshot(l));
  }
  restore(l.states, leaves(l, strided ? *order.inner : order, parts, 0, parts.size(), span));
}

Machine::Snapshot Machine::snapshot(const LoopCode& l) const {
  Snapshot out;
  for (const int state : l.states) {
    const auto* bytes = at<std::byte>(state);
    out.emplace_back(bytes, bytes + width(state));
  }
  return out;
}

void Machine::restore(const std::vector<int>& registers, const Snapshot& from) {
  for (std::size_t j = 0; j < registers.size(); ++j)
    std::memcpy(at<std::byte>(registers[j]), from[j].data(), from[j].size());
}

std::int64_t Machine::order_size(Term size) const {
  std::int64_t result = 0;
  if (const Integer* value = as_integer(size)) {
    result = to_i64(*value).value_or(0);
  } else {
    const auto found = symbols_.find(size->name);
    ensure(found != symbols_.end(), "the symbol " + size->name + " has no value");
    result = found->second;
  }
  if (result <= 0) throw Refusal("E1004", "a fold order of size " + std::to_string(result));
  return result;
}

Machine::Snapshot Machine::combine(const LoopCode& l, const Snapshot& left, const Snapshot& right,
                                   const Span& span) {
  ensure(!l.combined.empty(), "a fold in an order that needs a combine has none");
  restore(l.states, left);
  restore(l.right, right);
  run(l.combine, span);
  for (std::size_t j = 0; j < l.states.size(); ++j) assign(l.states[j], l.combined[j], span);
  return snapshot(l);
}

Machine::Snapshot Machine::leaves(const LoopCode& l, const Order& order, const std::vector<Snapshot>& parts,
                                  std::size_t from, std::size_t to, const Span& span) {
  const std::size_t count = to - from;
  const auto misfit = [&] {
    return Refusal(
        "E1004", "the fold order " + to_string(order) + " does not fit " + std::to_string(count) + " leaves");
  };
  switch (order.kind) {
    case Order::Kind::any:
    case Order::Kind::seq: {
      if (count == 0) throw misfit();
      Snapshot out = parts[from];
      for (std::size_t i = from + 1; i < to; ++i) out = combine(l, out, parts[i], span);
      return out;
    }
    case Order::Kind::tree: {
      const auto size = static_cast<std::size_t>(order_size(order.size));
      if (count != size || (size & (size - 1)) != 0) throw misfit();
      std::vector<Snapshot> level(parts.begin() + static_cast<long>(from),
                                  parts.begin() + static_cast<long>(to));
      while (level.size() > 1) {
        std::vector<Snapshot> next;
        for (std::size_t i = 0; i < level.size(); i += 2)
          next.push_back(combine(l, level[i], level[i + 1], span));
        level = std::move(next);
      }
      return level.at(0);
    }
    case Order::Kind::blocked: {
      const auto size = static_cast<std::size_t>(order_size(order.size));
      std::vector<Snapshot> blocks;
      for (std::size_t i = from; i < to; i += size)
        blocks.push_back(leaves(l, *order.inner, parts, i, std::min(i + size, to), span));
      return leaves(l, *order.outer, blocks, 0, blocks.size(), span);
    }
    case Order::Kind::strided:
    case Order::Kind::mma:
      break;
  }
  throw Refusal("E1005", "the fold order " + to_string(order) + " has no defined meaning here");
}

}  // namespace hallmark::evaluator
