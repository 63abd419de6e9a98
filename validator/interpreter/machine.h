// The machine behind launch(): threads, their scheduling, memory accesses, warp operations and barriers. Not
// for use outside interpreter/.
#pragma once
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "validator/interpreter/clocks.h"
#include "validator/interpreter/evaluate.h"
#include "validator/interpreter/launch.h"
#include "validator/interpreter/memory.h"
#include "validator/ir/cfg.h"

namespace hallmark::validator::interpreter {

class Machine {
 public:
  Machine(const ir::Kernel& kernel, const Request& request);
  Result run();

 private:
  enum class State : std::uint8_t { ready, at_barrier, at_warp, exited };
  struct Thread {
    State state = State::ready;
    ThreadIndex index = 0;  // in the grid
    std::array<std::uint32_t, 3> position{};
    ir::BlockId block = 0;
    std::size_t next = 0;  // instruction of the block
    std::vector<Cell> values;
    std::vector<std::uint32_t> iterations;  // by loop
    std::vector<std::shared_ptr<Region>> local;
    // Waiting: at which instruction, with which mask or barrier.
    const ir::Instruction* waiting = nullptr;
    std::uint32_t mask = 0, barrier = 0;
    std::optional<std::uint32_t> count;
    // Asynchronous copies under way, in the order of their issue; `group`: how many were committed before it.
    struct Copy {
      const ir::Instruction* store = nullptr;
      Target target;  // all of it inside
      std::uint32_t bytes = 0;
      std::vector<Cell> values;
      std::uint32_t group = 0;
    };
    std::vector<Copy> copies;
    std::uint32_t groups = 0;  // committed
  };
  struct Arrival {
    std::uint32_t thread;
    const ir::Instruction* at;
    std::vector<std::uint32_t> iterations;
  };
  struct BlockRun {
    std::uint32_t number = 0;
    std::array<std::uint32_t, 3> position{};
    std::vector<Thread> threads;
    std::vector<std::shared_ptr<Region>> shared;
    std::map<std::uint32_t, std::vector<Arrival>> arrived;  // barrier.arrive, by barrier
    std::size_t alive = 0;                                  // threads that have not exited
    std::array<std::size_t, 16> waiting{};                  // threads at each barrier
    std::array<bool, 16> counted{};                         // whether one of them names a count
    std::vector<std::uint32_t> order;                       // of threads, by the schedule
    bool done = false;
  };
  using Cells = std::vector<Cell>;

  // --- machine.cpp ---
  void check_request() const;
  void make_global_memory();
  void start_block(BlockRun& b, std::uint32_t number);
  bool run_block(BlockRun& b, std::uint64_t quantum);  // false: ran out of the quantum
  std::optional<std::uint32_t> pick(BlockRun& b);
  // Up to its next synchronisation; true: ran out of the quantum.
  bool run_thread(BlockRun& b, Thread& t, std::uint64_t quantum);
  void execute(BlockRun& b, Thread& t, const ir::Instruction& i);
  void transfer(BlockRun& b, Thread& t, const ir::Terminator& terminator);
  void take_edge(Thread& t, const ir::Edge& edge);
  void leave(BlockRun& b, Thread& t);
  Cell value(const Thread& t, ir::ValueId id) const;
  void set(Thread& t, ir::ValueId id, Cell cell);
  std::uint64_t garbage() { return random_(); }
  std::uint32_t special(const BlockRun& b, const Thread& t, ir::SpecialRegister r) const;
  Cell parameter(const ir::Instruction& i) const;
  std::uint64_t symbol_address(const BlockRun& b, const Thread& t, const ir::Instruction& i) const;
  static std::uint64_t cast_address(std::uint64_t address, ir::Space from, ir::Space to);
  std::uint32_t lane(const Thread& t) const { return t.index % threads_per_block_ % 32; }

  // --- machine_memory.cpp ---
  std::optional<Target> access(BlockRun& b, Thread& t, const ir::Instruction& i, std::uint32_t bytes,
                               bool write);
  void trace(BlockRun& b, Thread& t, const ir::Instruction& i, Target target, std::uint32_t bytes, bool write,
             bool strong, bool under_way = false);
  void trace_group(Thread& t, const ir::Instruction& i, Region& region, std::uint64_t offset,
                   std::uint8_t mask, std::uint32_t bytes, bool write, bool strong, bool under_way);
  void load(BlockRun& b, Thread& t, const ir::Instruction& i);
  void store(BlockRun& b, Thread& t, const ir::Instruction& i);
  void atomic(BlockRun& b, Thread& t, const ir::Instruction& i);
  // Of the elements of a store those inside.
  void write(const ir::Instruction& i, const Target& target, const std::vector<Cell>& values);
  std::uint64_t atomic_value(const ir::Instruction& i, ir::Type type, std::uint64_t old, std::uint64_t a,
                             std::uint64_t b);
  void check_undefined_load(Thread& t, const ir::Instruction& i, Target target, std::uint32_t bytes,
                            std::uint64_t undefined);

  // --- machine_async.cpp ---
  void issue_copy(Thread& t, const ir::Instruction& i, const Target& target, std::uint32_t bytes);
  void wait_for_copies(BlockRun& b, Thread& t, const ir::Instruction& i);

  // --- machine_warp.cpp ---
  void arrive_at_barrier(BlockRun& b, Thread& t, const ir::Instruction& i);
  bool try_barrier(BlockRun& b, std::uint32_t id);
  void complete_barrier(BlockRun& b, const std::vector<std::uint32_t>& threads,
                        const std::vector<Arrival>& arrivals);
  void arrive_at_warp(BlockRun& b, Thread& t, const ir::Instruction& i);
  bool try_warp(BlockRun& b, Thread& t);
  void complete_warp(BlockRun& b, const std::vector<std::uint32_t>& threads, std::uint32_t mask,
                     const ir::Instruction& i);
  void shuffle(BlockRun& b, const std::vector<std::uint32_t>& threads, std::uint32_t mask,
               const ir::Instruction& i);
  bool same_iteration(const Thread& a, const std::vector<std::uint32_t>& iterations,
                      const ir::Instruction& i) const;
  void report_stuck(BlockRun& b);
  ir::BlockId block_of(const ir::Instruction& i) const;

  // --- report.cpp ---
  ThreadName thread_name(ThreadIndex index) const;
  Fault& fault(ObligationKind kind, const Thread& t, const ir::Place& place, std::string summary,
               std::optional<std::pair<ThreadIndex, ir::Place>> other = std::nullopt);
  std::string at_line(const ir::Place& place) const;

  const ir::Kernel& k_;
  const Request& request_;
  std::uint32_t blocks_, threads_per_block_;
  std::optional<ir::ControlFlow> flow_;  // none: irreducible, iterations are not compared
  std::vector<std::shared_ptr<Region>> global_;
  std::vector<std::size_t> array_region_;  // for each array of the kernel: its number in its own list
  Clocks clocks_;
  std::mt19937_64 random_;
  Result result_;
  Fault unreported_;
  std::vector<std::uint32_t> rank_;  // of each block, in the order of their starts
  Cells arguments_;                  // of the edge that is being taken
  std::set<std::tuple<ObligationKind, const ir::Place*, std::uint32_t, std::uint32_t>> reported_;
  bool stop_ = false;
};

}  // namespace hallmark::validator::interpreter
