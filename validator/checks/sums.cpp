#include "validator/checks/sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "validator/checks/match.h"
#include "validator/checks/nested.h"
#include "validator/checks/sums_terms.h"
#include "validator/checks/unwrap.h"
#include "validator/symbolic/invert.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Op;
using calculus::Sort;
using calculus::Term;

namespace {

constexpr int depth_limit = 40;

Term index_of(Term load) {
  return load->children.at(0);
}

// Whether flatten() takes it apart: a constant, or an operation of the field.
bool is_arithmetic(Term t) {
  if (t->kind == Kind::constant) return real_value(t).has_value();
  if (t->kind != Kind::operation) return false;
  switch (t->op) {
    case Op::add:
    case Op::sub:
    case Op::neg:
    case Op::mul:
    case Op::fma:
    case Op::div:
    case Op::reciprocal:
    case Op::rsqrt:
      return true;
    case Op::custom:
      return t->name.rfind("contractible.", 0) == 0;
    default:
      return false;
  }
}

std::set<std::string> loaded_names(Term term) {
  std::set<std::string> out;
  calculus::for_each_node(term, [&](Term node) {
    if (node->kind == Kind::load) out.insert(node->name);
  });
  return out;
}

Term first_step(Term node) {
  if (node->kind != Kind::fold) return node;
  const calculus::FoldParts parts = calculus::open(node);
  calculus::Substitution start{{parts.variable, calculus::integer(0)}};
  for (std::size_t j = 0; j < parts.states.size(); ++j) start[parts.states[j]] = parts.init[j];
  return calculus::substitute(parts.step[static_cast<std::size_t>(node->which)], start);
}

// Loads inside the factors, and then inside the guards, in order of appearance, that tell one point of the
// ranges from another.
std::vector<Term> loads_of(const Summand& summand) {
  std::vector<Term> out;
  const auto look = [&](Term whole) {
    calculus::for_each_node(whole, [&](Term node) {
      if (node->kind == Kind::load && node->children.size() == 1 &&
          (summand.ranges.empty() || std::any_of(summand.ranges.begin(), summand.ranges.end(),
                                                 [&](const auto& r) { return mentions(node, r.first); })))
        out.push_back(node);
    });
  };
  for (Term factor : summand.factors) look(factor);
  for (Term guard : summand.guards) look(guard);
  // A sum inside a factor may be taken in other steps on the other side: what its first one loads tells the
  // points apart as well.
  for (Term factor : summand.factors)
    if (has_fold(factor)) look(calculus::rewrite(factor, first_step));
  return out;
}

// What holds at every point of a summand.
std::vector<Term> facts_of(const Summand& summand) {
  std::vector<Term> out = summand.guards;
  for (const auto& [variable, extent] : summand.ranges) out.push_back(calculus::in_range(variable, extent));
  return out;
}

}  // namespace

bool compares_floats(Term condition) {
  bool found = false;
  calculus::for_each_node(condition, [&](Term node) {
    found = found || node->kind == Kind::is_nan ||
            (node->kind == Kind::compare && node->children[0]->sort.kind != Sort::Kind::integer);
  });
  return found;
}

bool has_fold(Term term) {
  bool found = false;
  calculus::for_each_node(term, [&](Term node) { found = found || node->kind == Kind::fold; });
  return found;
}

bool SumMatcher::fail(const std::string& why) {
  if (failure_.empty()) failure_ = why;
  return false;
}

// Variables of a comparison inside another one are others.
std::string SumMatcher::name(const char* side) const {
  return fmt::format("{}.{}", side, depth_);
}

Scope SumMatcher::inside(const Scope& scope, const Summand& summand) {
  std::vector<Term> facts;
  for (const auto& [variable, extent] : summand.ranges) facts.push_back(calculus::in_range(variable, extent));
  facts.insert(facts.end(), summand.guards.begin(), summand.guards.end());
  return Context::extend(scope, facts);
}

bool SumMatcher::same_condition(Term a, Term b, const Scope& scope) {
  if (a == b) return true;
  if (a->kind != b->kind) return false;
  if (a->kind == Kind::negation) return same_condition(a->children[0], b->children[0], scope);
  if (a->kind != Kind::compare || a->op != b->op) return false;
  return reals(a->children[0], b->children[0], scope) && reals(a->children[1], b->children[1], scope);
}

bool SumMatcher::opens(Term term, const Scope& scope) {
  const bool step = std::exchange(in_step_, false), point = std::exchange(at_point_, false);
  const std::size_t mark = prover_.mark();
  List list;
  flatten(term, Summand{}, scope, list);
  prover_.rewind(mark);
  in_step_ = step;
  at_point_ = point;
  return list.size() != 1 || list[0].factors != std::vector<Term>{term};
}

// A maximum that starts from the least number of a format is that of its other terms when an element of that
// format is one of them: none is less. Floats in buffers are finite (soundness A2), so that -FLT_MAX is such
// a start for elements; what is computed from them may be less, over the reals. The two lists are compared as
// they are left, so that an element of one is one of the other too.
void SumMatcher::drop_bounds(List& kernel, List& spec, Extremum which, const Scope& scope) {
  const bool greatest = which == Extremum::maximum;
  const auto is_constant = [](const Summand& s) {
    return s.factors.size() == 1 && s.coefficient == 1 &&
           (calculus::as_integer(s.factors[0]) != nullptr || s.factors[0]->kind == Kind::constant);
  };
  const auto always_there = [&](const Summand& s) {
    return s.guards.empty() && s.factors.size() == 1 && s.coefficient == 1 &&
           std::all_of(s.ranges.begin(), s.ranges.end(), [&](const auto& r) {
             return prover_.rely(scope, calculus::at_most(calculus::integer(1), r.second));
           });
  };
  // A specification's load as a real does not say what the buffer's format is; the kernel's does.
  const auto in_format = [&](Term element) -> Term {
    if (element->sort.kind == Sort::Kind::floating) return element;
    for (const Summand& s : kernel)
      if (s.factors.size() == 1 && s.factors[0]->kind == Kind::load && s.factors[0]->name == element->name &&
          s.factors[0]->sort.kind == Sort::Kind::floating)
        return s.factors[0];
    return nullptr;
  };
  const auto drop = [&](List& list, Term element) {
    std::erase_if(list, [&](const Summand& s) {
      if (!is_constant(s)) return false;
      if (!integers_) return bounds_format(s.factors[0], element->sort.format, greatest);
      const Integer* bound = calculus::as_integer(s.factors[0]);
      const auto window = window_of(element);
      return bound != nullptr && window && (greatest ? *bound <= window->low : *bound >= window->high);
    });
  };
  if (std::none_of(kernel.begin(), kernel.end(), is_constant) &&
      std::none_of(spec.begin(), spec.end(), is_constant))
    return;
  // Likewise 0, or less, where an element is a magnitude or a square.
  if (!integers_ && greatest) {
    const auto at_most_zero = [&](const Summand& s) {
      const auto value = is_constant(s) ? real_value(s.factors[0]) : std::nullopt;
      return value && *value <= 0;
    };
    if (std::any_of(spec.begin(), spec.end(), [&](const Summand& s) {
          return !is_constant(s) && always_there(s) && defined_.nonnegative(s.factors[0], inside(scope, s));
        })) {
      std::erase_if(kernel, at_most_zero);
      std::erase_if(spec, at_most_zero);
    }
  }
  for (const Summand& s : spec) {
    if (is_constant(s) || !always_there(s)) continue;
    Term element = s.factors[0];
    if (!integers_) element = element->kind == Kind::load ? in_format(element) : nullptr;
    if (element == nullptr) continue;
    drop(kernel, element);
    drop(spec, element);
    return;
  }
}

// What both are extrema of one kind of; a single value is one of either kind, but an extremum may stand
// inside what is arithmetic.
SumMatcher::Extremum SumMatcher::common_extremum(Term a, Term b) {
  const Extremum left = extremum_of(a), right = extremum_of(b);
  if (left == right) return left;
  if (left == Extremum::none) return is_arithmetic(a) ? left : right;
  return right == Extremum::none && !is_arithmetic(b) ? left : Extremum::none;
}

// Closed sums and extrema stand in many summands: what is shown of them once, by what holds everywhere, is
// shown.
bool SumMatcher::same_atom(Term a, Term b, const Scope& scope) {
  if (a == b) return true;
  if (a->open || b->open || integers_ || !has_fold(a) || !has_fold(b)) return equal_atoms(a, b, scope);
  if (everywhere_ != nullptr && shown(shown_everywhere_, a, b, everywhere_)) return true;
  return shown(shown_, a, b, outermost_) || equal_atoms(a, b, scope);
}

bool SumMatcher::shown(Pairs& pairs, Term a, Term b, const Scope& scope) {
  const auto [place, fresh] = pairs.try_emplace({a, b, swapped_});
  Shown& shown = place->second;
  std::vector<Claim>& log = prover_.log();
  if (fresh) {
    shown.position = log.size();
    {
      const Nested nested(showing_);
      shown.holds = equal_atoms(a, b, scope);
    }
    std::set<std::pair<const Context*, Term>> seen;
    for (std::size_t i = shown.position; i < log.size() && shown.holds; ++i)
      if (seen.emplace(log[i].scope.get(), log[i].goal).second) shown.claims.push_back(log[i]);
    shown.position = log.size();
    log.insert(log.end(), shown.claims.begin(), shown.claims.end());
  } else if (shown.holds) {
    // Whoever went back before it took its claims along; and what is being shown by it has to have them among
    // its own, for the same reason.
    const auto kept = [&](std::size_t i) {
      return log.size() > shown.position + i && log[shown.position + i].scope == shown.claims[i].scope &&
             log[shown.position + i].goal == shown.claims[i].goal;
    };
    std::size_t n = 0;
    while (n < shown.claims.size() && kept(n)) ++n;
    if (showing_ > 0 || n < shown.claims.size()) {
      shown.position = log.size();
      log.insert(log.end(), shown.claims.begin(), shown.claims.end());
    }
  }
  return shown.holds;
}

bool SumMatcher::equal_atoms(Term a, Term b, const Scope& scope) {
  if (integers_) {
    if (const Extremum which = common_extremum(a, b); which != Extremum::none) {
      if (depth_ >= depth_limit) throw Refusal("E4011", "a number that is nested too deeply");
      const Nested nested(depth_);
      List mine, other;
      flatten_extremum(a, which, Summand{}, scope, mine);
      flatten_extremum(b, which, Summand{}, scope, other);
      drop_bounds(mine, other, which, scope);
      clean(mine, scope, true);
      clean(other, scope, true);
      return match(mine, other, scope, true);
    }
    if (a->kind != Kind::to_index || b->kind != Kind::to_index) return false;
    a = a->children[0];
    b = b->children[0];
    if (a->kind != Kind::load) return false;
  }
  if (const Extremum which = integers_ ? Extremum::none : common_extremum(a, b); which != Extremum::none) {
    if (depth_ >= depth_limit) throw Refusal("E4011", "a value over the reals that is nested too deeply");
    const Nested nested(depth_);
    List mine, other;
    neutral_seen_ = false;
    flatten_extremum(a, which, Summand{}, scope, mine);
    flatten_extremum(b, which, Summand{}, scope, other);
    if (neutral_seen_) {
      // An extremum over nothing is no real: one range is not empty, without a guard.
      const bool some = std::any_of(other.begin(), other.end(), [&](const Summand& s) {
        return s.guards.empty() && std::all_of(s.ranges.begin(), s.ranges.end(), [&](const auto& r) {
                 return prover_.rely(scope, calculus::at_most(calculus::integer(1), r.second));
               });
      });
      if (!some) return fail("an extremum that may be over nothing");
    }
    drop_bounds(mine, other, which, scope);
    clean(mine, scope, true);
    clean(other, scope, true);
    return match(mine, other, scope, true);
  }
  // A scalar parameter, as the exact number and in its format.
  if (a->kind == Kind::load && a->children.empty())
    return b->kind == Kind::load && b->children.empty() && a->name == b->name;
  if (a->kind == Kind::load)
    return b->kind == Kind::load && a->name == b->name && a->children.size() == 1 &&
           b->children.size() == 1 && prover_.rely(scope, calculus::equal(index_of(a), index_of(b)));
  if (integers_) return false;
  // The terms of an extremum are values of their own.
  if (is_arithmetic(a) || is_arithmetic(b)) return reals(a, b, scope);
  if (a->kind == Kind::from_index && b->kind == Kind::from_index)
    return prover_.rely(scope, calculus::equal(a->children[0], b->children[0]));
  if (a->kind == Kind::select && b->kind == Kind::select)
    return same_condition(a->children[0], b->children[0], scope) &&
           reals(a->children[1], b->children[1], scope) && reals(a->children[2], b->children[2], scope);
  if (has_fold(a) && has_fold(b) && (opens(a, scope) || opens(b, scope))) return reals(a, b, scope);
  if (a->kind != Kind::operation || b->kind != Kind::operation || a->children.size() != b->children.size())
    return false;
  const std::string name = function_name(a);
  if (name.empty() || name != function_name(b) || name.find("contractible") == 0) return false;
  for (std::size_t i = 0; i < a->children.size(); ++i)
    if (!reals(a->children[i], b->children[i], scope)) return false;
  return true;
}

bool SumMatcher::same_factors(std::vector<Term> kernel, std::vector<Term> spec, const Scope& scope) {
  if (kernel.size() != spec.size()) return false;
  // What is told apart at once comes first; sums are compared with what loads the same buffers, if there is
  // such a one.
  std::stable_partition(kernel.begin(), kernel.end(), [](Term k) { return k->kind == Kind::load; });
  for (Term k : kernel) {
    if (k->kind != Kind::load && spec.size() > 1) {
      const std::set<std::string> names = loaded_names(k);
      std::stable_partition(spec.begin(), spec.end(), [&](Term s) { return loaded_names(s) == names; });
    }
    const auto found = std::find_if(spec.begin(), spec.end(), [&](Term s) { return same_atom(k, s, scope); });
    if (found == spec.end()) return false;
    spec.erase(found);
  }
  return true;
}

std::optional<SumMatcher::Map> SumMatcher::map_between(const Summand& kernel, const Summand& spec,
                                                       const Scope& scope, const std::vector<Map>& known) {
  if (kernel.coefficient != spec.coefficient || kernel.factors.size() != spec.factors.size())
    return std::nullopt;
  std::vector<Term> mine, other;
  for (const auto& [variable, extent] : kernel.ranges) mine.push_back(variable);
  for (const auto& [variable, extent] : spec.ranges) other.push_back(variable);
  const Scope here = inside(scope, kernel), there = inside(scope, spec);
  Arithmetic arithmetic(prover_, true);
  // The map is a bijection's half: nothing of it is trusted.
  const auto confirmed = [&](const Map& map) {
    std::vector<Term> goals;
    for (const auto& [variable, extent] : spec.ranges)
      goals.push_back(calculus::in_range(map.there.at(variable), calculus::substitute(extent, map.there)));
    for (Term g : spec.guards) goals.push_back(calculus::substitute(g, map.there));
    for (Term g : goals)
      if (!prover_.rely(here, g)) return false;
    std::vector<Term> factors;
    for (Term f : spec.factors) factors.push_back(calculus::substitute(f, map.there));
    return same_factors(kernel.factors, factors, here);
  };
  if (mine.empty() && other.empty()) {
    const Map map;
    return confirmed(map) ? std::optional<Map>(map) : std::nullopt;
  }
  // What related other summands over the same ranges: the only guide where no load tells the points apart.
  for (const Map& map : known) {
    const auto covers = [](const calculus::Substitution& m, const std::vector<Term>& variables) {
      return m.size() == variables.size() &&
             std::all_of(variables.begin(), variables.end(), [&](Term v) { return m.count(v) != 0; });
    };
    if (!covers(map.there, other) || !covers(map.back, mine)) continue;
    // Lanes that no load tells apart may have been numbered the other way round.
    Map reversed = map;
    calculus::Substitution mirror;
    for (const auto& [variable, extent] : kernel.ranges)
      if (calculus::as_integer(extent) != nullptr)
        mirror[variable] = calculus::subtract(calculus::subtract(extent, calculus::integer(1)), variable);
    for (auto& [variable, value] : reversed.there) value = calculus::substitute(value, mirror);
    for (const auto& [variable, value] : mirror)
      reversed.back[variable] = calculus::substitute(value, {{variable, map.back.at(variable)}});
    for (const Map& candidate : {map, reversed}) {
      const std::size_t mark = prover_.mark();
      if (confirmed(candidate)) return candidate;
      prover_.rewind(mark);
    }
  }
  int tries = 0;
  for (Term s : loads_of(spec))
    for (Term k : loads_of(kernel)) {
      if (s->name != k->name || ++tries > 12) continue;
      const std::size_t mark = prover_.mark();
      const auto forward = invert(index_of(s), other, facts_of(spec), index_of(k), here, arithmetic);
      const auto backward = invert(index_of(k), mine, facts_of(kernel), index_of(s), there, arithmetic);
      if (forward && backward) {
        Map map;
        map.there = *forward;
        map.back = *backward;
        if (confirmed(map)) return map;
      }
      prover_.rewind(mark);
    }
  return std::nullopt;
}

bool SumMatcher::match_one_way(const List& kernel, const List& spec, const Scope& scope, bool idempotent) {
  std::vector<bool> used(kernel.size(), false);
  std::vector<Map> known;
  List ordered = spec;
  std::stable_partition(ordered.begin(), ordered.end(),
                        [](const Summand& s) { return !loads_of(s).empty(); });
  for (const Summand& named : ordered) {
    const Summand s = renamed(named, name("spec"));
    const Scope there = inside(scope, s);
    std::vector<Map> maps;
    for (std::size_t j = 0; j < kernel.size(); ++j) {
      if (used[j] && !idempotent) continue;
      auto map = map_between(kernel[j], s, scope, known);
      if (!map) continue;
      if (!map->there.empty()) known.push_back(*map);
      map->from = j;
      maps.push_back(*map);
      used[j] = true;
    }
    std::vector<Term> conditions;
    for (const Map& map : maps) {
      const Summand& k = kernel[map.from];
      std::vector<Term> parts;
      calculus::Substitution round = map.back;
      for (const auto& [variable, extent] : k.ranges)
        parts.push_back(calculus::in_range(map.back.at(variable), calculus::substitute(extent, map.back)));
      for (Term g : k.guards) parts.push_back(calculus::substitute(g, map.back));
      for (const auto& [variable, extent] : s.ranges)
        parts.push_back(calculus::equal(calculus::substitute(map.there.at(variable), map.back), variable));
      conditions.push_back(calculus::conjunction(parts));
      if (idempotent) continue;
      // Two points of the kernel never go to one point of the specification.
      for (const auto& [variable, extent] : k.ranges)
        if (!prover_.rely(inside(scope, k),
                          calculus::equal(calculus::substitute(map.back.at(variable), map.there), variable)))
          return fail("one summand of the specification may be taken twice");
    }
    if (maps.empty() || !prover_.rely(there, calculus::disjunction(conditions)))
      return fail(fmt::format("not every summand of the specification is shown to be there: {}",
                              s.factors.empty() ? std::string("a constant") : brief(s.factors[0], 4)));
    for (std::size_t i = 0; i < conditions.size() && !idempotent; ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (!prover_.rely(there, calculus::negation(calculus::both(conditions[i], conditions[j]))))
          return fail("one summand of the specification may be taken twice");
  }
  for (std::size_t j = 0; j < kernel.size(); ++j)
    if (!used[j])
      return fail(fmt::format(
          "the kernel adds what the specification does not: {}",
          kernel[j].factors.empty() ? std::string("a constant") : brief(kernel[j].factors[0], 4)));
  return true;
}

bool SumMatcher::covers_poles(const List& kernel, const List& spec, const Scope& scope) {
  return std::all_of(kernel.begin(), kernel.end(), [&](const Summand& k) {
    return std::any_of(spec.begin(), spec.end(), [&](const Summand& s) {
      return map_between(k, renamed(s, name("spec")), scope, {}).has_value();
    });
  });
}

bool SumMatcher::match(List kernel, List spec, const Scope& scope, bool idempotent) {
  const std::size_t mark = prover_.mark();
  const auto take_poles = [](List& list) {
    List out;
    for (const Summand& s : list)
      if (s.coefficient == 0) out.push_back(s);
    std::erase_if(list, [](const Summand& s) { return s.coefficient == 0; });
    return out;
  };
  List kernel_poles = take_poles(kernel), spec_poles = take_poles(spec);
  if (swapped_) kernel_poles.swap(spec_poles);
  const bool swapped = std::exchange(swapped_, false);
  const bool covered = covers_poles(kernel_poles, spec_poles, scope);
  swapped_ = swapped;
  if (!covered) {
    prover_.rewind(mark);
    return false;
  }
  const std::size_t reached = prover_.mark();
  // Many lanes make one claim of many parts. As one range they may be harder to tell from each other, so that
  // they are taken one by one where that fails.
  constexpr std::size_t lanes = 8;
  if (kernel.size() >= lanes || spec.size() >= lanes) {
    const List fewer = merged(kernel, false, Steps::any), others = merged(spec, false, Steps::any);
    const bool less = fewer.size() < kernel.size() || others.size() < spec.size();
    if (less && match_one_way(fewer, others, scope, idempotent)) return true;
    prover_.rewind(reached);
  }
  if (match_one_way(kernel, spec, scope, idempotent)) return true;
  prover_.rewind(reached);
  swapped_ = !swapped_;
  const bool backwards = match_one_way(spec, kernel, scope, idempotent);
  swapped_ = !swapped_;
  if (backwards) return true;
  prover_.rewind(reached);
  if (idempotent || integers_) return false;
  const bool mine = weigh(kernel, scope), other = weigh(spec, scope);
  if ((mine || other) && match_one_way(kernel, spec, scope, idempotent)) return true;
  prover_.rewind(reached);
  return false;
}

bool SumMatcher::match_sums(const List& kernel, const List& spec, const Scope& scope) {
  const std::size_t mark = prover_.mark();
  for (const bool together : {true, false}) {
    if (together && !has_many(kernel) && !has_many(spec)) continue;
    List mine = kernel, other = spec;
    clean(mine, scope, false, together);
    clean(other, scope, false, together);
    if (match(mine, other, scope, false)) return true;
    prover_.rewind(mark);
  }
  return false;
}

bool SumMatcher::integers(Term kernel, Term spec, unsigned width, const Scope& scope) {
  const std::size_t mark = prover_.mark();
  integers_ = true;
  width_ = width;
  failure_.clear();
  List mine, other;
  flatten(unwrapped(kernel), Summand{}, scope, mine);
  flatten(unwrapped(spec), Summand{}, scope, other);
  if (match_sums(mine, other, scope)) {
    rules_.insert("sum normal form");
    return true;
  }
  prover_.rewind(mark);
  return false;
}

bool SumMatcher::compare_reals(Term kernel, Term spec, const Scope& scope) {
  integers_ = false;
  in_step_ = false;
  List mine, other;
  at_point_ = keep_ == Keep::products && kernel->open;
  flatten(kernel, Summand{}, scope, mine);
  at_point_ = keep_ == Keep::products && spec->open;
  flatten(spec, Summand{}, scope, other);
  at_point_ = false;
  return match_sums(mine, other, scope);
}

bool SumMatcher::reals(Term kernel, Term spec, const Scope& scope) {
  if (depth_ >= depth_limit) throw Refusal("E4011", "a value over the reals that is nested too deeply");
  if (depth_ == 0) {
    outermost_ = scope;
    swapped_ = false;
    shown_.clear();
    steps_ = 0;
  }
  const Nested nested(depth_);
  const std::size_t mark = prover_.mark();
  const Keep keep = keep_;
  const bool kept = kept_;
  bool ok = false;
  for (const Keep level : {Keep::products, Keep::closed, Keep::nothing}) {
    keep_ = level;
    kept_ = false;
    ok = compare_reals(kernel, spec, scope);
    if (ok || !kept_) break;
    prover_.rewind(mark);
  }
  keep_ = keep;
  kept_ = kept;
  if (ok)
    rules_.insert("sum normal form over the reals");
  else
    prover_.rewind(mark);
  return ok;
}

}  // namespace hallmark::validator
