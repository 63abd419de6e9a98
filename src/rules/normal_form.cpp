#include "rules/normal_form.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "calculus/widening.h"
#include "rules/angles.h"
#include "rules/function_laws.h"
#include "rules/index_conditions.h"
#include "rules/lifted.h"
#include "rules/narrowing.h"
#include "rules/rescaled_fold.h"
#include "rules/signs.h"
#include "rules/whole.h"

namespace hallmark::rules {
namespace {

using namespace calculus;

class Normaliser {
 public:
  Normaliser(const Context& context, std::size_t limit, bool unroll_all = false)
      : context_(context), laws_(context.laws), limit_(limit), unroll_all_(unroll_all) {}

  NormalForm run(Term a) {
    if (a->sort != Sort::real() && a->sort.kind != Sort::Kind::integer)
      throw Refusal("E2101",
                    "the sum normal form is defined for reals and integers, not for " + to_string(a->sort));
    sort_ = a->sort;
    switch (a->kind) {
      case Kind::constant:
        return a->value == 0 ? NormalForm{} : NormalForm{summand(a->value)};
      case Kind::from_index:
        return from_polynomial(a->children[0]);
      case Kind::select: {
        laws_.insert("GUARD");
        const Term condition = as_index_conditions(a->children[0], context_);
        NormalForm out = guarded(run_under(a->children[1], {condition}), condition);
        append(out, guarded(run_under(a->children[2], {negation(condition)}), negation(condition)));
        return merge_complements(std::move(out));
      }
      case Kind::fold:
        return fold_form(a);
      case Kind::operation:
        return operation_form(a);
      case Kind::cast:
        // A truth value as a number is 0 or 1.
        if (a->children[0]->sort == Sort::boolean() && a->format != Format::boolean)
          return run(select(a->children[0], number(1), number(0)));
        // Law CAST: rounding to a format leaves what was rounded to a format all of whose values it has.
        if (a->children[0]->kind == Kind::cast && a->children[0]->sort == a->sort &&
            holds_values_of(a->format, a->children[0]->format)) {
          laws_.insert("CAST");
          return run(a->children[0]);
        }
        if (const Term simpler = narrowed(a); simpler != a) {
          laws_.insert("CAST-HOM");
          return run(simpler);
        }
        if (const Term kept = kept_by_narrowing(a); kept != nullptr) {
          laws_.insert("BITS");
          return run(kept);
        }
        if (const Term number = converted_number(a); number != a) {
          laws_.insert("CAST-HOM");
          return run(number);
        }
        return cast_form(a);
      default:
        return {atom(a)};
    }
  }

 private:
  // What a narrower format holds, narrowed and widened again; nothing where that is not shown.
  Term kept_by_narrowing(Term a) const {
    const Term x = a->children[0];
    if (a->sort.kind != Sort::Kind::integer || x->kind != Kind::cast || x->sort.kind != Sort::Kind::integer ||
        x->children[0]->sort != a->sort || storage_bits(x->sort.format) >= storage_bits(a->sort.format))
      return nullptr;
    const Term wide = x->children[0];
    return context_.oracle.entails_in_bits(context_.facts, compare(Op::eq, a, wide), "BITS") ? wide : nullptr;
  }

  // A conversion between integer formats of what is a number once it is computed in its own format. The term
  // itself where it is none.
  Term converted_number(Term a) const {
    const Term x = a->children[0];
    if (a->sort.kind != Sort::Kind::integer || x->sort.kind != Sort::Kind::integer ||
        x->kind != Kind::operation)
      return a;
    const Term inside = to_term(Normaliser(context_, limit_, unroll_all_).run(x), x->sort);
    return inside->kind == Kind::constant ? int_constant(a->sort.format, inside->value.get_num()) : a;
  }

  // Law NO-WRAP (rules/lifted.h), and what is converted in its own normal form.
  NormalForm cast_form(Term a) {
    const Term x = a->children[0];
    const bool whole = x->sort.kind == Sort::Kind::integer;
    // A sum over several ranges, of which one starts from the other's state, is seen as one in its normal
    // form.
    if (whole) {
      if (const auto number = kept_number(a, x)) return run(*number);
      if (x->kind == Kind::fold && x->open == x->has_variables)
        if (const auto number =
                kept_number(a, to_term(Normaliser(context_, limit_, unroll_all_).run(x), x->sort)))
          return run(*number);
    }
    if (a->sort.kind != Sort::Kind::integer || x->sort != Sort::real() || x->open != x->has_variables)
      return {atom(a)};
    return {atom(cast(to_term(Normaliser(context_, limit_, unroll_all_).run(x)), a->sort, a->format))};
  }

  // The conversion `a` of the integer x, which it keeps, written in the sort of `a`.
  std::optional<Term> kept_number(Term a, Term x) {
    const bool kept = a->sort == Sort::real()
                          ? is_float(a->format) && holds_integers(a->format, range_of(x).range)
                          : a->format == a->sort.format;
    if (!kept) return std::nullopt;
    const std::optional<Term> number = lifted(x, a->sort);
    if (!number || *number == a) return std::nullopt;
    laws_.insert("NO-WRAP");
    return number;
  }

  NormalForm run_under(Term a, const Facts& more) {
    return Normaliser(context_.with(more), limit_, unroll_all_).run(a);
  }

  Term number(long value) const {
    return sort_ == Sort::real() ? real_constant(value) : int_constant(sort_.format, value);
  }

  static Summand summand(const Rational& coefficient) {
    Summand s;
    s.coefficient = coefficient;
    s.guard = truth(true);
    return s;
  }

  static Summand atom(Term factor) {
    Summand s = summand(1);
    s.factors = {factor};
    return s;
  }

  void append(NormalForm& out, NormalForm more) {
    out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    if (out.size() > limit_)
      throw Refusal("E2101", "the sum normal form grows beyond " + std::to_string(limit_) + " summands");
  }

  // An index as a real number: its polynomial, with index atoms as factors.
  NormalForm from_polynomial(Term index) {
    NormalForm out;
    for (const Monomial& m : monomials(index)) {
      Summand s = summand(Rational(m.coefficient));
      if (m.product != nullptr && m.product->kind == Kind::product)
        for (Term x : m.product->children) s.factors.push_back(operation_free_index(x));
      else if (m.product != nullptr)
        s.factors.push_back(operation_free_index(m.product));
      sort_factors(s);
      out.push_back(std::move(s));
    }
    return out;
  }

  Term operation_free_index(Term x) { return from_index(x, sort_); }

  static void sort_factors(Summand& s) { std::sort(s.factors.begin(), s.factors.end(), TermLess()); }

  static NormalForm guarded(NormalForm form, Term guard) {
    NormalForm out;
    for (Summand& s : form) {
      s.guard = both(s.guard, guard);
      if (s.guard != truth(false)) out.push_back(std::move(s));
    }
    return out;
  }

  // { where c: x } + { where not c: x } = x, on equal summands without binders or with the same binders.
  static NormalForm merge_complements(NormalForm form) {
    for (std::size_t i = 0; i < form.size(); ++i)
      for (std::size_t j = i + 1; j < form.size(); ++j) {
        if (form[i].coefficient != form[j].coefficient || form[i].factors != form[j].factors ||
            !form[i].binders.empty() || !form[j].binders.empty())
          continue;
        if (form[i].guard != negation(form[j].guard)) continue;
        form[i].guard = truth(true);
        form.erase(form.begin() + static_cast<long>(j));
        --j;
      }
    return form;
  }

  // The same form with new binder variables, so that a product of a sum with itself does not confuse them.
  static NormalForm freshened(const NormalForm& form) {
    NormalForm out = form;
    for (Summand& s : out) {
      Substitution map;
      for (Binder& b : s.binders) {
        const Term fresh = fresh_variable("k");
        map[b.variable] = fresh;
        b.variable = fresh;
      }
      if (map.empty()) continue;
      for (Binder& b : s.binders) b.extent = substitute(b.extent, map);
      s.guard = substitute(s.guard, map);
      for (Term& f : s.factors) f = substitute(f, map);
    }
    return out;
  }

  NormalForm product(const NormalForm& a, const NormalForm& b) {
    NormalForm out;
    if (a.size() * b.size() > 1) laws_.insert("LIN");
    for (const Summand& x : a)
      for (const Summand& y0 : b) {
        const Summand y = freshened({y0})[0];
        Summand s;
        s.coefficient = x.coefficient * y.coefficient;
        s.binders = x.binders;
        s.binders.insert(s.binders.end(), y.binders.begin(), y.binders.end());
        s.guard = both(x.guard, y.guard);
        s.factors = x.factors;
        s.factors.insert(s.factors.end(), y.factors.begin(), y.factors.end());
        cancel(s);
        sort_factors(s);
        if (s.guard != truth(false)) append(out, without_squared_sines(std::move(s), laws_));
      }
    return out;
  }

  // Law CANCEL: a * reciprocal(a) = 1 where a is shown not to be 0.
  void cancel(Summand& s) {
    for (std::size_t i = 0; i < s.factors.size(); ++i) {
      const Term inverse = s.factors[i];
      if (inverse->kind != Kind::operation || inverse->op != Op::reciprocal) continue;
      const auto at = std::find(s.factors.begin(), s.factors.end(), inverse->children[0]);
      if (at == s.factors.end()) continue;
      Facts more;
      for (const Binder& b : s.binders) more.push_back(in_range(b.variable, b.extent));
      more.push_back(s.guard);
      if (!shown_nonzero(inverse->children[0], context_.with(more))) continue;
      laws_.insert("CANCEL");
      s.factors.erase(at);
      s.factors.erase(std::find(s.factors.begin(), s.factors.end(), inverse));
      i = static_cast<std::size_t>(-1);
    }
    join_roots(s, context_);
  }

  NormalForm scaled(NormalForm form, const Rational& by) {
    for (Summand& s : form) s.coefficient *= by;
    return form;
  }

  NormalForm fold_form(Term a) {
    FoldParts parts = calculus::open(a);
    if (a->size > 1) {
      if (const auto alone = component_alone(parts, static_cast<std::size_t>(a->which))) {
        laws_.insert("ALONE");
        return run(*alone);
      }
    }
    if (a->size > 1 && sort_ == Sort::real()) {
      const auto form = [&](Term t) { return run_under(t, {in_range(parts.variable, parts.extent)}); };
      if (const auto plain = without_rescaling(parts, static_cast<std::size_t>(a->which), form)) {
        laws_.insert("RESCALE");
        return run(*plain);
      }
    }
    if (a->size != 1 || a->order != any_order() || parts.init[0]->sort != sort_) return {canonical_fold(a)};
    parts.guard = as_index_conditions(parts.guard, context_.with({in_range(parts.variable, parts.extent)}));
    if (parts.init[0]->kind == Kind::extreme) return {canonical_fold(a)};
    if (const auto split = product_fold(parts)) return *split;
    // step = state + rest, with a rest that does not mention the state: a sum.
    const Term state = parts.states[0];
    NormalForm step = run_under(parts.step[0], {in_range(parts.variable, parts.extent), parts.guard}), rest;
    Summand kept;
    int whole = 0;
    for (Summand& s : step) {
      if (!mentions(s, {state})) {
        rest.push_back(std::move(s));
        continue;
      }
      ++whole;
      kept = std::move(s);
    }
    const bool is_sum = whole == 1 && kept.coefficient == 1 && kept.binders.empty() &&
                        kept.guard == truth(true) && kept.factors.size() == 1 && kept.factors[0] == state;
    if (!is_sum) return {canonical_fold(a)};
    laws_.insert("NEST");
    NormalForm out = run(parts.init[0]);
    for (Summand& s : rest) {
      s.binders.insert(s.binders.begin(), {parts.variable, parts.extent});
      s.guard = both(s.guard, parts.guard);
    }
    for (Summand& s : freshened(rest))
      for (Summand& one : unrolled(std::move(s))) append(out, without_idle_binders(std::move(one)));
    return out;
  }

  // Law UNROLL: a sum over 0, 1, .. of a literal few whose guard asks which one it is, as its summands.
  NormalForm unrolled(Summand s) {
    for (std::size_t i = 0; i < s.binders.size(); ++i) {
      const Binder binder = s.binders[i];
      const Integer* extent = as_integer(binder.extent);
      if (extent == nullptr || *extent < 1 || *extent > 4) continue;
      bool asked = unroll_all_;
      for_each_node(s.guard, [&](Term n) {
        if (n->kind == Kind::is_zero)
          for_each_node(n, [&](Term m) { asked = asked || m == binder.variable; });
      });
      if (!asked) continue;
      laws_.insert("UNROLL");
      NormalForm out;
      for (Integer value = 0; value < *extent; ++value) {
        const Substitution map{{binder.variable, integer(value)}};
        Summand one = s;
        one.binders.erase(one.binders.begin() + static_cast<long>(i));
        for (Binder& b : one.binders) b.extent = substitute(b.extent, map);
        one.guard = substitute(one.guard, map);
        for (Term& f : one.factors) f = substitute(f, map);
        sort_factors(one);
        if (one.guard == truth(false)) continue;
        for (Summand& t : unrolled(freshened({one})[0])) append(out, {std::move(t)});
      }
      return out;
    }
    return {std::move(s)};
  }

  // Law PROD: prod (a * b) = prod a * prod b; prod (if c then a else b) = prod over c of a * prod over not c
  // of b. Law EXP-HOM: prod exp(a) = exp(sum a).
  std::optional<NormalForm> product_fold(const FoldParts& parts) {
    const Term step = parts.step[0], state = parts.states[0];
    if (parts.init[0]->kind != Kind::constant || parts.init[0]->value != 1 || step->kind != Kind::operation ||
        step->op != Op::mul || (step->children[0] != state && step->children[1] != state))
      return std::nullopt;
    const Term body = step->children[0] == state ? step->children[1] : step->children[0];
    const bool choice = body->kind == Kind::select,
               twice = body->kind == Kind::operation && body->op == Op::mul;
    bool mentions = false;
    for_each_node(body, [&](Term n) { mentions = mentions || n == state; });
    for_each_node(parts.guard, [&](Term n) { mentions = mentions || n == state; });
    if (!mentions && body->kind == Kind::operation && body->op == Op::exp) {
      FoldParts sum = parts;
      sum.init = {real_constant(0)};
      sum.step = {operation(Op::add, {state, body->children[0]}, sort_)};
      laws_.insert("EXP-HOM");
      return exponential(run(fold(sum)));
    }
    if (!mentions && !choice && !twice && body->kind != Kind::constant && sort_ == Sort::real() &&
        shown_positive(body, context_.with({in_range(parts.variable, parts.extent), parts.guard}))) {
      // prod a = exp(sum log a) where each a is positive.
      FoldParts sum = parts;
      sum.init = {real_constant(0)};
      sum.step = {operation(Op::add, {state, operation(Op::log, {body}, sort_)}, sort_)};
      laws_.insert("EXP-HOM");
      laws_.insert("LOG-HOM");
      return exponential(run(fold(sum)));
    }
    if (mentions || (!choice && !twice)) return std::nullopt;
    laws_.insert("PROD");
    NormalForm out{summand(1)};
    for (std::size_t i = 0; i < 2; ++i) {
      FoldParts half = parts;
      const Term arm = body->children[choice ? i + 1 : i];
      half.variable = fresh_variable("k");
      half.states = {fresh_variable("s", sort_)};
      const Substitution map{{parts.variable, half.variable}};
      half.step = {operation(Op::mul, {half.states[0], substitute(arm, map)}, sort_)};
      Term guard = parts.guard;
      if (choice) guard = both(guard, i == 0 ? body->children[0] : negation(body->children[0]));
      half.guard = substitute(guard, map);
      out = product(out, run(fold(half)));
    }
    return out;
  }

  // Law BIJ: of k < p d that is used only as k % d, the rest k % d = r < d counts, once for each quotient q <
  // p. Nothing where the quotient is used besides.
  std::optional<Summand> with_rest_alone(const Summand& s, std::size_t at) {
    const Binder binder = s.binders[at];
    Term quotient = nullptr;
    const auto look = [&](Term t) {
      for_each_node(t, [&](Term n) {
        if (quotient == nullptr && n->kind == Kind::floor_div && n->children[0] == binder.variable)
          quotient = n;
      });
    };
    look(s.guard);
    for (Term f : s.factors) look(f);
    if (quotient == nullptr) return std::nullopt;
    const Term d = quotient->children[1];
    Term p = nullptr, beside = nullptr;
    if (!affine_in(binder.extent, d, p, beside) || beside != integer(Integer(0)) || p == beside)
      return std::nullopt;
    const Term q = fresh_variable("k"), r = fresh_variable("k");
    Summand out = s;
    const auto rewritten = [&](Term t) {
      return substitute(substitute(t, {{quotient, q}}), {{binder.variable, add(multiply(d, q), r)}});
    };
    out.guard = rewritten(s.guard);
    for (Term& f : out.factors) f = rewritten(f);
    bool used = false;
    const auto see = [&](Term t) {
      for_each_node(t, [&](Term n) { used = used || n == q || n == binder.variable; });
    };
    see(out.guard);
    for (Term f : out.factors) see(f);
    for (const Binder& b : s.binders) {
      bool inside = false;
      for_each_node(b.extent, [&](Term n) { inside = inside || n == binder.variable; });
      used = used || inside;
    }
    const Term zero = integer(Integer(0));
    if (used ||
        !context_.oracle.entails(context_.facts, both(at_most(zero, d), at_most(zero, p)), "BIJ extent"))
      return std::nullopt;
    laws_.insert("BIJ");
    out.binders[at] = {r, d};
    out.binders.insert(out.binders.begin() + static_cast<long>(at), {q, p});
    sort_factors(out);
    return out;
  }

  // Law CONST: a binder that nothing mentions multiplies by its extent, which has to be at least 0.
  // Law BIJ: of k < n where k = t there is one, if t is in range. For a t that is read or found, which the
  // search for bijections does not see through.
  void choose_found(Summand& s) {
    for (std::size_t i = 0; i < s.binders.size(); ++i) {
      const Binder binder = s.binders[i];
      const std::vector<Term> conditions =
          s.guard->kind == Kind::conjunction ? s.guard->children : std::vector<Term>{s.guard};
      for (Term condition : conditions) {
        Term coefficient = nullptr, rest = nullptr;
        if (condition->kind != Kind::is_zero ||
            !affine_in(condition->children[0], binder.variable, coefficient, rest))
          continue;
        const Integer* c = as_integer(coefficient);
        const Term target = c != nullptr && abs(*c) == 1 ? scale(-*c, rest) : nullptr;
        if (target == nullptr || target->kind != Kind::to_index || target->children[0]->kind != Kind::fold)
          continue;
        bool apart = true;
        for_each_node(target, [&](Term n) {
          for (const Binder& b : s.binders) apart = apart && n != b.variable;
        });
        if (!apart) continue;
        const Substitution map{{binder.variable, target}};
        s.binders.erase(s.binders.begin() + static_cast<long>(i));
        for (Binder& b : s.binders) b.extent = substitute(b.extent, map);
        s.guard = both(substitute(s.guard, map), in_range(target, binder.extent));
        for (Term& f : s.factors) f = substitute(f, map);
        sort_factors(s);
        laws_.insert("BIJ");
        return choose_found(s);
      }
    }
  }

  NormalForm without_idle_binders(Summand s) {
    choose_found(s);
    for (std::size_t i = 0; i < s.binders.size(); ++i)
      if (std::optional<Summand> simpler = with_rest_alone(s, i)) {
        s = std::move(*simpler);
        ++i;
      }
    for (std::size_t i = 0; i < s.binders.size(); ++i) {
      const Term v = s.binders[i].variable;
      bool used = false;
      const auto look = [&](Term t) { for_each_node(t, [&](Term n) { used = used || n == v; }); };
      look(s.guard);
      for (Term f : s.factors) look(f);
      for (const Binder& b : s.binders) look(b.extent);
      if (used || !context_.oracle.entails(context_.facts, at_most(integer(Integer(0)), s.binders[i].extent),
                                           "CONST extent"))
        continue;
      laws_.insert("CONST");
      const Term extent = s.binders[i].extent;
      s.binders.erase(s.binders.begin() + static_cast<long>(i));
      NormalForm out;
      for (Summand& t : without_idle_binders(std::move(s)))
        append(out, product({std::move(t)}, from_polynomial(extent)));
      return out;
    }
    return {std::move(s)};
  }

  // A fold that is not a sum is one factor; its parts are normalised so that equal folds meet more often.
  Summand canonical_fold(Term a) {
    FoldParts parts = calculus::open(a);
    for (Term& t : parts.init) t = canonical(t);
    Normaliser inside(context_.with({in_range(parts.variable, parts.extent), parts.guard}), limit_,
                      unroll_all_);
    for (Term& t : parts.step) t = inside.canonical(t);
    return atom(fold(parts, a->which));
  }

  Term canonical(Term a) {
    if (a->sort != sort_ || a->kind == Kind::extreme || a->kind == Kind::state || a->kind == Kind::variable)
      return a;
    if (a->kind == Kind::operation && (a->op == Op::max || a->op == Op::min))
      return operation(a->op, {canonical(a->children[0]), canonical(a->children[1])}, sort_);
    // A choice inside a maximum stays one: it is taken apart there.
    if (a->kind == Kind::select)
      return select(a->children[0], canonical(a->children[1]), canonical(a->children[2]));
    return to_term(run(a), sort_);
  }

  void collect(Term a, Op op, std::vector<Term>& out) {
    if (a->kind == Kind::operation && a->op == op) {
      for (Term child : a->children) collect(child, op, out);
    } else {
      out.push_back(canonical(a));
    }
  }

  NormalForm reciprocal_form(const NormalForm& form) {
    laws_.insert("INV");
    if (form.size() == 1 && form[0].binders.empty() && form[0].guard == truth(true)) {
      Summand s = summand(1 / form[0].coefficient);
      for (Term f : form[0].factors) {
        const bool inverted = f->kind == Kind::operation && f->op == Op::reciprocal;
        s.factors.push_back(inverted ? f->children[0] : operation(Op::reciprocal, {f}, Sort::real()));
      }
      sort_factors(s);
      return {s};
    }
    if (form.empty()) return {};  // 1 / 0 = 0
    // reciprocal(c * sum) = reciprocal(c) * reciprocal(sum) for factors c that all summands share and no
    // binder touches.
    NormalForm rest = form;
    Summand common = summand(1);
    for (Term f : form[0].factors) {
      bool everywhere = true;
      for (const Summand& s : rest) {
        everywhere = everywhere && std::find(s.factors.begin(), s.factors.end(), f) != s.factors.end();
        for (const Binder& b : s.binders)
          for_each_node(f, [&](Term n) { everywhere = everywhere && n != b.variable; });
      }
      if (!everywhere) continue;
      for (Summand& s : rest) s.factors.erase(std::find(s.factors.begin(), s.factors.end(), f));
      common.factors.push_back(f);
    }
    if (!common.factors.empty()) return product(reciprocal_form({common}), reciprocal_form(rest));
    return {atom(operation(Op::reciprocal, {to_term(form, sort_)}, sort_))};
  }

  // exp(sum of summands) = product of exp(summand); a guarded summand gives (guard: exp(x)) + (not guard: 1).
  NormalForm exponential(const NormalForm& form) {
    NormalForm out{summand(1)};
    if (form.size() > 1) laws_.insert("EXP-HOM");
    for (const Summand& s : form) {
      Summand positive = s;
      positive.guard = truth(true);
      const bool negative = s.coefficient < 0;
      if (abs(s.coefficient) == 1 && s.binders.empty() && s.guard == truth(true) && s.factors.size() == 1 &&
          s.factors[0]->kind == Kind::operation && s.factors[0]->op == Op::log &&
          shown_positive(s.factors[0]->children[0], context_)) {
        laws_.insert("LOG-HOM");
        const NormalForm inside = run(s.factors[0]->children[0]);
        out = product(out, negative ? reciprocal_form(inside) : inside);
        continue;
      }
      if (negative) positive.coefficient = -positive.coefficient;
      // exp(n a) = exp(a)^n.
      constexpr long most_times = 4;
      long times = 1;
      if (positive.coefficient.get_den() == 1 && positive.coefficient <= most_times &&
          !positive.factors.empty()) {
        times = positive.coefficient.get_num().get_si();
        positive.coefficient = 1;
        if (times > 1) laws_.insert("EXP-HOM");
      }
      if (!s.binders.empty()) positive.guard = s.guard;
      const Term power = operation(Op::exp, {to_term({positive}, sort_)}, Sort::real());
      NormalForm factor{atom(negative ? operation(Op::reciprocal, {power}, Sort::real()) : power)};
      if (negative) laws_.insert("EXP-HOM");
      if (s.guard != truth(true) && s.binders.empty()) {
        laws_.insert("GUARD");
        factor = guarded(std::move(factor), s.guard);
        append(factor, guarded({summand(1)}, negation(s.guard)));
      }
      for (long i = 0; i < times; ++i) out = product(out, factor);
    }
    return out;
  }

  NormalForm operation_form(Term a) {
    const std::vector<Term>& c = a->children;
    // Integers are a ring and have no reciprocals: their other operations are opaque.
    const bool ring = a->op == Op::neg || a->op == Op::add || a->op == Op::sub || a->op == Op::mul ||
                      a->op == Op::max || a->op == Op::min;
    if (sort_ != Sort::real() && !ring) return opaque_operation(a);
    switch (a->op) {
      case Op::neg:
        return scaled(run(c[0]), -1);
      case Op::add: {
        NormalForm out = run(c[0]);
        append(out, run(c[1]));
        return merge_complements(std::move(out));
      }
      case Op::sub: {
        NormalForm out = run(c[0]);
        append(out, scaled(run(c[1]), -1));
        return out;
      }
      case Op::mul:
        return product(run(c[0]), run(c[1]));
      case Op::fma: {
        NormalForm out = product(run(c[0]), run(c[1]));
        append(out, run(c[2]));
        return out;
      }
      case Op::div:
        return product(run(c[0]), reciprocal_form(run(c[1])));
      case Op::reciprocal:
        return reciprocal_form(run(c[0]));
      case Op::exp:
        return exponential(run(c[0]));
      case Op::log:
      case Op::sqrt:
      case Op::rsqrt:
      case Op::pow:
        return function_form(a);
      case Op::floor:
      case Op::ceil:
      case Op::trunc:
      case Op::round_even: {
        NormalForm inside = run(c[0]);
        if (!is_whole(inside)) return opaque_operation(a);
        laws_.insert("INTEGER");
        return inside;
      }
      case Op::max:
      case Op::min: {
        // Associative, commutative and idempotent: the operands as a sorted set.
        std::vector<Term> operands;
        collect(a, a->op, operands);
        std::sort(operands.begin(), operands.end(), TermLess());
        operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
        Term out = operands[0];
        for (std::size_t i = 1; i < operands.size(); ++i) out = operation(a->op, {out, operands[i]}, sort_);
        return out->kind == Kind::operation && out->op == a->op ? NormalForm{atom(out)} : run(out);
      }
      default:
        return opaque_operation(a);
    }
  }

  NormalForm function_form(Term a) {
    const Normalise again = [this](Term t) { return run(t); };
    std::optional<NormalForm> out;
    if (a->op == Op::pow)
      out = pow_form(a->children[0], a->children[1], context_, again);
    else if (const NormalForm inside = run(a->children[0]); a->op == Op::log)
      out = log_form(inside, context_, again);
    else
      out = a->op == Op::sqrt ? sqrt_form(a->children[0], inside, context_)
                              : rsqrt_form(a->children[0], inside, context_, again);
    return out ? *out : opaque_operation(a);
  }

  NormalForm opaque_operation(Term a) {
    const bool choice =
        a->children.size() == 1 && (a->children[0]->kind == Kind::select || a->children[0]->sort != sort_ ||
                                    (a->children[0]->kind == Kind::operation &&
                                     (a->children[0]->op == Op::max || a->children[0]->op == Op::min)));
    if (sort_ == Sort::real() && a->children.size() == 1 && !choice) {
      constexpr std::size_t most_angles = 4;
      const NormalForm inside = run(a->children[0]);
      const bool angle = (a->op == Op::sin || a->op == Op::cos) && inside.size() <= most_angles;
      if (angle) {
        SineAndCosine both = of_angle(
            inside, laws_, [this](const NormalForm& x, const NormalForm& y) { return product(x, y); });
        return a->op == Op::sin ? both.sine : both.cosine;
      }
      if (const auto form = parity_form(a->op, inside, laws_)) return *form;
    }
    std::vector<Term> arguments;
    for (Term x : a->children) arguments.push_back(canonical(x));
    if (a->op == Op::custom) return {atom(custom_operation(a->name, arguments, a->sort))};
    return {atom(operation(a->op, arguments, a->sort, a->rounding, a->flush_subnormals))};
  }

  Context context_;
  LawLog& laws_;
  std::size_t limit_;
  bool unroll_all_ = false;
  Sort sort_ = Sort::real();
};

}  // namespace

NormalForm normalise(Term element, const Context& context, std::size_t limit, bool unroll_all) {
  NormalForm form = Normaliser(context, limit, unroll_all).run(element);
  // Equal summands without binders are collected; summands with binders are left to the matcher.
  NormalForm out;
  for (Summand& s : form) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const Summand& t) {
      return s.binders.empty() && t.binders.empty() && s.guard == t.guard && s.factors == t.factors;
    });
    if (same == out.end())
      out.push_back(std::move(s));
    else
      same->coefficient += s.coefficient;
  }
  out.erase(std::remove_if(out.begin(), out.end(), [](const Summand& s) { return s.coefficient == 0; }),
            out.end());
  return out;
}

using namespace calculus;

bool mentions(const Summand& summand, const std::vector<Term>& leaves) {
  bool found = false;
  const auto look = [&](Term t) {
    for_each_node(
        t, [&](Term n) { found = found || std::find(leaves.begin(), leaves.end(), n) != leaves.end(); });
  };
  look(summand.guard);
  for (Term f : summand.factors) look(f);
  for (const Binder& b : summand.binders) look(b.extent);
  return found;
}

Term to_term(const NormalForm& form, Sort sort) {
  const auto constant = [&](const Rational& value) {
    return sort == Sort::real() ? real_constant(value) : int_constant(sort.format, value.get_num());
  };
  // The summands are put in a fixed order so that equal forms give equal terms.
  std::vector<Term> parts;
  for (const Summand& s : form) {
    Term body = nullptr;
    for (Term f : s.factors) body = body == nullptr ? f : operation(Op::mul, {body, f}, sort);
    if (body == nullptr)
      body = constant(s.coefficient);
    else if (s.coefficient != 1)
      body = operation(Op::mul, {constant(s.coefficient), body}, sort);
    if (s.binders.empty()) {
      parts.push_back(select(s.guard, body, constant(0)));
      continue;
    }
    Term guard = s.guard;
    for (std::size_t i = s.binders.size(); i-- > 0;) {
      body = sum(s.binders[i].variable, s.binders[i].extent, body, guard);
      guard = nullptr;
    }
    parts.push_back(body);
  }
  if (parts.empty()) return constant(0);
  std::sort(parts.begin(), parts.end(), TermLess());
  Term out = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) out = operation(Op::add, {out, parts[i]}, sort);
  return out;
}

}  // namespace hallmark::rules
