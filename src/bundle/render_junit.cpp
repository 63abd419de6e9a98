#include <fmt/format.h>

#include "bundle/render.h"
#include "bundle/verdict.h"

namespace hallmark::bundle {
namespace {

// XML 1.0 has no spelling for most control characters; they become '?', so that one odd solver message cannot
// make the whole upload unreadable.
std::string xml(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 && c != '\t' ? '?' : c;
    }
  }
  return out;
}

std::string body(const Obligation& o, const Report& report) {
  std::string out = o.outcome.detail;
  if (o.outcome.witness) {
    out += (out.empty() ? "" : "\n") + o.outcome.witness->summary;
    for (const auto& [symbol, value] : o.outcome.witness->bindings)
      out += "\n" + symbol + " = " + shortened(value);
    out += "\nexpected " + o.outcome.witness->expected + ", got " + o.outcome.witness->actual;
  }
  if (report.replay) out += (out.empty() ? "replay: " : "\nreplay: ") + report.replay(o);
  return out;
}

std::string test_case(const Obligation& o, const Report& report) {
  std::string out =
      fmt::format("    <testcase classname=\"{}.{}\" name=\"{}\"", name(o.level), name(o.kind), xml(o.id));
  const std::string why = o.outcome.witness ? o.outcome.witness->summary : o.outcome.detail;
  switch (o.outcome.state) {
    case State::proved:
      if (!report.replay) return out + "/>\n";
      return out + fmt::format(">\n      <system-out>replay: {}</system-out>\n    </testcase>\n",
                               xml(report.replay(o)));
    case State::refuted:
      return out +
             fmt::format(">\n      <failure type=\"refuted\" message=\"{}\">{}</failure>\n    </testcase>\n",
                         xml(why), xml(body(o, report)));
    case State::unrun:
      break;
  }
  return out + fmt::format(">\n      <error type=\"{}\" message=\"unrun: {}\">{}</error>\n    </testcase>\n",
                           name(o.outcome.reason), name(o.outcome.reason), xml(body(o, report)));
}

}  // namespace

std::string render_junit(const Report& report) {
  const Counts n = count(report.obligations);
  // A report without a single row would be an empty, green suite: nothing to prove is not a success.
  const std::size_t empty = n.total() + report.findings.size() == 0 ? 1 : 0;
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  out += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\">\n",
                     xml(report.subject), n.total() + report.findings.size() + empty, n.refuted,
                     n.unrun + report.findings.size() + empty);
  out +=
      fmt::format("    <properties>\n      <property name=\"verdict\" value=\"{}\"/>\n", xml(report.verdict));
  for (const std::string& note : report.notes)
    out += fmt::format("      <property name=\"note\" value=\"{}\"/>\n", xml(note));
  for (const auto& [id, sentence] : report.assumed)
    out += fmt::format("      <property name=\"assumed {}\" value=\"{}\"/>\n", xml(id), xml(sentence));
  for (const auto& [title, lines] :
       {std::pair{"missing", &report.missing}, {"other version", &report.other_versions}})
    for (const std::string& line : *lines)
      out += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", title, xml(line));
  out += "    </properties>\n";
  for (const Finding& f : report.findings)
    out += fmt::format(
        "    <testcase classname=\"finding\" name=\"{} {}\">\n      <error type=\"{}\" message=\"{}\"/>\n"
        "    </testcase>\n",
        f.code, xml(f.where), f.code, xml(f.message));
  for (const Obligation& o : report.obligations) out += test_case(o, report);
  if (empty == 1)
    out += "    <testcase classname=\"finding\" name=\"empty\">\n      <error type=\"empty\" message=\"" +
           xml(report.verdict) + "\"/>\n    </testcase>\n";
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace hallmark::bundle
