#include "validator/checks/unwrap.h"

#include <array>
#include <map>
#include <utility>

namespace hallmark::validator {

using calculus::Kind;
using calculus::Sort;
using calculus::Term;

namespace {

bool inside(const std::optional<Window>& inner, const Window& outer) {
  return inner && outer.low <= inner->low && inner->high <= outer.high;
}

std::optional<Window> of_format(Sort sort) {
  if (sort.kind == Sort::Kind::boolean) return Window{0, 1};
  if (sort.kind != Sort::Kind::integer) return std::nullopt;
  const unsigned bits = calculus::storage_bits(sort.format);
  if (!calculus::is_signed(sort.format)) return Window{0, power_of_two(bits) - 1};
  return Window{-power_of_two(bits - 1), power_of_two(bits - 1) - 1};
}

// p - m * floor_div(p + o, m), 0 <= o < m.
struct Reduction {
  Term number = nullptr;
  Integer modulus;
  Window window;

  Term of(Term p) const {
    const Term quotient =
        calculus::floor_div(calculus::subtract(p, calculus::integer(window.low)), calculus::integer(modulus));
    return calculus::subtract(p, calculus::scale(modulus, quotient));
  }
};

std::optional<Reduction> reduction_of(Term term) {
  if (term->kind != Kind::polynomial) return std::nullopt;
  for (const calculus::Monomial& m : calculus::monomials(term)) {
    if (m.product == nullptr || m.product->kind != Kind::floor_div || m.coefficient >= 0) continue;
    const Integer* divisor = calculus::as_integer(m.product->children[1]);
    if (divisor == nullptr || m.coefficient != -*divisor) continue;
    const Term rest = calculus::subtract(term, calculus::scale(m.coefficient, m.product));
    const Integer* offset = calculus::as_integer(calculus::subtract(m.product->children[0], rest));
    if (offset == nullptr || *offset < 0 || *offset >= *divisor) continue;
    return Reduction{rest, *divisor, {-*offset, *divisor - 1 - *offset}};
  }
  return std::nullopt;
}

// Equal modulo m, without the reductions around it.
Term congruent(Term number, const Integer& modulus) {
  for (;;) {
    if (const auto inner = reduction_of(number); inner && floor_mod(inner->modulus, modulus) == 0) {
      number = inner->number;
    } else if (number->kind == Kind::to_index && number->children[0]->kind == Kind::from_index &&
               number->children[0]->sort.kind == Sort::Kind::integer &&
               floor_mod(power_of_two(calculus::storage_bits(number->children[0]->sort.format)), modulus) ==
                   0) {
      number = number->children[0]->children[0];
    } else {
      return number;
    }
  }
}

bool step_by_step(const calculus::FoldParts& parts) {
  return parts.combine.empty() &&
         (parts.order == nullptr || parts.order->kind == calculus::Order::Kind::seq ||
          parts.order->kind == calculus::Order::Kind::any);
}

class Unwrapping {
 public:
  Term of(Term term) {
    if (term->children.empty()) return term;
    std::map<Term, Term>& memo = term->has_variables ? under_ : closed_;
    if (const auto found = memo.find(term); found != memo.end()) return found->second;
    Term out = nullptr;
    if (const auto reduced = reduction_of(term)) {
      const Term core = congruent(reduced->number, reduced->modulus);
      const Term number = of(core);
      if (inside(window(number), reduced->window)) {
        out = number;
      } else if (core->kind == Kind::fold && core->size == 1) {
        out = of_reduced_fold(core, *reduced);
      } else if (core->kind == Kind::index_select) {
        out = of(calculus::index_select(core->children[0], reduced->of(core->children[1]),
                                        reduced->of(core->children[2])));
      }
    }
    if (out == nullptr && term->kind == Kind::to_index && term->children[0]->kind == Kind::from_index) {
      const Term number = of(term->children[0]->children[0]);
      if (const auto range = of_format(term->children[0]->sort); range && inside(window(number), *range))
        out = number;
    }
    if (out == nullptr && term->kind == Kind::fold && term->sort == Sort::index() && term->size == 1)
      out = of_fold(term);
    // Loops that carry several values stay as they are.
    if (out == nullptr && term->kind == Kind::fold) out = term;
    if (out == nullptr) {
      std::vector<Term> children;
      for (Term child : term->children) children.push_back(of(child));
      out = calculus::rebuild(term, children);
    }
    (term->has_variables ? under_ : closed_).emplace(term, out);
    return out;
  }

  std::optional<Window> window(Term term) {
    if (const auto found = windows_.find(term); found != windows_.end()) return found->second;
    const auto out = window_by_form(term);
    windows_.emplace(term, out);
    return out;
  }

 private:
  std::optional<Window> window_by_form(Term term) {
    if (const Integer* value = calculus::as_integer(term)) return Window{*value, *value};
    if (const auto known = known_.find(term); known != known_.end()) return known->second;
    if (const auto reduced = reduction_of(term)) return reduced->window;
    switch (term->kind) {
      case Kind::to_index:
        return of_format(term->children[0]->sort);
      case Kind::index_max:
      case Kind::index_min: {
        const bool greatest = term->kind == Kind::index_max;
        std::optional<Window> out;
        for (Term child : term->children) {
          const auto range = window(child);
          if (!range) return std::nullopt;
          if (!out) {
            out = range;
          } else {
            out->low = greatest ? std::max(out->low, range->low) : std::min(out->low, range->low);
            out->high = greatest ? std::max(out->high, range->high) : std::min(out->high, range->high);
          }
        }
        return out;
      }
      case Kind::index_select: {
        auto out = window(term->children[1]);
        const auto other = window(term->children[2]);
        if (!out || !other) return std::nullopt;
        out->low = std::min(out->low, other->low);
        out->high = std::max(out->high, other->high);
        return out;
      }
      default:
        return std::nullopt;
    }
  }

  // What is found while a state is supposed to be in a window, which is not kept when it need not be.
  template <typename Find>
  auto supposing(Term state, const Window& window, const Find& find) {
    const std::map<Term, Window> known = known_;
    const std::map<Term, Term> under = std::exchange(under_, {});
    const auto windows = std::exchange(windows_, {});
    known_[state] = window;
    auto out = find();
    known_ = known;
    under_ = under;
    windows_ = windows;
    return out;
  }

  void know(Term fold, const Window& window) {
    known_.insert_or_assign(fold, window);
    windows_.erase(fold);
  }

  // nullptr where no window of a word is shown to be kept.
  Term of_fold(Term fold) {
    calculus::FoldParts parts = calculus::open(fold);
    if (!step_by_step(parts) || parts.states[0]->sort != Sort::index()) return nullptr;
    const Term init = of(parts.init[0]);
    for (const unsigned bits : {32u, 64u})
      for (const bool is_signed : {true, false}) {
        const Window word = is_signed ? Window{-power_of_two(bits - 1), power_of_two(bits - 1) - 1}
                                      : Window{0, power_of_two(bits) - 1};
        if (!inside(window(init), word)) continue;
        const Term step = supposing(parts.states[0], word, [&] {
          const Term next = of(parts.step[0]);
          return inside(window(next), word) ? next : nullptr;
        });
        if (step == nullptr) continue;
        parts.init[0] = init;
        parts.step[0] = step;
        const Term out = calculus::fold(parts, fold->which);
        know(out, word);
        return out;
      }
    return nullptr;
  }

  // A fold that is read modulo m alone, also by its own steps: the representatives in the window as state.
  Term of_reduced_fold(Term fold, const Reduction& reduction) {
    calculus::FoldParts parts = calculus::open(fold);
    const Integer* start = calculus::as_integer(parts.init[0]);
    if (!step_by_step(parts) || parts.states[0]->sort != Sort::index()) return nullptr;
    const Term whole = parts.states[0], seen = reduction.of(whole);
    const Term state = calculus::fresh_variable("in.window");
    const Term step =
        calculus::rewrite(parts.step[0], [&](Term node) { return node == seen ? state : node; });
    bool only_reduced = true;
    const auto look = [&](Term term) {
      if (term != nullptr)
        calculus::for_each_node(term, [&](Term node) { only_reduced = only_reduced && node != whole; });
    };
    look(step);
    look(parts.guard);
    look(parts.extent);
    if (!only_reduced) return nullptr;
    const Term init = start != nullptr
                          ? calculus::integer(floor_mod(*start - reduction.window.low, reduction.modulus) +
                                              reduction.window.low)
                          : of(reduction.of(parts.init[0]));
    const Term next = supposing(state, reduction.window, [&] {
      const Term after = of(step);
      return inside(window(after), reduction.window) ? after : nullptr;
    });
    if (next == nullptr || !inside(window(init), reduction.window)) return nullptr;
    parts.states[0] = state;
    parts.init[0] = init;
    parts.step[0] = next;
    const Term out = calculus::fold(parts, fold->which);
    know(out, reduction.window);
    return out;
  }

  std::map<Term, Term> closed_, under_;  // terms without variables; others, under what is supposed of states
  std::map<Term, Window> known_;         // of states and folds
  std::map<Term, std::optional<Window>> windows_;
};

}  // namespace

Term unwrapped(Term number) {
  return Unwrapping().of(number);
}

std::optional<Window> window_of(Term number) {
  Unwrapping whole;
  const Term plain = whole.of(number);
  return whole.window(plain);
}

}  // namespace hallmark::validator
