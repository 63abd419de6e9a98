#include "pipeline/module_text.h"

#include <fmt/format.h>

#include <set>
#include <sstream>

namespace hallmark::pipeline {

std::string module_text(const std::vector<std::pair<std::string, std::string>>& files, bool always_apart) {
  if (files.size() == 1 && !always_apart) return fmt::format("#include \"{}\"\n", files[0].first);
  // Included inside a namespace for the first time, a header would declare its names there.
  std::set<std::string> headers;
  for (const auto& [name, text] : files) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (line.rfind("#include <", 0) == 0) headers.insert(line);
  }
  std::string out;
  for (const std::string& header : headers) out += header + "\n";
  for (std::size_t i = 0; i < files.size(); ++i)
    out += fmt::format("namespace file_{} {{\n#include \"{}\"\n}}\n", i, files[i].first);
  return out;
}

}  // namespace hallmark::pipeline
