// SARIF 2.1.0 (OASIS). In it only kind `fail` may carry a level other than `none`; `open` means "could not
// decide", which is what unrun means.
#include <fmt/format.h>

#include <set>

#include "base/sha256.h"
#include "bundle/fields.h"
#include "bundle/obligation_json.h"
#include "bundle/render.h"
#include "bundle/verdict.h"

namespace hallmark::bundle {
namespace {

// Sites that show results as alerts take no more rows of one run.
constexpr std::size_t most_rows = 5000;

json::object message(const std::string& text) {
  return {{"text", valid_utf8(text.empty() ? std::string("no detail") : text)}};
}

std::string rule_id(const Obligation& o, bool alerts) {
  const std::string kind = "hallmark/" + std::string(name(o.kind));
  // An alert's severity hangs on its rule, so what is undecided gets rules of its own.
  return alerts && o.outcome.state == State::unrun ? kind + "/unrun" : kind;
}

// Of a file in the bundle, relative to it; of another, as it was given.
json::object location(const Obligation& o) {
  json::object out;
  if (!o.location.file.empty()) {
    json::object artifact{{"uri", valid_utf8(o.location.file)}};
    if (o.location.file.front() != '/') artifact["uriBaseId"] = "ROOT";
    json::object physical{{"artifactLocation", std::move(artifact)}};
    if (o.location.line != 0) {
      json::object region{{"startLine", o.location.line}};
      if (o.location.column != 0) region["startColumn"] = o.location.column;
      physical["region"] = std::move(region);
    }
    out["physicalLocation"] = std::move(physical);
  }
  out["logicalLocations"] = json::array{json::object{{"fullyQualifiedName", valid_utf8(o.id)}}};
  return out;
}

std::string words(const Obligation& o, const Report& report) {
  std::string out = fmt::format("{}: {}", o.id, name(o.outcome.state));
  if (o.outcome.state == State::unrun) out += fmt::format(" ({})", name(o.outcome.reason));
  if (o.outcome.witness) out += ". " + o.outcome.witness->summary;
  if (!o.outcome.detail.empty()) out += ". " + o.outcome.detail;
  if (report.replay) out += "\nReplay: " + report.replay(o);
  return out;
}

json::object result(const Obligation& o, const Report& report, bool alerts) {
  const State state = o.outcome.state;
  const bool as_alert = alerts && state == State::unrun;
  json::object out{
      {"ruleId", rule_id(o, alerts)},
      {"kind", state == State::proved                ? "pass"
               : state == State::refuted || as_alert ? "fail"
                                                     : "open"},
      {"level", state == State::refuted ? "error"
                : as_alert              ? "warning"
                                        : "none"},
      {"message", message(words(o, report))},
      {"locations", json::array{location(o)}},
      // The id is stable when lines move; the statement is not part of it, so an alert keeps its identity.
      {"partialFingerprints", json::object{{"hallmarkObligation/v1", sha256_hex(o.id)}}},
      {"properties", json::object{{"id", o.id},
                                  {"statement", statement_digest(o)},
                                  {"state", name(state)},
                                  {"reason", name(o.outcome.reason)},
                                  {"level", name(o.level)}}}};
  if (const auto waived = report.waived.find(o.id); waived != report.waived.end())
    out["suppressions"] = json::array{
        json::object{{"kind", "external"}, {"status", "accepted"}, {"justification", waived->second}}};
  return out;
}

}  // namespace

std::string render_sarif(const Report& report, bool alerts) {
  json::array results, notifications;
  std::set<std::string> rules;
  std::size_t left_out = 0;
  const auto add = [&](State state) {
    for (const Obligation& o : report.obligations) {
      if (o.outcome.state != state) continue;
      if (alerts && results.size() == most_rows) {
        ++left_out;
        continue;
      }
      rules.insert(rule_id(o, alerts));
      results.push_back(result(o, report, alerts));
    }
  };
  add(State::refuted);
  add(State::unrun);
  if (!alerts) add(State::proved);
  const auto notify = [&](const std::string& id, const char* level, const std::string& text) {
    notifications.push_back(
        json::object{{"descriptor", json::object{{"id", id}}}, {"level", level}, {"message", message(text)}});
  };
  for (const Finding& f : report.findings) notify(f.code, "error", f.where + ": " + f.message);
  for (const std::string& note : report.notes) notify("note", "note", note);
  if (left_out > 0)
    notify("rows-left-out", "error", fmt::format("{} more results do not fit into this file", left_out));
  json::array descriptors;
  for (const std::string& rule : rules)
    descriptors.push_back(
        json::object{{"id", rule},
                     {"shortDescription", message("obligation of kind " + rule.substr(rule.find('/') + 1))}});
  const Counts n = count(report.obligations);
  json::object invocation{{"executionSuccessful", report.findings.empty() && n.unrun == 0 && n.total() > 0},
                          {"toolExecutionNotifications", std::move(notifications)}};
  if (report.exit_code) invocation["exitCode"] = *report.exit_code;
  json::object run{
      {"tool",
       json::object{{"driver", json::object{{"name", "hallmark"}, {"rules", std::move(descriptors)}}}}},
      {"invocations", json::array{std::move(invocation)}},
      {"results", std::move(results)},
      {"columnKind", "utf16CodeUnits"},
      {"originalUriBaseIds",
       json::object{{"ROOT", json::object{{"description", message("the folder of " + report.subject)}}}}},
      {"properties", json::object{{"verdict", report.verdict},
                                  {"proved", n.proved},
                                  {"refuted", n.refuted},
                                  {"unrun", n.unrun},
                                  {"waived", report.waived.size()}}}};
  return canonical_json(json::object{
      {"$schema",
       "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", json::array{std::move(run)}}});
}

}  // namespace hallmark::bundle
