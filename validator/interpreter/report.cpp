#include <fmt/format.h>

#include "validator/interpreter/machine.h"

namespace hallmark::validator::interpreter {

std::string to_string(const ThreadName& t) {
  return fmt::format("thread ({},{},{}) of block ({},{},{})", t.thread[0], t.thread[1], t.thread[2],
                     t.block[0], t.block[1], t.block[2]);
}

const Fault* Result::find(ObligationKind kind) const {
  for (const Fault& f : faults)
    if (f.kind == kind) return &f;
  return nullptr;
}

Argument Argument::pointer(std::size_t buffer, std::uint64_t offset) {
  Argument a;
  a.buffer = buffer;
  a.offset = offset;
  return a;
}

Argument Argument::scalar(std::uint64_t bits, unsigned bytes) {
  Argument a;
  for (unsigned n = 0; n < bytes; ++n)
    a.bytes.push_back(n < 8 ? static_cast<std::uint8_t>(bits >> (8 * n)) : 0);
  return a;
}

ThreadName Machine::thread_name(ThreadIndex index) const {
  const auto split = [](std::uint64_t n, const std::array<std::uint32_t, 3>& size) {
    return std::array<std::uint32_t, 3>{static_cast<std::uint32_t>(n % size[0]),
                                        static_cast<std::uint32_t>(n / size[0] % size[1]),
                                        static_cast<std::uint32_t>(n / size[0] / size[1])};
  };
  const std::uint32_t block = index / threads_per_block_;
  return {split(request_.blocks.empty() ? block : request_.blocks[block], request_.grid),
          split(index % threads_per_block_, request_.block)};
}

std::string Machine::at_line(const ir::Place& place) const {
  const std::string source = k_.source_location(place);
  return source.empty() || k_.is_source ? fmt::format("line {}", place.line)
                                        : fmt::format("line {} ({})", place.line, source);
}

// One fault is kept for each kind and pair of places; the reference is good until the next call.
Fault& Machine::fault(ObligationKind kind, const Thread& t, const ir::Place& place, std::string summary,
                      std::optional<std::pair<ThreadIndex, ir::Place>> other) {
  Fault f;
  f.kind = kind;
  f.thread = thread_name(t.index);
  f.place = place;
  f.origin = &place;
  if (other) {
    f.other = thread_name(other->first);
    f.other_place = other->second;
  }
  f.summary = fmt::format("{} {}", to_string(f.thread), summary);
  const ir::Place second = other ? other->second : ir::Place{};
  if (result_.faults.size() >= request_.fault_limit ||
      !reported_.emplace(kind, &place, second.line, second.column).second) {
    unreported_ = std::move(f);
    return unreported_;
  }
  result_.faults.push_back(std::move(f));
  return result_.faults.back();
}

}  // namespace hallmark::validator::interpreter
