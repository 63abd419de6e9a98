#include "rules/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "rules/rule_lines.h"

namespace hallmark::rules {

using namespace calculus;

const Rule& instance_with_one_axis_each(const RuleFamily& family) {
  for (std::size_t i = 0; i < family.instances.size(); ++i)
    if (std::all_of(family.ranks[i].begin(), family.ranks[i].end(), [](int r) { return r == 1; }))
      return family.instances[i];
  return family.instances.back();
}

namespace {

std::vector<std::string> lines_with(const std::string& text, std::string_view word) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (starts_with_word(line, word)) out.push_back(trimmed(line));
  return out;
}

ConditionReport judged(const Rule& without, std::string text, smt::Portfolio& portfolio) {
  ConditionReport out;
  out.text = std::move(text);
  // Few instances first, since most conditions are missed at once; all of them where nothing is proved.
  RefuteLimits few, all;
  few.evaluations = all.evaluations / 10;
  all.undefined_differs = true;
  std::optional<Witness> witness = try_instances(without, few).witness;
  if (!witness) {
    if (prove_instance(without, portfolio).outcome.state == State::proved) {
      out.need = Need::redundant;
      return out;
    }
    witness = try_instances(without, all).witness;
  }
  if (witness) {
    out.need = Need::needed;
    out.witness = std::move(witness);
  }
  return out;
}

struct Candidate {
  std::string text;
  Rule rule;
};

std::vector<Candidate> candidates(const Rule& rule) {
  std::vector<Candidate> out;
  const auto require = [&](const std::string& text, Term condition) {
    Rule with = rule;
    with.requirements.push_back(condition);
    out.push_back({"require " + text, std::move(with)});
  };
  for (const SymbolRange& s : rule.symbols) {
    const Term a = symbol(s.name);
    for (long n : {0L, 1L}) require(fmt::format("{} = {}", s.name, n), equal(a, integer(n)));
    if (s.low < 1) require(s.name + " >= 1", at_most(integer(1L), a));
  }
  for (const SymbolRange& s : rule.symbols)
    for (const SymbolRange& t : rule.symbols) {
      if (s.name == t.name) continue;
      if (s.name < t.name) require(s.name + " = " + t.name, equal(symbol(s.name), symbol(t.name)));
      require(s.name + " <= " + t.name, at_most(symbol(s.name), symbol(t.name)));
    }
  for (const Declaration& t : rule.tensors) {
    if (!is_float(t.format)) continue;
    std::vector<Term> axes;
    std::vector<std::string> names;
    for (std::size_t d = 0; d < t.extents.size(); ++d) {
      axes.push_back(axis(static_cast<int>(d)));
      names.push_back(fmt::format("i{}", d));
    }
    const Term element = load(t.name, axes, exact_sort(t.format)), zero = real_constant(0);
    const auto give = [&](const char* text, Term body) {
      Rule with = rule;
      with.givens.push_back({t.extents, body});
      out.push_back({fmt::format("given {}[{}] {}, everywhere", t.name, fmt::join(names, ", "), text),
                     std::move(with)});
    };
    give(">= 0", compare(Op::le, zero, element));
    give("> 0", compare(Op::lt, zero, element));
    give("!= 0", negation(compare(Op::eq, element, zero)));
  }
  return out;
}

}  // namespace

std::vector<ConditionReport> examine_conditions(const RuleFamily& family, smt::Portfolio& portfolio,
                                                Examined examined) {
  const Rule& rule = instance_with_one_axis_each(family);
  std::vector<ConditionReport> out;
  const std::vector<std::string> requires_lines = lines_with(family.text, "require"),
                                 given_lines = lines_with(family.text, "given");
  // Each conjunct by itself; of a line with several of them the one that is meant is printed.
  const auto each_conjunct = [&](Term condition, const std::string& line, const auto& without_it) {
    const std::vector<Term> parts =
        condition->kind == Kind::conjunction ? condition->children : std::vector<Term>{condition};
    for (std::size_t k = 0; k < parts.size(); ++k) {
      std::vector<Term> rest = parts;
      rest.erase(rest.begin() + static_cast<long>(k));
      out.push_back(
          judged(without_it(conjunction(rest)),
                 parts.size() == 1 ? line : fmt::format("{}: its part {}", line, text_in(rule, parts[k])),
                 portfolio));
    }
  };
  const auto line_of = [](const std::vector<std::string>& lines, std::size_t count, std::size_t i,
                          const char* word) {
    return lines.size() == count ? lines[i] : fmt::format("{} {}", word, i + 1);
  };
  for (std::size_t i = 0; i < rule.requirements.size(); ++i)
    each_conjunct(rule.requirements[i], line_of(requires_lines, rule.requirements.size(), i, "require"),
                  [&](Term rest) {
                    Rule without = rule;
                    without.requirements[i] = rest;
                    return without;
                  });
  for (std::size_t i = 0; i < rule.givens.size(); ++i)
    each_conjunct(rule.givens[i].body, line_of(given_lines, rule.givens.size(), i, "given"), [&](Term rest) {
      Rule without = rule;
      without.givens[i].body = rest;
      return without;
    });
  for (std::size_t i = 0; i < rule.symbols.size() && examined == Examined::all; ++i) {
    const SymbolRange& size = rule.symbols[i];
    Rule without = rule;
    if (size.low > 0) {
      without.symbols[i].low = 0;
      out.push_back(judged(without, fmt::format("size {} >= {}", size.name, size.low.get_str()), portfolio));
      without.symbols[i].low = size.low;
    }
    if (!size.high) continue;
    without.symbols[i].high.reset();
    out.push_back(judged(without, fmt::format("size {} <= {}", size.name, size.high->get_str()), portfolio));
  }
  return out;
}

std::vector<std::string> suggest_conditions(const RuleFamily& family, smt::Portfolio& portfolio,
                                            std::size_t most) {
  std::vector<std::string> out;
  RefuteLimits limits;
  limits.evaluations = 600;
  for (const Candidate& c : candidates(instance_with_one_axis_each(family))) {
    if (out.size() == most) break;
    const Trials trials = try_instances(c.rule, limits);
    if (trials.witness || trials.instances < 10) continue;
    if (prove_instance(c.rule, portfolio).outcome.state == State::proved) out.push_back(c.text);
  }
  return out;
}

}  // namespace hallmark::rules
