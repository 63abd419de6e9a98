// One obligation for a person: what is claimed, in the calculus; for what; how it was settled; where it
// stands in CUDA, PTX and the plan; what was refuted with which values; and the commands that repeat it.
#pragma once
#include <string>
#include <vector>

#include "bundle/open.h"

namespace hallmark::bundle {

// A line of an artifact text with the plan node that it computes.
struct MappedLine {
  std::string definition, origin;
};

// "FILE:LINE" (FILE below 4-artifact) -> plan node, from map.json.
std::map<std::string, MappedLine> line_map(const OpenBundle&);

// The key of a place in that map, or of one that is not in it.
std::string mapped_place(const Location&);

// Throws UserError E5401 (no such id) and E5402 (the bundle does not check).
std::string explain(const OpenBundle&, const std::string& id);

}  // namespace hallmark::bundle
