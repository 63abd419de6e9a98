// Puts claims to the wanted solvers, each in its own process and thread, and says what may be concluded. The
// solvers work side by side and each always runs to an answer or to its budget, so that the recorded answers
// do not depend on who was first.
//
// A solver that gives an answer which is certainly false is excluded for the rest of the run, and what it
// answered before no longer counts: callers pass every outcome through settle() before they write it down.
// Certainly false: a self-test, hypotheses that it finds satisfiable but neither with the goal nor with its
// negation, a model that does not satisfy the text, `unsat` to a paired check for which another solver's
// model was evaluated and holds. Where two solvers contradict each other and nobody can be convicted, the
// outcome is `disagreement`.
//
// One portfolio is for one thread at a time, save interrupt(). Work for several threads takes a portfolio
// each; absorb() brings together what they convicted and recorded.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "smt/cache.h"
#include "smt/group.h"
#include "smt/judge.h"
#include "smt/memory.h"
#include "smt/worker.h"

namespace hallmark::smt {

struct PortfolioOptions {
  std::vector<SolverProgram> wanted = {SolverProgram::z3(), SolverProgram::cvc5()};
  // Names of the wanted solvers that may be used (`--solvers`); empty = all. One that is wanted and not
  // selected counts as missing.
  std::vector<std::string> selected{};
  Budget budget{};
  // Probes are cut off early: an undecided one only costs the search something.
  Budget probe_budget{400'000, 60'000, std::chrono::milliseconds(60'000), std::size_t{4} << 30};
  // Of attempt(): enough for all but few claims, little enough to be spent in vain.
  Budget attempt_budget{1'000'000, 120'000, std::chrono::milliseconds(10'000), std::size_t{4} << 30};
  unsigned seed = 0;
  bool measure_units = false;              // see recorded_units()
  std::string cache_path{};                // empty = no cache
  std::shared_ptr<AnswerMemory> memory{};  // shared by the portfolios of a run; nothing: one of its own
};

struct Decision {
  Outcome outcome;
  // The first counterexample to the goal that a solver gave: symbol -> value. To be executed by the caller.
  std::vector<std::pair<std::string, Value>> counterexample;
  // Observations: longest time of a solver's goal query, and whether every answer came from the cache.
  double milliseconds = 0;
  bool cached = false;
};

class Portfolio {
 public:
  explicit Portfolio(PortfolioOptions options = {});
  ~Portfolio();

  // Throws UserError E2001 for a selected name that is not wanted.
  Decision decide(const Query& query, Rule rule = Rule::both);
  // The same within attempt_budget: a proof is one, and where there is none the claim is taken apart or
  // decided.
  Decision attempt(const Query& query, Rule rule = Rule::both);
  // Many claims; each has its own texts, digests and answers, and hypotheses that several share are checked
  // once per process. The solvers do not wait for each other between claims.
  std::vector<Decision> decide_all(const std::vector<Query>& queries, Rule rule = Rule::both);

  // For search, never for a verdict: asks one solver, and the next one when it does not know. Remembers
  // answers by text. Nobody to ask: solver_missing.
  Answer probe(const Query& query);
  Answer probe(const QueryText& text, bool want_model = false);
  bool seems_to_hold(const Query& query) { return probe(query).is_unsat(); }

  // Puts a recorded text to one solver, for replay. Throws UserError E2001 for an unknown name.
  Answer replay(const std::string& solver, const std::string& text);

  // The outcome with the answers of excluded solvers withdrawn; for outcomes of this portfolio and for
  // conjunctions of them (see conjoin).
  Outcome settle(const Outcome& outcome, Rule rule) const;
  // The outcome of a claim that rests on several: all their groups, judged together. A part that was proved
  // without a solver adds to discharged_by; a part refuted, in disagreement, or unrun without any query is
  // the whole's outcome.
  Outcome conjoin(const std::vector<Outcome>& parts, Rule rule) const;

  const std::set<std::string>& excluded() const { return excluded_; }
  const PortfolioOptions& options() const { return options_; }
  // Takes over which solvers another portfolio has excluded and what it has recorded.
  void absorb(const Portfolio& other);
  // The texts that decide() put, by digest: the files of the bundle.
  const std::map<std::string, std::string>& recorded_texts() const { return texts_; }
  // Resource units that each text of a decision cost each solver, by digest; only with measure_units, and
  // not for what came from a cache.
  const std::map<std::string, std::map<std::string, std::uint64_t>>& recorded_units() const { return units_; }
  // Of the wanted solvers; binary_sha256 is empty for one that is missing.
  std::vector<SolverIdentity> identities();
  // Whether every answer to this goal, by the SHA-256 of its text, came from the cache whenever it was asked.
  bool came_from_cache(const std::string& goal_sha256) const {
    return cached_.contains(goal_sha256) && !fresh_.contains(goal_sha256);
  }
  std::string cache_warning() const { return cache_ ? cache_->warning() : ""; }

  // From any thread: everything under way and to come ends in `interrupted`.
  void interrupt();

 private:
  struct Member;   // a wanted solver: its worker, or why there is none
  struct Pending;  // a claim under way
  static GroupAnswers put_group(Solver& solver, const GroupTexts& texts, const Budget& budget,
                                Member& member);
  Pending begin(const Query& query, bool is_attempt = false);
  Decision finish(Pending& pending, Rule rule);
  void convict(const Pending& pending);
  void exclude(const std::string& solver);
  // Where a solver proves the goal but cannot show its hypotheses satisfiable, it is asked again at the
  // instance that another solver found.
  void retry_at_model_of_others(Pending& pending);
  std::vector<QueryRecord> records_of(Pending& pending);
  std::optional<GroupAnswers> from_cache(Member& member, const GroupTexts& texts);
  void to_cache(Member& member, const GroupTexts& texts, const GroupAnswers& answers);
  Quorum quorum(Rule rule) const;

  PortfolioOptions options_;
  std::vector<std::unique_ptr<Member>> members_;
  std::unique_ptr<VerdictCache> cache_;
  std::set<std::string> excluded_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, std::map<std::string, std::uint64_t>> units_;
  std::set<std::string> cached_, fresh_;  // goals, by how they were answered
};

}  // namespace hallmark::smt
