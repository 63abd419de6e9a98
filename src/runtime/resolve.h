// A launch plan with numbers for its symbols: all that the runtime needs to know before it touches a device,
// and all checks that depend on the caller (soundness A3). Pure arithmetic, tested without a GPU.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plan/launch_plan.h"

namespace hallmark::runtime {

struct ResolvedBuffer {
  std::string name;
  plan::Role role = plan::Role::input;
  std::uint64_t bytes = 0;
  std::uint64_t arena_offset = 0;  // Role::arena only
};

struct ResolvedArgument {
  bool is_buffer = false;
  std::size_t buffer = 0;   // number of the buffer
  std::uint64_t value = 0;  // of a scalar, little endian in `bytes` bytes
  unsigned bytes = 8;
};

struct ResolvedLaunch {
  std::string kernel, binary, binary_sha256;
  std::array<unsigned, 3> grid{}, block{};
  unsigned dynamic_shared_bytes = 0;
  std::vector<ResolvedArgument> arguments;
  bool skipped = false;  // a grid extent is 0
  bool prepare = false;  // runs once, when the plan is loaded
};

struct ResolvedPlan {
  std::vector<ResolvedBuffer> buffers;
  std::uint64_t arena_bytes = 0;
  std::vector<ResolvedLaunch> launches;
};

// Throws UserError: E7301 a symbol without a value, unknown, or outside its range; E7302 a requirement that
// does not hold; E7303 a size, grid, block or scalar that does not fit its type or the limits of CUDA (grid
// 2^31-1 x 65535 x 65535, 1024 threads a block); E7304 an arena buffer that leaves the arena or is not
// aligned to 256 bytes, or two of them that are used by one launch and overlap; E7307 a launch that runs once after one
// that runs on each call, or one that reads or writes what changes from call to call.
ResolvedPlan resolve(const plan::LaunchPlan& plan, const std::map<std::string, Integer>& symbols);

}  // namespace hallmark::runtime
