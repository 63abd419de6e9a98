#include "rules/instances.h"

#include <algorithm>
#include <optional>
#include <set>

#include "rules/index_conditions.h"
#include "rules/signs.h"

namespace hallmark::rules {
namespace {

using namespace calculus;

constexpr std::size_t most_folds = 16;
constexpr std::size_t most_instances = 64;
constexpr int rounds = 3;

enum class Shape { any, all, extremum, position };

// A fold as one of the four shapes; `op` is max or min of the last two.
struct Quantity {
  Shape shape = Shape::any;
  Op op = Op::none;
  bool last = false;    // position: of several the last
  Term fold = nullptr;  // component 0
  Term variable = nullptr, extent = nullptr, guard = nullptr;
  Term body = nullptr;   // over `variable`
  Term start = nullptr;  // extremum with a start value
  Term value = nullptr, place = nullptr;
  Term witness = nullptr;  // the index of "at one of them"
};

bool mentions(Term t, Term what) {
  bool found = false;
  for_each_node(t, [&](Term n) { found = found || n == what; });
  return found;
}

// The operands of a connective or operation other than the state, which has to be one of them.
std::optional<Term> beside_state(Term step, Term state) {
  std::vector<Term> rest;
  bool found = false;
  for (Term child : step->children) {
    if (child == state && !found)
      found = true;
    else
      rest.push_back(child);
  }
  if (!found || rest.empty()) return std::nullopt;
  for (Term t : rest)
    if (mentions(t, state)) return std::nullopt;
  return step->kind == Kind::conjunction   ? conjunction(rest)
         : step->kind == Kind::disjunction ? disjunction(rest)
                                           : rest[0];
}

// fold(k; m = -inf, j = 0 -> if m < x then x else m, if m < x then k else j) and its three kin.
bool as_position(const FoldParts& parts, Quantity& q) {
  const Term m = parts.states[0], j = parts.states[1], first = parts.step[0], second = parts.step[1];
  if (parts.init[0]->kind != Kind::extreme || first->kind != Kind::select || second->kind != Kind::select)
    return false;
  const Term better = first->children[0], x = first->children[1];
  if (second->children[0] != better || first->children[2] != m || second->children[2] != j ||
      better->kind != Kind::compare || mentions(x, m) || mentions(x, j) || mentions(parts.guard, m) ||
      mentions(parts.guard, j))
    return false;
  if (second->children[1] != from_index(parts.variable, j->sort)) return false;
  const bool greatest = better->children[0] == m && better->children[1] == x,
             least = better->children[0] == x && better->children[1] == m;
  if (greatest == least || (better->op != Op::lt && better->op != Op::le)) return false;
  if (parts.init[0]->number != (greatest ? -1 : 1)) return false;
  q.shape = Shape::position;
  q.op = greatest ? Op::max : Op::min;
  q.last = better->op == Op::le;
  q.body = x;
  return true;
}

std::optional<Quantity> shape_of(Term fold) {
  if (fold->kind != Kind::fold || fold->order != any_order()) return std::nullopt;
  const FoldParts parts = calculus::open(fold);
  if (!parts.combine.empty()) return std::nullopt;
  Quantity q;
  q.fold = component(fold, 0);
  q.variable = parts.variable;
  q.extent = parts.extent;
  q.guard = parts.guard;
  if (fold->size == 2) return as_position(parts, q) ? std::optional<Quantity>(q) : std::nullopt;
  if (fold->size != 1) return std::nullopt;
  const Term state = parts.states[0], step = parts.step[0];
  if (mentions(parts.guard, state)) return std::nullopt;
  if (fold->sort == Sort::boolean()) {
    const bool any = parts.init[0] == truth(false) && step->kind == Kind::disjunction,
               all = parts.init[0] == truth(true) && step->kind == Kind::conjunction;
    if (!any && !all) return std::nullopt;
    q.shape = any ? Shape::any : Shape::all;
  } else {
    if (step->kind != Kind::operation || (step->op != Op::max && step->op != Op::min)) return std::nullopt;
    q.shape = Shape::extremum;
    q.op = step->op;
    if (parts.init[0]->kind != Kind::extreme)
      q.start = parts.init[0];
    else if (parts.init[0]->number != (q.op == Op::max ? -1 : 1))
      return std::nullopt;
  }
  const std::optional<Term> body = beside_state(step, state);
  if (!body) return std::nullopt;
  q.body = *body;
  return q;
}

class Instances {
 public:
  explicit Instances(const Context& context) : context_(context) {}

  bool shows(Term left, Term right, bool with_arithmetic) {
    const Term l = replaced(left), r = replaced(right);
    if (quantities_.empty()) return false;
    Term goal = l->sort == Sort::boolean() ? both(either(negation(l), r), either(l, negation(r)))
                                           : compare(Op::eq, l, r);
    for (int round = 0; round < rounds; ++round) {
      const std::size_t before = axioms_.size();
      instantiate(goal);
      if (axioms_.size() == before) break;
    }
    if (with_arithmetic) say_signs(goal);
    std::vector<Term> refuted;
    for (Term axiom : axioms_) refuted.push_back(negation(axiom));
    refuted.push_back(goal);
    const Term claim = disjunction(refuted);
    if (!(with_arithmetic ? context_.oracle.entails_over_reals(context_.facts, claim, "INSTANCES")
                          : context_.oracle.entails(context_.facts, claim, "INSTANCES")))
      return false;
    for (const Quantity& q : quantities_)
      context_.laws.insert(q.shape == Shape::extremum   ? "EXTREMUM"
                           : q.shape == Shape::position ? "ARG"
                                                        : "ANY");
    return true;
  }

 private:
  // Sums that stay opaque are positive where their terms are: the divisor of a softmax.
  void say_signs(Term goal) {
    std::vector<Term> sums;
    const auto collect = [&](Term t) {
      for_each_node(t, [&](Term n) {
        if (n->kind == Kind::fold && n->sort == Sort::real() && n->free_heights.empty() &&
            std::find(sums.begin(), sums.end(), n) == sums.end())
          sums.push_back(n);
      });
    };
    collect(goal);
    for (Term a : axioms_) collect(a);
    constexpr std::size_t most_signs = 8;
    for (std::size_t i = 0; i < sums.size() && i < most_signs; ++i)
      if (shown_positive(sums[i], context_)) axioms_.push_back(compare(Op::lt, real_constant(0), sums[i]));
  }

  // Outermost folds of the four shapes by their names; a fold under a binder waits for its binder's
  // instances.
  Term replaced(Term t) {
    if (t->children.empty()) return t;
    if (t->kind == Kind::fold) {
      if (const Quantity* q = quantity_of(t)) return t->which == 0 ? q->value : q->place;
      return t;
    }
    std::vector<Term> children;
    for (Term child : t->children) children.push_back(replaced(child));
    return children == t->children ? t : rebuild(t, children);
  }

  const Quantity* quantity_of(Term fold) {
    if (!fold->free_heights.empty()) return nullptr;
    const Term key = component(fold, 0);
    for (const Quantity& q : quantities_)
      if (q.fold == key) return &q;
    if (quantities_.size() >= most_folds) return nullptr;
    std::optional<Quantity> q = shape_of(fold);
    if (!q) return nullptr;
    q->body = as_index_conditions(q->body, context_.with({in_range(q->variable, q->extent)}));
    // An extremum of nothing is no element: without a guard, what is said of the range says that it is not
    // empty.
    if (from_nothing(*q) && q->guard != truth(true)) {
      FoldParts parts;
      parts.variable = q->variable;
      parts.extent = q->extent;
      parts.guard = q->guard;
      if (!shown_nonempty(parts, context_)) return nullptr;
    }
    q->value = fresh_variable("t", key->sort);
    q->witness = fresh_variable("w");
    if (q->shape == Shape::position) q->place = fresh_variable("p", component(fold, 1)->sort);
    quantities_.push_back(*q);
    const std::size_t at = quantities_.size() - 1;
    axioms_.push_back(replaced(at_witness(quantities_[at])));
    if (q->start != nullptr)
      axioms_.push_back(compare(Op::le, q->op == Op::max ? replaced(q->start) : q->value,
                                q->op == Op::max ? q->value : replaced(q->start)));
    return &quantities_[at];
  }

  static Term inside(const Quantity& q, Term index) {
    return both(in_range(index, q.extent), substitute(q.guard, {{q.variable, index}}));
  }
  static Term body_at(const Quantity& q, Term index) { return substitute(q.body, {{q.variable, index}}); }

  static bool from_nothing(const Quantity& q) {
    return q.shape == Shape::position || (q.shape == Shape::extremum && q.start == nullptr);
  }

  static Term at_witness(const Quantity& q) {
    const Term found = found_at_witness(q);
    return from_nothing(q) ? either(at_most(q.extent, integer(Integer(0))), found) : found;
  }

  static Term found_at_witness(const Quantity& q) {
    const Term in = inside(q, q.witness), body = body_at(q, q.witness);
    switch (q.shape) {
      case Shape::any:
        return either(negation(q.value), both(in, body));
      case Shape::all:
        return either(q.value, both(in, negation(body)));
      case Shape::extremum: {
        const Term found = both(in, compare(Op::eq, q.value, body));
        return q.start == nullptr ? found : either(found, compare(Op::eq, q.value, q.start));
      }
      case Shape::position:
        break;
    }
    return conjunction({in, compare(Op::eq, q.value, body),
                        equal(to_index(q.place), to_index(from_index(q.witness, q.place->sort)))});
  }

  static Term at_each(const Quantity& q, Term index) {
    const Term outside = negation(inside(q, index)), body = body_at(q, index);
    if (q.shape == Shape::any) return disjunction({outside, negation(body), q.value});
    if (q.shape == Shape::all) return disjunction({outside, body, negation(q.value)});
    const Term bound = q.op == Op::max ? compare(Op::le, body, q.value) : compare(Op::le, q.value, body);
    if (q.shape == Shape::extremum) return either(outside, bound);
    const Term order = q.last ? at_most(index, q.witness) : at_most(q.witness, index);
    return both(either(outside, bound),
                disjunction({outside, negation(compare(Op::eq, body, q.value)), order}));
  }

  // Loads without bound indices, of the claim and of what was said so far.
  std::vector<Term> ground_loads(Term goal) const {
    std::vector<Term> out;
    const auto collect = [&](Term t) {
      for_each_node(t, [&](Term n) {
        if (n->kind == Kind::load && n->free_heights.empty() &&
            std::find(out.begin(), out.end(), n) == out.end())
          out.push_back(n);
      });
    };
    collect(goal);
    for (Term a : axioms_) collect(a);
    return out;
  }

  // Indices at which a read of the body meets a read that is there.
  static void meeting(const Quantity& q, const std::vector<Term>& ground, std::vector<Term>& out) {
    const auto add_candidate = [&](Term t) {
      if (std::find(out.begin(), out.end(), t) == out.end()) out.push_back(t);
    };
    const auto scan = [&](Term pattern) {
      for (Term load : ground) {
        if (load->name != pattern->name || load->children.size() != pattern->children.size()) continue;
        Term quotient = nullptr, base = nullptr;
        for (std::size_t d = 0; d < load->children.size(); ++d) {
          const Term index = pattern->children[d], target = load->children[d];
          if (!mentions(index, q.variable)) continue;
          if (!index->free_heights.empty()) {
            // The rest of the way is for the folds inside: as far as this range goes.
            std::vector<Term> known;
            for (const Monomial& m : monomials(index))
              if (m.product == nullptr || m.product->free_heights.empty())
                known.push_back(m.product == nullptr ? integer(m.coefficient)
                                                     : scale(m.coefficient, m.product));
            Term one = nullptr, beside = nullptr;
            if (affine_in(add(known), q.variable, one, beside) && one == integer(Integer(1)))
              add_candidate(
                  index_max(integer(Integer(0)),
                            index_min(subtract(target, beside), subtract(q.extent, integer(Integer(1))))));
            continue;
          }
          if (index->kind == Kind::floor_div && index->children[0] == q.variable) {
            quotient = target;
            base = index->children[1];
            continue;
          }
          if (quotient != nullptr && index == mod(q.variable, base)) {
            add_candidate(add(multiply(base, quotient), target));
            continue;
          }
          Term coefficient = nullptr, rest = nullptr;
          if (!affine_in(index, q.variable, coefficient, rest) || mentions(rest, q.variable)) continue;
          const Integer* c = as_integer(coefficient);
          const Term difference = subtract(target, rest);
          if (c != nullptr && abs(*c) == 1)
            add_candidate(scale(*c, difference));
          else
            add_candidate(floor_div(difference, coefficient));
        }
      }
    };
    for (Term part : {q.body, q.guard})
      for_each_node(part, [&](Term n) {
        if (n->kind == Kind::load) scan(n);
        // The one index that an equation of a choice asks for.
        Term coefficient = nullptr, rest = nullptr;
        if (n->kind != Kind::is_zero || !n->free_heights.empty() ||
            !affine_in(n->children[0], q.variable, coefficient, rest) || mentions(rest, q.variable))
          return;
        const Integer* c = as_integer(coefficient);
        if (c != nullptr && abs(*c) == 1) add_candidate(scale(-*c, rest));
      });
  }

  void instantiate(Term goal) {
    const std::vector<Term> ground = ground_loads(goal);
    const std::size_t known = quantities_.size();
    for (std::size_t i = 0; i < known; ++i) {
      std::vector<Term> candidates;
      for (std::size_t j = 0; j < known; ++j)
        if (quantities_[j].extent == quantities_[i].extent) candidates.push_back(quantities_[j].witness);
      meeting(quantities_[i], ground, candidates);
      for (Term candidate : candidates) {
        if (axioms_.size() >= most_instances || !used_.insert({i, candidate}).second) continue;
        const Term axiom = at_each(quantities_[i], candidate);
        axioms_.push_back(replaced(axiom));
      }
    }
  }

  const Context& context_;
  std::vector<Quantity> quantities_;
  std::vector<Term> axioms_;
  std::set<std::pair<std::size_t, Term>> used_;
};

}  // namespace

bool has_instances(Term term) {
  bool found = false;
  for_each_node(term, [&](Term n) {
    if (found || n->kind != Kind::fold) return;
    const Sort::Kind kind = n->sort.kind;
    found = kind == Sort::boolean().kind || n->size == 2 ||
            (n->size == 1 && n->children.back()->kind == Kind::operation &&
             (n->children.back()->op == Op::max || n->children.back()->op == Op::min));
  });
  return found;
}

bool shown_nonempty(const FoldParts& parts, const Context& context) {
  if (parts.guard == truth(true))
    return context.oracle.entails(context.facts, less(integer(Integer(0)), parts.extent), "NONEMPTY");
  const Term zero = integer(Integer(0));
  std::vector<Term> candidates{zero, subtract(parts.extent, integer(Integer(1)))};
  const std::vector<Term> conditions =
      parts.guard->kind == Kind::conjunction ? parts.guard->children : std::vector<Term>{parts.guard};
  for (Term condition : conditions) {
    if (condition->kind != Kind::at_most_zero && condition->kind != Kind::is_zero) continue;
    Term coefficient = nullptr, rest = nullptr;
    if (!affine_in(condition->children[0], parts.variable, coefficient, rest)) continue;
    const Integer* c = as_integer(coefficient);
    if (c == nullptr || abs(*c) != 1) continue;
    const Term end = scale(-*c, rest);
    candidates.push_back(end);
    candidates.push_back(index_max(zero, end));
  }
  for (Term candidate : candidates)
    if (context.oracle.entails(
            context.facts,
            both(in_range(candidate, parts.extent), substitute(parts.guard, {{parts.variable, candidate}})),
            "NONEMPTY"))
      return true;
  return false;
}

bool equal_by_instances(Term left, Term right, const Context& context, bool with_arithmetic) {
  if (!has_instances(left) && !has_instances(right)) return false;
  return context.oracle.attempt([&] { return Instances(context).shows(left, right, with_arithmetic); });
}

}  // namespace hallmark::rules
