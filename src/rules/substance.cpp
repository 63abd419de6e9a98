#include "rules/substance.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "rules/conditions.h"
#include "rules/encode.h"
#include "rules/rule_lines.h"

namespace hallmark::rules {
namespace {

using namespace calculus;

// A side as written, without white space and the word before each definition.
std::string side_text(const std::string& text, std::string_view word) {
  std::string out;
  bool inside = false;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::string bare = trimmed(line);
    const bool starts = starts_with_word(bare, word);
    if (starts_with_word(bare, "left") || starts_with_word(bare, "right")) inside = starts;
    if (!inside) continue;
    for (char c : starts ? bare.substr(word.size()) : bare)
      if (c != ' ' && c != '\t') out += c;
    out += '\n';
  }
  return out;
}

// Extents that the sizes decide, of what the rule reads and of its left side.
std::vector<Term> open_extents(const Rule& rule) {
  std::vector<Term> out;
  const auto take = [&](const std::vector<Term>& extents) {
    for (Term e : extents)
      if (as_integer(e) == nullptr && std::find(out.begin(), out.end(), e) == out.end()) out.push_back(e);
  };
  for (const Declaration& t : rule.tensors) take(t.extents);
  for (const Definition& d : rule.left) take(d.declaration.extents);
  return out;
}

class Search {
 public:
  Search(const Rule& rule, std::vector<Term> wanted) : rule_(rule), wanted_(std::move(wanted)) {}

  bool finds() {
    for (long sum = 0; sum <= 24 && left_ > 0; ++sum)
      if (visit(0, sum)) return true;
    return false;
  }

 private:
  bool visit(std::size_t at, long rest) {
    if (at == rule_.symbols.size()) return rest == 0 && holds();
    const SymbolRange& s = rule_.symbols[at];
    for (long step = 0; step <= rest && left_ > 0; ++step) {
      if (s.high && s.low + step > *s.high) break;
      values_[symbol(s.name)] = integer(Integer(s.low + step));
      if (visit(at + 1, rest - step)) return true;
    }
    return false;
  }

  bool holds() {
    --left_;
    return std::all_of(wanted_.begin(), wanted_.end(),
                       [&](Term t) { return substitute(t, values_) == truth(true); });
  }

  const Rule& rule_;
  std::vector<Term> wanted_;
  Substitution values_;
  int left_ = 20000;
};

bool has_full_sizes(const Rule& rule, smt::Portfolio& portfolio) {
  std::vector<Term> wanted = rule.requirements;
  for (Term e : open_extents(rule)) wanted.push_back(at_most(integer(2L), e));
  if (Search(rule, wanted).finds()) return true;
  smt::Arena arena;
  Encoder encoder(arena);
  smt::Query query;
  for (const SymbolRange& s : rule.symbols) {
    query.hypotheses.push_back({"", encoder.encode(at_most(integer(s.low), symbol(s.name)))});
    if (s.high) query.hypotheses.push_back({"", encoder.encode(at_most(symbol(s.name), integer(*s.high)))});
  }
  for (Term t : wanted) query.hypotheses.push_back({"", encoder.encode(t)});
  query.goal = encoder.encode(truth(false));
  return portfolio.probe(query).is_sat();
}

}  // namespace

std::string without_substance(const RuleFamily& family, smt::Portfolio& portfolio) {
  if (side_text(family.text, "left") == side_text(family.text, "right"))
    return "both sides are written alike";
  if (instance_with_one_axis_each(family).degenerate ||
      has_full_sizes(instance_with_one_axis_each(family), portfolio))
    return {};
  return "no sizes with every extent at least 2 meet the requirements; a rule that is about smaller ones "
         "says "
         "`degenerate`";
}

std::string conditions_text(const RuleFamily& family, smt::Portfolio& portfolio) {
  int needed = 0;
  std::vector<std::string> redundant, undecided;
  for (const ConditionReport& c : examine_conditions(family, portfolio, Examined::conjuncts)) {
    if (c.need == Need::needed) ++needed;
    if (c.need == Need::redundant) redundant.push_back(c.text);
    if (c.need == Need::undecided) undecided.push_back(c.text);
  }
  if (needed == 0 && redundant.empty() && undecided.empty()) return {};
  std::string out = fmt::format("conditions: {} needed", needed);
  if (!redundant.empty()) out += fmt::format(", redundant: {}", fmt::join(redundant, "; "));
  if (!undecided.empty()) out += fmt::format(", undecided: {}", fmt::join(undecided, "; "));
  return out;
}

}  // namespace hallmark::rules
