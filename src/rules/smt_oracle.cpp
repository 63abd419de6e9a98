#include "rules/smt_oracle.h"

#include <algorithm>
#include <deque>
#include <set>

#include "rules/encode.h"

namespace hallmark::rules {

using namespace calculus;

smt::Query SmtOracle::query(smt::Arena& arena, const Claim& claim) const {
  Encoder encoder(arena);
  smt::Query out;
  out.title = title_;
  for (Term h : claim.hypotheses) out.hypotheses.push_back({"", encoder.encode(h)});
  out.goal = encoder.encode(claim.goal);
  return out;
}

bool SmtOracle::entails(const Facts& hypotheses, Term goal, const std::string& purpose) {
  if (goal == truth(true)) return true;
  if (goal == truth(false)) return false;
  if (std::find(hypotheses.begin(), hypotheses.end(), goal) != hypotheses.end()) return true;
  const std::size_t before = mark();
  goal = without_divisions(goal, hypotheses);
  if (goal == truth(true)) return true;
  if (ask(hypotheses, goal, purpose)) return true;
  rewind(before);
  return false;
}

// Law EUCLID: floor((q * a + r) / q) = a where 0 <= r < q is shown. It takes products of symbols out of what
// the solvers see.
Term SmtOracle::without_divisions(Term goal, const Facts& hypotheses) {
  return rewrite(goal, [&](Term node) {
    if (node->kind != Kind::floor_div || as_integer(node->children[1]) != nullptr ||
        node->open != node->has_variables)
      return node;
    const Term divisor = node->children[1];
    Term quotient = nullptr, rest = nullptr;
    if (!affine_in(node->children[0], divisor, quotient, rest)) return node;
    return ask(hypotheses, in_range(rest, divisor), "EUCLID") ? quotient : node;
  });
}

bool SmtOracle::ask(const Facts& hypotheses, Term goal, const std::string& purpose) {
  if (goal == truth(true)) return true;
  Claim claim{hypotheses, goal, purpose};
  smt::Arena arena;
  if (!portfolio_.seems_to_hold(query(arena, claim))) return false;
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
