#include "rules/rule_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <unordered_map>

#include "base/error.h"
#include "base/files.h"
#include "calculus/text/operation_text.h"
#include "calculus/text/reader.h"
#include "rules/rule_lines.h"
#include "rules/whole.h"

namespace hallmark::rules {
namespace {

using namespace calculus;
using text::Scope;
using text::Token;
using text::Wanted;

constexpr int largest_rank = 3;  // of the classes of an instance together, where nothing else is needed
// Of one rule: more than anybody writes, and little enough to be tried in all orders.
constexpr std::size_t most_sizes = 64, most_tensors = 256, most_axes = 32;
constexpr double most_operations = 10000;  // of a side, its definitions put in
constexpr int largest_bound = 5;           // of a class whose bounded argument is used

struct Chunk {
  std::string name;
  std::size_t line = 0;   // of `rule NAME`, 1-based
  std::string body;       // the lines after it
  std::size_t lines = 0;  // of the body
};

[[noreturn]] void fail(const std::string& code, const std::string& message, const std::string& file,
                       std::size_t line, std::string_view source) {
  throw UserError(code, message, {file, line, 1, {}}, line_of(source, line));
}

std::vector<Chunk> split(std::string_view source, const std::string& file) {
  std::vector<Chunk> out;
  std::set<std::string> names;
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
      if (!names.insert(name).second) fail("E2111", "a rule of this name stands above", file, number, source);
      out.push_back({name, number, {}, 0});
    } else if (out.empty()) {
      fail("E2110", "`rule NAME` was expected", file, number, source);
    } else {
      // Blank lines keep the line numbers of errors right.
      Chunk& chunk = out.back();
      for (; chunk.line + chunk.lines + 1 < number; ++chunk.lines) chunk.body += '\n';
      ++chunk.lines;
      chunk.body += line.substr(0, line.find('#')) + "\n";
    }
  }
  if (!version) fail("E1105", "a rule file begins with `hallmark 1`", file, 1, source);
  if (out.empty()) fail("E2110", "the file has no rule", file, number, source);
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
        within(rule_.symbols.size(), most_sizes, name, "sizes");
      } while (reader_.take(","));
    } else if (reader_.take_word("require")) {
      rule_.requirements.push_back(reader_.term(scope_, Wanted::boolean));
    } else if (reader_.take_word("degenerate")) {
      rule_.degenerate = true;
    } else if (reader_.take_word("unbounded")) {
      rule_.unbounded = true;
    } else if (reader_.take_word("given")) {
      given();
    } else if (reader_.take_word("operator")) {
      custom_operator();
    } else if (reader_.take_word("input")) {
      const Token at = reader_.here();
      rule_.tensors.push_back(reader_.declaration(scope_));
      within(rule_.tensors.size(), most_tensors, at, "inputs");
      within(rule_.tensors.back().extents.size(), most_axes, at, "axes");
    } else if (reader_.take_word("left")) {
      if (left_scope_.tensors.empty()) left_scope_ = scope_;
      rule_.left.push_back(definition(left_scope_));
    } else if (reader_.take_word("right")) {
      if (right_scope_.tensors.empty()) right_scope_ = scope_;
      rule_.right.push_back(definition(right_scope_));
    } else {
      reader_.expected(
          "source, size, class, operator, require, degenerate, unbounded, input, given, left or right");
    }
  }

  void within(std::size_t count, std::size_t most, const Token& at, std::string_view what) const {
    if (count > most) reader_.fail(at, fmt::format("at most {} {} were expected", most, what));
  }

  // "operator f(real, real) : real commutative associative".
  void custom_operator() {
    const Token name = reader_.name("the name of an operator");
    if (text::is_built_in(name.text))
      reader_.source().fail("E1102", name, "this is an operation of the calculus, of which more is known");
    CustomOperator out{name.text, 0, false, false};
    const auto real = [&] {
      const Token at = reader_.here();
      if (reader_.sort() != Sort::real()) reader_.fail(at, "custom operators are on `real` alone");
    };
    reader_.expect("(");
    do {
      real();
      ++out.arity;
    } while (reader_.take(","));
    reader_.expect(")");
    reader_.expect(":");
    real();
    const Token law = reader_.here();
    for (;;) {
      if (reader_.take_word("commutative"))
        out.commutative = true;
      else if (reader_.take_word("associative"))
        out.associative = true;
      else
        break;
    }
    if ((out.commutative || out.associative) && out.arity != 2)
      reader_.fail(law, "a commutative or associative operator has two operands");
    if (!scope_.functions
             .emplace(name.text, text::FunctionType{std::vector<Sort>(out.arity, Sort::real()), Sort::real()})
             .second)
      reader_.source().fail("E1102", name, "an operator of this name stands above");
    rule_.operators.push_back(std::move(out));
  }

  // "given [i < N, j < M] : condition" or "given : condition".
  void given() {
    Scope inside = scope_;
    Given out;
    if (reader_.take("[")) axes(inside, scope_, out.extents);
    reader_.expect(":");
    out.body = reader_.term(inside, Wanted::boolean);
    rule_.givens.push_back(std::move(out));
  }

  // NAME < extent, ... "]"; their names go into `inside`.
  std::vector<std::string> axes(Scope& inside, const Scope& outside, std::vector<Term>& extents) {
    std::vector<std::string> names;
    while (!reader_.take("]")) {
      if (!names.empty()) reader_.expect(",");
      const Token axis_name = reader_.name("the name of an axis");
      reader_.add_name(inside, axis_name, axis(static_cast<int>(names.size())));
      reader_.expect("<");
      names.push_back(axis_name.text);
      extents.push_back(reader_.sum(outside));
    }
    return names;
  }

  Definition definition(Scope& scope) {
    Scope inside = scope;
    const Token name = reader_.name("the name of a tensor");
    reader_.expect(":");
    Definition out;
    out.declaration = {name.text, reader_.format(), {}};
    reader_.expect("[");
    out.axis_names = axes(inside, scope, out.declaration.extents);
    within(out.axis_names.size(), most_axes, name, "axes");
    within(std::max(rule_.left.size(), rule_.right.size()), most_tensors, name, "definitions");
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

// What a term asks of a class and reads, for the bounded argument.
struct Asked {
  std::set<Term> conditions;                    // elements of `truths`
  std::map<std::string, std::set<Term>> reads;  // by tensor
  std::set<Term> deciding;                      // reads that a condition or an index depends on
};

Asked asked_of(Term term, const std::string& truths) {
  Asked out;
  const auto decide = [&](Term t) {
    for_each_node(t, [&](Term n) {
      if (n->kind == Kind::load && n->name != truths) out.deciding.insert(n);
    });
  };
  for_each_node(term, [&](Term n) {
    if (n->kind == Kind::select || n->kind == Kind::index_select) decide(n->children[0]);
    if (n->kind != Kind::load) return;
    for (Term index : n->children) decide(index);
    if (n->name == truths)
      out.conditions.insert(n);
    else
      out.reads[n->name].insert(n);
  });
  return out;
}

int pairs(std::size_t n) {
  return static_cast<int>(n * (n - std::min<std::size_t>(n, 1)) / 2);
}

// The bounded argument (classes.h) for a class: how many ranks above 0 are to be proved, from the instance of
// rank 1 with the class' conditions open; -1 when it does not apply.
int bound_of(const Rule& open, const std::string& truths) {
  int out = 1;
  Asked both;
  for (const auto* side : {&open.left, &open.right})
    for (const Definition& d : *side) {
      const bool is_result = &d == &side->back();
      const Term body = inline_all(d.body, *side);
      bool plain = !is_result || body->sort != Sort::boolean();
      for_each_node(body, [&](Term n) {
        plain = plain && n->kind != Kind::fold;
        if (n->kind == Kind::load && n->name != truths) plain = plain && n->sort != Sort::boolean();
      });
      if (!plain) return -1;
      const Asked here = asked_of(body, truths);
      // A read that is out of bounds happens under these conditions, on one axis.
      std::map<std::string, std::size_t> deciding;
      for (Term read : here.deciding) ++deciding[read->name];
      int outside = static_cast<int>(here.conditions.size()) + 1;
      for (const auto& [name, number] : deciding) outside += pairs(number);
      out = std::max(out, outside);
      if (!is_result) continue;
      both.conditions.insert(here.conditions.begin(), here.conditions.end());
      for (const auto& [name, of] : here.reads) both.reads[name].insert(of.begin(), of.end());
    }
  int differs = static_cast<int>(both.conditions.size());
  for (const auto& [name, of] : both.reads) differs += pairs(of.size());
  return std::max(out, differs);
}

class FamilyReader {
 public:
  FamilyReader(const Chunk& chunk, const std::string& file) : chunk_(chunk), file_(file) {
    family_.name = chunk.name;
    family_.text = "rule " + chunk.name + "\n" + chunk.body;
    family_.where = {file, chunk.line, 1, {}};
    family_.classes = classes_of(chunk.body);
    if (family_.classes.size() > 4)
      throw UserError("E2110", "a rule has at most four classes", family_.where);
  }

  RuleFamily run() {
    const std::size_t n = family_.classes.size();
    bounds_.assign(n, largest_rank);
    family_.proved_ranks.assign(n, largest_rank);
    for (std::size_t c = 0; c < n; ++c) {
      if (family_.classes[c].opaque) {
        const bool summed = family_.classes[c].summed;
        family_.proved_ranks[c] = summed ? 1 : 0;
        family_.arguments.push_back(
            fmt::format("class {} at any rank: it is untouched, so rank {} stands for every rank",
                        family_.classes[c].name, summed ? 1 : 0));
        continue;
      }
      const int bound = bound_for(family_.classes[c].name);
      if (bound < 0 || bound > largest_bound) {
        family_.arguments.push_back(
            fmt::format("class {} at ranks 0 to {} only", family_.classes[c].name, largest_rank));
        continue;
      }
      bounds_[c] = family_.proved_ranks[c] = bound;
      family_.arguments.push_back(fmt::format(
          "class {} at any rank: a counterexample needs at most {} axes, and ranks 0 to {} are proved",
          family_.classes[c].name, bound, bound));
    }
    std::vector<int> ranks(n, 0);
    while (true) {
      int opaque = 0;
      for (std::size_t c = 0; c < n; ++c) opaque += family_.classes[c].opaque ? ranks[c] : 0;
      if (opaque <= largest_rank) {
        family_.instances.push_back(instance(ranks));
        family_.ranks.push_back(ranks);
      }
      std::size_t c = 0;
      while (c < n && ranks[c] == bounds_[c]) ranks[c++] = 0;
      if (c == n) break;
      ++ranks[c];
    }
    family_.source = family_.instances.front().source;
    return std::move(family_);
  }

 private:
  // Operations of a side with its definitions put in, each as often as it is read: what the argument is
  // about. A chain of definitions that read the one before twice has more than anybody can look at.
  double written_out(const std::vector<Definition>& side) const {
    std::map<std::string, double> sizes;
    double last = 0;
    for (const Definition& d : side) {
      std::unordered_map<Term, double> known;
      for_each_node(d.body, [&](Term n) {
        const auto of = n->kind == Kind::load ? sizes.find(n->name) : sizes.end();
        double size = of == sizes.end() ? 1 : 1 + of->second;
        for (Term child : n->children) size += known.at(child);
        known.emplace(n, size);
      });
      last = sizes[d.declaration.name] = known.at(d.body);
    }
    return last;
  }

  // An error in an instance is shown in the line as it was written.
  Rule read(const std::string& body, const std::vector<std::string>& sizes) const {
    try {
      return RuleReader(body, chunk_.line, file_).run(sizes);
    } catch (const UserError& error) {
      Location where = error.where();
      if (where.line <= chunk_.line || where.file != file_) throw;
      const std::string written = line_of(chunk_.body, where.line - chunk_.line);
      if (written == error.source_line() || error.source_line().empty()) throw;
      where.column = column_as_written(error.source_line(), where.column, written);
      throw UserError(error.code(), error.message(), where, written);
    }
  }

  // Where the word at a column of an instance's line stands in the line that the instance was made of.
  static std::size_t column_as_written(const std::string& instance, std::size_t column,
                                       const std::string& written) {
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    const std::size_t begin = column - 1;
    if (begin >= instance.size()) return written.size() + 1;
    std::size_t end = begin;
    while (end < instance.size() && is_word(instance[end])) ++end;
    const std::string word = instance.substr(begin, std::max<std::size_t>(end - begin, 1));
    // Whole words alone: `x` is not the x of `exp`.
    const auto places = [&](const std::string& line) {
      std::vector<std::size_t> out;
      for (std::size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
        const std::size_t after = at + word.size();
        const bool whole = !is_word(word[0]) || ((at == 0 || !is_word(line[at - 1])) &&
                                                 (after >= line.size() || !is_word(line[after])));
        if (whole) out.push_back(at);
      }
      return out;
    };
    const std::vector<std::size_t> here = places(instance), there = places(written);
    const auto at = std::find(here.begin(), here.end(), begin);
    const auto number = static_cast<std::size_t>(at - here.begin());
    // A list is written once and stands there for each axis: the last place is as good as any.
    if (at == here.end() || there.empty())
      return std::max<std::size_t>(written.find_first_not_of(' ') + 1, 1);
    return there[std::min(number, there.size() - 1)] + 1;
  }

  // Of the axes of classes without attributes, which no line names.
  std::vector<std::string> sizes_of(const std::vector<int>& ranks) const {
    std::vector<std::string> out;
    for (std::size_t c = 0; c < ranks.size(); ++c) {
      const AxisClass& axes = family_.classes[c];
      if (axes.attributes) continue;
      for (int r = 1; r <= ranks[c]; ++r) out.push_back(fmt::format("{}{}", axes.name, r));
    }
    return out;
  }

  // By the bounded argument; -1 when it does not apply.
  int bound_for(const std::string& name) const {
    if (!is_bounded(chunk_.body, family_.classes, name)) return -1;
    std::string truths = "holds_on_every_axis";
    while (chunk_.body.find(truths) != std::string::npos) truths += "_";
    const std::vector<int> ones(family_.classes.size(), 1);
    Rule open;
    try {
      open = read("input " + truths + " : bool[2] " +
                      with_conditions_open(chunk_.body, family_.classes, name, truths),
                  sizes_of(ones));
    } catch (const UserError&) {
      return -1;  // what is wrong with the rule is said of its instances
    }
    if (written_out(open.left) > most_operations || written_out(open.right) > most_operations) return -1;
    return bound_of(open, truths);
  }

  Rule instance(const std::vector<int>& ranks) const {
    std::map<std::string, int> by_name;
    std::string suffix;
    for (std::size_t c = 0; c < ranks.size(); ++c) {
      by_name[family_.classes[c].name] = ranks[c];
      suffix += (c == 0 ? "@" : ",") + std::to_string(ranks[c]);
    }
    Rule rule = read(with_ranks(chunk_.body, by_name), sizes_of(ranks));
    rule.name = chunk_.name + suffix;
    rule.text = family_.text;
    for (const auto* side : {&rule.left, &rule.right})
      if (written_out(*side) > most_operations)
        throw UserError(
            "E1104",
            fmt::format("a side of the rule {} has more than {} operations where its definitions are put in; "
                        "a rule of fewer was expected",
                        chunk_.name, most_operations),
            family_.where);
    if (rule.unbounded) {
      try {
        over_whole_numbers(rule);
      } catch (const Refusal& refusal) {
        throw UserError(refusal.code(), refusal.message(), family_.where);
      }
    }
    return rule;
  }

  const Chunk& chunk_;
  const std::string& file_;
  RuleFamily family_;
  std::vector<int> bounds_;
};

}  // namespace

std::vector<RuleFamily> parse_rules(std::string_view source, const std::string& file) {
  std::vector<RuleFamily> out;
  for (const Chunk& chunk : split(source, file)) out.push_back(FamilyReader(chunk, file).run());
  return out;
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

namespace {

std::vector<std::string> rule_files(const std::string& folder, bool below) {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  const auto take = [&](const fs::directory_entry& entry) {
    if (entry.is_regular_file() && entry.path().extension() == ".hm") out.push_back(entry.path().string());
  };
  if (below)
    for (const auto& entry : fs::recursive_directory_iterator(folder)) take(entry);
  else
    for (const auto& entry : fs::directory_iterator(folder)) take(entry);
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<RuleFamily> load(const std::vector<std::string>& paths, bool below) {
  std::vector<RuleFamily> out;
  std::set<std::string> names;
  for (const std::string& path : paths) {
    const std::vector<std::string> files =
        std::filesystem::is_directory(path) ? rule_files(path, below) : std::vector<std::string>{path};
    for (const std::string& file : files)
      for (RuleFamily& family : parse_rules(read_file(file), file)) {
        if (!names.insert(family.name).second)
          throw UserError("E2111", "a rule named " + family.name + " was loaded before", family.where);
        out.push_back(std::move(family));
      }
  }
  return out;
}

}  // namespace

std::vector<RuleFamily> load_rules(const std::vector<std::string>& paths) {
  return load(paths, false);
}
std::vector<RuleFamily> load_library(const std::vector<std::string>& paths) {
  return load(paths, true);
}

}  // namespace hallmark::rules
