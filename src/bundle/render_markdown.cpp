#include <fmt/format.h>

#include "bundle/fields.h"
#include "bundle/render.h"
#include "bundle/verdict.h"

namespace hallmark::bundle {
namespace {

// Nothing that a solver printed may become markup of the page that shows the summary.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : valid_utf8(text)) {
    if (c == '\n' || c == '\r') {
      out += ' ';
    } else if (std::string_view("\\`*_{}[]<>|#&").find(c) != std::string_view::npos) {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string render_markdown(const Report& report) {
  constexpr std::size_t most = 5;
  const Counts n = count(report.obligations);
  std::string out =
      fmt::format("## hallmark: {}\n\n**{}**\n\n", plain(report.subject), plain(report.verdict));
  out += fmt::format(
      "| proved | refuted | unrun | of these waived |\n|---:|---:|---:|---:|\n| {} | {} | {} | {} |\n",
      n.proved, n.refuted, n.unrun, report.waived.size());
  if (!report.obligations.empty()) {
    out += "\n| kind | how | state | number |\n|---|---|---|---:|\n";
    for (const MatrixRow& row : matrix(report.obligations))
      out +=
          fmt::format("| {} | {} | {} | {} |\n", name(row.kind), plain(row.how), name(row.state), row.count);
  }
  std::size_t shown = 0, open = 0;
  std::string rows;
  for (const State state : {State::refuted, State::unrun})
    for (const Obligation& o : report.obligations) {
      if (o.outcome.state != state) continue;
      ++open;
      if (shown == most) continue;
      ++shown;
      const std::string why = o.outcome.witness ? o.outcome.witness->summary : o.outcome.detail;
      rows += fmt::format("- **{}** {}: {} {}", name(state), plain(o.id), name(o.outcome.reason), plain(why));
      if (report.replay) rows += fmt::format("\n\n      {}\n", one_line(report.replay(o)));
      rows += "\n";
    }
  if (open > 0)
    out += fmt::format("\n### Not proved: {}{}\n\n{}", open, open > shown ? ", the first five" : "", rows);
  if (open > shown)
    out += fmt::format("\n{} more are not proved and not shown here. What shows them:\n\n      {}\n",
                       open - shown, one_line(report.all_rows));
  if (!report.assumed.empty()) {
    out += "\nAssumed, not proved:";
    for (const auto& [id, sentence] : report.assumed) out += " " + plain(id);
    out += "\n";
  }
  for (const auto& [title, lines] :
       {std::pair{"Missing", &report.missing}, {"Other versions", &report.other_versions}})
    for (const std::string& line : *lines) out += fmt::format("\n{}: {}\n", title, plain(line));
  if (!report.findings.empty()) out += "\n### Findings\n\n";
  for (const Finding& f : report.findings)
    out += fmt::format("- {}: {} ({})\n", plain(f.where), plain(f.message), f.code);
  if (!report.notes.empty()) out += "\n### Notes\n\n";
  for (const std::string& note : report.notes) out += "- " + plain(note) + "\n";
  return out;
}

}  // namespace hallmark::bundle
