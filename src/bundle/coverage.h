// Whether the list of obligations covers what the independent scanner sees (soundness D2). Table construct
// <-> kinds: the kernel that holds a construct, or reaches it by calls, must be the subject of these kinds at
// the level of the text.
//
//   load                       bounds, alignment, init
//   store, atomic              bounds, alignment, race
//   block barrier              barrier
//   shuffle, vote, mma, ...    shuffle
//   loop                       termination
//   the kernel itself          overflow, coverage, frame, value; at level source also ub
//   launch                     launch, handoff
//   program output             tolerance (level model)
//   launch that prepares       also order (subject "prepare:INDEX")
//   arena or kept buffer       memory
//   the program                order, compose
//
// Subjects: "KERNEL" covers all of the kernel. If no obligation of a kind names the whole kernel, the single
// ones do, with subjects "KERNEL:LINE" (anything but a digit may follow): at level ptx each construct needs
// one with its line; at level source, where a front end may place an access on another line of its
// expression, there must be at least as many as there are constructs. Private arrays of CUDA text need none:
// a front end may keep them in registers; those that stay in memory are counted in the PTX. Launches:
// "launch:INDEX" counted from 0, "launch" for all, or the kernel's name. Outputs and buffers: their names.
// The program: any subject.
#pragma once
#include <string>
#include <vector>

#include "obligation/obligation.h"
#include "scanner/scanner.h"

namespace hallmark::bundle {

struct Scan {
  struct Kernel {
    Level level{};       // source or ptx
    scanner::Unit unit;  // callees included; without constructs where the text is absent
  };
  std::vector<Kernel> kernels;
  std::vector<std::string> launches;  // the kernel of each launch, in order
  std::vector<std::size_t> prepares;  // the numbers of those launches that run once, when the plan is loaded
  std::vector<std::string> arena_buffers, kept_buffers;
  std::vector<std::string> outputs;
};

// Reads texts by their names (*.cu, *.ptx) and of launch.json the members `launches[].kernel`,
// `launches[].prepare` and `buffers[]` (name, role). A kernel of one level that the other lacks is added there without constructs: that its text
// is absent makes its obligations unrun, not superfluous. Throws UserError E5120 when launch.json has no list
// of launches.
Scan scan_artifact(const std::vector<std::pair<std::string, std::string>>& texts,
                   const std::string& launch_json, std::vector<std::string> outputs);

// One line for each thing that is the subject of no obligation of one of its kinds.
std::vector<std::string> uncovered(const Scan&, const std::vector<Obligation>&);

// One line for each construct whose number in `theirs` (the validator's own count, keys as scanner::counts)
// differs.
std::vector<std::string> count_differences(const std::string& kernel,
                                           const std::map<std::string, std::size_t>& ours,
                                           const std::map<std::string, std::size_t>& theirs);

}  // namespace hallmark::bundle
