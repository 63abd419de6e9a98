// Workflow commands of GitHub Actions: lines that the site shows beside the lines of the changed files.
#include <fmt/format.h>

#include <string_view>

#include "bundle/render.h"
#include "bundle/verdict.h"

namespace hallmark::bundle {
namespace {

// The site shows at most ten errors and ten warnings of one step.
constexpr std::size_t most = 10;

// What a command's text may not hold as it is; in a property the separators neither. Without this, a line
// break in a solver's message would begin a command of its own.
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    out += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return out;
}

std::string command(const char* level, const Location& where, const std::string& title,
                    const std::string& message) {
  std::string properties;
  if (!where.file.empty()) properties += "file=" + escaped(where.file, true) + ",";
  if (!where.file.empty() && where.line != 0) properties += fmt::format("line={},", where.line);
  return fmt::format("::{} {}title={}::{}\n", level, properties, escaped(title, true),
                     escaped(message, false));
}

std::string message_of(const Obligation& o, const Report& report) {
  std::string out = o.outcome.witness ? o.outcome.witness->summary : o.outcome.detail;
  if (o.outcome.state == State::unrun) out = fmt::format("{}. {}", name(o.outcome.reason), out);
  if (report.replay) out += "\nReplay: " + report.replay(o);
  return out;
}

}  // namespace

std::string render_annotations(const Report& report) {
  std::string out;
  const auto left_out = [&](const char* level, std::size_t all, const char* what) {
    if (all > most)
      out += command(level, {}, "hallmark",
                     fmt::format("{} more {} are not shown here. What shows them: {}", all - most + 1, what,
                                 report.all_rows));
  };
  std::size_t errors = 0, warnings = 0;
  std::size_t all_errors = report.findings.size(), all_warnings = 0;
  for (const Obligation& o : report.obligations) {
    all_errors += o.outcome.state == State::refuted ? 1 : 0;
    all_warnings += o.outcome.state == State::unrun ? 1 : 0;
  }
  // The last place is kept for the line that says how many are left out.
  const std::size_t room_for_errors = all_errors > most ? most - 1 : most;
  const std::size_t room_for_warnings = all_warnings > most ? most - 1 : most;
  for (const Obligation& o : report.obligations)
    if (o.outcome.state == State::refuted && errors++ < room_for_errors)
      out += command("error", o.location, "refuted: " + o.id, message_of(o, report));
  for (const Finding& f : report.findings)
    if (errors++ < room_for_errors) out += command("error", {}, f.code + " " + f.where, f.message);
  left_out("error", all_errors, "errors");
  for (const Obligation& o : report.obligations)
    if (o.outcome.state == State::unrun && warnings++ < room_for_warnings)
      out += command("warning", o.location, "unrun: " + o.id, message_of(o, report));
  left_out("warning", all_warnings, "warnings");
  return out + command("notice", {}, "hallmark: " + counts_line(report.obligations), report.verdict);
}

}  // namespace hallmark::bundle
