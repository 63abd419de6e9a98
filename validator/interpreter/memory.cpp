#include "validator/interpreter/memory.h"

#include <algorithm>

namespace hallmark::validator::interpreter {

Region::Region(std::string name, std::uint64_t bytes, std::uint64_t base, bool writable)
    : name_(std::move(name)), bytes_(bytes), base_(base), writable_(writable) {}

void Region::set_contents(std::map<std::uint64_t, std::vector<std::uint8_t>> contents,
                          std::optional<std::uint8_t> fill) {
  contents_ = std::move(contents);
  fill_ = fill;
}

void Region::fill_page(Page& page, std::uint64_t number) const {
  if (fill_) {
    page.data.fill(*fill_);
    page.defined.set();
  }
  const std::uint64_t start = number * page_bytes, end = start + page_bytes;
  auto chunk = contents_.upper_bound(start);
  if (chunk != contents_.begin()) --chunk;
  for (; chunk != contents_.end() && chunk->first < end; ++chunk) {
    const std::uint64_t from = std::max(start, chunk->first);
    const std::uint64_t to = std::min(end, chunk->first + chunk->second.size());
    for (std::uint64_t at = from; at < to; ++at) {
      page.data[at - start] = chunk->second[at - chunk->first];
      page.defined.set(at - start);
    }
  }
}

Region::Page& Region::page(std::uint64_t offset) {
  const std::uint64_t number = offset / page_bytes;
  if (last_ != nullptr && last_number_ == number) return *last_;
  std::unique_ptr<Page>& slot = pages_[number];
  if (!slot) {
    slot = std::make_unique<Page>();
    fill_page(*slot, number);
  }
  last_ = slot.get();
  last_number_ = number;
  return *slot;
}

const Region::Page* Region::find_page(std::uint64_t offset) const {
  const auto found = pages_.find(offset / page_bytes);
  return found == pages_.end() ? nullptr : found->second.get();
}

bool Region::every(std::uint64_t offset, std::uint64_t bytes,
                   const std::function<bool(std::uint64_t)>& holds) const {
  if (offset > bytes_ || bytes > bytes_ - offset) return false;
  for (std::uint64_t at = offset; at < offset + bytes; ++at)
    if (!holds(at)) return false;
  return true;
}

bool Region::defined(std::uint64_t offset, std::uint64_t bytes) const {
  return every(offset, bytes, [this](std::uint64_t at) {
    if (const Page* p = find_page(at)) return p->defined.test(at % page_bytes);
    if (fill_) return true;
    auto chunk = contents_.upper_bound(at);
    return chunk != contents_.begin() && (--chunk, at - chunk->first < chunk->second.size());
  });
}

bool Region::written(std::uint64_t offset, std::uint64_t bytes) const {
  return every(offset, bytes, [this](std::uint64_t at) {
    const Page* p = find_page(at);
    return p != nullptr && p->written.test(at % page_bytes);
  });
}

bool Region::touched(std::uint64_t offset, std::uint64_t bytes) const {
  return !every(offset, bytes, [this](std::uint64_t at) {
    const Page* p = find_page(at);
    return p == nullptr || !p->written.test(at % page_bytes);
  });
}

std::uint64_t Region::read(std::uint64_t offset, unsigned bytes) const {
  std::uint64_t value = 0;
  for (unsigned n = 0; n < bytes && offset + n < bytes_; ++n) {
    const std::uint64_t at = offset + n;
    std::uint8_t byte = fill_.value_or(0);
    if (const Page* p = find_page(at)) {
      byte = p->data[at % page_bytes];
    } else {
      auto chunk = contents_.upper_bound(at);
      if (chunk != contents_.begin() && (--chunk, at - chunk->first < chunk->second.size()))
        byte = chunk->second[at - chunk->first];
    }
    value |= std::uint64_t{byte} << (8 * n);
  }
  return value;
}

std::uint64_t Region::load(std::uint64_t offset, unsigned bytes, std::uint64_t& undefined) {
  std::uint64_t value = 0;
  undefined = 0;
  for (unsigned n = 0; n < bytes; ++n) {
    const Page& p = page(offset + n);
    const std::uint64_t at = (offset + n) % page_bytes;
    value |= std::uint64_t{p.data[at]} << (8 * n);
    if (!p.defined.test(at)) undefined |= std::uint64_t{0xff} << (8 * n);
  }
  return value;
}

void Region::store(std::uint64_t offset, unsigned bytes, std::uint64_t value, std::uint64_t undefined) {
  for (unsigned n = 0; n < bytes; ++n) {
    Page& p = page(offset + n);
    const std::uint64_t at = (offset + n) % page_bytes;
    p.data[at] = static_cast<std::uint8_t>(value >> (8 * n));
    p.defined.set(at, (undefined >> (8 * n) & 0xff) == 0);
    p.written.set(at);
  }
}

History& Region::history(std::uint64_t offset) {
  return page(offset).histories[offset % page_bytes / 4];
}

std::optional<std::uint32_t> Reads::number_of(std::uint32_t thread) const {
  if (thread == first) return 0;
  if (count == 1) return std::nullopt;
  const std::int64_t away = std::int64_t{thread} - first;
  if (away % step != 0 || away / step < 0 || away / step >= count) return std::nullopt;
  return static_cast<std::uint32_t>(away / step);
}

namespace {

bool alike(const Trace& a, const Trace& b) {
  return a.mask == b.mask && a.strong == b.strong && a.read_only == b.read_only && a.bytes == b.bytes &&
         a.within_block == b.within_block;
}

}  // namespace

void History::add_read(const Trace& read, std::uint32_t rank) {
  std::size_t end = reads_.size();
  if (end > 0 && reads_.back().rank > rank)
    end = static_cast<std::size_t>(
        std::upper_bound(reads_.begin(), reads_.end(), rank,
                         [](std::uint32_t mine, const Reads& other) { return mine < other.rank; }) -
        reads_.begin());
  const auto insert = [&](std::size_t at, const Reads& reads) {
    reads_.insert(reads_.begin() + static_cast<std::ptrdiff_t>(at), reads);
  };
  // What this thread read so before.
  for (std::size_t n = end; n-- > 0 && reads_[n].rank == rank;) {
    Reads& old = reads_[n];
    if (!alike(old.trace, read)) continue;
    const std::optional<std::uint32_t> number = old.number_of(read.thread);
    if (!number) continue;
    if (old.trace.clock == read.clock) return;
    Reads after = old;
    after.first = old.thread(*number + 1);
    after.count = old.count - *number - 1;
    old.count = *number;
    if (old.count > 0 && after.count > 0) {
      insert(n + 1, after);
      ++end;
    } else if (after.count > 0) {
      old = after;
    } else if (old.count == 0) {
      reads_.erase(reads_.begin() + static_cast<std::ptrdiff_t>(n));
      --end;
    }
    break;
  }
  if (end > 0) {
    Reads& last = reads_[end - 1];
    if (last.rank == rank && alike(last.trace, read) && last.trace.clock == read.clock &&
        last.trace.place == read.place && last.takes(read.thread)) {
      if (last.count++ == 1)
        last.step = static_cast<std::int32_t>(read.thread) - static_cast<std::int32_t>(last.first);
      return;
    }
  }
  insert(end, Reads{rank, read.thread, 1, 0, read});
}

void History::forget(std::uint8_t mask) {
  const auto without = [mask](Trace& old) {
    old.mask = static_cast<std::uint8_t>(old.mask & ~mask);
    return old.mask == 0;
  };
  std::erase_if(writes_, without);
  std::erase_if(reads_, [&](Reads& old) { return without(old.trace); });
}

std::uint64_t region_base(std::size_t number, unsigned bits, std::uint32_t alignment) {
  return (std::uint64_t{number + 1} << bits) + alignment;
}

Target resolve(const std::vector<std::shared_ptr<Region>>& regions, unsigned bits, std::uint64_t address,
               std::uint64_t bytes) {
  Target target;
  if (regions.empty()) return target;
  // The region whose start is nearest below, or the next one when the address lies in the upper half of the
  // gap.
  std::uint64_t number = address >> bits;
  if ((address >> (bits - 1) & 1) != 0) ++number;
  number = std::clamp<std::uint64_t>(number, 1, regions.size()) - 1;
  const std::uint64_t below = address >> bits;
  if (below >= 1 && below <= regions.size() && address >= regions[below - 1]->base() &&
      address - regions[below - 1]->base() < regions[below - 1]->size())
    number = below - 1;
  target.region = regions[number].get();
  target.offset = static_cast<std::int64_t>(address - target.region->base());
  target.inside = target.offset >= 0 && static_cast<std::uint64_t>(target.offset) <= target.region->size() &&
                  bytes <= target.region->size() - static_cast<std::uint64_t>(target.offset);
  return target;
}

}  // namespace hallmark::validator::interpreter
