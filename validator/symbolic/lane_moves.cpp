#include "validator/symbolic/lane_moves.h"

#include <fmt/format.h>

namespace hallmark::validator {

namespace {

int whole_warp(ir::ShuffleMode mode) {
  return mode == ir::ShuffleMode::up ? 0 : 31;
}

}  // namespace

std::string LaneMove::name() const {
  const std::string plain = fmt::format("shuffle.{}.{}", ir::name(mode), operand);
  return clamp == whole_warp(mode) ? plain : fmt::format("{}.{}", plain, clamp);
}

LaneMove LaneMove::of(const std::string& name) {
  const std::size_t first = name.find('.'), second = name.find('.', first + 1),
                    third = name.find('.', second + 1);
  const std::string mode = name.substr(first + 1, second - first - 1);
  LaneMove out;
  for (auto m :
       {ir::ShuffleMode::up, ir::ShuffleMode::down, ir::ShuffleMode::butterfly, ir::ShuffleMode::index})
    if (mode == ir::name(m)) out.mode = m;
  out.operand = std::stoi(name.substr(second + 1, third - second - 1));
  out.clamp = third == std::string::npos ? whole_warp(out.mode) : std::stoi(name.substr(third + 1));
  return out;
}

bool LaneMove::reaches(int lane, int& from) const {
  const int segment = clamp >> 8 & 31, limit = clamp & 31, by = operand & 31;
  const int last = (lane & segment) | (limit & ~segment & 31), lowest = lane & segment;
  bool inside = false;
  from = lane;
  switch (mode) {
    case ir::ShuffleMode::up:
      from = lane - by;
      inside = from >= last;
      break;
    case ir::ShuffleMode::down:
      from = lane + by;
      inside = from <= last;
      break;
    case ir::ShuffleMode::butterfly:
      from = lane ^ by;
      inside = from <= last;
      break;
    case ir::ShuffleMode::index:
      from = lowest | (by & ~segment);
      inside = from <= last;
      break;
  }
  return inside;
}

int LaneMove::source(int lane) const {
  int from = lane;
  return reaches(lane, from) ? from : lane;
}

bool LaneMove::always_in_range() const {
  int from = 0;
  for (int lane = 0; lane < 32; ++lane)
    if (!reaches(lane, from)) return false;
  return true;
}

std::uint32_t LaneGroups::of(unsigned lane) const {
  const std::uint32_t group = width == 32 ? 0xffffffff : ((1u << width) - 1) << (lane / width * width);
  return group & allowed;
}

std::optional<LaneGroups> LaneGroups::from(const std::array<std::uint32_t, 32>& masks) {
  LaneGroups out;
  out.allowed = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((masks[lane] >> lane & 1) != 0) out.allowed |= 1u << lane;
  for (out.width = 32; out.width >= 1; out.width /= 2) {
    bool fits = true;
    for (unsigned lane = 0; lane < 32; ++lane)
      if ((out.allowed >> lane & 1) != 0) fits = fits && masks[lane] == out.of(lane);
    if (fits) return out;
  }
  return std::nullopt;
}

}  // namespace hallmark::validator
