#include "rules/smt_oracle.h"

#include <algorithm>
#include <deque>
#include <set>

#include "base/error.h"
#include "rules/division_lemmas.h"
#include "rules/encode.h"

namespace hallmark::rules {

using namespace calculus;

smt::Query SmtOracle::query(smt::Arena& arena, const Claim& claim) const {
  Encoder encoder(arena, claim.over_reals ? Encoder::Elements::arithmetic : Encoder::Elements::opaque);
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
    if (!claim.over_reals && compares_elements(given.body)) continue;
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
    return ask(hypotheses, goal, purpose, true);
  } catch (const Refusal&) {
    return false;  // elements that have no arithmetic here: not shown
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

bool SmtOracle::entails(const Facts& hypotheses, Term goal, const std::string& purpose) {
  if (goal == truth(true)) return true;
  if (goal == truth(false)) return false;
  if (std::find(hypotheses.begin(), hypotheses.end(), goal) != hypotheses.end()) return true;
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

// Law EUCLID: floor((q * a + r) / q) = a where 0 <= r < q is shown. It takes products of symbols out of what
// the solvers see. Law DIV-DIV: floor(floor(a / d) / e) = floor(a / (d e)) where d and e are shown positive.
Term SmtOracle::without_divisions(Term goal, const Facts& hypotheses, bool shifts_only) {
  const auto positive = [&](Term t) { return ask(hypotheses, less(integer(Integer(0)), t), "EUCLID"); };
  return rewrite(goal, [&](Term node) {
    if (node->kind != Kind::floor_div || as_integer(node->children[1]) != nullptr ||
        node->open != node->has_variables)
      return node;
    const Term divisor = node->children[1], dividend = node->children[0];
    if (dividend->kind == Kind::floor_div && positive(divisor) && positive(dividend->children[1]))
      return floor_div(dividend->children[0], multiply(dividend->children[1], divisor));
    Term quotient = nullptr, rest = nullptr;
    if (!affine_in_divisor(dividend, divisor, quotient, rest)) return node;
    // An index by itself is below the divisor because a fact says so, and otherwise a solver may ponder it in
    // vain.
    const Term below = in_range(rest, divisor);
    const bool plain = rest->kind == Kind::axis || rest->kind == Kind::variable;
    if (!shifts_only &&
        (plain ? std::find(hypotheses.begin(), hypotheses.end(), below) != hypotheses.end() : true) &&
        ask(hypotheses, below, "EUCLID"))
      return quotient;
    // floor((q * a + r) / q) = a + floor(r / q) for any r.
    if (quotient == integer(Integer(0)) || !positive(divisor)) return node;
    return add(quotient, floor_div(rest, divisor));
  });
}

bool SmtOracle::ask(const Facts& hypotheses, Term goal, const std::string& purpose, bool over_reals) {
  if (goal == truth(true)) return true;
  Claim claim{hypotheses, goal, purpose, over_reals};
  std::vector<Term> all = claim.hypotheses;
  all.push_back(claim.goal);
  // Products and divisions by symbols: first with instances of their laws.
  claim.lemmas = !division_lemmas(all).empty();
  // An undecided question costs a whole budget; a rule that needs many of them is given up.
  if (undecided_ > most_undecided) return false;
  const auto holds = [&] {
    smt::Arena arena;
    const smt::Answer answer = portfolio_.probe(query(arena, claim));
    if (answer.kind == smt::Answer::Kind::failed) ++undecided_;
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
  for (const Claim& claim : log_) {
    arenas.emplace_back();
    smt::Query q = query(arenas.back(), claim);
    if (!seen.insert(smt::goal_text(q).sha256).second) continue;
    queries.push_back(std::move(q));
  }
  std::vector<Outcome> parts;
  for (smt::Decision& decision : portfolio_.decide_all(queries, rule))
    parts.push_back(std::move(decision.outcome));
  return portfolio_.settle(portfolio_.conjoin(parts, rule), rule);
}

}  // namespace hallmark::rules
