#include "bundle/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "bundle/fields.h"
#include "bundle/layout.h"

namespace hallmark::bundle {
namespace {

bool decided(const std::string& answer) {
  return answer == "sat" || answer == "unsat";
}

std::string recorded_answer(const QueryRecord& query) {
  std::string out;
  for (const SolverAnswer& answer : query.answers) {
    if (!decided(answer.answer)) continue;
    if (!out.empty() && out != answer.answer) return {};
    out = answer.answer;
  }
  return out;
}

const Obligation& find(const OpenBundle& bundle, const std::string& id) {
  if (!bundle.receipt || !bundle.findings.empty()) {
    const std::string why =
        bundle.findings.empty() ? "" : bundle.findings[0].where + ": " + bundle.findings[0].message;
    throw UserError("E5402", "the bundle does not check, nothing is replayed from it: " + why,
                    {bundle.folder});
  }
  for (const Obligation& o : bundle.receipt->obligations)
    if (o.id == id) return o;
  throw UserError("E5401", "no obligation has the id '" + id + "'", {bundle.folder});
}

// What this run found is no word about the obligation: a limit, or a tool that is not here.
bool undecided_here(const Outcome& outcome) {
  return outcome.state == State::unrun;
}

std::set<std::string> goals(const Outcome& outcome) {
  std::set<std::string> out;
  for (const QueryRecord& query : outcome.queries)
    if (query.purpose == "goal") out.insert(query.sha256);
  return out;
}

ReplayResult graded(const std::string& id, Replay grade, const std::string& detail) {
  ReplayResult out;
  out.id = id;
  out.grade = grade;
  out.detail = detail;
  return out;
}

// For a refuted one, and for one that no solver had a part in.
ReplayResult discharged_again(const Obligation& o, const Obligation& now) {
  const State before = o.outcome.state, state = now.outcome.state;
  if (before == State::refuted)
    return state == State::refuted
               ? graded(o.id, Replay::confirmed, "the witness was executed again and refutes again")
               : graded(o.id, Replay::contradicted, "the witness was executed again and does not refute");
  if (state == State::refuted)
    return graded(o.id, Replay::contradicted, "derived again and refuted: " + now.outcome.witness->summary);
  if (before == State::proved && state == State::proved)
    return graded(o.id, Replay::confirmed, "derived and discharged again: proved");
  return graded(o.id, Replay::unreplayable,
                "derived again: " + std::string(name(state)) + " now, " + std::string(name(before)) +
                    " in the receipt");
}

// Puts the recorded queries and keeps count of what came of them.
class Asking {
 public:
  Asking(const OpenBundle& bundle, const ReplayOptions& options) : bundle_(bundle), options_(options) {}

  void ask(const QueryRecord& query) {
    const std::string recorded = recorded_answer(query), text = bundle_.read(query_file(query.sha256));
    std::string opponent, supporter;  // solvers
    const auto put = [&](const std::string& solver) {
      const SolverAnswer now = options_.ask(solver, text);
      out_.queries.push_back({query.sha256, query.purpose, recorded, now});
      if (!decided(now.answer)) {
        if (undecided_.empty()) undecided_ = fmt::format("{}: {} {}", solver, now.answer, now.raw);
      } else if (now.answer == recorded) {
        supporter = solver;
      } else if (decided(recorded)) {
        opponent = solver;
      }
    };
    for (const std::string& solver : options_.solvers) put(solver);
    if (!opponent.empty())
      for (const std::string& solver : options_.referees)
        if (std::count(options_.solvers.begin(), options_.solvers.end(), solver) == 0) put(solver);
    open_ = open_ || supporter.empty();
    if (opponent.empty()) return;
    contradicted_ = contradicted_ || supporter.empty();
    if (dispute_.empty() && !supporter.empty())
      dispute_ = fmt::format("{} says the opposite of the recorded answer, which {} gives again", opponent,
                             supporter);
  }

  ReplayResult result() {
    out_.grade = contradicted_                ? Replay::contradicted
                 : open_ || !dispute_.empty() ? Replay::unreplayable
                                              : Replay::confirmed;
    out_.disagreement = !contradicted_ && !dispute_.empty();
    out_.detail = contradicted_       ? "an answer is the opposite of the recorded one"
                  : out_.disagreement ? "the solvers disagree: " + dispute_
                  : open_             ? "some query was not decided now as it was then"
                                      : "every recorded answer came again";
    if (!contradicted_ && !out_.disagreement && open_ && !undecided_.empty())
      out_.detail += " (" + one_line(valid_utf8(undecided_)) + ")";
    return out_;
  }

 private:
  const OpenBundle& bundle_;
  const ReplayOptions& options_;
  ReplayResult out_;
  bool contradicted_ = false, open_ = false;
  std::string dispute_, undecided_;  // the first
};

}  // namespace

std::string_view name(Replay grade) {
  return grade == Replay::confirmed      ? "CONFIRMED"
         : grade == Replay::contradicted ? "REFUTED"
                                         : "UNREPLAYABLE";
}

ReplayResult replay(const OpenBundle& bundle, const std::string& id, const ReplayOptions& options) {
  const Obligation& o = find(bundle, id);
  if (options.failed_checks)
    for (const std::string& solver : options.solvers)
      if (const std::string why = options.failed_checks(solver); !why.empty())
        return graded(id, Replay::unreplayable,
                      solver + " failed its checks, nothing was asked: " + one_line(valid_utf8(why)));
  const bool without_query = o.outcome.state == State::refuted || o.outcome.queries.empty();
  if (without_query && !options.derive_again)
    return graded(id, Replay::unreplayable, "no query was recorded, and nobody here derives it again");
  std::string derived;
  if (options.derive_again) {
    const std::optional<Obligation> now = options.derive_again(bundle, o);
    if (!now)
      return graded(id, Replay::unreplayable,
                    "the statement does not follow from the bundle: nothing was asked");
    if (without_query) return discharged_again(o, *now);
    if (undecided_here(now->outcome))
      derived = "; the queries were not derived again here (" + std::string(name(now->outcome.reason)) + ")";
    else if (goals(now->outcome) != goals(o.outcome))
      return graded(id, Replay::unreplayable,
                    "the recorded queries are not those that follow from the bundle: nothing was asked");
    else
      derived = "; the queries are those that follow from the bundle";
  }
  Asking asking(bundle, options);
  for (const QueryRecord& query : o.outcome.queries) asking.ask(query);
  ReplayResult out = asking.result();
  out.id = id;
  out.detail += derived;
  return out;
}

std::string render_replay(const ReplayResult& result) {
  std::string out;
  for (const ReplayedQuery& query : result.queries)
    out += fmt::format("{}  {:<12}  recorded {:<5}  {} {}\n", query.sha256.substr(0, 16), query.purpose,
                       query.recorded.empty() ? "-" : query.recorded, query.now.solver, query.now.answer);
  return out + fmt::format("{} {}: {}\n", name(result.grade), result.id, result.detail);
}

}  // namespace hallmark::bundle
