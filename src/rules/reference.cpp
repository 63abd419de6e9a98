#include "rules/reference.h"

#include <fmt/format.h>

#include <map>
#include <sstream>

#include "rules/prove_rule.h"
#include "rules/rule_lines.h"

namespace hallmark::rules {
namespace {

std::string group_of(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? "others" : name.substr(0, slash);
}

// Without blank lines at the end and the common indentation.
std::string statement(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    const std::string t = trimmed(line);
    if (t.empty() || starts_with_word(t, "source") || starts_with_word(t, "rule")) continue;
    out += "    " + t + "\n";
  }
  return out;
}

}  // namespace

std::string reference(const std::vector<RuleFamily>& families) {
  std::map<std::string, std::map<std::string, const RuleFamily*>> groups;
  for (const RuleFamily& f : families) groups[group_of(f.name)][f.name] = &f;
  std::string out = fmt::format(
      "# Rewrite rules\n\nWritten by `hallmark rules reference`. {} rules; `hallmark rules explain NAME` "
      "proves one and "
      "says what each of its conditions is for.\n\n| family | rules |\n|---|---|\n",
      families.size());
  for (const auto& [group, rules] : groups) out += fmt::format("| {} | {} |\n", group, rules.size());
  for (const auto& [group, rules] : groups) {
    out += fmt::format("\n## {}\n", group);
    for (const auto& [name, family] : rules) {
      const Obligation o = family_obligation(*family);
      out += fmt::format("\n### {}\n\n{}\n\nFor {}.\n\n{}\n`sha256:{}`\n", name, family->source, o.scope,
                         statement(family->text), digest(family->instances.back()));
    }
  }
  return out;
}

}  // namespace hallmark::rules
