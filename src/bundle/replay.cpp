#include "bundle/replay.h"

#include <fmt/format.h>

#include <algorithm>

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

ReplayResult replay_witness(const OpenBundle& bundle, const Obligation& o, const ReplayOptions& options) {
  ReplayResult out;
  out.id = o.id;
  const std::optional<bool> refutes = options.refutes_again ? options.refutes_again(bundle, o) : std::nullopt;
  out.grade = !refutes ? Replay::unreplayable : *refutes ? Replay::confirmed : Replay::contradicted;
  out.detail = !refutes   ? "the witness cannot be executed here"
               : *refutes ? "the witness was executed again and refutes again"
                          : "the witness was executed again and does not refute";
  return out;
}

}  // namespace

std::string_view name(Replay grade) {
  return grade == Replay::confirmed      ? "CONFIRMED"
         : grade == Replay::contradicted ? "REFUTED"
                                         : "UNREPLAYABLE";
}

ReplayResult replay(const OpenBundle& bundle, const std::string& id, const ReplayOptions& options) {
  const Obligation& o = find(bundle, id);
  if (o.outcome.state == State::refuted) return replay_witness(bundle, o, options);
  ReplayResult out;
  out.id = id;
  bool contradicted = false, open = o.outcome.queries.empty();
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
  if (o.outcome.queries.empty())
    out.detail = "no query was recorded: it was " + std::string(name(o.outcome.state)) + " without a solver";
  else if (contradicted)
    out.detail = "an answer is the opposite of the recorded one";
  else
    out.detail = open ? "some query was not decided now as it was then" : "every recorded answer came again";
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
