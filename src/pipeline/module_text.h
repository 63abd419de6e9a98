// One translation unit of the artifact's CUDA files.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace hallmark::pipeline {

// Each file (name, text) is included in a namespace of its own, so that device functions of one name in two
// files do not meet; headers that they include in angle brackets are included before. A file alone needs no
// namespace unless `always_apart`.
std::string module_text(const std::vector<std::pair<std::string, std::string>>& files, bool always_apart);

}  // namespace hallmark::pipeline
