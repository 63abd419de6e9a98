#include "bundle/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
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

}  // namespace

std::string_view name(Replay grade) {
  return grade == Replay::confirmed      ? "CONFIRMED"
         : grade == Replay::contradicted ? "REFUTED"
                                         : "UNREPLAYABLE";
}

ReplayResult replay(const OpenBundle& bundle, const std::string& id, const ReplayOptions& options) {
  const Obligation& o = find(bundle, id);
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
  ReplayResult out;
  out.id = id;
  bool contradicted = false, open = false;
  for (const QueryRecord& query : o.outcome.queries) {
    const std::string recorded = recorded_answer(query), text = bundle.read(query_file(query.sha256));
    bool again = false;
    for (const std::string& solver : options.solvers) {
      const SolverAnswer now = options.ask(solver, text);
      out.queries.push_back({query.sha256, query.purpose, recorded, now});
      const bool same = decided(now.answer) && now.answer == recorded;
      again = again || same;
      contradicted = contradicted || (decided(now.answer) && decided(recorded) && !same);
    }
    open = open || !again;
  }
  out.grade = contradicted ? Replay::contradicted : open ? Replay::unreplayable : Replay::confirmed;
  out.detail = contradicted ? "an answer is the opposite of the recorded one"
               : open       ? "some query was not decided now as it was then"
                            : "every recorded answer came again";
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
