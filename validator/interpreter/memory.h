// Byte-accurate memory: regions far apart, so that an access outside one does not land in another; for each
// byte whether it is defined, whether the launch wrote it, and who touched it last.
#pragma once
#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
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
  ir::Place place;
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
  // The traces of the group of four bytes at this offset.
  std::vector<Trace>& traces(std::uint64_t offset);

 private:
  static constexpr std::uint64_t page_bytes = 1024;
  struct Page {
    std::array<std::uint8_t, page_bytes> data{};
    std::bitset<page_bytes> defined, written;
    std::array<std::vector<Trace>, page_bytes / 4> traces;
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
