// Looks at each obligation of a kernel over the trace of its symbolic execution and finds the claims on which
// its proof rests. Nothing here is a verdict: discharge.h puts the claims to the solvers.
#pragma once
#include "validator/checks/obligations.h"
#include "validator/ir/cfg.h"
#include "validator/symbolic/arithmetic.h"
#include "validator/symbolic/prover.h"
#include "validator/symbolic/trace.h"

namespace hallmark::validator {

struct Finding {
  bool holds = false;
  bool unsupported = false;  // not holding because something is not modelled
  std::string failure;       // why it does not hold, for a person
  std::vector<Claim> claims;
  std::optional<Claim> failed;           // a claim that could not be had
  std::vector<std::string> rules;        // syntactic rules that were used
  std::vector<std::string> assumptions;  // other obligations and lemmas that it rests on
};

struct CopiesUnderWay;

class Examiner {
 public:
  // Executes the kernel. Throws UserError E4001; a Refusal of the execution is kept and makes every finding
  // that needs the trace unsupported.
  Examiner(const plan::KernelSpec& spec, const ir::Kernel& kernel, Level level, Prover::Probe probe);

  // An execution has shown a wrong value: of `value` only where the two part is asked for.
  void value_differs() { value_differs_ = true; }
  // One finding for each obligation of list_obligations, in its order.
  std::vector<Finding> examine(const std::vector<Obligation>& obligations);
  // Claims on which the execution itself rests; every finding rests on them too.
  const std::vector<Claim>& execution_claims() const { return execution_claims_; }
  const Trace& trace() const { return trace_; }
  // What holds for every launch, without any thread.
  Scope launch_scope() const;
  std::size_t probes() const { return prover_.probes(); }

 private:
  Finding bounds(const Site& site);
  Finding alignment();
  Finding overflow();
  Finding undefined();
  Finding init();
  Finding barrier(const Site& site);
  Finding warp(const Site& site);
  Finding termination();
  Finding launch();
  Finding race();
  Finding coverage();
  bool keeps_its_value(const plan::Ensure& ensure, const plan::Buffer& buffer, const Scope& scope);
  Finding frame();
  Finding value();

  bool inside(const Event& event);
  // Where a store is not known to be followed by another one of the same thread to the same place: its scope,
  // and that no such store follows. Nothing where one always does, so that nobody sees what is stored here.
  std::optional<Scope> where_last(const Event& store);
  // The iterations of an execution of `later` that is behind every given one of `store`, as far as one is
  // known that may be at the same place.
  std::optional<calculus::Substitution> later_execution(const Event& store, const Event& later,
                                                        Arithmetic& arithmetic) const;
  bool is_read(int memory) const;
  bool resolves(const Event& event, calculus::Term term);
  bool single_writes(Finding& finding);
  bool read_only_loads(Finding& finding);
  bool copies_left_alone(const CopiesUnderWay& copies, Finding& finding);

  const plan::KernelSpec spec_;  // with_definitions()
  const ir::Kernel& kernel_;
  Level level_;
  Prover prover_;
  Trace trace_;
  bool value_differs_ = false;
  std::vector<Claim> execution_claims_;
  std::optional<Refusal> refusal_;
  std::optional<Claim> refused_claim_;  // the last that the execution could not have before it was refused
};

// --- Shared by the checks ---
// Renames what belongs to one thread: tid, iterations and arbitrary values, and with `blocks` ctaid too.
// `shared_iterations` keep their names.
calculus::Substitution other_thread(const Trace& trace, const std::vector<calculus::Term>& facts,
                                    const std::vector<calculus::Term>& terms, bool blocks,
                                    const std::vector<calculus::Term>& shared);
std::string place_text(const ir::Kernel& kernel, const Event& event);

// One pair of accesses that no barrier separates, for two threads: their facts, and that they are the same.
struct AccessPair {
  int first = 0, second = 0;                          // events
  calculus::Substitution left, right;                 // iterations of each side
  std::vector<calculus::Term> origin;                 // what the common barrier says, over the left thread
  std::vector<calculus::Term> left_path, right_path;  // what holds on the way of each side, over one thread
  bool fixed = true;  // both sides are at one place of one iteration of every loop
  // The left thread ends without the barrier after which the right one comes to its access: what holds for
  // it.
  calculus::Term departed = nullptr;
};
// Pairs within a block, by a walk over the graph of barrier intervals (soundness C1).
std::vector<AccessPair> interval_pairs(const Trace& trace);

}  // namespace hallmark::validator
