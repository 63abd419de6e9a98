#include "bundle/report.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "bundle/fields.h"
#include "bundle/obligation_json.h"
#include "bundle/receipt.h"
#include "bundle/render.h"
#include "bundle/verdict.h"

namespace hallmark::bundle {

std::optional<Format> format_of(std::string_view text) {
  if (text == "text") return Format::text;
  if (text == "json") return Format::json;
  if (text == "junit") return Format::junit;
  if (text == "sarif") return Format::sarif;
  if (text == "github") return Format::github;
  if (text == "md") return Format::markdown;
  if (text == "annotations") return Format::annotations;
  return std::nullopt;
}

std::vector<MatrixRow> matrix(const std::vector<Obligation>& all) {
  std::map<std::tuple<ObligationKind, State, std::string>, std::size_t> counts;
  for (const Obligation& o : all) {
    std::string how;
    if (o.outcome.state == State::unrun) how = name(o.outcome.reason);
    if (o.outcome.state == State::refuted) how = o.outcome.witness ? o.outcome.witness->executed_by : "";
    if (o.outcome.state == State::proved)
      for (const std::string& by : o.outcome.discharged_by) how += (how.empty() ? "" : "+") + by;
    ++counts[{o.kind, o.outcome.state, how}];
  }
  std::vector<MatrixRow> out;
  for (const auto& [key, n] : counts)
    out.push_back({std::get<0>(key), std::get<2>(key), std::get<1>(key), n});
  return out;
}

std::string words(const Assumption& a) {
  return a.text + (a.text.ends_with(".") ? "" : ".") + " Source: " + a.source + ".";
}

void describe(const Identities& about, Report& report) {
  for (const Assumption& a : about.assumptions) report.assumed.emplace_back(a.id, words(a));
  for (const Absent& a : about.absent)
    report.missing.push_back(
        fmt::format("{}: {}{}", a.what, name(a.reason), a.detail.empty() ? "" : ": " + a.detail));
  for (const SolverIdentity& s : about.solvers)
    if (s.binary_sha256.empty()) report.missing.push_back("solver " + s.name);
  if (const auto model = about.roles.find("model");
      model != about.roles.end() && model->second.ends_with(".withheld.json"))
    report.missing.push_back("the model, which the bundle names by its digest: " + model->second);
}

json::object report_json(const Report& report) {
  json::array obligations, findings, notes;
  for (const Obligation& o : report.obligations) {
    json::object row = obligation_json(o, report.query_folder);
    row["replay"] = report.replay ? report.replay(o) : std::string();
    obligations.push_back(std::move(row));
  }
  for (const Finding& f : report.findings)
    findings.push_back(json::object{{"code", f.code}, {"where", f.where}, {"message", f.message}});
  for (const std::string& note : report.notes) notes.emplace_back(note);
  const Counts n = count(report.obligations);
  json::array rows;
  for (const MatrixRow& row : matrix(report.obligations))
    rows.push_back(json::object{
        {"kind", name(row.kind)}, {"how", row.how}, {"state", name(row.state)}, {"count", row.count}});
  json::object waived, assumed;
  for (const auto& [id, sentence] : report.assumed) assumed[id] = sentence;
  json::array missing(report.missing.begin(), report.missing.end());
  json::array versions(report.other_versions.begin(), report.other_versions.end());
  for (const auto& [id, why] : report.waived) waived[id] = why;
  json::object out{{"format", "hallmark-report/1"},
                   {"subject", report.subject},
                   {"verdict", report.verdict},
                   {"counts", json::object{{"proved", n.proved}, {"refuted", n.refuted}, {"unrun", n.unrun}}},
                   {"matrix", std::move(rows)},
                   {"assumed", std::move(assumed)},
                   {"missing", std::move(missing)},
                   {"other_versions", std::move(versions)},
                   {"waived", std::move(waived)},
                   {"findings", std::move(findings)},
                   {"notes", std::move(notes)},
                   {"obligations", std::move(obligations)}};
  if (report.exit_code) out["exit_code"] = *report.exit_code;
  return out;
}

std::string render(const Report& report, Format format) {
  const auto text = [&] {
    switch (format) {
      case Format::text:
        return for_terminal(render_text(report));
      case Format::junit:
        return render_junit(report);
      case Format::sarif:
      case Format::github:
        return render_sarif(report, format == Format::github);
      case Format::markdown:
        return for_terminal(render_markdown(report));
      case Format::annotations:
        return for_terminal(render_annotations(report));
      case Format::json:
        break;
    }
    return canonical_json(report_json(report));
  };
  // A solver's or a witness's odd byte must not make the whole upload unreadable, wherever it stands.
  return valid_utf8(text());
}

std::string shell_word(const std::string& word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:,+=@%").find(c) != std::string_view::npos;
  };
  bool needs = word.empty();
  std::string quoted = "'";
  for (const char c : word) {
    needs = needs || !plain(c);
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return needs ? quoted + "'" : word;
}

std::string report_command(const std::string& folder) {
  return "hallmark report " + shell_word(folder) + " -o report.html";
}

std::string replay_command(const std::string& folder, const Obligation& obligation) {
  return "hallmark replay " + shell_word(folder) + " " + shell_word(obligation.id);
}

}  // namespace hallmark::bundle
