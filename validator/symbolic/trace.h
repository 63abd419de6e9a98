// What symbolic execution of one generic thread leaves behind: events in a graph of executed blocks. Symbols
// tid.x, ctaid.x, ... stand for the thread; variables it.N for iterations of loops.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plan/kernel_spec.h"
#include "validator/ir/kernel.h"
#include "validator/symbolic/context.h"

namespace hallmark::validator {

struct Value {
  enum class Kind {
    none,
    integer,    // polynomial, right modulo 2^width
    boolean,    // i1
    element,    // a float, in a float register or as bits in an integer register
    arbitrary,  // each use gives another value
  };
  Kind kind = Kind::none;
  unsigned width = 0;
  calculus::Term term = nullptr;
};

// A parameter buffer or a shared, local or constant array.
struct Memory {
  std::string name;
  ir::Space space = ir::Space::global;
  std::optional<calculus::Format> format;  // parameter buffers
  calculus::Term bytes = nullptr;
  const plan::Buffer* parameter = nullptr;
  int array = -1;  // index into Kernel::arrays
};

// The store by which the reading thread itself wrote what it reads, and the iterations of ended loops in
// which.
struct OwnWrite {
  int store = -1;  // event
  calculus::Substitution iterations;
};

struct Event {
  // warp: shuffle, vote and their kin; commit, wait: of asynchronous copies.
  enum class Kind { load, store, atomic, barrier, warp, leave, commit, wait };
  Kind kind{};
  const ir::Instruction* instruction = nullptr;  // nullptr for leave
  ir::BlockId block = 0;
  std::uint32_t index = 0;  // of the instruction in its block
  Scope scope;              // everything that holds when it happens
  std::vector<int> loops;   // enclosing symbolic loops, outermost first
  int node = 0;
  // Memory events: one for each element of a vector access.
  int memory = -1;                  // index into Trace::memories; -1: the address is not understood
  calculus::Term offset = nullptr;  // bytes from the start of the memory
  unsigned bytes = 0;               // of one element
  unsigned lane = 0, lanes = 1;
  Value value;  // stored or loaded; of a warp event the mask, of a barrier its number
  // A store of several elements at a multiple of its whole size, in shared memory: what part n of it stores,
  // over the symbol of part_symbol(). Its first event stands for all of them where single elements are read.
  calculus::Term of_part = nullptr;
  bool initialised = true;            // loads: what was read has been written before (claims in the log)
  bool taken_for_initial = false;     // loads: the value is the buffer's content from before the launch
  std::optional<OwnWrite> own_write;  // loads: the value is what this store wrote (own_write.h)
  std::string move;                   // of a shuffle by constants, its name (lane_moves.h)
  std::string detail;                 // why the address or the value is not understood
};

// An access of a warp as a whole (ir::Instruction::text).
inline bool is_of_warp(const Event& event) {
  return event.instruction != nullptr && event.instruction->text.rfind("warp ", 0) == 0;
}

// The number of an element in its vector.
calculus::Term part_symbol();

struct SymbolicLoop {
  calculus::Term iteration = nullptr;
  Scope visit;                             // holds at each visit of the header
  std::vector<calculus::Term> conditions;  // over `iteration`: the loop goes on exactly while all hold
  calculus::Term trips = nullptr;          // back edges taken; nullptr: not known
  int parent = -1;
  int header = -1;  // node
  ir::BlockId block = 0;
  bool has_barrier = false;
  std::string detail;  // why trips are not known
};

struct TraceEdge {
  enum class Kind { plain, back, enter, leave_loop };
  int to = 0;
  Kind kind = Kind::plain;
  int loop = -1;
  // Edges outside all symbolic loops: holds, with Trace::base, exactly for the threads that take it.
  calculus::Term condition = nullptr;
};

struct TraceNode {
  ir::BlockId block = 0;
  std::vector<int> events;  // in program order
  std::vector<TraceEdge> successors;
  std::vector<int> predecessors;
  int loop = -1;  // innermost symbolic loop
};

// An operation that the source forbids to overflow, with its exact result.
struct SignedOperation {
  const ir::Instruction* instruction = nullptr;
  unsigned width = 32;
  calculus::Term exact = nullptr;
  Scope scope;
};

// A use whose meaning the source leaves undefined unless `safe` holds.
struct UndefinedRisk {
  const ir::Instruction* instruction = nullptr;
  Scope scope;
  calculus::Term safe = nullptr;
  std::string what;
};

struct Trace {
  std::vector<Memory> memories;
  std::vector<Event> events;
  std::vector<SymbolicLoop> loops;
  std::vector<TraceNode> nodes;
  std::vector<std::string> unsupported;     // instructions that were not understood, with their place
  std::vector<std::string> undefined_uses;  // uses of values that nothing has defined
  std::vector<SignedOperation> signed_operations;
  std::vector<UndefinedRisk> risks;
  Scope base;  // holds for every thread
  // What a loop carries from visit to visit, by the name that it has at a visit of the header: the fold of
  // the steps so far, over the loop's iteration and names of loops further out.
  calculus::Substitution running;
  bool compares_with_null = false;  // some buffer was taken not to lie at address 0
  bool bare_floats = false;         // some float operation is written without its rounding (ir/contraction.h)
};

}  // namespace hallmark::validator
