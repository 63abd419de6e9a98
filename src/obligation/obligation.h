// A proof obligation and its outcome: the vocabulary that every checker, the receipt and the gate share
// (design, sections 1 and 4). The closed sets below are part of the receipt's format.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hallmark {

enum class State { proved, refuted, unrun };

// Why an obligation is `unrun`. The set is closed; the raw solver text stands beside it in `detail`.
enum class Reason {
  none,  // only with State::proved and State::refuted
  not_scheduled,
  resource_limit,
  wall_limit,
  memory_limit,
  gave_up,
  gap,
  unsupported,
  tool_missing,
  solver_missing,
  solver_crash,
  single_solver,
  disagreement,
  vacuous,
  bounded,
  undefined_input,
  witness_not_replayed,
  interrupted,
  stale,
};

enum class Level { model, rule, plan, source, ptx, bundle };

// The kinds of the design's table, in its order.
enum class ObligationKind {
  rule,
  rewrite_step,
  defined,
  erasure,
  range,
  rounding,
  branch,
  constant,
  tolerance,
  bounds,
  alignment,
  overflow,
  ub,
  init,
  race,
  barrier,
  shuffle,
  termination,
  coverage,
  frame,
  value,
  launch,
  handoff,
  order,
  memory,
  compose,
};

// Names as they stand in receipts: "rewrite-step", "resource-limit", "ptx". The parsers return nothing for
// other text.
std::string_view name(State);
std::string_view name(Reason);
std::string_view name(Level);
std::string_view name(ObligationKind);
std::optional<State> state_of(std::string_view);
std::optional<Reason> reason_of(std::string_view);
std::optional<Level> level_of(std::string_view);
std::optional<ObligationKind> kind_of(std::string_view);
const std::vector<ObligationKind>& all_obligation_kinds();
// Whether a larger budget can help an obligation that is unrun for this reason.
bool larger_budget_can_help(Reason);

// One query put to one solver, as it is recorded: the answer within the resource budget.
struct SolverAnswer {
  std::string solver;  // "z3", "cvc5"
  std::string answer;  // "unsat", "sat", "unknown", or the failure's reason name
  std::string raw;     // solver text where the answer is not unsat or sat
  bool operator==(const SolverAnswer&) const = default;
};

struct QueryRecord {
  std::string sha256;                 // of the SMT-LIB text; the file obligations/<sha256>.smt2 of the bundle
  std::string purpose;                // "goal", "hypotheses", "mutated-goal"
  std::vector<SolverAnswer> answers;  // by solver name
  bool operator==(const QueryRecord&) const = default;
};

// A concrete refutation that has been executed. `inputs` and the two outcomes are text in the calculus
// notation or kernel terms (line, thread, value); `executed` says by what.
struct Witness {
  std::string summary;  // one line: "thread (5,0,0) of block 0 reads x[5], x has 5 elements"
  std::vector<std::pair<std::string, std::string>> bindings;  // symbol or tensor -> value, in a fixed order
  std::string expected, actual;                               // the two sides, where a value differs
  std::string executed_by;  // "interpreter", "evaluator"; never empty in a refuted outcome
  bool operator==(const Witness&) const = default;
};

struct Outcome {
  State state = State::unrun;
  Reason reason = Reason::not_scheduled;
  std::string detail;                      // a sentence for a person; raw solver text where there is some
  std::vector<std::string> discharged_by;  // "z3", "cvc5", "syntactic", "interval", "enumeration", ...
  std::vector<std::string> assumptions;    // identifiers of assumptions that the verdict rests on
  std::vector<QueryRecord> queries;
  std::optional<Witness> witness;
  bool operator==(const Outcome&) const = default;

  static Outcome unrun(Reason reason, std::string detail);
};

struct Obligation {
  std::string id;  // kind/subject/level, stable across edits
  ObligationKind kind{};
  Level level{};
  std::string subject;    // rule, step, plan node, kernel and line
  std::string statement;  // self-contained text of the claim; its SHA-256 is the receipt's `statement`
  std::string scope;      // sizes, ranks and launch bounds under which it is claimed: "any M, N, K >= 1"
  std::string strength;   // "bits", "reals", "ieee", "ring", ... or empty
  Location location;
  Outcome outcome;
};

// Throws InternalError when an outcome breaks the rules that make states mean something: proved or refuted
// with a reason, proved with nothing that discharged it, refuted without an executed witness, unrun without a
// reason.
void check_well_formed(const Obligation&);

}  // namespace hallmark
