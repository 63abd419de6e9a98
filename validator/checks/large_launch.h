// Launches that are too large to be executed as a whole as a matter of course: a specification may fix sizes
// with millions of threads. Some of their blocks are executed then, the others count as not yet begun. A
// fault among those that ran is a fault of the launch: nothing makes a GPU start the others first.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "validator/checks/experiment.h"

namespace hallmark::validator {

inline constexpr std::uint64_t large_part = 1 << 14;  // threads

// The sizes with a choice of blocks of about so many threads, at least four blocks: those that are wanted,
// the first, the last, and some between. Nothing where the sizes are not admissible or the whole launch is no
// larger.
std::optional<Sizes> part_of_launch(const plan::KernelSpec& spec, const Sizes& sizes,
                                    const std::vector<std::array<std::uint64_t, 3>>& wanted,
                                    std::uint64_t threads);

// Four blocks of the smallest launch, where that is no small one.
std::optional<Sizes> some_blocks(const plan::KernelSpec& spec);

// Of a specification whose smallest launch is large: that launch in part and, up to a million threads, as a
// whole.
std::vector<Sizes> large_launches(const plan::KernelSpec& spec);

// A few blocks of launches with a buffer of at least 2^31 elements: the last ones form the largest indices.
std::vector<Sizes> parts_beyond_words(const plan::KernelSpec& spec, std::size_t limit);

}  // namespace hallmark::validator
