#include "rules/smt_oracle.h"

#include <algorithm>
#include <deque>
#include <set>

#include "base/error.h"
#include "rules/division_lemmas.h"
#include "rules/sample.h"

namespace hallmark::rules {

using namespace calculus;

namespace {

// Linear arithmetic over the symbols: a conjunction of such goals is no harder than its parts.
bool is_linear(Term a) {
  bool linear = true;
  for_each_node(a, [&](Term n) {
    linear = linear && n->kind != Kind::product && n->kind != Kind::compare &&
             (n->kind != Kind::floor_div || as_integer(n->children[1]) != nullptr);
  });
  return linear;
}

}  // namespace

smt::Query SmtOracle::query(smt::Arena& arena, const Claim& claim, bool with_example) const {
  Encoder encoder(arena, claim.elements);
  smt::Query out;
  out.title = title_;
  for (Term h : claim.hypotheses) out.hypotheses.push_back({"", encoder.encode(h)});
  for (Term h : given_facts(claim)) out.hypotheses.push_back({"given", encoder.encode(h)});
  out.goal = encoder.encode(claim.goal);
  if (claim.lemmas) {
    std::vector<Term> all = claim.hypotheses;
    all.push_back(claim.goal);
    for (Term lemma : division_lemmas(all)) out.hypotheses.push_back({"lemma", encoder.encode(lemma)});
  }
  for (const smt::Term& axiom : encoder.axioms()) out.hypotheses.push_back({"axiom", axiom});
  if (with_example && claim.elements == Elements::opaque && givens_.empty() &&
      !std::all_of(claim.hypotheses.begin(), claim.hypotheses.end(), is_linear))
    for (Term equation : satisfying_sample(claim.hypotheses, claim.goal))
      out.example.push_back(encoder.encode(equation));
  return out;
}

namespace {

bool compares_elements(Term a) {
  bool found = false;
  for_each_node(a, [&](Term n) { found = found || n->kind == Kind::compare; });
  return found;
}

// Indices of a given's load that are its own axes, each once: then the load says where the given speaks of an
// element.
bool covers(Term load, std::size_t axes) {
  std::set<int> seen;
  for (Term index : load->children) {
    if (index->kind != Kind::axis) return false;
    seen.insert(index->number);
  }
  return seen.size() == axes && load->children.size() == axes;
}

}  // namespace

std::vector<Term> SmtOracle::given_facts(const Claim& claim) const {
  std::vector<Term> out, loads;
  if (givens_.empty()) return out;
  const auto collect = [&](Term t) {
    for_each_node(t, [&](Term n) {
      if (n->kind == Kind::load && n->free_heights.empty() &&
          std::find(loads.begin(), loads.end(), n) == loads.end())
        loads.push_back(n);
    });
  };
  for (Term h : claim.hypotheses) collect(h);
  collect(claim.goal);
  std::sort(loads.begin(), loads.end(), TermLess());
  const auto add = [&](const Given& given, const std::vector<Term>& at) {
    std::vector<Term> inside;
    for (std::size_t d = 0; d < at.size(); ++d) inside.push_back(in_range(at[d], given.extents[d]));
    const Term fact = either(negation(conjunction(inside)), instantiate(given.body, at));
    if (std::find(out.begin(), out.end(), fact) == out.end()) out.push_back(fact);
  };
  for (const Given& given : givens_) {
    if (claim.elements == Elements::opaque && compares_elements(given.body)) continue;
    if (given.extents.empty()) {
      add(given, {});
      continue;
    }
    std::vector<Term> patterns;
    for_each_node(given.body, [&](Term n) {
      if (n->kind == Kind::load && covers(n, given.extents.size())) patterns.push_back(n);
    });
    for (Term pattern : patterns)
      for (Term load : loads) {
        if (load->name != pattern->name) continue;
        std::vector<Term> at(given.extents.size());
        for (std::size_t d = 0; d < at.size(); ++d)
          at[static_cast<std::size_t>(pattern->children[d]->number)] = load->children[d];
        add(given, at);
      }
  }
  return out;
}

bool SmtOracle::entails_over_reals(const Facts& hypotheses, Term goal, const std::string& purpose) {
  if (goal == truth(true)) return true;
  try {
    return ask(hypotheses, goal, purpose, Elements::arithmetic);
  } catch (const Refusal&) {
    return false;  // elements that have no arithmetic here: not shown
  }
}

bool SmtOracle::entails_in_bits(const Facts& hypotheses, Term goal, const std::string& purpose) {
  if (goal == truth(true)) return true;
  try {
    return ask(hypotheses, goal, purpose, Elements::bits);
  } catch (const Refusal&) {
    return false;
  }
}

bool SmtOracle::commutes(const std::string& name) const {
  return std::any_of(operators_.begin(), operators_.end(),
                     [&](const CustomOperator& o) { return o.name == name && o.commutative; });
}

bool SmtOracle::associates(const std::string& name) const {
  return std::any_of(operators_.begin(), operators_.end(),
                     [&](const CustomOperator& o) { return o.name == name && o.associative; });
}

std::vector<std::string> SmtOracle::purposes() const {
  std::vector<std::string> out;
  for (const Claim& claim : log_) out.push_back(claim.purpose);
  return out;
}

namespace {

std::vector<Term> conjuncts(const std::vector<Term>& terms) {
  std::vector<Term> out;
  for (Term t : terms) {
    if (t->kind == Kind::conjunction)
      out.insert(out.end(), t->children.begin(), t->children.end());
    else
      out.push_back(t);
  }
  return out;
}

// p <= 0 where each term of p is a negative multiple of a product of what is known to be at least 0.
bool has_no_positive_part(Term p, const std::vector<Term>& known) {
  const auto nonnegative = [&](Term atom) {
    return std::any_of(known.begin(), known.end(), [&](Term k) {
      if (k->kind != Kind::at_most_zero) return false;
      const Term sum = add(k->children[0], atom);  // low - atom <= 0
      const Integer* low = as_integer(sum);
      return low != nullptr && *low >= 0;
    });
  };
  for (const Monomial& m : monomials(p)) {
    if (m.coefficient > 0) return false;
    if (m.product == nullptr) continue;
    const std::vector<Term> atoms =
        m.product->kind == Kind::product ? m.product->children : std::vector<Term>{m.product};
    if (!std::all_of(atoms.begin(), atoms.end(), nonnegative)) return false;
  }
  return true;
}

// A conjunct of a hypothesis, one that is weaker by a number, or one without a positive part.
bool is_known(Term part, const std::vector<Term>& known) {
  if (std::find(known.begin(), known.end(), part) != known.end()) return true;
  if (part->kind != Kind::at_most_zero) return false;
  const Term p = part->children[0];
  const std::size_t size = p->children.size();
  for (Term k : known) {
    if (k->kind != Kind::at_most_zero) continue;
    const Term q = k->children[0];
    if (q->children.size() + 1 < size || q->children.size() > size + 1) continue;
    const Term rest = subtract(p, q);
    const Integer* difference = as_integer(rest);
    if (difference != nullptr && *difference <= 0) return true;
  }
  return has_no_positive_part(p, known);
}

// What of the goal is not among the hypotheses by its form.
Term open_part(Term goal, const Facts& hypotheses) {
  const std::vector<Term> known = conjuncts(hypotheses);
  std::vector<Term> open;
  for (Term part : conjuncts({goal}))
    if (!is_known(part, known)) open.push_back(part);
  return conjunction(open);
}

}  // namespace

bool SmtOracle::entails(const Facts& hypotheses, Term goal, const std::string& purpose) {
  const Term whole = goal;
  goal = open_part(goal, hypotheses);
  if (goal == truth(true)) {
    // No question for the search; but what a verdict rests on is put to the solvers, where that is linear
    // arithmetic.
    if (whole != truth(true) && is_linear(whole) &&
        std::all_of(hypotheses.begin(), hypotheses.end(), is_linear))
      log_.push_back({hypotheses, whole, purpose});
    return true;
  }
  if (goal == truth(false)) return false;
  const std::size_t before = mark();
  goal = without_divisions(goal, hypotheses);
  if (goal == truth(true)) return true;
  // What follows from the hypotheses may stand in their place.
  Facts simpler;
  for (Term h : hypotheses)
    if (const Term fact = without_divisions(h, hypotheses, true); fact != truth(true))
      simpler.push_back(fact);
  if (ask(simpler, goal, purpose)) return true;
  rewind(before);
  return false;
}

namespace {

// The dividend as quotient * divisor + rest. Quotients inside it count as atoms, though the divisor occurs in
// them: (p - M * N * floor(p / (M * N))) is p - (M * floor(p / (M * N))) * N.
bool affine_in_divisor(Term dividend, Term divisor, Term& quotient, Term& rest) {
  // A sum as divisor: what one of its atoms is multiplied by, where taking it out leaves less. (g k + k) is
  // k (g + 1).
  for (const Monomial& m : monomials(divisor)) {
    if (divisor->kind != Kind::polynomial || m.product == nullptr || m.product->kind == Kind::product ||
        abs(m.coefficient) != 1)
      continue;
    Term coefficient = nullptr, other = nullptr;
    if (!affine_in(dividend, m.product, coefficient, other) || coefficient == integer(Integer(0))) continue;
    quotient = scale(m.coefficient, coefficient);
    rest = subtract(dividend, multiply(quotient, divisor));
    if (rest == integer(Integer(0)) || monomials(rest).size() < monomials(dividend).size()) return true;
  }
  if (affine_in(dividend, divisor, quotient, rest)) return true;
  Substitution hide, show;
  for (const Monomial& m : monomials(dividend)) {
    if (m.product == nullptr) continue;
    const std::vector<Term> atoms =
        m.product->kind == Kind::product ? m.product->children : std::vector<Term>{m.product};
    for (Term atom : atoms)
      if (atom->kind == Kind::floor_div && hide.count(atom) == 0) {
        const Term name = fresh_variable("q");
        hide[atom] = name;
        show[name] = atom;
      }
  }
  if (hide.empty() || !affine_in(substitute(dividend, hide), divisor, quotient, rest)) return false;
  quotient = substitute(quotient, show);
  rest = substitute(rest, show);
  return true;
}

}  // namespace

namespace {

// The dividend as one quotient, once, and a shift without quotients.
bool quotient_inside(Term dividend, Term& inner, Term& shift) {
  for (const Monomial& m : monomials(dividend))
    if (m.product != nullptr && m.product->kind == Kind::floor_div && m.coefficient == 1) inner = m.product;
  if (inner == nullptr) return false;
  shift = subtract(dividend, inner);
  bool divided = false;
  for_each_node(shift, [&](Term n) { divided = divided || n->kind == Kind::floor_div; });
  return !divided;
}

}  // namespace

// Law EUCLID: floor((q * a + r) / q) = a where 0 <= r < q is shown. It takes products of symbols out of what
// the solvers see. Law DIV-DIV: floor((floor(a / d) + r) / e) = floor((a + r d) / (d e)) where d and e are
// shown positive.
Term SmtOracle::without_divisions(Term goal, const Facts& hypotheses, bool shifts_only) {
  const auto positive = [&](Term t) { return ask(hypotheses, less(integer(Integer(0)), t), "EUCLID"); };
  return rewrite(goal, [&](Term node) {
    if (node->kind != Kind::floor_div || node->open != node->has_variables) return node;
    const Term divisor = node->children[1], dividend = node->children[0];
    Term inner = nullptr, shift = nullptr, whole = nullptr, part = nullptr;
    // floor((a q + floor(b / c)) / q) = a where the quotient inside stays below q.
    if (as_integer(divisor) == nullptr && quotient_inside(dividend, inner, shift) &&
        affine_in(shift, divisor, whole, part) && whole != integer(Integer(0)) &&
        ask(hypotheses, in_range(add(inner, part), divisor), "EUCLID"))
      return whole;
    inner = nullptr;
    if (quotient_inside(dividend, inner, shift) &&
        (as_integer(divisor) == nullptr || as_integer(inner->children[1]) == nullptr) && positive(divisor) &&
        positive(inner->children[1]))
      return floor_div(add(inner->children[0], multiply(shift, inner->children[1])),
                       multiply(inner->children[1], divisor));
    if (as_integer(divisor) != nullptr) return node;
    Term quotient = nullptr, rest = nullptr;
    if (!affine_in_divisor(dividend, divisor, quotient, rest)) return node;
    // An index by itself is below the divisor because a fact says so, and otherwise a solver may ponder it in
    // vain.
    const Term below = in_range(rest, divisor);
    const bool plain = rest->kind == Kind::axis || rest->kind == Kind::variable;
    if (rest == integer(Integer(0)) && positive(divisor)) return quotient;
    if (!shifts_only &&
        (plain ? std::find(hypotheses.begin(), hypotheses.end(), below) != hypotheses.end() : true) &&
        ask(hypotheses, below, "EUCLID"))
      return quotient;
    // floor((q * a + r) / q) = a + floor(r / q) for any r.
    if (quotient == integer(Integer(0)) || !positive(divisor)) return node;
    return add(quotient, floor_div(rest, divisor));
  });
}

bool SmtOracle::ask(const Facts& hypotheses, Term goal, const std::string& purpose, Elements elements) {
  if (goal == truth(true)) return true;
  Claim claim{hypotheses, goal, purpose, elements};
  std::vector<Term> all = claim.hypotheses;
  all.push_back(claim.goal);
  // Products and divisions by symbols: first with instances of their laws.
  claim.lemmas = !division_lemmas(all).empty();
  if (elements == Elements::opaque && given_facts(claim).empty() && refuted_by_sample(hypotheses, goal))
    return false;
  // An undecided question costs a whole budget; a rule that needs many of them is given up, and one that
  // needs very many of the others.
  if (undecided_ > most_undecided || ++asked_ > most_asked) return false;
  const auto holds = [&] {
    smt::Arena arena;
    const smt::Answer answer = portfolio_.probe(query(arena, claim));
    if (answer.kind == smt::Answer::Kind::failed)
      undecided_ += answer.reason == Reason::wall_limit ? cost_of_time : 1;
    return answer.is_unsat();
  };
  if (!holds()) {
    if (!claim.lemmas) return false;
    claim.lemmas = false;
    if (!holds()) return false;
  }
  log_.push_back(std::move(claim));
  return true;
}

namespace {

constexpr std::size_t most_joined = 12;

}  // namespace

// A claim costs each solver its goal and a paired check of it whatever it is about, so that twelve small ones
// cost twelve times as much as their conjunction.
std::vector<SmtOracle::Claim> SmtOracle::joined_claims() const {
  struct Group {
    Claim claim;
    std::vector<Term> goals;
    bool open = false;
  };
  std::vector<Group> groups;
  for (const Claim& claim : log_) {
    const bool plain = claim.elements == Elements::opaque && !claim.lemmas && givens_.empty() &&
                       is_linear(claim.goal) &&
                       std::all_of(claim.hypotheses.begin(), claim.hypotheses.end(), is_linear);
    Group* found = nullptr;
    for (Group& g : groups)
      if (plain && g.open && g.goals.size() < most_joined && g.claim.hypotheses == claim.hypotheses) {
        found = &g;
        break;
      }
    if (found == nullptr) {
      groups.push_back({claim, {claim.goal}, plain});
    } else if (std::find(found->goals.begin(), found->goals.end(), claim.goal) == found->goals.end()) {
      found->goals.push_back(claim.goal);
    }
  }
  std::vector<Claim> out;
  for (Group& g : groups) {
    g.claim.goal = conjunction(g.goals);
    out.push_back(std::move(g.claim));
  }
  return out;
}

Outcome SmtOracle::discharge(smt::Rule rule) {
  if (log_.empty()) {
    Outcome out;
    out.state = State::proved;
    out.reason = Reason::none;
    out.discharged_by = {"syntactic"};
    return out;
  }
  std::deque<smt::Arena> arenas;
  std::vector<smt::Query> queries;
  std::set<std::string> seen;
  for (const Claim& claim : joined_claims()) {
    arenas.emplace_back();
    smt::Query q = query(arenas.back(), claim, true);
    if (!seen.insert(smt::goal_text(q).sha256).second) continue;
    queries.push_back(std::move(q));
  }
  std::vector<Outcome> parts;
  for (smt::Decision& decision : portfolio_.decide_all(queries, rule))
    parts.push_back(std::move(decision.outcome));
  return portfolio_.settle(portfolio_.conjoin(parts, rule), rule);
}

}  // namespace hallmark::rules
