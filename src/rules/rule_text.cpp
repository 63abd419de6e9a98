#include "rules/rule_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/files.h"
#include "calculus/text/reader.h"

namespace hallmark::rules {
namespace {

using namespace calculus;
using text::Scope;
using text::Token;
using text::Wanted;

constexpr int largest_rank = 3;  // of a class

struct Chunk {
  std::string name;
  std::size_t line = 0;  // of `rule NAME`, 1-based
  std::string body;      // the lines after it
};

[[noreturn]] void fail(const std::string& code, const std::string& message, const std::string& file,
                       std::size_t line, std::string_view source) {
  throw UserError(code, message, {file, line, 1, {}}, line_of(source, line));
}

std::string trimmed(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

bool starts_with_word(const std::string& line, std::string_view word) {
  const std::string t = trimmed(line);
  return t.rfind(word, 0) == 0 &&
         (t.size() == word.size() || t[word.size()] == ' ' || t[word.size()] == '\t');
}

std::vector<Chunk> split(std::string_view source, const std::string& file) {
  std::vector<Chunk> out;
  std::istringstream lines{std::string(source)};
  std::size_t number = 0;
  bool version = false;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string t = trimmed(line.substr(0, line.find('#')));
    if (t.empty()) continue;
    if (!version) {
      if (t != "hallmark 1") fail("E1105", "a rule file begins with `hallmark 1`", file, number, source);
      version = true;
    } else if (starts_with_word(t, "rule")) {
      const std::string name = trimmed(t.substr(4));
      if (name.empty() ||
          name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./") !=
              std::string::npos)
        fail("E2110", "a rule's name is made of letters, digits, '-', '_', '.' and '/'", file, number,
             source);
      for (const Chunk& other : out)
        if (other.name == name) fail("E2111", "a rule of this name stands above", file, number, source);
      out.push_back({name, number, {}});
    } else if (out.empty()) {
      fail("E2110", "`rule NAME` was expected", file, number, source);
    } else {
      // Blank lines keep the line numbers of errors right.
      Chunk& chunk = out.back();
      while (static_cast<std::size_t>(std::count(chunk.body.begin(), chunk.body.end(), '\n')) + chunk.line +
                 1 <
             number)
        chunk.body += '\n';
      chunk.body += line.substr(0, line.find('#')) + "\n";
    }
  }
  if (!version) fail("E1105", "a rule file begins with `hallmark 1`", file, 1, source);
  if (out.empty()) fail("E2110", "the file has no rule", file, number, source);
  return out;
}

// Classes are put in as text, so that the terms of an instance are ordinary terms of a fixed rank.
std::string with_ranks(const std::string& body, const std::map<std::string, int>& ranks) {
  std::istringstream lines(body);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if (starts_with_word(line, "class")) {
      out += "\n";
      continue;
    }
    // In a side's head, before `=`, a class declares axes; in `input` it lists extents; elsewhere indices.
    const bool side = starts_with_word(line, "left") || starts_with_word(line, "right");
    const bool input = starts_with_word(line, "input");
    const std::size_t head = side ? line.find('=') : std::string::npos;
    std::string made;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line.compare(i, 2, "..") != 0 || i + 2 >= line.size() ||
          (std::isalpha(static_cast<unsigned char>(line[i + 2])) == 0)) {
        made += line[i];
        continue;
      }
      std::size_t end = i + 2;
      while (end < line.size() &&
             (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_'))
        ++end;
      const std::string name = line.substr(i + 2, end - i - 2);
      const auto rank = ranks.find(name);
      if (rank == ranks.end()) {
        made += line.substr(i, end - i);  // the reader reports it
        i = end - 1;
        continue;
      }
      std::vector<std::string> parts;
      for (int r = 1; r <= rank->second; ++r) {
        if (input)
          parts.push_back(fmt::format("{}{}", name, r));
        else if (side && i < head)
          parts.push_back(fmt::format("{0}{1}_ < {0}{1}", name, r));
        else
          parts.push_back(fmt::format("{}{}_", name, r));
      }
      made += fmt::format("{}", fmt::join(parts, ", "));
      i = end - 1;
      if (parts.empty()) {
        // Nothing stands here: the comma after it goes too, or the one before.
        std::size_t next = line.find_first_not_of(' ', end);
        if (next != std::string::npos && line[next] == ',')
          i = next;
        else if (const std::size_t comma = made.find_last_not_of(' ');
                 comma != std::string::npos && made[comma] == ',')
          made.resize(comma);
      }
    }
    out += made + "\n";
  }
  return out;
}

class RuleReader {
 public:
  // `lines` blank lines stand before the body, so that positions are those of the file.
  RuleReader(const std::string& body, std::size_t lines, const std::string& file)
      : reader_("hallmark 1" + std::string(lines, '\n') + body, file) {}

  Rule run(const std::vector<std::string>& class_sizes) {
    for (const std::string& name : class_sizes) {
      scope_.names.emplace(name, symbol(name));
      rule_.symbols.push_back({name, 0, {}});
    }
    while (!reader_.at_end()) statement();
    if (rule_.left.empty() || rule_.right.empty())
      reader_.expected(rule_.left.empty() ? "a left side" : "a right side");
    return std::move(rule_);
  }

 private:
  void statement() {
    if (reader_.take_word("source")) {
      rule_.source = reader_.name("the source in quotes").text;
    } else if (reader_.take_word("size")) {
      do {
        const Token name = reader_.name("the name of a size");
        reader_.add_name(scope_, name, symbol(name.text));
        SymbolRange range{name.text, 0, {}};
        if (reader_.take(">=")) range.low = reader_.integer_number();
        if (reader_.take("<=")) range.high = reader_.integer_number();
        rule_.symbols.push_back(range);
      } while (reader_.take(","));
    } else if (reader_.take_word("require")) {
      rule_.requirements.push_back(reader_.term(scope_, Wanted::boolean));
    } else if (reader_.take_word("input")) {
      rule_.tensors.push_back(reader_.declaration(scope_));
    } else if (reader_.take_word("left")) {
      if (left_scope_.tensors.empty()) left_scope_ = scope_;
      rule_.left.push_back(definition(left_scope_));
    } else if (reader_.take_word("right")) {
      if (right_scope_.tensors.empty()) right_scope_ = scope_;
      rule_.right.push_back(definition(right_scope_));
    } else {
      reader_.expected("source, size, class, require, input, left or right");
    }
  }

  Definition definition(Scope& scope) {
    Scope inside = scope;
    const Token name = reader_.name("the name of a tensor");
    reader_.expect(":");
    Definition out;
    out.declaration = {name.text, reader_.format(), {}};
    reader_.expect("[");
    while (!reader_.take("]")) {
      if (!out.axis_names.empty()) reader_.expect(",");
      const Token axis_name = reader_.name("the name of an axis");
      reader_.add_name(inside, axis_name, axis(static_cast<int>(out.axis_names.size())));
      reader_.expect("<");
      out.axis_names.push_back(axis_name.text);
      out.declaration.extents.push_back(reader_.sum(scope));
    }
    reader_.expect("=");
    const Sort sort = exact_sort(out.declaration.format);
    inside.number_sort = sort == Sort::boolean() ? Sort::real() : sort;
    const Token start = reader_.here();
    out.body = reader_.term(inside, sort == Sort::boolean() ? Wanted::boolean : Wanted::element);
    if (out.body->sort != sort)
      reader_.source().fail(
          "E1103", start,
          "the side is of sort " + to_string(sort) + ", and this is a " + to_string(out.body->sort));
    reader_.add_tensor(scope, name, {out.declaration.format, out.declaration.extents.size()});
    return out;
  }

  text::Reader reader_;
  Scope scope_, left_scope_, right_scope_;
  Rule rule_;
};

std::vector<std::string> classes_of(const std::string& body) {
  std::vector<std::string> out;
  std::istringstream lines(body);
  for (std::string line; std::getline(lines, line);) {
    if (!starts_with_word(line, "class")) continue;
    std::string names = trimmed(line).substr(5);
    std::replace(names.begin(), names.end(), ',', ' ');
    std::istringstream in(names);
    for (std::string name; in >> name;) out.push_back(name);
  }
  return out;
}

RuleFamily read_family(const Chunk& chunk, const std::string& file) {
  RuleFamily family;
  family.name = chunk.name;
  family.text = "rule " + chunk.name + "\n" + chunk.body;
  family.where = {file, chunk.line, 1, {}};
  const std::vector<std::string> classes = classes_of(chunk.body);
  std::vector<int> ranks(classes.size(), 0);
  while (true) {
    std::map<std::string, int> by_name;
    std::vector<std::string> sizes;
    std::string suffix;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      by_name[classes[c]] = ranks[c];
      suffix += (c == 0 ? "@" : ",") + std::to_string(ranks[c]);
      for (int r = 1; r <= ranks[c]; ++r) sizes.push_back(fmt::format("{}{}", classes[c], r));
    }
    Rule rule = RuleReader(with_ranks(chunk.body, by_name), chunk.line, file).run(sizes);
    rule.name = chunk.name + suffix;
    rule.text = family.text;
    family.source = rule.source;
    family.instances.push_back(std::move(rule));
    std::size_t c = 0;
    while (c < ranks.size() && ranks[c] == largest_rank) ranks[c++] = 0;
    if (c == ranks.size()) break;
    ++ranks[c];
  }
  return family;
}

}  // namespace

std::vector<RuleFamily> parse_rules(std::string_view source, const std::string& file) {
  std::vector<RuleFamily> out;
  for (const Chunk& chunk : split(source, file)) out.push_back(read_family(chunk, file));
  return out;
}

std::vector<RuleFamily> load_rules(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : fs::recursive_directory_iterator(path))
      if (entry.path().extension() == ".hm") inside.push_back(entry.path().string());
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  std::vector<RuleFamily> out;
  std::set<std::string> names;
  for (const std::string& file : files)
    for (RuleFamily& family : parse_rules(read_file(file), file)) {
      if (!names.insert(family.name).second)
        throw UserError("E2111", "a rule named " + family.name + " was loaded before", family.where);
      out.push_back(std::move(family));
    }
  return out;
}

}  // namespace hallmark::rules
