// Which store a read of shared memory sees: the writer is found by inverting the store's address in mixed
// radix, and the guess is confirmed by claims (kernel-proofs 3.2, soundness C3).
#pragma once
#include "validator/ir/cfg.h"
#include "validator/symbolic/invert.h"
#include "validator/symbolic/paths_back.h"
#include "validator/symbolic/trace.h"

namespace hallmark::validator {

struct ReadResult {
  std::optional<Value> value;  // nothing: not known
  bool initialised = false;    // some store of an earlier interval wrote the place
  std::string detail;
};

// Divisions rebuilt under what the scope knows.
calculus::Term simplify(calculus::Term term, const Scope& scope, Arithmetic& arithmetic);

// The value that another lane of the warp holds, by its number: all 32 lanes are at this place (obligation
// `shuffle`). Nothing where that is not known: a running value of a loop, a shuffled value. What it rests on
// goes to the prover's log where `rely` says so.
std::optional<Value> in_lane(const Value& value, calculus::Term lane, const Scope& scope,
                             const plan::KernelSpec& spec, Prover& prover, bool rely);
// What the term is for the first lane of the thread's warp; nullptr where lanes are not numbered by tid.x.
calculus::Term in_first_lane(calculus::Term term, const Scope& scope, const plan::KernelSpec& spec,
                             Prover& prover);

// Shuffles inside a value replaced by what the source lanes hold, where the executing lane is fixed by the
// scope or all lanes hold the same term; otherwise the value itself.
Value at_fixed_lane(const Value& value, const Scope& scope, const plan::KernelSpec& spec, Prover& prover);

class WriterSearch {
 public:
  WriterSearch(const Trace& trace, const plan::KernelSpec& spec, Prover& prover,
               const std::map<std::uint32_t, std::set<int>>& stored_in_loop, const ir::ControlFlow& flow)
      : trace_(trace), spec_(spec), prover_(prover), paths_(trace, stored_in_loop, flow) {}
  // `id`: the read's, where it stands in the trace already; -1: it comes after all events.
  ReadResult resolve(const Event& read, int id = -1);

 private:
  using Layer = PathsBack::Layer;
  // A store that may have written what is read: where, under which condition over the read, and as which
  // thread and iteration.
  struct Writer {
    int store = 0;
    Visits visits;
    calculus::Term condition = nullptr;
    Value value;
    calculus::Substitution inverse;
    int depth = 0;  // barriers between it and the read, on some path
  };
  // What a store is for a read: its unknowns are its thread and the iterations of its own loops. Arbitrary
  // values and running values of loops are another thread's and get new names; only the iterations of loops
  // around both are shared (a barrier lies between), at the visits of the path.
  struct Named {
    std::vector<calculus::Term> unknowns;
    calculus::Substitution renamed, all;  // `all`: with the iterations of the visits
  };
  // Vectors that are stored at multiples of their size, where elements of that width are read: the first
  // event stands for all of them, for the multiple below the read's place.
  static bool is_vector(const Event& store, const Event& read);
  static bool is_rest_of_vector(const Event& store, const Event& read);
  calculus::Term place(const Event& store, const Event& read) const;
  calculus::Term part(const Event& store, const Event& read) const;
  using Settled = std::map<std::pair<int, Visits>, int>;
  std::optional<Named> named(const Event& store, const Event& read, const Visits& visits,
                             const std::string& mark) const;
  // The same with every name of the store's execution primed but the iterations of `shared` loops.
  Named primed(const Event& store, const std::vector<int>& shared) const;
  // What holds where the store, as named, writes what is read; the place comes last.
  std::vector<calculus::Term> hits(const Event& store, const Event& read, const Named& names) const;
  bool may_hit_at(const Layer::Store& found, const Event& read, const std::vector<calculus::Term>& known);
  bool may_hit(const Event& store, const Event& read, const Named& names,
               const std::vector<calculus::Term>& known);
  std::optional<Writer> written_by(const Layer::Store& found, const Event& read, int depth,
                                   const Scope& scope, bool& foreign);
  std::optional<Writer> written_by_itself(const Layer::Store& found, const Event& read);
  bool comes_between(const Writer& writer, int later, const Event& read, int read_id,
                     std::vector<int>& shared, std::vector<calculus::Term>& when) const;
  std::string newest(const Event& read, int read_id, const std::vector<Writer>& found,
                     const Settled& settled);
  std::optional<Value> choice(const Event& read, const std::vector<Writer>& found, std::string& detail);
  std::vector<calculus::Term> thread_symbols() const;
  const Trace& trace_;
  const plan::KernelSpec& spec_;
  Prover& prover_;
  PathsBack paths_;
};

}  // namespace hallmark::validator
