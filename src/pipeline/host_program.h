// Stand-alone programs that run launches of given kernels on given bytes: one in C++ for a machine without a
// GPU (it includes cuda_on_host.h, which is written beside it) and one in CUDA. Nothing of this program is
// needed to compile or run them.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "calculus/sort.h"

namespace hallmark::pipeline {

struct HostBuffer {
  std::string name;
  calculus::Format format{};
  std::uint64_t elements = 0;
  std::vector<std::uint64_t> bits;  // of the elements; empty: not initialised
};

struct HostArgument {
  int buffer = -1;          // number, or -1: a scalar
  std::uint64_t value = 0;  // of a scalar: its bytes, little endian
};

struct HostLaunch {
  std::string kernel;
  std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1};
  unsigned dynamic_shared_bytes = 0;
  std::vector<HostArgument> arguments;
};

struct HostProgram {
  std::string about;                 // comment: what is refuted
  std::vector<std::string> sources;  // files with the kernels' text, relative to the program
  std::vector<HostBuffer> buffers;
  std::vector<HostLaunch> launches;
  // What is looked at: an element of a buffer, the bits that were found there, and both values in words.
  // Without one, all schedules are run and their results compared.
  int shown_buffer = -1;
  std::uint64_t shown_element = 0, shown_bits = 0;
  std::string expected, actual;
  // Where no element is named: buffers in which the witness leaves an infinity or a NaN.
  std::vector<int> finite_buffers;
};

// Exit status of the programs: 0 when they show the difference, 1 when they do not.
std::string cpp_program(const HostProgram& program);
std::string cuda_program(const HostProgram& program);
std::string_view cuda_on_host_text();

// The type of C++ whose bytes an element has; nothing where C++ has none (f16, bf16, f8).
const char* cpp_type(calculus::Format format);

}  // namespace hallmark::pipeline
