#include "rules/classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "rules/rule_lines.h"

namespace hallmark::rules {
namespace {

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Where `.NAME` stands behind a name, from `from` on; npos when nowhere.
std::size_t attribute_at(const std::string& text, const std::string& name, std::size_t from = 0) {
  const std::string mark = "." + name;
  for (std::size_t at = text.find(mark, from); at != std::string::npos; at = text.find(mark, at + 1)) {
    const std::size_t end = at + mark.size();
    if (at > 0 && is_name(text[at - 1]) && (end == text.size() || !is_name(text[end]))) return at;
  }
  return std::string::npos;
}

bool mentions(const std::string& text, const std::string& name) {
  return attribute_at(text, name) != std::string::npos;
}

std::string for_axis(std::string text, const std::string& name, int axis) {
  for (std::size_t at = attribute_at(text, name); at != std::string::npos; at = attribute_at(text, name, at))
    text.replace(at, name.size() + 1, fmt::format("_{}{}", name, axis));
  return text;
}

// The place behind the bracket that closes the one at `open`.
std::size_t behind_close(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if ((text[i] == ')' || text[i] == ']') && --depth == 0) return i + 1;
  }
  return text.size();
}

std::vector<std::string> items_of(const std::string& text) {
  std::vector<std::string> out;
  int depth = 0;
  std::string item;
  for (char c : text) {
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c == ',' && depth == 0) {
      out.push_back(item);
      item.clear();
    } else {
      item += c;
    }
  }
  out.push_back(item);
  return out;
}

class Expansion {
 public:
  // all.NAME(P) of the class `open`, if one is named, as an element of `truths`.
  explicit Expansion(const std::map<std::string, int>& ranks, std::string open = {}, std::string truths = {})
      : ranks_(ranks), open_(std::move(open)), truths_(std::move(truths)) {}

  std::string line(const std::string& text) const {
    if (starts_with_word(text, "class")) return {};
    const std::size_t word = text.find_first_not_of(" \t");
    if (word == std::string::npos) return text;
    if (starts_with_word(text, "size")) {
      const std::vector<std::string> made = repeated(items_of(text.substr(word + 4)), Place::plain);
      return made.empty() ? std::string() : fmt::format("  size {}", fmt::join(made, ","));
    }
    const bool input = starts_with_word(text, "input");
    if (starts_with_word(text, "require") || starts_with_word(text, "given") || input)
      for (const auto& [name, rank] : ranks_) {
        // A line about each axis; of an input, one whose name is an attribute.
        const std::size_t to = input                             ? text.find(':')
                               : starts_with_word(text, "given") ? text.find(':')
                                                                 : std::string::npos;
        const std::string head = text.substr(0, to);
        if (starts_with_word(text, "given") ? head.find('[') != std::string::npos || !mentions(text, name)
                                            : !mentions(head, name))
          continue;
        std::string out;
        for (int axis = 1; axis <= rank; ++axis) out += " " + trimmed(for_axis(text, name, axis));
        return out;
      }
    const bool side =
        starts_with_word(text, "left") || starts_with_word(text, "right") || starts_with_word(text, "given");
    const std::size_t head = side ? text.find(starts_with_word(text, "given") ? ':' : '=') : 0;
    if (input) return expand(text, Place::declaration);
    if (!side || head == std::string::npos) return expand(text, Place::body);
    return expand(text.substr(0, head), Place::head) + expand(text.substr(head), Place::body);
  }

 private:
  enum class Place { plain, declaration, head, body };

  std::vector<std::string> repeated(const std::vector<std::string>& items, Place place) const {
    std::vector<std::string> out;
    for (const std::string& item : items) {
      const std::string bare = trimmed(item);
      bool done = false;
      for (const auto& [name, rank] : ranks_) {
        if (bare == ".." + name) {
          for (int axis = 1; axis <= rank; ++axis)
            out.push_back(place == Place::declaration ? fmt::format("{}{}", name, axis)
                          : place == Place::head      ? fmt::format("{0}{1}_ < {0}{1}", name, axis)
                                                      : fmt::format("{}{}_", name, axis));
          done = true;
        } else if (mentions(item, name)) {
          for (int axis = 1; axis <= rank; ++axis) out.push_back(expand(for_axis(bare, name, axis), place));
          done = true;
        }
        if (done) break;
      }
      if (!done && (!bare.empty() || items.size() > 1)) out.push_back(expand(bare, place));
    }
    return out;
  }

  // Lists, all.c and sum.c in a text.
  std::string expand(const std::string& text, Place place) const {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '[') {
        const std::size_t end = behind_close(text, i);
        const std::string inside = text.substr(i + 1, end - i - 2);
        out += fmt::format("[{}]", fmt::join(repeated(items_of(inside), place), ", "));
        i = end - 1;
        continue;
      }
      // sum(..b): over all axes of the class.
      if (text[i] == '(' && text.compare(i, 3, "(..") == 0 && i > 0 && is_name(text[i - 1])) {
        const std::size_t close = behind_close(text, i);
        const auto rank = ranks_.find(text.substr(i + 3, close - i - 4));
        if (rank != ranks_.end()) {
          std::size_t begin = out.size();
          while (begin > 0 && is_name(out[begin - 1])) --begin;
          const std::string word = out.substr(begin);
          out.resize(begin);
          for (int axis = 1; axis <= rank->second; ++axis)
            out += fmt::format("{0}({1}{2}_ < {1}{2}) ", word, rank->first, axis);
          i = close - 1;
          continue;
        }
      }
      if (text[i] == '.' && i > 0 && is_name(text[i - 1])) {
        std::size_t end = i + 1;
        while (end < text.size() && is_name(text[end])) ++end;
        const auto rank = ranks_.find(text.substr(i + 1, end - i - 1));
        std::size_t begin = out.size();
        while (begin > 0 && is_name(out[begin - 1])) --begin;
        const std::string word = out.substr(begin);
        if (rank != ranks_.end() && end < text.size() && text[end] == '(') {
          const std::size_t close = behind_close(text, end);
          const std::string inside = text.substr(end + 1, close - end - 2);
          out.resize(begin);
          out += over_axes(word, inside, *rank, place);
          i = close - 1;
          continue;
        }
      }
      out += text[i];
    }
    return out;
  }

  std::string over_axes(const std::string& word, const std::string& inside,
                        const std::pair<const std::string, int>& rank, Place place) const {
    std::string out;
    if (word == "all" && rank.first == open_)
      return fmt::format("({}[if {} then 1 else 0])", truths_,
                         expand(for_axis(inside, rank.first, 1), place));
    if (word == "all") {
      if (rank.second == 0) return "true";
      for (int axis = 1; axis <= rank.second; ++axis)
        out += (axis > 1 ? " and (" : "((") + expand(for_axis(inside, rank.first, axis), place) + ")";
      return out + ")";
    }
    for (int axis = 1; axis <= rank.second; ++axis)
      out += word + "(" + expand(for_axis(inside, rank.first, axis), place) + ") ";
    return out;
  }

  const std::map<std::string, int>& ranks_;
  const std::string open_, truths_;
};

// Patterns of lists: which classes stand where. `places` gets "b" for ..b and "-" for anything else.
struct ListUse {
  std::string tensor, places;
  bool declared = false;
};

std::vector<ListUse> lists_of(const std::string& text, bool declares, const std::vector<AxisClass>& classes) {
  std::vector<ListUse> out;
  bool first = declares;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '[') continue;
    const std::size_t end = behind_close(text, i);
    const std::string inside = text.substr(i + 1, end - i - 2);
    ListUse use;
    use.declared = first;
    std::size_t begin = i;
    while (begin > 0 && is_name(text[begin - 1])) --begin;
    use.tensor = text.substr(begin, i - begin);
    for (const std::string& item : items_of(inside)) {
      const std::string bare = trimmed(item);
      if (bare.empty()) continue;
      std::string place = "-";
      for (const AxisClass& c : classes)
        if (bare == ".." + c.name)
          place = c.name;
        else if (mentions(bare, c.name))
          place = "." + c.name;
      use.places += place + " ";
      for (ListUse& nested : lists_of(bare, false, classes)) out.push_back(std::move(nested));
    }
    out.push_back(std::move(use));
    first = false;
    i = end - 1;
  }
  return out;
}

// The same places everywhere for each tensor, and of the two results.
bool consistent(const std::string& body, const std::vector<AxisClass>& classes) {
  std::map<std::string, std::string> inputs, places[2];
  std::string result[2], side_name;
  int side = -1;
  std::istringstream lines(body);
  for (std::string line; std::getline(lines, line);) {
    const bool left = starts_with_word(line, "left"), right = starts_with_word(line, "right"),
               input = starts_with_word(line, "input"), given = starts_with_word(line, "given");
    if (left || right) side = left ? 0 : 1;
    if (input || left || right) {
      const std::size_t colon = line.find(':'), equals = input ? line.size() : line.find('=');
      if (colon == std::string::npos || equals == std::string::npos || equals < colon) return false;
      std::string name = trimmed(line.substr(0, colon));
      const std::size_t keyword = name.find_first_of(" \t");
      if (keyword == std::string::npos) return false;
      name = trimmed(name.substr(keyword));
      const std::vector<ListUse> head = lists_of(line.substr(colon, equals - colon), true, classes);
      if (head.size() != 1) return false;
      if (input)
        inputs[name] = head[0].places;
      else {
        places[side][name] = head[0].places;
        result[side] = head[0].places;
      }
      if (input) continue;
      line = line.substr(equals);
    } else if (given) {
      // A given may only speak of what is read, at the index where it is read.
      const std::size_t colon = line.find(':');
      if (colon == std::string::npos || side >= 0) return false;
      line = line.substr(colon);
    } else if (side < 0) {
      continue;
    }
    for (const ListUse& use : lists_of(line, false, classes)) {
      const std::string* declared = nullptr;
      if (const auto outer = inputs.find(use.tensor); outer != inputs.end()) declared = &outer->second;
      if (side >= 0)
        if (const auto inner = places[side].find(use.tensor); inner != places[side].end())
          declared = &inner->second;
      if (declared == nullptr) return false;
      // Only where the classes stand has to agree.
      const auto untouched = [&](const std::string& p) {
        std::string out;
        std::istringstream in(p);
        for (std::string w; in >> w;) out += (w[0] == '.' ? "-" : w) + " ";
        return out;
      };
      std::string a = *declared, b = use.places;
      if (untouched(a) != untouched(b)) return false;
    }
  }
  return result[0] == result[1];
}

}  // namespace

std::vector<AxisClass> classes_of(const std::string& body) {
  std::vector<AxisClass> out;
  std::istringstream lines(body);
  for (std::string line; std::getline(lines, line);) {
    if (!starts_with_word(line, "class")) continue;
    std::string names = trimmed(line).substr(5);
    std::replace(names.begin(), names.end(), ',', ' ');
    std::istringstream in(names);
    for (std::string name; in >> name;) out.push_back({name});
  }
  if (out.empty()) return out;
  const bool places_agree = consistent(body, out);
  // Which of several axes an argmax means depends on their order, and so does what is found first.
  const auto over_a_set = [&](const std::string& name) {
    const std::string mark = "(.." + name + ")";
    for (std::size_t at = body.find(mark); at != std::string::npos; at = body.find(mark, at + 1)) {
      std::size_t begin = at;
      while (begin > 0 && is_name(body[begin - 1])) --begin;
      const std::string word = body.substr(begin, at - begin);
      if (word != "sum" && word != "prod" && word != "max" && word != "min" && word != "any" && word != "all")
        return false;
    }
    return true;
  };
  for (AxisClass& c : out) {
    c.attributes = mentions(body, c.name);
    c.opaque = places_agree && !c.attributes && over_a_set(c.name);
    c.summed = body.find("(.." + c.name + ")") != std::string::npos;
  }
  return out;
}

std::string with_ranks(const std::string& body, const std::map<std::string, int>& ranks) {
  const Expansion expansion(ranks);
  std::istringstream lines(body);
  std::string out;
  for (std::string line; std::getline(lines, line);)
    out += (ranks.empty() ? line : expansion.line(line)) + "\n";
  return out;
}

std::string with_conditions_open(const std::string& body, const std::vector<AxisClass>& classes,
                                 const std::string& name, const std::string& truths) {
  std::map<std::string, int> ones;
  for (const AxisClass& c : classes) ones[c.name] = 1;
  const Expansion expansion(ones, name, truths);
  std::istringstream lines(body);
  std::string out;
  for (std::string line; std::getline(lines, line);) out += expansion.line(line) + "\n";
  return out;
}

namespace {

// A reduction somewhere in the text, which is not a call of max(x, y).
bool has_reduction(const std::string& line, const std::string& name) {
  for (const char* word : {"sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "fold"})
    for (std::size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
      const std::size_t end = at + std::string(word).size();
      if (at > 0 && is_name(line[at - 1])) continue;
      if (std::string(word) == "all" && line.compare(end, name.size() + 2, "." + name + "(") == 0) continue;
      if (end < line.size() && line[end] == '.') return true;  // sum.c and its kin
      const std::size_t open = line.find_first_not_of(' ', end);
      if (open == std::string::npos || line[open] != '(') continue;
      const std::size_t less = line.find('<', open), comma = line.find(',', open),
                        close = behind_close(line, open);
      if (less < close && less < comma) return true;
    }
  return false;
}

// A list in `text`, which is repeated for each axis of the class, that reads elsewhere for each axis and
// along another class too: its reads are as many as there are axes, and they may differ on axes of the other
// class.
bool reads_for_each_axis(const std::string& text, const std::string& name,
                         const std::vector<AxisClass>& classes) {
  for (std::size_t i = text.find('['); i != std::string::npos; i = text.find('[', i + 1)) {
    const std::string inside = text.substr(i, behind_close(text, i) - i);
    const std::string own = "." + name;
    const bool is_own = i >= own.size() && text.compare(i - own.size(), own.size(), own) == 0;
    if (!is_own && mentions(inside, name) &&
        std::any_of(classes.begin(), classes.end(),
                    [&](const AxisClass& c) { return c.name != name && mentions(inside, c.name); }))
      return true;
  }
  return false;
}

}  // namespace

bool is_bounded(const std::string& body, const std::vector<AxisClass>& classes, const std::string& name) {
  if (!mentions(body, name) || body.find(".." + name) != std::string::npos) return false;
  std::istringstream lines(body);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find('=');
    if (starts_with_word(line, "left") || starts_with_word(line, "right"))
      line = equals == std::string::npos ? std::string() : line.substr(equals);
    else if (starts_with_word(line, "size") || starts_with_word(line, "require") ||
             starts_with_word(line, "input") || starts_with_word(line, "class") ||
             starts_with_word(line, "source") || starts_with_word(line, "degenerate")) {
      // Statements that follow on the same line would be looked at as little as these.
      std::istringstream words(line.substr(line.rfind('"') + 1));
      for (std::string word; words >> word;)
        if (word == "left" || word == "right" || word == "given") return false;
      continue;
    } else if (!mentions(line, name))
      continue;
    else if (starts_with_word(line, "given") && line.substr(0, line.find(':')).find('[') == std::string::npos)
      continue;  // a given about each axis
    else
      return false;  // a body of several lines, or a given about elements
    if (has_reduction(line, name)) return false;
    std::string rest;  // what stands outside of lists and all.NAME
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string mark = "all." + name + "(";
      if (line.compare(i, mark.size(), mark) == 0) {
        const std::size_t end = behind_close(line, i + mark.size() - 1);
        if (reads_for_each_axis(line.substr(i, end - i), name, classes)) return false;
        i = end - 1;
      } else if (line[i] == '[') {
        const std::size_t end = behind_close(line, i);
        const std::string list = line.substr(i + 1, end - i - 2);
        // A condition on all axes in what is repeated for each of them.
        if (list.find("all.") != std::string::npos) return false;
        for (const std::string& item : items_of(list))
          for (const AxisClass& c : classes)
            if (mentions(item, c.name) && reads_for_each_axis(item, c.name, classes)) return false;
        i = end - 1;
      } else {
        rest += line[i];
      }
    }
    if (mentions(rest, name)) return false;
  }
  return true;
}

}  // namespace hallmark::rules
