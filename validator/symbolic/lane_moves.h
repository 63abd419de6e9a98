// Which lane a shuffle reads (PTX ISA 8.7, shfl.sync), and which lanes a mask puts together.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "validator/ir/kernel.h"

namespace hallmark::validator {

// A shuffle as the name of an operation: "shuffle.down.8", with a third number where lanes move within
// segments: the operand c of PTX, (32 - width) * 256 + 31, or + 0 upwards.
struct LaneMove {
  ir::ShuffleMode mode{};
  int operand = 0, clamp = 31;

  std::string name() const;
  static LaneMove of(const std::string& name);
  // A source outside the segment gives the own value.
  int source(int lane) const;
  // Every lane's source is in its segment: the second result of shfl.sync is true everywhere.
  bool always_in_range() const;

 private:
  bool reaches(int lane, int& from) const;
};

// Lanes that wait for each other: aligned groups of `width` lanes, and of each group those that `allowed`
// names.
struct LaneGroups {
  unsigned width = 32;
  std::uint32_t allowed = 0xffffffff;

  // The others of the lane's group.
  std::uint32_t of(unsigned lane) const;
  // The mask of each lane as groups; nothing where two lanes that name each other have different masks, or
  // where the groups are no aligned ones.
  static std::optional<LaneGroups> from(const std::array<std::uint32_t, 32>& masks);
};

}  // namespace hallmark::validator
