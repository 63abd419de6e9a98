// Loops against loops, and numbers made of them.
#include <algorithm>

#include "validator/checks/fold_steps.h"
#include "validator/checks/match.h"
#include "validator/symbolic/words.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Sort;
using calculus::Term;

namespace {

// How the kernel's states may go together with the specification's: 0 for equal, w for equal modulo 2^w,
// which is all that a register says of a signed number. Guesses, each of them checked: the state that is
// asked for is as near as `width` asks.
std::vector<std::vector<unsigned>> relations(const calculus::FoldParts& kernel,
                                             const calculus::FoldParts& spec, std::size_t which,
                                             unsigned width) {
  const std::size_t size = kernel.states.size();
  std::vector<std::vector<unsigned>> out{std::vector<unsigned>(size, 0)};
  const auto numbers = [&](const calculus::FoldParts& parts) {
    return std::any_of(parts.states.begin(), parts.states.end(),
                       [](Term state) { return state->sort == Sort::index(); });
  };
  if (!numbers(kernel) || !numbers(spec)) return out;
  const auto propose = [&](const std::vector<unsigned>& relation) {
    const unsigned asked = relation[which];
    if (asked != 0 && (width == 0 || asked < width)) return;
    if (std::find(out.begin(), out.end(), relation) == out.end()) out.push_back(relation);
  };
  for (const unsigned bits : {32U, 64U}) {
    std::vector<unsigned> all(size, 0);
    for (std::size_t i = 0; i < size; ++i) {
      if (kernel.states[i]->sort != Sort::index()) continue;
      std::vector<unsigned> one(size, 0);
      one[i] = bits;
      propose(one);
      all[i] = bits;
    }
    propose(all);
  }
  return out;
}

// The word of which this is the number, or nothing.
Term word_of(Term node) {
  return number_in_word(node) != nullptr && calculus::is_signed(node->children[0]->sort.format)
             ? node->children[0]
             : nullptr;
}

Term with_words_spelled_out(Term term) {
  return calculus::rewrite(term, [](Term node) {
    const Term word = word_of(node);
    return word == nullptr ? node : in_word(word->children[0], word->sort.format);
  });
}

}  // namespace

bool Matcher::folds(Term kernel, Term spec, const Scope& scope, unsigned width) {
  // How many steps of the specification one iteration of the kernel makes.
  const calculus::FoldParts k = calculus::open(kernel), s = calculus::open(spec);
  std::map<Term, long> mine, theirs;
  const long a = chain(k.step[static_cast<std::size_t>(kernel->which)],
                       k.states[static_cast<std::size_t>(kernel->which)], mine);
  const long b = chain(s.step[static_cast<std::size_t>(spec->which)],
                       s.states[static_cast<std::size_t>(spec->which)], theirs);
  std::vector<Integer> factors;
  if (a > 0 && b > 0 && a % b == 0 && a != b) factors.push_back(a / b);
  factors.push_back(1);
  for (const Integer& factor : factors) {
    const std::size_t mark = prover_.mark();
    for (const Relation& relation : relations(k, s, static_cast<std::size_t>(kernel->which), width)) {
      if (folds_with(kernel, spec, scope, factor, relation)) return true;
      rewind(mark);
    }
  }
  if (empty_fold(kernel, scope)) {
    used("zero trips");
    return match(kernel->children[2 + static_cast<std::size_t>(kernel->which)], spec, scope);
  }
  if (empty_fold(spec, scope)) {
    used("zero trips");
    return match(kernel, spec->children[2 + static_cast<std::size_t>(spec->which)], scope);
  }
  // Constant extents that do not go together: take both apart from the end.
  const Integer *m = calculus::as_integer(kernel->children[0]), *n = calculus::as_integer(spec->children[0]);
  if (n != nullptr && *n > 0 && *n <= 64) {
    used("unroll");
    return match(kernel, last_step(spec, *n), scope);
  }
  if (m != nullptr && *m > 0 && *m <= 64) {
    used("unroll");
    return match(last_step(kernel, *m), spec, scope);
  }
  return fail(kernel, spec, "two loops");
}

bool Matcher::folds_with(Term kernel, Term spec, const Scope& scope, const Integer& factor,
                         const Relation& relation) {
  const calculus::FoldParts k = calculus::open(kernel), s = calculus::open(spec);
  const std::size_t size = s.states.size();
  if (k.states.size() > size || size > 4)
    return fail(kernel, spec, "loops that carry different numbers of values");
  // kernel iteration x makes the steps start + factor*x + j, j < factor, of the specification.
  const Term start = calculus::subtract(s.extent, calculus::scale(factor, k.extent));
  const Term zero = calculus::integer(0);
  const bool whole = start == zero || prover_.rely(scope, calculus::equal(start, zero));
  if (!whole && !prover_.rely(scope, calculus::conjunction({calculus::at_most(zero, start),
                                                            calculus::at_most(zero, k.extent)})))
    return fail(k.extent, s.extent, "loops of different lengths");
  const Term x = calculus::fresh_variable("x");
  const Scope inside = Context::extend(scope, calculus::in_range(x, k.extent));
  const Term first = calculus::add(whole ? zero : start, calculus::scale(factor, x));
  // Which state of the specification each state of the kernel is.
  std::vector<std::size_t> order(size);
  for (std::size_t i = 0; i < size; ++i) order[i] = i;
  do {
    if (order[static_cast<std::size_t>(kernel->which)] != static_cast<std::size_t>(spec->which)) continue;
    const std::size_t mark = prover_.mark();
    bool ok = true;
    // The states agree before the iteration ...
    std::vector<Term> common;
    for (std::size_t i = 0; i < size; ++i)
      common.push_back(calculus::fresh_variable("common", s.states[i]->sort));
    std::vector<Term> now = common;
    for (Integer j = 0; j < factor; ++j) {
      const Term index = calculus::add(first, calculus::integer(j));
      calculus::Substitution at{{s.variable, index}};
      for (std::size_t i = 0; i < size; ++i) at[s.states[i]] = now[i];
      const Term guard = s.guard != nullptr ? calculus::substitute(s.guard, at) : calculus::truth(true);
      std::vector<Term> next;
      for (std::size_t i = 0; i < size; ++i)
        next.push_back(calculus::select(guard, calculus::substitute(s.step[i], at), now[i]));
      now = next;
    }
    const bool modular = std::any_of(relation.begin(), relation.end(), [](unsigned w) { return w != 0; });
    if (modular)
      for (Term& next : now) next = with_words_spelled_out(next);
    calculus::Substitution here{{k.variable, x}};
    for (std::size_t i = 0; i < k.states.size() && ok; ++i) {
      ok = k.states[i]->sort == common[order[i]]->sort;
      here[k.states[i]] =
          relation[i] == 0 ? common[order[i]]
                           : calculus::add(common[order[i]], calculus::scale(power_of_two(relation[i]),
                                                                             calculus::fresh_variable("t")));
    }
    // ... so they agree after it ...
    for (std::size_t i = 0; i < k.states.size() && ok; ++i) {
      const Term mine = calculus::substitute(k.step[i], here);
      ok = mine->sort == Sort::index() ? match_integer(mine, now[order[i]], relation[i], inside)
                                       : match(mine, now[order[i]], inside);
    }
    // ... and they agree at the start.
    for (std::size_t i = 0; i < k.states.size() && ok; ++i) {
      Term begin = s.init[order[i]];
      if (!whole) {
        calculus::FoldParts cut = s;
        cut.extent = start;
        begin = calculus::fold(cut, static_cast<int>(order[i]));
      }
      ok = k.init[i]->sort == begin->sort &&
           (begin->sort == Sort::index() ? match_integer(k.init[i], begin, relation[i], scope)
                                         : match(k.init[i], begin, scope));
    }
    if (ok) return used(factor == 1 && whole ? "lockstep" : "suffix");
    rewind(mark);
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

namespace {

// A greatest (least) number without those that never are above (below) another of them.
Term without_idle_ends(Term extremum, const Scope& scope) {
  const bool greatest = extremum->kind == Kind::index_max;
  if (!greatest && extremum->kind != Kind::index_min) return extremum;
  std::vector<Term> left;
  for (Term child : extremum->children) {
    const Integer* end = calculus::as_integer(child);
    const bool idle =
        end != nullptr && std::any_of(extremum->children.begin(), extremum->children.end(), [&](Term other) {
          const Interval range = scope->range(other);
          return other != child &&
                 (greatest ? range.low && *range.low >= *end : range.high && *range.high <= *end);
        });
    if (!idle) left.push_back(child);
  }
  if (left.empty() || left.size() == extremum->children.size()) return extremum;
  Term out = left[0];
  for (std::size_t i = 1; i < left.size(); ++i)
    out = greatest ? calculus::index_max(out, left[i]) : calculus::index_min(out, left[i]);
  return out;
}

}  // namespace

// One form for numbers that are chosen: loops of few steps as their steps where the kernel has no loop left,
// words that hold their number as that number, and the greater or less of two numbers as such, as machines
// compute it.
Term Matcher::with_choices_in_one_form(Term number, bool unrolled, const Scope& scope) {
  // A choice by floats is a case of its own at every step.
  const auto most_steps = [](Term fold) {
    bool floats = false;
    calculus::for_each_node(fold, [&](Term node) {
      floats =
          floats || (node->kind == Kind::compare && node->children[0]->sort.kind == Sort::Kind::floating);
    });
    return floats ? 16 : 64;
  };
  return calculus::rewrite(number, [&](Term node) -> Term {
    if (node->open) return node;
    if (unrolled && node->kind == Kind::fold && node->sort == Sort::index()) {
      const Integer* extent = calculus::as_integer(node->children[0]);
      if (extent == nullptr || *extent > most_steps(node) || node->order->kind != calculus::Order::Kind::seq)
        return node;
      const std::size_t init = 2 + static_cast<std::size_t>(node->which);
      used("unroll");
      return with_choices_in_one_form(*extent <= 0 ? node->children[init] : last_step(node, *extent), true,
                                      scope);
    }
    if (const Term word = word_of(node)) {
      const Interval range = scope->range(word->children[0]);
      const Interval whole = format_range(word->sort.format);
      if (range.low && range.high && whole.contains(*range.low) && whole.contains(*range.high))
        return word->children[0];
    }
    if (node->kind == Kind::index_select && node->children[0]->kind == Kind::at_most_zero) {
      const Term a = node->children[1], b = node->children[2], difference = node->children[0]->children[0];
      const Term excess = calculus::subtract(b, a), one = calculus::integer(1);
      if (difference == excess || difference == calculus::add(excess, one))
        return without_idle_ends(calculus::index_max(a, b), scope);
      const Term deficit = calculus::scale(-1, excess);
      if (difference == deficit || difference == calculus::add(deficit, one))
        return calculus::index_min(a, b);
    }
    return node;
  });
}

// A multiple of 2^width where machine words choose between numbers, so that no polynomial shows it.
bool Matcher::congruent(Term difference, unsigned width, const Scope& scope) {
  bool chooses = false;
  calculus::for_each_node(difference, [&](Term node) {
    chooses = chooses || node->kind == Kind::index_max || node->kind == Kind::index_min;
  });
  if (!chooses) return false;
  const Term modulus = calculus::integer(power_of_two(width));
  return prover_.rely(scope, calculus::equal(calculus::mod(difference, modulus), calculus::integer(0)));
}

// Where the specification reads a loop's number as a signed word and the kernel, or the path, has a loop with
// the same number modulo 2^w, both have one name: the word as the kernel reads it.
Term Matcher::with_folds_of(Term kernel, Term spec, const Scope& scope) {
  std::vector<Term> words, own;
  calculus::for_each_node(spec, [&](Term node) {
    const Term word = word_of(node);
    if (word != nullptr && !node->open && word->children[0]->kind == Kind::fold &&
        std::find(words.begin(), words.end(), node) == words.end())
      words.push_back(node);
  });
  if (words.empty()) return spec;
  const auto collect = [&](Term term) {
    calculus::for_each_node(term, [&](Term node) {
      if (node->kind == Kind::fold && node->sort == Sort::index() && !node->open &&
          std::find(own.begin(), own.end(), node) == own.end())
        own.push_back(node);
    });
  };
  collect(kernel);
  for (Term fact : scope->facts()) collect(fact);
  calculus::Substitution names;
  for (Term word : words) {
    const unsigned width = calculus::storage_bits(word->children[0]->sort.format);
    const Term number = word->children[0]->children[0];
    for (Term fold : own) {
      const std::size_t mark = prover_.mark();
      if (fold == number || folds(fold, number, scope, width)) {
        names[word] = in_word(fold, word->children[0]->sort.format);
        break;
      }
      rewind(mark);
    }
  }
  if (names.empty()) return spec;
  used("one name for one number");
  return calculus::rewrite(spec, [&](Term node) {
    const auto found = names.find(node);
    return found != names.end() ? found->second : node;
  });
}

}  // namespace hallmark::validator
