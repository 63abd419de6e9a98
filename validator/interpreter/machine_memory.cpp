#include <fmt/format.h>

#include <algorithm>

#include "validator/interpreter/float_arithmetic.h"
#include "validator/interpreter/machine.h"

namespace hallmark::validator::interpreter {

// The region that an access means. Faults are reported here; nothing is returned where no byte can be
// touched. Where an access of several elements lies partly outside, the elements inside are touched.
std::optional<Target> Machine::access(BlockRun& b, Thread& t, const ir::Instruction& i, std::uint32_t bytes,
                                      bool write) {
  const char* verb = write ? "writes" : "reads";
  const Cell address = value(t, i.operands[0]);
  if (address.undefined != 0) {
    fault(ObligationKind::init, t, i.place,
          fmt::format("{} at an undefined address, at {}", verb, at_line(i.place)));
    return std::nullopt;
  }
  ir::Space space = i.space;
  std::uint64_t at = address.bits;
  if (space == ir::Space::generic) {
    const std::uint64_t low = at & 0xffffffff, window = at - low;
    space = window == shared_window  ? ir::Space::shared
            : window == local_window ? ir::Space::local
                                     : ir::Space::global;
    if (space != ir::Space::global) at = low;
  }
  const bool small = space == ir::Space::shared || space == ir::Space::local;
  const auto& regions = space == ir::Space::shared ? b.shared : space == ir::Space::local ? t.local : global_;
  const Target target = resolve(regions, small ? small_region_bits : global_region_bits, at, bytes);
  const auto describe = [&](Fault& f) {
    if (target.region != nullptr) {
      f.memory = target.region->name();
      f.offset = target.offset;
    }
    f.bytes = bytes;
    f.is_write = write;
  };
  if (i.alignment != 0 && at % i.alignment != 0)
    describe(fault(
        ObligationKind::alignment, t, i.place,
        fmt::format("{} {} bytes at byte {} of {}, no multiple of {}, at {}", verb, bytes, target.offset,
                    target.region ? target.region->name() : "nothing", i.alignment, at_line(i.place))));
  if (!target.inside) {
    describe(fault(ObligationKind::bounds, t, i.place,
                   target.region == nullptr
                       ? fmt::format("{} {} bytes of {} memory, of which there is none, at {}", verb, bytes,
                                     name(space), at_line(i.place))
                       : fmt::format("{} bytes {} to {} of {}, which has {} bytes, at {}", verb,
                                     target.offset, target.offset + bytes - 1, target.region->name(),
                                     target.region->size(), at_line(i.place))));
    if (target.region == nullptr) return std::nullopt;
  }
  if (write && !target.region->writable()) {
    describe(fault(ObligationKind::bounds, t, i.place,
                   fmt::format("writes bytes {} to {} of {}, which is read-only, at {}", target.offset,
                               target.offset + bytes - 1, target.region->name(), at_line(i.place))));
    return std::nullopt;
  }
  return target;
}

void Machine::trace(BlockRun&, Thread& t, const ir::Instruction& i, Target target, std::uint32_t bytes,
                    bool write, bool strong, bool under_way) {
  std::uint64_t at = static_cast<std::uint64_t>(target.offset), end = at + bytes;
  while (at < end) {
    const std::uint64_t group = at / 4 * 4;
    const std::uint64_t stop = std::min(end, group + 4);
    std::uint8_t mask = 0;
    for (; at < stop; ++at) mask = static_cast<std::uint8_t>(mask | 1u << (at - group));
    trace_group(t, i, *target.region, group, mask, bytes, write, strong, under_way);
  }
}

void Machine::trace_group(Thread& t, const ir::Instruction& i, Region& region, std::uint64_t offset,
                          std::uint8_t mask, std::uint32_t bytes, bool write, bool strong, bool under_way) {
  History& history = region.history(offset);
  const bool within_block = i.scope == ir::Scope::block || i.scope == ir::Scope::thread;
  const bool read_only = i.opcode == ir::Opcode::load && i.non_coherent;
  // Two strong accesses are no race where each includes the other thread in its scope and they are of one
  // size (PTX ISA, memory consistency model, "morally strong").
  const auto morally_strong = [&](const Trace& old) {
    const bool near = old.thread / clocks_.threads_per_block() == t.index / clocks_.threads_per_block();
    return strong && old.strong && old.bytes == bytes && (near || (!within_block && !old.within_block));
  };
  const auto hold_against = [&](const Trace& old) {
    const bool overlap = (old.mask & mask) != 0;
    // Memory that the launch writes is not read-only, in whatever order.
    const bool stale = (old.read_only && write) || (read_only && old.write);
    if (overlap && stale) {
      Fault& f =
          fault(ObligationKind::race, t, i.place,
                fmt::format("{} byte {} of {} at {}, which {} {} at {}: memory that a launch writes is "
                            "not read-only",
                            write ? "writes" : "reads as read-only", offset, region.name(), at_line(i.place),
                            to_string(thread_name(old.thread)), old.write ? "writes" : "reads as read-only",
                            at_line(*old.place)));
      f.memory = region.name();
      f.offset = static_cast<std::int64_t>(offset);
      f.bytes = 1;
      f.is_write = write;
    } else if (overlap && old.thread == t.index && old.clock == Trace::under_way) {
      Fault& f =
          fault(ObligationKind::race, t, i.place,
                fmt::format("{} bytes of {} at {} while its own copy to them, issued at {}, is under "
                            "way: nothing waits for it in between",
                            write ? "writes" : "reads", region.name(), at_line(i.place), at_line(*old.place)),
                std::pair(old.thread, *old.place));
      f.memory = region.name();
      f.offset = static_cast<std::int64_t>(offset);
      f.bytes = 1;
      f.is_write = write;
    } else if (overlap && old.thread != t.index && (write || old.write) && !morally_strong(old) &&
               !clocks_.ordered(old.thread, old.clock, t.index)) {
      unsigned byte = 0;
      while ((old.mask & mask & 1u << byte) == 0) ++byte;
      Fault& f =
          fault(ObligationKind::race, t, i.place,
                fmt::format("{} byte {} of {} at {}, and {} {} it at {} with nothing that orders the two",
                            write ? "writes" : "reads", offset + byte, region.name(), at_line(i.place),
                            to_string(thread_name(old.thread)), old.write ? "writes" : "reads",
                            at_line(*old.place)),
                std::pair(old.thread, *old.place));
      f.memory = region.name();
      f.offset = static_cast<std::int64_t>(offset + byte);
      f.bytes = 1;
      f.is_write = write;
    }
  };
  for (const Trace& old : history.writes()) hold_against(old);
  const Trace now{t.index,      under_way ? Trace::under_way : clocks_.now(t.index),
                  mask,         write,
                  strong,       read_only,
                  within_block, bytes,
                  &i.place};
  if (!write) return history.add_read(now, rank_[t.index / threads_per_block_]);
  for (const Reads& reads : history.reads()) {
    Trace old = reads.trace;
    for (std::uint32_t n = 0; n < reads.count; ++n) {
      old.thread = reads.thread(n);
      hold_against(old);
    }
  }
  // A write stands for all earlier accesses of its bytes.
  history.forget(mask);
  history.writes().push_back(now);
}

void Machine::check_undefined_load(Thread& t, const ir::Instruction& i, Target target, std::uint32_t bytes,
                                   std::uint64_t undefined) {
  if (undefined == 0) return;
  Fault& f = fault(ObligationKind::init, t, i.place,
                   fmt::format("reads bytes {} to {} of {}, which nobody has written, at {}", target.offset,
                               target.offset + bytes - 1, target.region->name(), at_line(i.place)));
  f.memory = target.region->name();
  f.offset = target.offset;
  f.bytes = bytes;
}

namespace {

// The element of an access, or nothing where it lies outside.
std::optional<Target> element(const Target& whole, std::size_t number, unsigned width) {
  Target part = whole;
  part.offset += static_cast<std::int64_t>(number * width);
  part.inside =
      whole.inside || (part.offset >= 0 && static_cast<std::uint64_t>(part.offset) <= whole.region->size() &&
                       width <= whole.region->size() - static_cast<std::uint64_t>(part.offset));
  if (!part.inside) return std::nullopt;
  return part;
}

}  // namespace

void Machine::load(BlockRun& b, Thread& t, const ir::Instruction& i) {
  const unsigned width = ir::bytes_of(k_.type_of(i.results[0]));
  const auto bytes = static_cast<std::uint32_t>(width * i.results.size());
  const auto target = access(b, t, i, bytes, false);
  if (!target) {
    for (ir::ValueId r : i.results) set(t, r, {garbage(), ~std::uint64_t{0}});
    return;
  }
  if (i.is_volatile)
    clocks_.observe(t.index, target->region->base() + static_cast<std::uint64_t>(target->offset));
  if (target->inside) trace(b, t, i, *target, bytes, false, i.is_volatile);
  for (std::size_t n = 0; n < i.results.size(); ++n) {
    const auto part = element(*target, n, width);
    if (!part) {
      set(t, i.results[n], {garbage(), ~std::uint64_t{0}});
      continue;
    }
    if (!target->inside) trace(b, t, i, *part, width, false, i.is_volatile);
    Cell c;
    c.bits = part->region->load(static_cast<std::uint64_t>(part->offset), width, c.undefined);
    check_undefined_load(t, i, *part, width, c.undefined);
    c.bits = (c.bits & ~c.undefined) | (c.undefined != 0 ? garbage() & c.undefined : 0);
    set(t, i.results[n], c);
  }
}

void Machine::store(BlockRun& b, Thread& t, const ir::Instruction& i) {
  const unsigned width = ir::bytes_of(k_.type_of(i.operands[1]));
  const auto bytes = static_cast<std::uint32_t>(width * (i.operands.size() - 1));
  const auto target = access(b, t, i, bytes, true);
  if (!target) return;
  if (i.is_volatile)
    clocks_.publish(t.index, target->region->base() + static_cast<std::uint64_t>(target->offset));
  if (target->inside) trace(b, t, i, *target, bytes, true, i.is_volatile, i.asynchronous);
  if (target->inside && i.asynchronous) return issue_copy(t, i, *target, bytes);
  Cells values;
  for (std::size_t n = 1; n < i.operands.size(); ++n) {
    values.push_back(value(t, i.operands[n]));
    const auto part = element(*target, n - 1, width);
    if (part && !target->inside) trace(b, t, i, *part, width, true, i.is_volatile);
  }
  write(i, *target, values);
}

void Machine::write(const ir::Instruction& i, const Target& target, const std::vector<Cell>& values) {
  const unsigned width = ir::bytes_of(k_.type_of(i.operands[1]));
  for (std::size_t n = 0; n < values.size(); ++n)
    if (const auto part = element(target, n, width))
      part->region->store(static_cast<std::uint64_t>(part->offset), width, values[n].bits,
                          values[n].undefined);
}

std::uint64_t Machine::atomic_value(const ir::Instruction& i, ir::Type type, std::uint64_t old,
                                    std::uint64_t a, std::uint64_t b) {
  using A = ir::AtomicOperation;
  const std::uint64_t mask = ir::mask_of(type);
  const auto less = [&](std::uint64_t x, std::uint64_t y) {
    return i.is_signed ? signed_value(x, type) < signed_value(y, type) : x < y;
  };
  switch (i.atomic_operation) {
    case A::exchange:
      return a;
    case A::compare_swap:
      return old == a ? b : old;
    case A::add:
      if (ir::is_float(type)) {
        ir::Instruction sum;
        sum.opcode = ir::Opcode::float_add;
        sum.rounding = ir::Rounding::nearest_even;
        const std::array<std::uint64_t, 2> operands{old, a};
        // The order of a float sum over threads is the schedule's, not the kernel's.
        result_.approximate = true;
        return float_operation(sum, type, type, operands).bits;
      }
      return (old + a) & mask;
    case A::increment:
      return old >= a ? 0 : old + 1;
    case A::decrement:
      return old == 0 || old > a ? a : old - 1;
    case A::min:
      return less(a, old) ? a : old;
    case A::max:
      return less(old, a) ? a : old;
    case A::bit_and:
      return old & a;
    case A::bit_or:
      return old | a;
    case A::bit_xor:
      return old ^ a;
    case A::none:
      break;
  }
  throw InternalError("an atomic instruction without operation");
}

void Machine::atomic(BlockRun& b, Thread& t, const ir::Instruction& i) {
  const ir::Type type = k_.type_of(i.operands[1]);
  const unsigned width = ir::bytes_of(type);
  const auto target = access(b, t, i, width, true);
  if (!target || !target->inside) {
    for (ir::ValueId r : i.results) set(t, r, {garbage(), ~std::uint64_t{0}});
    return;
  }
  const std::uint64_t place = target->region->base() + static_cast<std::uint64_t>(target->offset);
  clocks_.observe(t.index, place);
  clocks_.publish(t.index, place);
  trace(b, t, i, *target, width, true, true);
  Cell old;
  old.bits = target->region->load(static_cast<std::uint64_t>(target->offset), width, old.undefined);
  const Cell a = value(t, i.operands[1]);
  const Cell c = i.operands.size() > 2 ? value(t, i.operands[2]) : Cell{};
  if (i.atomic_operation != ir::AtomicOperation::exchange || !i.results.empty())
    check_undefined_load(t, i, *target, width, old.undefined);
  std::uint64_t undefined = old.undefined | a.undefined | c.undefined;
  if (i.atomic_operation == ir::AtomicOperation::exchange) undefined = a.undefined;
  if (undefined != 0) undefined = ~std::uint64_t{0};
  target->region->store(static_cast<std::uint64_t>(target->offset), width,
                        atomic_value(i, type, old.bits, a.bits, c.bits), undefined);
  if (!i.results.empty()) set(t, i.results[0], old);
}

}  // namespace hallmark::validator::interpreter
