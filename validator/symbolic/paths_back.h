// Paths back from a read of shared memory through the executed blocks, with the iteration in which each loop
// is on them: stores of an earlier iteration (the tile that was loaded while the one before was used), and
// those of a loop that has ended.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "validator/ir/cfg.h"
#include "validator/symbolic/trace.h"

namespace hallmark::validator {

// A loop that writes the array, around a place of a path, and the visit in which the path is there: `back`
// visits before the read's own, or, for a loop that has ended, before the one in which it was left.
struct Visit {
  int loop = 0;
  int back = 0;
  bool ended = false;
  bool operator<(const Visit& o) const {
    return std::tie(loop, back, ended) < std::tie(o.loop, o.back, o.ended);
  }
  bool operator==(const Visit& o) const { return loop == o.loop && back == o.back && ended == o.ended; }
};
using Visits = std::vector<Visit>;  // outermost first

class PathsBack {
 public:
  PathsBack(const Trace& trace, const std::map<std::uint32_t, std::set<int>>& stored_in_loop,
            const ir::ControlFlow& flow)
      : trace_(trace), stored_in_loop_(stored_in_loop), flow_(flow) {}

  struct Place {
    int node = 0, position = 0;  // before this event of the node
    Visits visits;
    std::vector<calculus::Term> when;  // holds where the path leads here: which visits were the first ones
  };
  // What lies between places and the barriers before them.
  struct Layer {
    struct Store {
      int event;
      Visits visits;
      std::vector<calculus::Term> when;
    };
    std::vector<Store> stores;  // to the read's memory, the last ones of the text first
    std::vector<Place> barriers;
    bool entry = false;       // the kernel's start is reached
    bool beyond = false;      // visits further back than are followed lead to the read
    bool incomplete = false;  // a loop around the read has not been executed to its end yet
    std::string trouble;
  };
  Place start(const Event& read, int position) const;
  Layer before(const Event& read, const std::vector<Place>& points) const;
  // Whether the loop's body may write the memory.
  bool stored_in(int loop, int memory) const;
  // A path of at least one edge that takes none of these back edges.
  bool reaches(int from, int to, const std::vector<int>& without_back_edges) const;
  // Whether the one event comes before the other in one visit of these loops.
  bool precedes(int earlier, int later, const std::vector<int>& loops) const;
  // The iterations of the loops, over the read's variables and the launch; nothing where it is not known how
  // often an ended loop went round, or not shown to be the same for all threads.
  std::optional<calculus::Substitution> iterations(const Visits& visits) const;
  // Loops around, outermost first.
  std::vector<int> loops_around(int node) const;

 private:
  // Loops of which the visit is kept.
  bool followed(int loop, const Event& read) const;
  bool step_back(const Event& read, const TraceEdge& edge, Place& at, Layer& layer) const;
  const Trace& trace_;
  const std::map<std::uint32_t, std::set<int>>& stored_in_loop_;
  const ir::ControlFlow& flow_;
};

}  // namespace hallmark::validator
