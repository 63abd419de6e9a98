#include "compare/jumps.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "evaluator/evaluator.h"
#include "rules/prover.h"
#include "rules/rule.h"
#include "rules/smt_oracle.h"

namespace hallmark::compare {

using namespace calculus;

namespace {

class Jumps {
 public:
  Jumps(const Pair& pair, const std::vector<Recipe>& recipes, smt::Portfolio& portfolio)
      : pair_(pair), portfolio_(portfolio) {
    for (const Recipe& r : recipes) {
      if (!r.rounded) continue;
      if (r.number != nullptr)
        numbers_.insert(r.number);
      else
        moving_.insert(r.constant);
    }
  }

  std::set<std::string> run() {
    std::set<std::string> out;
    if (numbers_.empty() && moving_.empty()) return out;
    // A condition that is a definition of its own is looked at where it chooses.
    std::vector<Definition> conditions;
    for (const Definition& d : pair_.program.definitions) {
      if (pair_.second.count(d.declaration.name) == 0) continue;
      extents_ = &d.declaration.extents;
      const Term body = rules::inline_all(d.body, conditions);
      known_.clear();
      bool jumps_here = jumps(body);
      for_each_node(body, [&](Term n) {
        jumps_here = jumps_here || (n->kind == Kind::load && out.count(n->name) != 0);
      });
      if (jumps_here) out.insert(d.declaration.name);
      if (moves(body)) moving_.insert(d.declaration.name);
      if (d.declaration.format == Format::boolean) conditions.push_back(d);
      before_.push_back(d);
    }
    return out;
  }

 private:
  // Whether it depends on what is rounded.
  bool moves(Term t) {
    if (const auto known = known_.find(t); known != known_.end()) return known->second;
    bool out = (t->kind == Kind::load && moving_.count(t->name) != 0) ||
               (t->kind == Kind::constant && numbers_.count(t) != 0);
    for (Term child : t->children) out = moves(child) || out;
    return known_[t] = out;
  }

  static bool is_step(Op op) {
    return op == Op::floor || op == Op::ceil || op == Op::trunc || op == Op::round_even || op == Op::sign ||
           op == Op::mod || op == Op::rem || op == Op::custom;
  }

  bool jumps(Term t) {
    if (!moves(t)) return false;
    if (t->kind == Kind::compare || t->kind == Kind::is_nan || t->kind == Kind::to_index ||
        t->kind == Kind::cast)
      return true;
    if (t->kind == Kind::operation && is_step(t->op)) return true;
    std::vector<Term> parts = t->children;
    if (t->kind == Kind::select && moves(t->children[0])) {
      if (!is_continuous(t)) return true;
      parts = t->children[0]->children;
      parts.insert(parts.end(), t->children.begin() + 1, t->children.end());
    }
    return std::any_of(parts.begin(), parts.end(), [&](Term part) { return jumps(part); });
  }

  // if u < v then a else b, with a = b wherever u = v.
  bool is_continuous(Term choice) {
    const Term condition = choice->children[0];
    if (condition->kind != Kind::compare || condition->op == Op::eq || choice->sort != Sort::real())
      return false;
    const Term u = condition->children[0], v = condition->children[1];
    if (u->sort != Sort::real()) return false;
    for (const auto& [from, to] : {std::pair(u, v), std::pair(v, u)}) {
      const auto at = [&, from = from, to = to](Term arm) {
        return rewrite(arm, [&](Term n) { return n == from ? to : n; });
      };
      const Term a = at(choice->children[1]), b = at(choice->children[2]);
      if (a == b || equal(a, b)) return true;
      const Term c = at(written_out(choice->children[1], from)),
                 d = at(written_out(choice->children[2], from));
      if ((c != a || d != b) && (c == d || equal(numbers_in(c), numbers_in(d)))) return true;
    }
    return false;
  }

  // With the definitions that it reads put in, save those that `kept` reads.
  Term written_out(Term arm, Term kept) const {
    constexpr std::size_t most_nodes = 500;
    std::set<std::string> names;
    for_each_node(kept, [&](Term n) {
      if (n->kind == Kind::load) names.insert(n->name);
    });
    std::vector<Definition> put_in;
    for (const Definition& d : before_)
      if (names.count(d.declaration.name) == 0) put_in.push_back(d);
    const Term out = rules::inline_all(arm, put_in);
    std::size_t nodes = 0;
    for_each_node(out, [&](Term) { ++nodes; });
    return nodes > most_nodes ? arm : out;
  }

  // Constants of one element as the numbers that they are.
  Term numbers_in(Term t) const {
    return rewrite(t, [&](Term n) {
      if (n->kind != Kind::load || n->sort != Sort::real()) return n;
      for (const Constant& c : pair_.program.constants) {
        if (c.declaration.name != n->name) continue;
        const evaluator::Tensor tensor(c.data);
        if (tensor.element_count() == 1 && std::isfinite(tensor.number(0)))
          return real_constant(Rational(tensor.number(0)));
      }
      return n;
    });
  }

  bool equal(Term a, Term b) {
    if (a->open || b->open) return false;
    rules::SmtOracle oracle(portfolio_, "arms of a choice");
    const rules::Claim claim{pair_.program.symbols, pair_.program.preconditions, *extents_, a, b, {}, 0};
    if (!rules::prove_equal(claim, oracle).shown) return false;
    return oracle.discharge(smt::Rule::one_suffices).state == State::proved;
  }

  const Pair& pair_;
  smt::Portfolio& portfolio_;
  std::set<Term> numbers_;
  std::set<std::string> moving_;
  std::vector<Definition> before_;  // of the second model
  std::unordered_map<Term, bool> known_;
  const std::vector<Term>* extents_ = nullptr;
};

}  // namespace

std::set<std::string> jumping(const Pair& given, const std::vector<Recipe>& recipes,
                              smt::Portfolio& portfolio) {
  return Jumps(given, recipes, portfolio).run();
}

}  // namespace hallmark::compare
