// Lists of summands made alike: constants added up, opposite guards joined, progressions made ranges.
#include <fmt/format.h>

#include <algorithm>

#include "validator/checks/sums_terms.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Op;
using calculus::Sort;
using calculus::Term;

SumMatcher::List SumMatcher::merged(const List& list, bool same_ranges, Steps steps) const {
  List out;
  std::vector<bool> used(list.size(), false);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (used[i]) continue;
    used[i] = true;
    const Term lane = calculus::variable(fmt::format("lane.{}", list[i].ranges.size()));
    std::vector<std::pair<Integer, std::size_t>> group{{Integer(0), i}};
    for (std::size_t j = i + 1; j < list.size(); ++j) {
      if (used[j] || (same_ranges && (list[j].ranges != list[i].ranges || list[j].guards != list[i].guards)))
        continue;
      Integer key = 0;
      if (!generalised(list[i], list[j], lane, key, steps) || key == 0) continue;
      if (std::any_of(group.begin(), group.end(), [&](const auto& g) { return g.first == key; })) continue;
      group.emplace_back(key, j);
    }
    std::sort(group.begin(), group.end());
    Integer ignored = 0;
    std::optional<Summand> whole;
    if (group.size() > 1)
      whole = generalised(list[group[0].second], list[group[1].second], lane, ignored, steps);
    bool ok = whole.has_value();
    for (std::size_t n = 0; n < group.size() && ok; ++n)
      ok = same_summand(substituted(*whole, {{lane, calculus::integer(static_cast<long>(n))}}),
                        list[group[n].second]);
    if (!ok) {
      out.push_back(list[i]);
      continue;
    }
    for (const auto& [key, index] : group) used[index] = true;
    whole->ranges.insert(whole->ranges.begin(), {lane, calculus::integer(static_cast<long>(group.size()))});
    out.push_back(renamed(*whole, name("sum")));
  }
  return out;
}

// Modulo 2^width, to the representative nearest 0.
void SumMatcher::reduce_coefficient(Summand& s) const {
  if (!integers_ || width_ == 0 || s.coefficient.get_den() != 1) return;
  Integer c = floor_mod(s.coefficient.get_num(), power_of_two(width_));
  if (c > power_of_two(width_ - 1)) c -= power_of_two(width_);
  s.coefficient = Rational(c);
}

constexpr std::size_t many = 24;

void SumMatcher::clean(List& list, const Scope& scope, bool idempotent) {
  // Of many lanes in progression one question is enough whether they are empty. Sums need theirs apart: parts
  // of lanes that are empty cancel.
  if (idempotent && list.size() > many) {
    for (Summand& s : list) {
      std::sort(s.factors.begin(), s.factors.end(), calculus::TermLess{});
      s = renamed(s, name("sum"));
    }
    add_like_terms(list, idempotent);
    list = merged(merged(list, true), false);
  }
  List out;
  for (Summand& s : list) {
    reduce_coefficient(s);
    if (s.coefficient == 0) continue;
    std::vector<Term> guards;
    for (Term g : s.guards)
      if (g != calculus::truth(true) && !scope->knows(g) &&
          std::find(guards.begin(), guards.end(), g) == guards.end())
        guards.push_back(g);
    s.guards = guards;
    std::sort(s.factors.begin(), s.factors.end(), calculus::TermLess{});
    const Scope here = inside(scope, s);
    if (here->contradictory()) continue;
    // Stated without them as hypotheses: a claim from contradictory hypotheses is worth nothing.
    std::vector<Term> facts = s.guards;
    for (const auto& [variable, extent] : s.ranges) facts.push_back(calculus::in_range(variable, extent));
    if (!facts.empty() && prover_.rely(scope, calculus::negation(calculus::conjunction(facts)))) continue;
    out.push_back(renamed(s, name("sum")));
  }
  add_like_terms(out, idempotent);
  join_opposites(out);
  out = merged(merged(out, true), false);
  drop_implied_guards(out, scope);
  join_opposites(out);
  list = merged(merged(out, true), false);
  if (list.size() == out.size()) return;
  drop_implied_guards(list, scope);
  join_opposites(list);
  list = merged(list, false);
}

// a*s + b*s = (a + b)*s for summands over the same ranges, under the same guards; max(s, s) = s.
void SumMatcher::add_like_terms(List& list, bool idempotent) const {
  List out;
  for (Summand& s : list) {
    std::sort(s.factors.begin(), s.factors.end(), calculus::TermLess{});
    const auto same = std::find_if(out.begin(), out.end(), [&](const Summand& o) {
      return o.ranges == s.ranges && o.guards == s.guards && o.factors == s.factors &&
             (!idempotent || o.coefficient == s.coefficient);
    });
    if (same == out.end()) {
      out.push_back(s);
    } else if (!idempotent) {
      same->coefficient += s.coefficient;
      reduce_coefficient(*same);
    }
  }
  std::erase_if(out, [](const Summand& s) { return s.coefficient == 0; });
  list = std::move(out);
}

// Two summands that differ in one guard and its opposite are one without it.
void SumMatcher::join_opposites(List& list) {
  if (list.size() > 1000) return;
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t i = 0; i < list.size() && !progress; ++i)
      for (std::size_t j = i + 1; j < list.size() && !progress; ++j) {
        const Summand &a = list[i], &b = list[j];
        if (a.guards.size() != b.guards.size() || a.ranges != b.ranges || a.coefficient != b.coefficient ||
            a.factors != b.factors)
          continue;
        std::vector<Term> common;
        Term odd = nullptr;
        std::size_t different = 0;
        for (Term g : a.guards) {
          if (std::find(b.guards.begin(), b.guards.end(), g) != b.guards.end())
            common.push_back(g);
          else
            odd = g, ++different;
        }
        if (different != 1 || common.size() + 1 != b.guards.size() ||
            std::find(b.guards.begin(), b.guards.end(), calculus::negation(odd)) == b.guards.end())
          continue;
        list[i].guards = common;
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(j));
        progress = true;
      }
  }
}

// A summand that is the same at every point of a range is taken as many times as the range is long. Whether
// there is one.
bool SumMatcher::weigh(List& list, const Scope& scope) {
  bool some = false;
  List out;
  for (List work = list; !work.empty();) {
    Summand s = work.back();
    work.pop_back();
    const auto idle = std::find_if(s.ranges.begin(), s.ranges.end(), [&](const auto& range) {
      Summand rest = s;
      std::erase_if(rest.ranges, [&](const auto& r) { return r.first == range.first; });
      return !mentions(rest, range.first) &&
             prover_.rely(inside(scope, rest), calculus::at_most(calculus::integer(0), range.second));
    });
    if (idle == s.ranges.end()) {
      out.push_back(s);
      continue;
    }
    some = true;
    const Term extent = idle->second;
    s.ranges.erase(idle);
    for (const calculus::Monomial& m : calculus::monomials(extent)) {
      Summand part = s;
      part.coefficient *= Rational(m.coefficient);
      if (m.product != nullptr) part.factors.push_back(calculus::from_index(m.product, Sort::real()));
      work.push_back(part);
    }
  }
  if (!some) return false;
  for (Summand& s : out) s = renamed(s, name("sum"));
  add_like_terms(out, false);
  list = std::move(out);
  return true;
}

void SumMatcher::drop_implied_guards(List& list, const Scope& scope) {
  if (list.size() > 64) return;
  for (Summand& s : list)
    for (std::size_t i = s.guards.size(); i-- > 0;) {
      Summand without = s;
      without.guards.erase(without.guards.begin() + static_cast<std::ptrdiff_t>(i));
      if (prover_.rely(inside(scope, without), s.guards[i])) s = without;
    }
}

}  // namespace hallmark::validator
