// Wrong versions of a rule, as texts: a condition dropped, an index one further, two indices exchanged, a
// factor, a constant, an operation, a relation or a fold replaced by another, a side's element one more,
// doubled or negated. Most are wrong and some are not; who uses them asks an oracle.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace hallmark::rules::testing {

inline std::size_t behind_bracket(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == '(') ++depth;
    if ((text[i] == ']' || text[i] == ')') && --depth == 0) return i + 1;
  }
  return text.size();
}

inline std::vector<std::string> list_items(const std::string& inside) {
  std::vector<std::string> out{""};
  int depth = 0;
  for (char c : inside) {
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (c == ',' && depth == 0)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

inline std::string joined_items(const std::vector<std::string>& items) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) out += (i == 0 ? "" : ",") + items[i];
  return out;
}

// Texts of mutants of a rule's text, each with a word that says what was done.
inline std::vector<std::pair<std::string, std::string>> mutants_of(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> out;
  static const std::vector<std::pair<std::string, std::string>> replacements{
      {" + ", " - "},         {" - ", " + "},    {" * ", " + "},      {"max(", "min("}, {"min(", "max("},
      {"sum(", "max("},       {"prod(", "sum("}, {" < ", " <= "},     {" <= ", " < "},  {"else 0", "else 1"},
      {"else v[]", "else 0"}, {" = 0", " = 1"},  {" 1", " 2"},        {" 2", " 3"},     {"any(", "all("},
      {"all(", "any("},       {" and ", " or "}, {" or ", " and "},   {" / ", " * "},   {"exp(", "abs("},
      {"log(", "exp("},       {"sqrt(", "abs("}, {"floor(", "ceil("}, {" % ", " / "},   {"true", "false"},
      {"false", "true"},      {" > ", " >= "},   {" >= ", " > "},     {" != ", " = "}};
  std::vector<std::string> lines{""};
  for (char c : text) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  const auto with_line = [&](std::size_t at, const std::string& line) {
    std::string whole;
    for (std::size_t i = 0; i < lines.size(); ++i) whole += (i == at ? line : lines[i]) + "\n";
    return whole;
  };
  for (std::size_t n = 0; n < lines.size(); ++n) {
    const std::string& line = lines[n];
    const std::size_t word = line.find_first_not_of(' ');
    if (word == std::string::npos) continue;
    if (line.compare(word, 7, "require") == 0 || line.compare(word, 5, "given") == 0)
      out.push_back({"condition dropped", with_line(n, "")});
    const bool right = line.compare(word, 5, "right") == 0;
    if (!right && line.compare(word, 4, "left") != 0) continue;
    const std::size_t body = line.find(" = ");
    if (body == std::string::npos) continue;
    const std::string head = line.substr(0, body + 3), whole = "(" + line.substr(body + 3) + ")";
    out.push_back({"one more", with_line(n, head + whole + " + 1")});
    out.push_back({"twice", with_line(n, head + "2 * " + whole)});
    out.push_back({"negated", with_line(n, head + "0 - " + whole)});
    out.push_back({"not", with_line(n, head + "not " + whole)});
    out.push_back({"exchanged", with_line(n, head + "if false then 0 else 1 - " + whole)});
    for (std::size_t i = body + 2; i < line.size(); ++i) {
      if (line[i] != '[' || line.compare(i, 2, "[]") == 0) continue;
      const std::size_t end = behind_bracket(line, i);
      std::vector<std::string> items = list_items(line.substr(i + 1, end - i - 2));
      const auto put = [&](const std::vector<std::string>& changed) {
        return line.substr(0, i + 1) + joined_items(changed) + line.substr(end - 1);
      };
      for (std::size_t k = 0; k < items.size(); ++k) {
        if (items[k].find("..") != std::string::npos) continue;
        std::vector<std::string> changed = items;
        changed[k] += " + 1";
        out.push_back({"index one further", with_line(n, put(changed))});
        changed = items;
        if (k + 1 < items.size() && items[k + 1].find("..") == std::string::npos) {
          std::swap(changed[k], changed[k + 1]);
          out.push_back({"indices exchanged", with_line(n, put(changed))});
        }
      }
    }
    for (const auto& [from, to] : replacements)
      for (std::size_t at = line.find(from, body + 2); at != std::string::npos;
           at = line.find(from, at + 1)) {
        std::string changed = line;
        changed.replace(at, from.size(), to);
        out.push_back({"`" + from + "` became `" + to + "`", with_line(n, changed)});
      }
  }
  return out;
}

}  // namespace hallmark::rules::testing
