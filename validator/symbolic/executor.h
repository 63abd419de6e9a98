// Symbolic execution of a kernel for one generic thread (kernel-proofs-2, sections 2 and 4).
//
// Blocks are executed in reverse post-order under path conditions; merges become selections. A loop is tried
// once with arbitrary header values to find its affine recurrences, then executed once more for a generic
// iteration; what it carries otherwise becomes a fold. Loops that only constants drive are unrolled.
#pragma once
#include <functional>
#include <set>

#include "validator/ir/cfg.h"
#include "validator/symbolic/arithmetic.h"
#include "validator/symbolic/trace.h"

namespace hallmark::validator {

// The symbols of the thread: tid.x, ctaid.x and so on.
calculus::Term thread_symbol(int dimension);
calculus::Term block_symbol(int dimension);
calculus::Term block_extent(const plan::KernelSpec& spec, int dimension);
calculus::Term grid_extent(const plan::KernelSpec& spec, int dimension);
// Where the addresses of a space begin among the generic ones: 0, or a symbol of the space (PTX ISA, 5.1 and
// cvta).
calculus::Term address_window(ir::Space space);

// Reads that an earlier execution of the same kernel has found the value of, or at least that somebody has
// written what they read, by event. A read is one of them when it is the same instruction at the same place
// under the same facts.
struct KnownRead {
  const ir::Instruction* instruction = nullptr;
  calculus::Term offset = nullptr;
  std::vector<calculus::Term> facts;
  std::optional<Value> value;
};
using KnownReads = std::map<int, KnownRead>;

// Bytes of the pieces in which wider accesses of a memory are taken, by index into Trace::memories.
using Pieces = std::map<int, unsigned>;
// Arrays in shared memory that words of several widths reach, with reads that were not understood.
Pieces narrowest_accesses(const Trace& trace);

// Loads of a buffer that the kernel writes of which it was not shown what they give.
struct Doubts {
  std::set<const ir::Instruction*> initial;    // not the content from before the launch
  std::set<const ir::Instruction*> own_write;  // not what the thread's own store left there
};

class Executor {
 public:
  // `definitions`: what scalar parameters are where the specification no longer speaks of them.
  // A load of a buffer that the kernel writes gives the content from before the launch
  // (Event::taken_for_initial) or, of an output or where that is in doubt, what the thread itself stored
  // there (Event::own_write): whoever uses the trace has to show it. An unknown value where that is in doubt
  // too. Throws UserError E4001 when kernel and specification have different
  // parameters.
  Executor(const plan::KernelSpec& spec, const ir::Kernel& kernel, Prover& prover,
           calculus::Substitution definitions = {}, Doubts doubts = {}, KnownReads known = {},
           Pieces pieces = {});
  Trace run();
  // What reads of shared memory give that the execution could not know, because it had not come to the end
  // of a loop around them yet: by their place in the finished trace. Another execution may be told.
  KnownReads reads_behind(const Trace& trace);

 private:
  struct Incoming {
    calculus::Term condition;  // relative to the region
    std::vector<Value> arguments;
    int node;
    TraceEdge::Kind kind = TraceEdge::Kind::plain;
    int loop = -1;
  };
  struct Region {
    std::uint32_t loop = ir::none;  // index into ControlFlow::loops
    Scope scope;
    std::vector<int> loops;  // symbolic loops around
    std::map<ir::BlockId, std::vector<Incoming>> incoming;
    std::map<ir::BlockId, calculus::Term> condition;  // of each executed block
    std::vector<Incoming> back;                       // to the region's header
    struct Exit {
      ir::BlockId target;
      Incoming in;
    };
    std::vector<Exit> exits;
  };
  struct Carried {  // a header parameter
    enum class Kind { affine, state } kind = Kind::state;
    calculus::Term step = nullptr;      // affine: the increment
    calculus::Term variable = nullptr;  // state: stands for the value at a visit
  };

  void execute_region(Region& region, ir::BlockId entry);
  void execute_block(Region& region, ir::BlockId block);
  calculus::Term merge(Region& region, ir::BlockId block, const std::vector<Incoming>& in,
                       std::vector<Value>& arguments);
  void leave_block(Region& region, ir::BlockId block, int node, calculus::Term condition, const Scope& scope);
  void pass_edge(Region& region, ir::BlockId from, const ir::Edge& edge, int node, calculus::Term condition);

  void execute_loop(Region& region, std::uint32_t loop);
  bool unroll(Region& region, std::uint32_t loop, const std::vector<Value>& init, calculus::Term entry,
              const std::vector<Incoming>& in, unsigned limit);
  void symbolic_loop(Region& region, std::uint32_t loop, const std::vector<Value>& init, calculus::Term entry,
                     const std::vector<Incoming>& in);
  Region trial(const Region& region, std::uint32_t loop, const std::vector<Value>& start, const Scope& scope);
  void close_loop(Region& region, Region& body, std::uint32_t loop, int id, const std::vector<Value>& init,
                  const std::vector<Value>& now, const std::vector<Carried>& carried,
                  const std::vector<Value>& next, calculus::Term entry);

  Value evaluate(const ir::Instruction& instruction, const Scope& scope);
  Value evaluate_integer(const ir::Instruction& instruction, const Scope& scope);
  void note_risks(const ir::Instruction& instruction, const std::vector<calculus::Term>& operands,
                  const Scope& scope);
  Value evaluate_float(const ir::Instruction& instruction);
  // The start of a parameter's buffer is not null: an assumption, which the trace notes (compares_with_null).
  std::optional<Value> compared_with_null(ir::Predicate predicate, const Value& a, const Value& b);
  Value evaluate_conversion(const ir::Instruction& instruction, const Scope& scope);
  Value evaluate_special(const ir::Instruction& instruction, const Scope& scope);
  void memory_access(const Region& region, ir::BlockId block, std::uint32_t index, int node,
                     const Scope& scope);
  // What a load gives; nothing for other accesses.
  Value memory_at(Event event, ir::Type type, calculus::Term address);
  Value access(Event& event, ir::Type type);
  // An access of several elements of its memory by one word: an event for each of them.
  Value in_pieces(const Event& whole, ir::Type type, unsigned piece);
  unsigned piece_bytes(const Event& event) const;
  void note_vector(std::size_t first);
  Value loaded(Event& event, ir::Type type);
  void shuffle(const ir::Instruction& instruction, const Scope& scope);
  // Whether the result is known: of any and all, over what each lane of the warp votes.
  bool vote(const ir::Instruction& instruction, const Scope& scope);
  Value read_shared(Event& event);

  Value constant(ir::ValueId id) const;
  Value use(ir::ValueId id);
  calculus::Term integer_of(const Value& value);
  calculus::Term element_of(const Value& value, calculus::Sort sort);
  calculus::Term boolean_of(const Value& value);
  Value unknown(ir::Type type, const std::string& why);
  // The value, or an unknown one where its term is nested more deeply than whoever walks through terms can
  // go.
  Value shallow(const ir::Instruction& instruction, ir::Type type, const Value& value);
  std::size_t depth_of(calculus::Term term);
  Value unsupported(const ir::Instruction& instruction, ir::Type type, const std::string& why);
  Value join(calculus::Term condition, const Value& a, const Value& b, ir::Type type, const Scope& scope);
  bool visible(calculus::Term term, const std::vector<calculus::Term>& more) const;
  int new_node(ir::BlockId block, const Region& region, const std::vector<Incoming>& in);

  const plan::KernelSpec& spec_;
  const ir::Kernel& kernel_;
  Prover& prover_;
  calculus::Substitution definitions_;
  ir::ControlFlow flow_;
  std::set<const ir::Instruction*> fusible_;  // ir/contraction.h
  Trace trace_;
  std::vector<Value> values_;
  std::map<calculus::Term, std::size_t> depths_;
  std::vector<calculus::Term> visible_;  // iterations and states of the loops around
  Doubts doubts_;
  KnownReads known_;
  Pieces pieces_;
  std::vector<std::size_t> array_memory_;  // by array of the kernel: index into Trace::memories
  std::map<std::uint32_t, std::set<int>> stored_in_loop_;  // memories that a loop's body writes
  int trial_depth_ = 0;                                    // > 0: values only, nothing is relied on
  int instance_ = 0;                                       // numbers loops that are executed more than once
};

}  // namespace hallmark::validator
