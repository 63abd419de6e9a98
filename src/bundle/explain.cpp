#include "bundle/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/error.h"
#include "bundle/layout.h"
#include "bundle/obligation_json.h"
#include "bundle/render.h"
#include "bundle/report.h"

namespace hallmark::bundle {
namespace {

constexpr std::string_view map_path = "4-artifact/map.json";

std::string indented(const std::string& text) {
  std::string out = "    ";
  for (const char c : text) out += c == '\n' ? std::string("\n    ") : std::string(1, c);
  while (out.ends_with(' ') || out.ends_with('\n')) out.pop_back();
  return out + "\n";
}

// The line with two around it; empty when the text has none.
std::string excerpt(const std::string& text, std::size_t line) {
  std::string out;
  std::size_t number = 1, at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (number + 2 >= line && number <= line + 2)
      out += fmt::format("  {} {:>5} | {}\n", number == line ? ">" : " ", number, text.substr(at, end - at));
    at = end + 1;
    ++number;
  }
  return out;
}

// The lines of PTX text as its .loc directives name them: file number and line of the CUDA text for each, 0
// before the first.
std::vector<std::pair<std::size_t, std::size_t>> origins(const std::string& ptx) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  std::pair<std::size_t, std::size_t> now{0, 0};
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    std::size_t file = 0, number = 0;
    if (words >> word && word == ".loc" && words >> file >> number) now = {file, number};
    if (word == ".entry" || line.find(".entry ") != std::string::npos) now = {0, 0};
    out.push_back(now);
  }
  return out;
}

// The path behind `.file N "path"`, without its folders.
std::string file_of(const std::string& ptx, std::size_t number) {
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word, path;
    std::size_t n = 0;
    if (!(words >> word) || word != ".file" || !(words >> n >> path) || n != number || path.size() < 2)
      continue;
    const std::size_t slash = path.rfind('/');
    return path.substr(slash == std::string::npos ? 1 : slash + 1,
                       path.size() - 2 - (slash == std::string::npos ? 0 : slash));
  }
  return {};
}

// The same place in the other text: the CUDA line of a PTX line, the first PTX line of a CUDA line.
std::string counterpart(const OpenBundle& bundle, const Location& at) {
  const std::string ptx_path = std::string(stage_artifact) + "kernels.ptx";
  if (at.line == 0 || !bundle.listing.files.contains(ptx_path)) return {};
  const std::string ptx = bundle.read(ptx_path);
  const auto from = origins(ptx);
  if (at.file.ends_with(".ptx")) {
    if (at.line > from.size() || from[at.line - 1].second == 0) return {};
    const auto [number, line] = from[at.line - 1];
    const std::string cuda = std::string(stage_artifact) + file_of(ptx, number);
    if (!bundle.listing.files.contains(cuda)) return {};
    return fmt::format("  CUDA line {}:{}\n", cuda, line) + excerpt(bundle.read(cuda), line);
  }
  const std::string name =
      at.file.substr(at.file.rfind('/') == std::string::npos ? 0 : at.file.rfind('/') + 1);
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i].second == at.line && file_of(ptx, from[i].first) == name)
      // The directive itself stands at i; its instructions follow.
      return fmt::format("  PTX line  {}:{}\n", ptx_path, i + 2) + excerpt(ptx, i + 2);
  return {};
}

std::string where(const OpenBundle& bundle, const Obligation& o) {
  std::string out;
  if (!o.location.node.empty()) out += "  node      " + o.location.node + "\n";
  if (o.location.file.empty()) return out;
  out += fmt::format("  place     {}{}\n", o.location.file,
                     o.location.line != 0 ? fmt::format(":{}:{}", o.location.line, o.location.column) : "");
  if (o.location.line != 0 && bundle.listing.files.contains(o.location.file))
    out += excerpt(bundle.read(o.location.file), o.location.line);
  out += counterpart(bundle, o.location);
  const auto lines = line_map(bundle);
  if (const auto mapped = lines.find(mapped_place(o.location)); mapped != lines.end())
    out += fmt::format("  plan node {} of {}\n", mapped->second.definition, mapped->second.origin);
  return out;
}

// For an obligation about a kernel: its texts.
std::string texts_of(const OpenBundle& bundle, const Obligation& o) {
  std::string out;
  const std::string kernel = o.subject.substr(0, o.subject.find_first_of(" :"));
  const std::string cuda = std::string(stage_artifact) + kernel + ".cu";
  if (bundle.listing.files.contains(cuda)) out += "  CUDA      " + cuda + "\n";
  const std::string ptx = std::string(stage_artifact) + "kernels.ptx";
  if (!out.empty() && bundle.listing.files.contains(ptx)) {
    const std::string text = bundle.read(ptx);
    const std::size_t entry = text.find(".entry " + kernel + "(");
    if (entry != std::string::npos)
      out += fmt::format("  PTX       {}:{}\n", ptx,
                         1 + std::count(text.begin(), text.begin() + static_cast<long>(entry), '\n'));
  }
  return out;
}

std::string queries(const OpenBundle& bundle, const Obligation& o) {
  std::string out;
  for (const QueryRecord& query : o.outcome.queries) {
    out += fmt::format("  {:<12} {}\n", query.purpose, query_file(query.sha256));
    for (const SolverAnswer& answer : query.answers)
      out += fmt::format("               {} {}{}\n", answer.solver, answer.answer,
                         answer.raw.empty() ? "" : ": " + answer.raw);
    if (const std::string file = certificate_file(query.sha256); bundle.listing.files.contains(file))
      out += fmt::format("               certificate {}\n", file);
  }
  if (const std::string file = certificate_file(statement_digest(o)); bundle.listing.files.contains(file))
    out += fmt::format("  {:<12} certificate {}\n", "statement", file);
  return out;
}

}  // namespace

std::string mapped_place(const Location& at) {
  const std::string stage(stage_artifact);
  return fmt::format("{}:{}", at.file.starts_with(stage) ? at.file.substr(stage.size()) : at.file, at.line);
}

std::map<std::string, MappedLine> line_map(const OpenBundle& bundle) {
  std::map<std::string, MappedLine> out;
  const std::string path(map_path);
  if (!bundle.listing.files.contains(path)) return out;
  const json::value map = parse_json(bundle.read(path), path);
  if (!map.is_array()) return out;
  for (const json::value& row : map.get_array()) {
    Fields in(row, path, "");
    const std::string file = in.text("file");
    out[fmt::format("{}:{}", file, in.number("line"))] = {in.text("definition"), in.text("origin")};
  }
  return out;
}

std::string explain(const OpenBundle& bundle, const std::string& id) {
  if (!bundle.receipt || !bundle.findings.empty())
    throw UserError("E5402", "the bundle does not check, nothing is explained from it", {bundle.folder});
  for (const Obligation& o : bundle.receipt->obligations) {
    if (o.id != id) continue;
    const Outcome& outcome = o.outcome;
    std::string out =
        fmt::format("{}\n\nClaimed (SHA-256 {}):\n{}", o.id, statement_digest(o), indented(o.statement));
    if (!o.scope.empty()) out += "For:\n" + indented(o.scope);
    out += fmt::format("State: {}", name(outcome.state));
    if (outcome.state == State::unrun)
      out += fmt::format(", {} ({})", name(outcome.reason),
                         larger_budget_can_help(outcome.reason) ? "a larger budget can help"
                                                                : "a larger budget cannot help");
    out += "\n";
    for (const std::string& by : outcome.discharged_by) out += "  by        " + by + "\n";
    for (const std::string& a : outcome.assumptions) out += "  assuming  " + a + "\n";
    if (!outcome.detail.empty()) out += indented(outcome.detail);
    if (outcome.witness) {
      out +=
          "Witness, executed by " + outcome.witness->executed_by + ":\n" + indented(outcome.witness->summary);
      for (const auto& [symbol, value] : outcome.witness->bindings)
        out += indented(symbol + " = " + shortened(value));
      out += indented("expected " + outcome.witness->expected + "\ngot      " + outcome.witness->actual);
      out += "  file      " + witness_file(o.id) + "\n";
    }
    if (const std::string place = where(bundle, o) + texts_of(bundle, o); !place.empty())
      out += "Where:\n" + place;
    if (!outcome.queries.empty()) out += "Queries and answers:\n" + queries(bundle, o);
    return out + "Again:\n  " + replay_command(bundle.folder, o) + "\n";
  }
  throw UserError("E5401", "no obligation has the id '" + id + "'", {bundle.folder});
}

}  // namespace hallmark::bundle
