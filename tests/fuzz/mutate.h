// Changes of bytes for the driver: the same seed gives the same changes on every machine.
#pragma once
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace hallmark::fuzz {

// One to eight changes of a random seed text: a byte, a bit, a cut, a repeated or moved piece, a piece of
// another seed text, a number replaced by one at a limit, a bracket doubled. `seeds` must not be empty. At
// most `limit` bytes long.
std::string mutated(const std::vector<std::string>& seeds, std::mt19937_64& engine, std::size_t limit);

}  // namespace hallmark::fuzz
