// Lists of summands made alike: constants added up, opposite guards joined, progressions made ranges.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "validator/checks/match.h"
#include "validator/checks/sums_terms.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Op;
using calculus::Sort;
using calculus::Term;

namespace {

// Lists of lanes are searched by content.
using Content = std::vector<Term>;

Content content_of(const Summand& s) {
  Content out = s.factors;
  out.push_back(nullptr);
  out.insert(out.end(), s.guards.begin(), s.guards.end());
  for (const auto& [variable, extent] : s.ranges) {
    out.push_back(nullptr);
    out.push_back(variable);
    out.push_back(extent);
  }
  return out;
}

// Whether two summands may differ in numbers alone.
bool alike(const Summand& a, const Summand& b) {
  const auto same_kind = [](Term x, Term y) {
    return x->kind == y->kind && x->op == y->op && x->name == y->name;
  };
  return a.coefficient == b.coefficient && a.ranges.size() == b.ranges.size() &&
         a.guards.size() == b.guards.size() &&
         std::equal(a.factors.begin(), a.factors.end(), b.factors.begin(), b.factors.end(), same_kind);
}

// Summands in progression: what they are over a lane, where the first has lane 0.
struct Progression {
  Summand whole;
  std::vector<std::size_t> members;
};

class Progressions {
 public:
  Progressions(const std::vector<Summand>& list, const std::vector<bool>& used) : list_(list), used_(used) {
    for (std::size_t i = 0; i < list.size(); ++i) places_[content_of(list[i])].push_back(i);
  }

  // The longest one through a summand and another that is one step away from it.
  Progression through(std::size_t first, const Summand& whole, Term lane) const {
    Progression out{whole, {first}};
    std::set<std::size_t> taken{first};
    const auto extend = [&](long step) {
      std::vector<std::size_t> found;
      for (long n = step;; n += step) {
        const auto place = at(first, whole, lane, n, taken);
        if (!place) return found;
        taken.insert(*place);
        found.push_back(*place);
      }
    };
    const std::vector<std::size_t> after = extend(1), before = extend(-1);
    out.members.assign(before.rbegin(), before.rend());
    out.members.push_back(first);
    out.members.insert(out.members.end(), after.begin(), after.end());
    const Integer start = -Integer(static_cast<long>(before.size()));
    for (Term& f : out.whole.factors) f = shifted(f, lane, start);
    for (Term& g : out.whole.guards) g = shifted(g, lane, start);
    for (auto& [variable, extent] : out.whole.ranges) extent = shifted(extent, lane, start);
    return out;
  }

 private:
  static Term shifted(Term term, Term lane, const Integer& start) {
    return calculus::substitute(term, {{lane, calculus::add(lane, calculus::integer(start))}});
  }

  std::optional<std::size_t> at(std::size_t first, const Summand& whole, Term lane, long n,
                                const std::set<std::size_t>& taken) const {
    const Summand there = substituted(whole, {{lane, calculus::integer(n)}});
    const auto found = places_.find(content_of(there));
    if (found == places_.end()) return std::nullopt;
    for (std::size_t place : found->second)
      if (place >= first && !used_[place] && taken.count(place) == 0 &&
          list_[place].coefficient == whole.coefficient)
        return place;
    return std::nullopt;
  }

  const std::vector<Summand>& list_;
  const std::vector<bool>& used_;
  std::map<Content, std::vector<std::size_t>> places_;
};

}  // namespace

SumMatcher::List SumMatcher::merged(const List& list, bool same_ranges, Steps steps) const {
  constexpr std::size_t tries = 6;
  List out;
  std::vector<bool> used(list.size(), false);
  const Progressions progressions(list, used);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (used[i]) continue;
    const Term lane = calculus::variable(fmt::format("lane.{}", list[i].ranges.size()));
    // The nearest ones first: lanes come in the order of their butterfly.
    std::vector<std::pair<Integer, std::size_t>> near;
    for (std::size_t j = i + 1; j < list.size(); ++j) {
      if (used[j] || !alike(list[i], list[j]) ||
          (same_ranges && (list[j].ranges != list[i].ranges || list[j].guards != list[i].guards)))
        continue;
      Integer key = 0;
      if (generalised(list[i], list[j], lane, key, steps) && key != 0) near.emplace_back(abs(key), j);
    }
    std::sort(near.begin(), near.end());
    Progression best;
    for (std::size_t n = 0; n < near.size() && n < tries; ++n) {
      Integer ignored = 0;
      const auto whole = generalised(list[i], list[near[n].second], lane, ignored, steps);
      if (content_of(substituted(*whole, {{lane, calculus::integer(0)}})) != content_of(list[i])) continue;
      Progression found = progressions.through(i, *whole, lane);
      if (found.members.size() > std::max<std::size_t>(best.members.size(), 1)) best = std::move(found);
    }
    used[i] = true;
    if (best.members.empty()) {
      out.push_back(list[i]);
      continue;
    }
    for (std::size_t member : best.members) used[member] = true;
    Summand whole = best.whole;
    whole.ranges.insert(whole.ranges.begin(),
                        {lane, calculus::integer(static_cast<long>(best.members.size()))});
    out.push_back(renamed(whole, name("sum")));
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

bool SumMatcher::may_vanish(const Summand& s, const Scope& scope) {
  if (integers_ || s.factors.empty()) return true;
  const Scope here = inside(scope, s);
  for (Term factor : s.factors)
    if (!defined_.holds(factor, here))
      return fail(
          fmt::format("what cancels out is not shown to have a value everywhere: {}", brief(factor, 5)));
  return true;
}

// At the first point of its ranges, for example.
bool SumMatcher::always_there(const Summand& s, const Summand& context, const Scope& scope) {
  if (s.coefficient == 0) return false;
  const Scope here = inside(scope, context);
  const std::size_t mark = prover_.mark();
  calculus::Substitution first;
  std::vector<Term> goals;
  for (std::size_t i = context.ranges.size(); i < s.ranges.size(); ++i) {
    goals.push_back(calculus::at_most(calculus::integer(1), s.ranges[i].second));
    first[s.ranges[i].first] = calculus::integer(0);
  }
  for (Term g : s.guards)
    if (std::find(context.guards.begin(), context.guards.end(), g) == context.guards.end())
      goals.push_back(g);
  for (Term goal : goals)
    if (!prover_.rely(here, calculus::substitute(goal, first))) {
      prover_.rewind(mark);
      return false;
    }
  return true;
}

constexpr std::size_t many = 24;

bool SumMatcher::has_many(const List& list) {
  return list.size() > many;
}

void SumMatcher::clean(List& list, const Scope& scope, bool idempotent, bool together) {
  // Of many lanes in progression one question is enough whether they are empty.
  if ((idempotent || together) && has_many(list)) {
    for (Summand& s : list) {
      std::sort(s.factors.begin(), s.factors.end(), calculus::TermLess{});
      s = renamed(s, name("sum"));
    }
    std::erase_if(list, [](const Summand& s) {
      return std::any_of(s.guards.begin(), s.guards.end(),
                         [](Term g) { return g == calculus::truth(false); });
    });
    add_like_terms(list, idempotent, scope);
    list = merged(merged(list, true), false);
    if (together && has_many(list)) list = merged(list, false, Steps::any);
  }
  List out;
  for (Summand& s : list) {
    reduce_coefficient(s);
    if (s.coefficient == 0 && may_vanish(s, scope)) continue;
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
  add_like_terms(out, idempotent, scope);
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
void SumMatcher::add_like_terms(List& list, bool idempotent, const Scope& scope) {
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
  std::erase_if(out, [&](const Summand& s) { return s.coefficient == 0 && may_vanish(s, scope); });
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
  add_like_terms(out, false, scope);
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
