// Executes one kernel launch, concretely and on every thread, and reports each fault of the closed list
// below. It is the last word on witnesses (soundness, D1 and design section 4): a fault is reported only
// where the execution really commits it, and the value semantics is exact except where `approximate` says so.
//
// What counts as a fault, by obligation kind:
//   bounds     an access outside every buffer or array (also constant and parameter arrays);
//   alignment  an address that is no multiple of the access's alignment;
//   init       a load of a byte that nobody wrote, or an address or branch that depends on an undefined
//   value; overflow   signed or unsigned wrap in an operation whose source forbids it (nsw, nuw; source level
//   only); ub         division by zero and shift by the width or more at source level, undefined conversions,
//              `unreachable` reached;
//   race       two accesses of different threads to one byte, at least one of them a write and not both
//   strong
//              (atomic or volatile), that no barrier, __syncwarp or fence-with-atomic chain orders;
//   barrier    threads of one barrier at different instructions or in different iterations, a barrier that
//              cannot complete, under BarrierRule::strict one that exited threads miss;
//   shuffle    a mask that names lanes which do not exist or have exited, an executing or source lane outside
//              the mask, a warp operation that cannot complete.
// Reading a byte racily is a fault of the launch, whatever value this schedule happens to read.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "obligation/obligation.h"
#include "validator/ir/kernel.h"

namespace hallmark::validator::interpreter {

// A global-memory buffer. Bytes that `contents` does not give are `fill`, or undefined without it.
struct Buffer {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint32_t alignment = 256;  // the base address is a multiple of this and of no larger power of two
  std::map<std::uint64_t, std::vector<std::uint8_t>> contents;  // by byte offset; must not overlap
  std::optional<std::uint8_t> fill;
  bool writable = true;  // a store to another buffer is a fault of kind `bounds`
};

// One kernel parameter: a pointer into a buffer, or bytes (little endian, at least the parameter's size).
struct Argument {
  std::optional<std::size_t> buffer;
  std::uint64_t offset = 0;
  std::vector<std::uint8_t> bytes;
  static Argument pointer(std::size_t buffer, std::uint64_t offset = 0);
  static Argument scalar(std::uint64_t bits, unsigned bytes);
};

enum class Schedule : std::uint8_t {
  forward,          // blocks, warps and lanes in order, each thread up to its next synchronisation
  reverse_threads,  // all of them in reverse
  reverse_warps,    // warps in reverse, lanes in order
  random,           // by `seed`, switching also between two instructions
};

struct Request {
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  // The blocks that are executed, by their number x + grid.x (y + grid.y z); empty: all. The others count as
  // not yet begun, so that every fault is one of the whole launch too; what it leaves in memory is not.
  std::vector<std::uint64_t> blocks;
  std::vector<Buffer> buffers;
  std::vector<Argument> arguments;
  std::uint64_t dynamic_shared_bytes = 0;
  Schedule schedule = Schedule::forward;
  std::uint64_t seed = 0;
  bool strict_barriers = false;  // BarrierRule::strict
  std::uint64_t step_limit = 50'000'000;
  std::size_t fault_limit = 64;  // distinct faults kept; one for each kind, instruction and other instruction
};

struct ThreadName {
  std::array<std::uint32_t, 3> block{}, thread{};
  bool operator==(const ThreadName&) const = default;
};
std::string to_string(const ThreadName&);  // "thread (5,0,0) of block (0,0,0)"

struct Fault {
  ObligationKind kind{};
  ThreadName thread;
  ir::Place place;
  // The place inside the instruction of the kernel that was executed: one address for each instruction, where
  // several of them, those of a macro, have one line and column.
  const ir::Place* origin = nullptr;
  std::optional<ThreadName> other;  // race, barrier, shuffle: the other thread
  std::optional<ir::Place> other_place;
  std::string memory;                  // bounds, alignment, init, race: buffer or array
  std::optional<std::int64_t> offset;  // byte offset from its start
  std::uint32_t bytes = 0;
  bool is_write = false;
  std::string summary;  // one line for people
};

// The contents of one buffer after the launch.
class Contents {
 public:
  virtual ~Contents() = default;
  virtual std::uint64_t size() const = 0;
  virtual bool defined(std::uint64_t offset, std::uint64_t bytes) const = 0;
  virtual bool written(std::uint64_t offset, std::uint64_t bytes) const = 0;  // each of them, by the launch
  virtual bool touched(std::uint64_t offset, std::uint64_t bytes) const = 0;  // any of them, by the launch
  // Little endian, at most 8 bytes; undefined bytes give arbitrary bits.
  virtual std::uint64_t read(std::uint64_t offset, unsigned bytes) const = 0;
};

struct Result {
  enum class End : std::uint8_t {
    finished,
    step_limit,  // nothing follows from it
    deadlock,    // with its fault
    trapped,
  } end = End::finished;
  std::vector<Fault> faults;
  std::vector<std::shared_ptr<const Contents>> buffers;
  bool approximate = false;  // a value depends on bits that only the device knows
  bool overflowed = false;   // a finite result was too large for its format
  std::uint64_t steps = 0;

  const Fault* find(ObligationKind kind) const;  // the first of that kind
};

// Throws UserError E3302 when the request does not fit the kernel (arguments, sizes, more than 1024 threads a
// block), Refusal E3301 for an instruction that the interpreter cannot execute.
Result launch(const ir::Kernel& kernel, const Request& request);

}  // namespace hallmark::validator::interpreter
