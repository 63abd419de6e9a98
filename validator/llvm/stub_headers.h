// The headers that Clang reads instead of CUDA's and the standard library's; see stubs/.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace hallmark::validator::source {

// File name (without folder) and text, in a fixed order.
const std::vector<std::pair<std::string, std::string>>& stub_headers();

}  // namespace hallmark::validator::source
