#include "validator/ir/kernel.h"

#include <fmt/format.h>

namespace hallmark::validator::ir {

const Instruction* Kernel::definition(ValueId id) const {
  const Value& v = values[id];
  return v.origin == Origin::result ? &blocks[v.block].instructions[v.index] : nullptr;
}

Location Kernel::location(const Place& place) const {
  const bool included = is_source && place.source_file < source_files.size();
  return Location{included ? source_files[place.source_file] : text_file, place.line, place.column,
                  "kernel " + (source_name.empty() ? name : source_name)};
}

std::string Kernel::source_location(const Place& place) const {
  if (place.source_file == none || place.source_line == 0 || place.source_file >= source_files.size())
    return {};
  return fmt::format("{}:{}", source_files[place.source_file], place.source_line);
}

std::vector<BlockId> successors(const Block& block) {
  std::vector<BlockId> result;
  for (const Edge& edge : block.terminator.edges) result.push_back(edge.target);
  return result;
}

}  // namespace hallmark::validator::ir
