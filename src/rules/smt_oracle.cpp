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
