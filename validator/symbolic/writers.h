// Which store a read of shared memory sees: the writer is found by inverting the store's address in mixed
// radix, and the guess is confirmed by claims (kernel-proofs 3.2, soundness C3).
#pragma once
#include "validator/ir/cfg.h"
#include "validator/symbolic/invert.h"
#include "validator/symbolic/trace.h"

namespace hallmark::validator {

struct ReadResult {
  std::optional<Value> value;  // nothing: not known
  bool initialised = false;    // some store of an earlier interval wrote the place
  std::string detail;
};

// Divisions rebuilt under what the scope knows.
calculus::Term simplify(calculus::Term term, const Scope& scope, Arithmetic& arithmetic);

// Shuffles inside a value replaced by what the source lanes hold, where the executing lane is fixed by the
// scope or all lanes hold the same term; otherwise the value itself.
Value at_fixed_lane(const Value& value, const Scope& scope, const plan::KernelSpec& spec, Prover& prover);

class WriterSearch {
 public:
  WriterSearch(const Trace& trace, const plan::KernelSpec& spec, Prover& prover,
               const std::map<std::uint32_t, std::set<int>>& stored_in_loop, const ir::ControlFlow& flow)
      : trace_(trace), spec_(spec), prover_(prover), stored_in_loop_(stored_in_loop), flow_(flow) {}
  ReadResult resolve(const Event& read);

 private:
  // Stores to the read's memory between the given points and the barriers before them, and those barriers.
  struct Layer {
    std::vector<int> stores;
    std::vector<std::pair<int, int>> barriers;  // node, position of the barrier in it
    bool entry = false;                         // the kernel's start is reached
    bool carried = false;  // an earlier iteration of a loop around the read may have written
    std::string trouble;
  };
  // A store that may have written what is read: where, under which condition over the read, and as which
  // thread and iteration.
  struct Writer {
    int store = 0;
    calculus::Term condition = nullptr;
    Value value;
    calculus::Substitution inverse;
    int depth = 0;  // barriers between it and the read, on some path
  };
  Layer before(const Event& read, const std::vector<std::pair<int, int>>& points) const;
  bool stored_in(int loop, int memory) const;
  bool reaches(int from, int to, const std::vector<int>& without_back_edges) const;
  bool comes_between(int store, int later, const Event& read) const;
  bool may_hit(int store, const Event& read, const std::vector<calculus::Term>& known);
  std::string newest(const Event& read, const std::vector<Writer>& found, const std::map<int, int>& settled);
  std::vector<calculus::Term> unknowns(const Event& store, const Event& read) const;
  // New names for what belongs to the execution of the store alone: arbitrary values and running values of
  // loops are another thread's. Only the iterations of common loops are shared (a barrier lies between).
  calculus::Substitution others_names(const Event& store, const Event& read, const std::string& mark) const;
  std::vector<calculus::Term> thread_symbols() const;
  const Trace& trace_;
  const plan::KernelSpec& spec_;
  Prover& prover_;
  const std::map<std::uint32_t, std::set<int>>& stored_in_loop_;
  const ir::ControlFlow& flow_;
};

}  // namespace hallmark::validator
