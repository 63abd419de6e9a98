// Concrete launches of a kernel under its specification: small ones in order of size, and those that a
// solver's model suggests. Executed by the interpreter; what it sees decides refutations, and contradicts
// verdicts that should not have been given (soundness D1).
#pragma once
#include <map>
#include <optional>

#include "validator/checks/reference.h"
#include "validator/interpreter/launch.h"

namespace hallmark::validator {

struct Sizes {
  std::map<std::string, Integer> symbols;
  std::map<std::string, std::map<std::uint64_t, Integer>> elements;  // of integer buffers, where they matter
  bool greatest_elements = false;  // index tensors hold the greatest values that they may
  // The blocks that are executed, by number; empty: all. Then outputs that no block of them wrote are not
  // compared.
  std::vector<std::uint64_t> blocks{};
};

// Sizes with a buffer of at least 2^31 elements, the smallest first: where an index that is formed in 32 bits
// wraps around.
struct LargeSizes {
  Sizes sizes;
  Integer threads = 0;   // of the launch
  Integer elements = 0;  // of the largest buffer
};
std::vector<LargeSizes> sizes_beyond_words(const plan::KernelSpec& spec);

// Values for every symbol of the specification that satisfy its requirements, smallest first, at most
// `limit`.
std::vector<Sizes> small_sizes(const plan::KernelSpec& spec, std::size_t limit);
// Admissible sizes such that each telling value of each symbol (31, 32, 33, 127, ...) occurs with the others
// as small as they may be: faults that only show beyond a warp, a block or a tile.
std::vector<Sizes> covering_sizes(const plan::KernelSpec& spec, std::size_t limit);
// Sizes with large products and few threads, largest buffers first: for faults that need 2^31 elements.
std::vector<Sizes> large_sizes(const plan::KernelSpec& spec, std::size_t limit);
// The smallest candidates whose requirements and ranges hold, whatever the size of their launch.
std::vector<Sizes> smallest_sizes(const plan::KernelSpec& spec, std::size_t limit);
// Whether the requirements and ranges hold and the launch has at most so many threads.
inline constexpr long small_launch = 1L << 15;
bool admissible(const plan::KernelSpec& spec, const Sizes& sizes,
                std::optional<long> most_threads = small_launch);

// One difference between what a launch left and what the specification says.
struct Difference {
  ObligationKind kind{};  // coverage, frame or value
  std::string place, expected, actual;
};

struct Experiment {
  Sizes sizes;
  std::uint64_t seed = 0;
  interpreter::Result result;
  std::vector<Difference> differences;  // the first of each kind
  std::string skipped;                  // why values were not compared
  interpreter::Request request;         // what was launched, for the witness
};

// Seeds with inputs of one kind, which random ones hardly ever are: of one sign (a fold that starts from 0
// where it should from the least number shows in a row of negative ones alone), and equal to each other
// (ties), or hardly ever (integers alone: which of them is the greatest); small, beside which a constant of
// 1e-5 shows; and 0 but for the first and the last of a row, so that either of them is nearly all of its sum.
constexpr std::uint64_t seed_negative = 2, seed_positive = 4, seed_alike = 6, seed_unlike = 8,
                        seed_small = 10, seed_ends = 12;
// Executes one launch: inputs by `seed`, threads in the given order. After `step_limit` instructions only the
// faults so far count.
Experiment execute(const plan::KernelSpec& spec, const ir::Kernel& kernel, const Sizes& sizes,
                   std::uint64_t seed, interpreter::Schedule schedule, std::uint64_t step_limit);
// "0.5 (0x3f000000)": an element in words where a double holds it, and its encoding.
std::string element_text(calculus::Format format, std::uint64_t bits);
// Symbol values, launch and every byte of the inputs as far as they can be written down, for a witness.
std::vector<std::pair<std::string, std::string>> bindings(const plan::KernelSpec& spec,
                                                          const Experiment& experiment);

}  // namespace hallmark::validator
