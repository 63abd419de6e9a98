// The workload: at which sizes the program runs, how often, and what counts. A TOML file (corpus/workloads):
//
//   version = 1
//   name = "chat"
//   metric = "latency"        # or "throughput"
//   [[point]]
//   weight = 3                # relative; any positive number
//   sizes = { S = 128 }       # every symbol of the program
//
// latency: the weighted mean of the time of one execution. throughput: of the time that one execution adds to
// many in a row, where a launch is prepared while the kernel before it runs, so a kernel costs the larger of
// its launch and its work.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "calculus/program.h"
#include "select/cost.h"

namespace hallmark::select {

struct WorkloadPoint {
  Rational weight = 1;
  Sizes sizes;
};

struct Workload {
  std::string name;
  Metric metric = Metric::latency;
  std::vector<WorkloadPoint> points;  // never empty
  std::string text, sha256;           // the file as it was read, and its digest
};

// Throws UserError E7301 (not TOML), E7302 (member missing, unknown or of a wrong type), E7303 (not a
// positive number), E7311 (no point), with line, column and caret.
Workload parse_workload(std::string_view text, const std::string& file);
// `name` is a path, or the name of a file in corpus/workloads. Throws UserError E7310 with the known names.
Workload load_workload(const std::string& name, const std::string& corpus_folder);
// One point: the largest size that each symbol may have; written out as text, as if somebody had given it.
Workload default_workload(const calculus::Program& program);
// Throws UserError E7312: a symbol that the program does not have, one that has no size at a point, or a size
// outside the program's range.
void check_workload(const Workload& workload, const calculus::Program& program);

}  // namespace hallmark::select
