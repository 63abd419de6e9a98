// Byte-accurate memory: regions far apart, so that an access outside one does not land in another; for each
// byte whether it is defined, whether the launch wrote it, and who touched it last.
#pragma once
#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "validator/interpreter/launch.h"

namespace hallmark::validator::interpreter {

// One access as the race check remembers it; bytes of one aligned group of four.
struct Trace {
  // The time of a copy that has not landed: nothing comes after it.
  static constexpr std::uint32_t under_way = 0xffffffff;
  std::uint32_t thread = 0, clock = 0;
  std::uint8_t mask = 0;
  bool write = false, strong = false;
  bool read_only = false;     // a load that says nobody writes here during the launch
  bool within_block = false;  // strong among the threads of one block only
  std::uint32_t bytes = 0;    // of the whole access
  const ir::Place* place = nullptr;
};

// Reads of one kind by threads of one block at one time: first, first + step, ..., as many as there are. What
// a block reads together (one element by all of its threads, one of a row by each column's) is one of these.
struct Reads {
  std::uint32_t rank = 0;  // of the block among those that run: the later it starts, the greater
  std::uint32_t first = 0, count = 1;
  std::int32_t step = 0;  // of two or more
  Trace trace;            // of the first

  std::uint32_t thread(std::uint32_t number) const {
    return first + number * static_cast<std::uint32_t>(step);
  }
  std::optional<std::uint32_t> number_of(std::uint32_t thread) const;
  bool takes(std::uint32_t next) const { return count == 1 || thread(count) == next; }
};

// What was done to one aligned group of four bytes, as far as it can still race.
class History {
 public:
  std::vector<Trace>& writes() { return writes_; }  // and copies that have not landed
  const std::vector<Reads>& reads() const { return reads_; }
  // Of one thread's reads of the same bytes in the same way the last one is enough.
  void add_read(const Trace& read, std::uint32_t rank);
  // What is written has no earlier access that matters.
  void forget(std::uint8_t mask);

 private:
  std::vector<Trace> writes_;
  std::vector<Reads> reads_;  // by rank: what the block that runs has read is at the end
};

class Region final : public Contents {
 public:
  Region(std::string name, std::uint64_t bytes, std::uint64_t base, bool writable);
  void set_contents(std::map<std::uint64_t, std::vector<std::uint8_t>> contents,
                    std::optional<std::uint8_t> fill);

  const std::string& name() const { return name_; }
  std::uint64_t base() const { return base_; }
  bool writable() const { return writable_; }

  std::uint64_t size() const override { return bytes_; }
  bool defined(std::uint64_t offset, std::uint64_t bytes) const override;
  bool written(std::uint64_t offset, std::uint64_t bytes) const override;
  bool touched(std::uint64_t offset, std::uint64_t bytes) const override;
  std::uint64_t read(std::uint64_t offset, unsigned bytes) const override;

  // Up to 8 bytes; `undefined` gets the bits of undefined bytes.
  std::uint64_t load(std::uint64_t offset, unsigned bytes, std::uint64_t& undefined);
  void store(std::uint64_t offset, unsigned bytes, std::uint64_t value, std::uint64_t undefined);
  // Of the group of four bytes at this offset.
  History& history(std::uint64_t offset);

 private:
  static constexpr std::uint64_t page_bytes = 1024;
  struct Page {
    std::array<std::uint8_t, page_bytes> data{};
    std::bitset<page_bytes> defined, written;
    std::array<History, page_bytes / 4> histories;
  };
  Page& page(std::uint64_t offset);
  const Page* find_page(std::uint64_t offset) const;
  bool every(std::uint64_t offset, std::uint64_t bytes,
             const std::function<bool(std::uint64_t)>& holds) const;
  void fill_page(Page& page, std::uint64_t number) const;

  std::string name_;
  std::uint64_t bytes_, base_;
  bool writable_;
  std::map<std::uint64_t, std::vector<std::uint8_t>> contents_;
  std::optional<std::uint8_t> fill_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  Page* last_ = nullptr;  // that was asked for
  std::uint64_t last_number_ = 0;
};

// Addresses. Global memory: region n starts near (n + 1) * 2^44. Shared and local memory: array n near
// (n + 1) * 2^24 of their own 32-bit spaces, seen from generic addresses through the two windows.
inline constexpr unsigned global_region_bits = 44, small_region_bits = 24;
inline constexpr std::uint64_t shared_window = std::uint64_t{1} << 40, local_window = std::uint64_t{1} << 41;
std::uint64_t region_base(std::size_t number, unsigned bits, std::uint32_t alignment);

struct Target {
  Region* region = nullptr;  // the region meant, also when the access lies outside it
  std::int64_t offset = 0;
  bool inside = false;  // the whole access
};
// `regions` have bases made by region_base(n, bits, ...), n their index.
Target resolve(const std::vector<std::shared_ptr<Region>>& regions, unsigned bits, std::uint64_t address,
               std::uint64_t bytes);

}  // namespace hallmark::validator::interpreter
