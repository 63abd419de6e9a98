// Asks the recorded queries of one obligation again, with the same solver or another, and compares (needs
// U-05, U-09). A query that a forger wrote is easily confirmed: so the obligation is derived again first, and
// nothing is confirmed whose statement or queries do not follow from the bundle. Where no query was recorded,
// the obligation is discharged again. A solver that fails its checks has no say: nothing is graded then. One
// that passed them and says the opposite of what is recorded is believed only where no other solver that is
// here answers as it is recorded; otherwise the solvers disagree, and nobody is refuted by that. Errors:
// UserError E5401 (no obligation has this id), E5402 (the bundle does not check; its findings are in the
// message).
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "bundle/open.h"

namespace hallmark::bundle {

enum class Replay {
  confirmed,  // every recorded sat or unsat came again, or the witness was executed again and differs again
  contradicted,  // some answer is the opposite of the recorded one, or the witness does not refute
  unreplayable,  // nothing to ask, nobody to believe, or what was asked came back undecided or disputed
};
std::string_view name(Replay);

struct ReplayedQuery {
  std::string sha256, purpose;
  std::string recorded;  // "unsat", "sat", or nothing when no solver decided it or they disagree
  SolverAnswer now;
};

struct ReplayResult {
  std::string id;
  Replay grade = Replay::unreplayable;
  std::vector<ReplayedQuery> queries;
  bool disagreement = false;  // unreplayable, since solvers contradict each other: an alarm as in a run
  std::string detail;         // a sentence
  int exit_code() const {
    return grade == Replay::confirmed ? 0 : grade == Replay::contradicted || disagreement ? 1 : 3;
  }
};

struct ReplayOptions {
  std::vector<std::string> solvers;  // each query goes to each of them
  std::function<SolverAnswer(const std::string& solver, const std::string& smtlib)> ask;
  // The obligation as it is derived and discharged now; nothing when it does not follow from the bundle.
  // Null: nobody can derive it, and what is recorded is repeated as it stands.
  std::function<std::optional<Obligation>(const OpenBundle&, const Obligation&)> derive_again{};
  // Why a solver has failed its checks, or nothing. Null: whoever asks has checked them (smt/solver.h does).
  std::function<std::string(const std::string& solver)> failed_checks{};
  // Known solvers, to be asked too where an answer is the opposite of the recorded one.
  std::vector<std::string> referees{};
};

ReplayResult replay(const OpenBundle&, const std::string& id, const ReplayOptions&);

// One line a query, then the grade.
std::string render_replay(const ReplayResult&);

}  // namespace hallmark::bundle
