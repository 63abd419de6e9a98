// Asynchronous copies (PTX ISA 9.7.9.27): what is copied is read where the copy is issued and lands as late
// as it may, at the wait that covers it. Until then every access to its bytes, by whichever thread, is a
// race.
#include <algorithm>

#include "validator/interpreter/machine.h"

namespace hallmark::validator::interpreter {

void Machine::issue_copy(Thread& t, const ir::Instruction& i, const Target& target, std::uint32_t bytes) {
  Thread::Copy copy{&i, target, bytes, {}, t.groups};
  for (std::size_t n = 1; n < i.operands.size(); ++n) copy.values.push_back(value(t, i.operands[n]));
  t.copies.push_back(std::move(copy));
}

void Machine::wait_for_copies(BlockRun& b, Thread& t, const ir::Instruction& i) {
  const auto has_landed = [&](const Thread::Copy& copy) {
    return i.index == ir::none || (t.groups > copy.group && t.groups - copy.group - 1 >= i.index);
  };
  for (const Thread::Copy& copy : t.copies) {
    if (!has_landed(copy)) continue;
    const auto start = static_cast<std::uint64_t>(copy.target.offset);
    for (std::uint64_t group = start / 4 * 4; group < start + copy.bytes; group += 4)
      std::erase_if(copy.target.region->history(group).writes(),
                    [&](const Trace& old) { return old.thread == t.index && old.clock == Trace::under_way; });
    trace(b, t, *copy.store, copy.target, copy.bytes, true, false);
    write(*copy.store, copy.target, copy.values);
  }
  std::erase_if(t.copies, has_landed);
}

}  // namespace hallmark::validator::interpreter
