// From a formulation to CUDA texts, a launch plan and a map from lines to plan nodes.
#pragma once
#include <string>
#include <vector>

#include "calculus/program.h"
#include "plan/launch_plan.h"

namespace hallmark::lowering {

struct Schedule {
  int threads = 256;  // of a block, for one thread an element
  bool fuse = true;   // elementwise work into its producer, reductions of a row into one kernel
  bool tile = true;   // matrix products of at least 16 by 16 by 16 through shared memory
};

struct KernelFile {
  std::string name;    // file name: KERNEL.cu
  std::string kernel;  // its entry
  std::string text;
};

// One line of a kernel text and the definition whose term it computes.
struct LineOrigin {
  std::string file;
  std::size_t line = 0;  // 1-based
  std::string definition;
  std::string origin;  // the authored node
};

struct Artifact {
  std::vector<KernelFile> kernels;
  plan::LaunchPlan plan;
  std::vector<LineOrigin> map;
};

// Throws Refusal E7201 (format or operation), E7202 (index division that may be negative), E7203 (a fold
// order that the chosen schedule cannot keep), E7204 (too many elements), E7205 (an output that is no
// definition).
Artifact lower(const calculus::Program& formulation, const Schedule& schedule = {});

// The line map as JSON: an array of {file, line, definition, origin}.
json::value map_to_json(const std::vector<LineOrigin>& map);

}  // namespace hallmark::lowering
