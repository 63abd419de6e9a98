#include <fmt/format.h>

#include "bundle/fields.h"
#include "bundle/render.h"
#include "bundle/verdict.h"

namespace hallmark::bundle {
namespace {

std::string place(const Obligation& o) {
  if (!o.location.file.empty() && o.location.line != 0)
    return fmt::format("{}:{}", o.location.file, o.location.line);
  return o.location.file.empty() ? o.location.node : o.location.file;
}

std::string join(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ", ") + item;
  return out;
}

// Solver text may hold several lines; a row is one line and what follows is indented below it.
std::string indented(const std::string& text) {
  std::string out = "           ";
  for (const char c : text) out += c == '\n' ? std::string("\n           ") : std::string(1, c);
  return out + "\n";
}

// Kind by how by state, before any detail.
std::string matrix_text(const Report& report) {
  std::string out = fmt::format("{:<14} {:<26} {:<8} {:>6}\n", "kind", "how", "state", "number");
  for (const MatrixRow& row : matrix(report.obligations))
    out += fmt::format("{:<14} {:<26} {:<8} {:>6}\n", name(row.kind), row.how, name(row.state), row.count);
  return out + "\n";
}

std::string listed(const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string out = fmt::format("{}: {}\n", title, lines.size());
  for (const std::string& line : lines) out += "  " + one_line(line) + "\n";
  return out + "\n";
}

std::string around(const Report& report) {
  std::vector<std::string> assumed;
  for (const auto& [id, sentence] : report.assumed) assumed.push_back(id + ": " + sentence);
  return listed("assumed, not proved", assumed) + listed("missing", report.missing) +
         listed("other versions", report.other_versions);
}

std::string row(const Obligation& o, const Report& report) {
  const Outcome& outcome = o.outcome;
  std::string out = fmt::format("{:<8}   {}", name(outcome.state), o.id);
  if (const std::string where = place(o); !where.empty()) out += "  " + where;
  if (outcome.state == State::proved) {
    out += fmt::format("  by {}", join(outcome.discharged_by));
    if (!o.strength.empty()) out += fmt::format("  ({})", o.strength);
    if (!o.scope.empty()) out += "  for " + o.scope;
    return out + "\n" + (report.replay ? indented("replay: " + report.replay(o)) : "");
  }
  if (outcome.state == State::unrun) out += fmt::format("  {}", name(outcome.reason));
  if (outcome.state == State::unrun && larger_budget_can_help(outcome.reason))
    out += " (a larger budget can help)";
  out += "\n";
  if (!o.scope.empty()) out += indented("for " + o.scope);
  if (outcome.witness) {
    out += indented(outcome.witness->summary);
    for (const auto& [symbol, value] : outcome.witness->bindings)
      out += indented(symbol + " = " + shortened(value));
    if (!outcome.witness->expected.empty() || !outcome.witness->actual.empty())
      out += indented("expected " + outcome.witness->expected + ", got " + outcome.witness->actual);
    out += indented("executed by " + outcome.witness->executed_by);
  }
  if (!outcome.detail.empty()) out += indented(outcome.detail);
  if (report.replay) out += indented("replay: " + report.replay(o));
  return out;
}

}  // namespace

std::string shortened(const std::string& value) {
  constexpr std::size_t most = 400;
  if (value.size() <= most) return value;
  return value.substr(0, value.rfind(' ', most)) + fmt::format(" ... ({} characters in all)", value.size());
}

std::string render_text(const Report& report) {
  std::string out =
      report.subject + "\n" + counts_line(report.obligations) + "\n" + one_line(report.verdict) + "\n";
  for (const std::string& note : report.notes) out += one_line(note) + "\n";
  if (!report.waived.empty()) {
    out += fmt::format("waived: {} of the unrun\n", report.waived.size());
    for (const auto& [id, why] : report.waived) out += fmt::format("  {} by {}\n", id, one_line(why));
  }
  for (const Finding& f : report.findings)
    out += fmt::format("{}: {} [{}]\n", one_line(f.where), one_line(f.message), f.code);
  if (!report.obligations.empty()) out += "\n" + matrix_text(report);
  out += around(report);
  for (const State state : {State::refuted, State::unrun, State::proved})
    for (const Obligation& o : report.obligations)
      if (o.outcome.state == state) out += row(o, report);
  return out;
}

}  // namespace hallmark::bundle
