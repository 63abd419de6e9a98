#include "bundle/html.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "bundle/explain.h"
#include "bundle/fields.h"
#include "bundle/html_style.h"
#include "bundle/layout.h"
#include "bundle/obligation_json.h"
#include "bundle/report.h"
#include "bundle/verdict.h"

namespace hallmark::bundle {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : valid_utf8(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
  }
  return out;
}

std::string state_word(State state) {
  const char* glyph = state == State::proved ? "✓" : state == State::refuted ? "✗" : "?";
  return fmt::format("<span class=\"{0}\">{1} {0}</span>", name(state), glyph);
}

std::string member(const json::value& object, const char* key) {
  const json::object* o = object.if_object();
  const json::value* value = o != nullptr ? o->if_contains(key) : nullptr;
  if (value == nullptr) return {};
  return value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
}

class Page {
 public:
  explicit Page(const OpenBundle& bundle) : bundle_(bundle) {}

  std::string run() {
    out_ =
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>hallmark report</title>\n<style>";
    out_ += report_style;
    out_ += "</style>\n</head>\n<body>\n<h1>hallmark report</h1>\n";
    if (!bundle_.receipt || !bundle_.findings.empty()) {
      broken();
    } else {
      header();
      matrix_table();
      assumptions();
      candidates();
      route();
      kernels();
      obligations();
      out_ += "<script>";
      out_ += report_script;
      out_ += "</script>\n";
    }
    return out_ + "</body>\n</html>\n";
  }

 private:
  const Receipt& receipt() const { return *bundle_.receipt; }
  template <typename... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    out_ += fmt::format(format, std::forward<Values>(values)...);
  }

  void broken() {
    out_ +=
        "<div class=\"card\"><p class=\"refuted\">✗ This bundle does not check. Nothing in it is "
        "shown.</p>\n<ul>\n";
    for (const Finding& f : bundle_.findings)
      add("<li><code>{}</code> {} [{}]</li>\n", escaped(f.where), escaped(f.message), f.code);
    out_ += "</ul></div>\n";
  }

  void header() {
    const Counts n = count(receipt().obligations);
    const Identities& about = receipt().identities;
    add("<div class=\"card\">\n<p><strong>{}</strong></p>\n<p>{} {} · {} {} · {} {}</p>\n<table>\n",
        escaped(receipt().verdict), state_word(State::proved), n.proved, state_word(State::refuted),
        n.refuted, state_word(State::unrun), n.unrun);
    const auto row = [&](const std::string& key, const std::string& value) {
      add("<tr><th>{}</th><td><code>{}</code></td></tr>\n", escaped(key), escaped(value));
    };
    row("tool", "hallmark " + about.tool_version +
                    (about.tool_sha256.empty() ? "" : "  sha256:" + about.tool_sha256));
    for (const SolverIdentity& s : about.solvers) row(s.name, s.version + "  sha256:" + s.binary_sha256);
    row("artifact", "sha256:" + bundle_.artifact_digest());
    for (const auto& [role, path] : about.roles)
      row(role, path + "  sha256:" + bundle_.role_digest(role).value_or("missing"));
    row("policy of the run", about.policy_name + "  sha256:" + about.policy_sha256);
    for (const auto& [key, value] : about.settings) row(key, value);
    for (const Absent& a : about.absent)
      row("absent", fmt::format("{}: {} {}", a.what, name(a.reason), a.detail));
    out_ += "</table>\n</div>\n";
  }

  void matrix_table() {
    out_ +=
        "<h2>Obligations by kind, how they were settled, and state</h2>\n<table>\n"
        "<thead><tr><th>kind</th><th>how</th><th>state</th><th "
        "class=\"n\">number</th></tr></thead>\n<tbody>\n";
    for (const MatrixRow& row : matrix(receipt().obligations))
      add("<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"n\">{}</td></tr>\n", name(row.kind),
          escaped(row.how), state_word(row.state), row.count);
    out_ += "</tbody></table>\n";
  }

  void assumptions() {
    out_ += "<h2>Assumed, not proved</h2>\n<ul>\n";
    for (const std::string& box : receipt().identities.default_boxes)
      add("<li>Nobody declared it: <code>{}</code></li>\n", escaped(box));
    for (const Assumption& a : receipt().identities.assumptions)
      add("<li><code>{}</code> {}</li>\n", escaped(a.id), escaped(a.text));
    out_ += "</ul>\n";
  }

  json::value json_file(const std::string& path) const {
    return bundle_.listing.files.contains(path) ? parse_json(bundle_.read(path), path) : json::value();
  }

  void candidates() {
    const json::value selection = json_file("3-selection/selection.json");
    const json::object* object = selection.if_object();
    if (object == nullptr) return;
    add("<h2>Candidates and election</h2>\n<p>{}. {}</p>\n<table>\n<thead><tr><th>route</th><th>modelled "
        "seconds</th><th></th><th class=\"n\">launches</th><th class=\"n\">of these once, at load</th>"
        "<th>rejected because</th></tr></thead>\n<tbody>\n",
        escaped(member(selection, "election")), escaped(member(selection, "note")));
    const json::value* list = object->if_contains("candidates");
    double most = 0;
    const auto seconds = [](const json::value& row) {
      return std::atof(member(row, "modelled_seconds").c_str());
    };
    if (list != nullptr && list->is_array()) {
      for (const json::value& row : list->get_array()) most = std::max(most, seconds(row));
      for (const json::value& row : list->get_array()) {
        const int width = most > 0 ? static_cast<int>(200 * seconds(row) / most) : 0;
        add("<tr><td>{}{}</td><td>{}</td><td><svg width=\"200\" height=\"12\" role=\"img\" aria-label=\"{} "
            "seconds\">"
            "<rect width=\"{}\" height=\"12\" fill=\"currentColor\"/></svg></td><td "
            "class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
            escaped(member(row, "name")),
            member(row, "name") == member(selection, "elected") ? " <strong>elected</strong>" : "",
            escaped(member(row, "modelled_seconds")), escaped(member(row, "modelled_seconds")), width,
            escaped(member(row, "launches")), escaped(prepared(row)), escaped(member(row, "rejected")));
      }
    }
    out_ += "</tbody></table>\n";
    planes(*object);
  }

  // "2 launches, 0.000001 modelled seconds"; empty when nothing is prepared.
  static std::string prepared(const json::value& candidate) {
    const json::object* object = candidate.if_object();
    const json::value* prepare = object != nullptr ? object->if_contains("prepare") : nullptr;
    if (prepare == nullptr || member(*prepare, "launches") == "0") return "";
    return fmt::format("{} ({} s, {} bytes kept)", member(*prepare, "launches"),
                       member(*prepare, "modelled_seconds"), member(*prepare, "kept_bytes"));
  }

  void planes(const json::object& selection) {
    const json::value* list = selection.if_contains("planes");
    if (list == nullptr || !list->is_array()) return;
    out_ +=
        "<h3>Cheapest admitted on each plane alone</h3>\n<table>\n<thead><tr><th>plane</th><th>candidate</th>"
        "<th>modelled seconds</th></tr></thead>\n<tbody>\n";
    for (const json::value& row : list->get_array())
      add("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(member(row, "plane")),
          escaped(member(row, "cheapest")), escaped(member(row, "modelled_seconds")));
    out_ += "</tbody></table>\n";
  }

  void route() {
    const json::value steps = json_file("3-selection/steps.json");
    if (!steps.is_array() || steps.get_array().empty()) return;
    out_ += "<h2>Route: from the authored to the elected program</h2>\n<ol>\n";
    for (const json::value& step : steps.get_array())
      add("<li><code>{}</code><details><summary>both sides</summary><div "
          "class=\"panes\"><div><pre>{}</pre></div>"
          "<div><pre>{}</pre></div></div></details></li>\n",
          escaped(member(step, "rule")), escaped(member(step, "left")), escaped(member(step, "right")));
    out_ += "</ol>\n";
  }

  // Worst state of what is claimed about each line: "FILE:LINE".
  std::map<std::string, State> line_states() const {
    std::map<std::string, State> out;
    const auto rank = [](State s) { return s == State::refuted ? 2 : s == State::unrun ? 1 : 0; };
    for (const Obligation& o : receipt().obligations) {
      if (o.location.line == 0) continue;
      const std::string key = mapped_place(o.location);
      const auto [at, fresh] = out.emplace(key, o.outcome.state);
      if (!fresh && rank(o.outcome.state) > rank(at->second)) at->second = o.outcome.state;
    }
    return out;
  }

  void pane(const std::string& file, const std::string& text, std::size_t first,
            const std::map<std::string, State>& states, const std::map<std::string, MappedLine>& nodes) {
    add("<div><p><code>{}</code></p><pre>", escaped(file));
    std::size_t line = first;
    for (std::size_t at = 0; at < text.size(); ++line) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string key = fmt::format("{}:{}", file, line);
      const auto state = states.find(key);
      const auto node = nodes.find(key);
      const std::string mark = state == states.end()             ? " "
                               : state->second == State::proved  ? "✓"
                               : state->second == State::refuted ? "✗"
                                                                 : "?";
      add("<span{}{}><i>{} {}</i>{}</span>",
          state == states.end() ? "" : fmt::format(" class=\"{}\"", name(state->second)),
          node == nodes.end() ? "" : fmt::format(" data-node=\"{}\"", escaped(node->second.definition)), mark,
          line, escaped(std::string_view(text).substr(at, end - at)));
      at = end + 1;
    }
    out_ += "</pre></div>\n";
  }

  // The entry of one kernel, where the text has it.
  void ptx_pane(const std::string& file, const std::string& text, const std::string& kernel,
                const std::map<std::string, State>& states, const std::map<std::string, MappedLine>& nodes) {
    const std::size_t entry = text.find(".entry " + kernel + "(");
    if (entry == std::string::npos) return;
    const std::size_t begin = text.rfind('\n', entry) + 1, end = text.find("\n}\n", entry);
    pane(
        file, text.substr(begin, end == std::string::npos ? end : end + 2 - begin),
        1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<long>(begin), '\n')),
        states, nodes);
  }

  void kernels() {
    const auto states = line_states();
    const auto nodes = line_map(bundle_);
    out_ +=
        "<h2>Kernels</h2>\n<p>A mark before a line is the worst state of what is claimed about it. Lines of "
        "one plan "
        "node light up together.</p>\n";
    for (const auto& [path, file] : bundle_.listing.files) {
      if (!path.starts_with(stage_artifact) || !path.ends_with(".cu")) continue;
      const std::string short_name = path.substr(stage_artifact.size());
      const std::string kernel = short_name.substr(0, short_name.size() - 3);
      add("<details><summary><code>{}</code></summary><div class=\"panes\">\n", escaped(kernel));
      pane(short_name, bundle_.read(path), 1, states, nodes);
      for (const auto& [other, ignored] : bundle_.listing.files)
        if (other.starts_with(stage_artifact) && other.ends_with(".ptx"))
          ptx_pane(other.substr(stage_artifact.size()), bundle_.read(other), kernel, states, nodes);
      out_ += "</div></details>\n";
    }
  }

  void obligations() {
    out_ +=
        "<h2>Every obligation</h2>\n<p class=\"controls\"><label>find <input id=\"find\"></label> "
        "<label>state "
        "<select id=\"state\"><option value=\"\">all</option><option>refuted</option><option>unrun</option>"
        "<option>proved</option></select></label> <span id=\"shown\"></span></p>\n"
        "<table "
        "id=\"obligations\">\n<thead><tr><th><button>state</button></th><th><button>obligation</button></th>"
        "<th><button>how</button></th></tr></thead>\n<tbody>\n";
    for (const State state : {State::refuted, State::unrun, State::proved})
      for (const Obligation& o : receipt().obligations)
        if (o.outcome.state == state) row(o);
    out_ += "</tbody></table>\n";
  }

  void row(const Obligation& o) {
    const Outcome& outcome = o.outcome;
    std::string how = outcome.state == State::unrun ? std::string(name(outcome.reason)) : "";
    for (const std::string& by : outcome.discharged_by) how += (how.empty() ? "" : " + ") + by;
    add("<tr data-state=\"{}\"><td>{}</td><td><details><summary><code>{}</code></summary>\n<pre>{}</pre>\n",
        name(outcome.state), state_word(outcome.state), escaped(o.id), escaped(o.statement));
    if (!o.scope.empty()) add("<p>For: {}</p>\n", escaped(o.scope));
    if (!outcome.detail.empty()) add("<p>{}</p>\n", escaped(outcome.detail));
    if (outcome.witness) {
      add("<p class=\"refuted\">{}</p>\n<pre>", escaped(outcome.witness->summary));
      for (const auto& [symbol, value] : outcome.witness->bindings)
        add("{} = {}\n", escaped(symbol), escaped(value));
      add("expected {}\ngot      {}\nexecuted by {}</pre>\n", escaped(outcome.witness->expected),
          escaped(outcome.witness->actual), escaped(outcome.witness->executed_by));
    }
    for (const QueryRecord& query : outcome.queries) {
      add("<p><code>{}</code> {}:", escaped(query_file(query.sha256)), escaped(query.purpose));
      for (const SolverAnswer& a : query.answers) add(" {} {}", escaped(a.solver), escaped(a.answer));
      out_ += "</p>\n";
    }
    add("<p>Again: <code>{}</code></p></details></td><td>{}</td></tr>\n", escaped(replay_command(".", o)),
        escaped(how));
  }

  const OpenBundle& bundle_;
  std::string out_;
};

}  // namespace

std::string render_html(const OpenBundle& bundle) {
  return Page(bundle).run();
}

}  // namespace hallmark::bundle
