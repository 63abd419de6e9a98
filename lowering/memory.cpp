#include "lowering/memory.h"

#include <algorithm>

#include "base/error.h"

namespace hallmark::lowering {
namespace {

using namespace calculus;

constexpr long alignment = 256;

struct Life {
  plan::PlannedBuffer* buffer = nullptr;
  std::size_t first = 0, last = 0;  // launches
  Integer bytes;                    // rounded up to the alignment
  Integer offset;
};

std::vector<Life> lives(plan::LaunchPlan& plan) {
  std::vector<Life> out;
  for (plan::PlannedBuffer& buffer : plan.buffers) {
    if (buffer.role != plan::Role::arena) continue;
    Life life;
    life.buffer = &buffer;
    bool seen = false;
    for (std::size_t i = 0; i < plan.launches.size(); ++i)
      for (const plan::Argument& argument : plan.launches[i].arguments) {
        if (argument.buffer != buffer.declaration.name) continue;
        if (!seen) life.first = i;
        seen = true;
        life.last = i;
      }
    ensure(seen, "an arena buffer that no launch has: " + buffer.declaration.name);
    out.push_back(std::move(life));
  }
  return out;
}

Term aligned(Term bytes) {
  return scale(alignment, ceil_div(bytes, integer(alignment)));
}

}  // namespace

void plan_memory(plan::LaunchPlan& plan) {
  std::vector<Life> all = lives(plan);
  Term end = integer(0L);
  std::vector<Life*> known;
  for (Life& life : all) {
    const Term bytes = aligned(plan::byte_size(life.buffer->declaration));
    if (const Integer* value = as_integer(bytes); value != nullptr) {
      life.bytes = *value;
      known.push_back(&life);
    }
  }
  // First fit, larger buffers first: each takes the lowest gap that no buffer alive at the same time covers.
  std::stable_sort(known.begin(), known.end(),
                   [](const Life* a, const Life* b) { return a->bytes > b->bytes; });
  Integer top = 0;
  std::vector<Life*> placed;
  for (Life* life : known) {
    std::vector<Life*> rivals;
    for (Life* other : placed)
      if (other->first <= life->last && life->first <= other->last) rivals.push_back(other);
    std::sort(rivals.begin(), rivals.end(),
              [](const Life* a, const Life* b) { return a->offset < b->offset; });
    Integer at = 0;
    for (const Life* rival : rivals) {
      if (at + life->bytes <= rival->offset) break;
      at = std::max(at, Integer(rival->offset + rival->bytes));
    }
    life->offset = at;
    top = std::max(top, Integer(at + life->bytes));
    placed.push_back(life);
    life->buffer->arena_offset = integer(at);
  }
  end = integer(top);
  for (Life& life : all) {
    if (life.buffer->arena_offset != nullptr) continue;
    life.buffer->arena_offset = end;
    end = add(end, aligned(plan::byte_size(life.buffer->declaration)));
  }
  plan.arena_bytes = end;
}

}  // namespace hallmark::lowering
