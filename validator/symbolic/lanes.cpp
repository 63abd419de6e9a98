// Shuffles stay symbolic, "the value v of the lane l xor 16", until something fixes the lane.
#include <algorithm>
#include <functional>
#include <map>

#include "base/error.h"
#include "validator/symbolic/executor.h"
#include "validator/symbolic/writers.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

namespace {

bool is_shuffle(Term term) {
  return term->kind == Kind::operation && term->op == calculus::Op::custom &&
         term->name.rfind("shuffle.", 0) == 0;
}

bool has_shuffle(Term term) {
  bool found = false;
  calculus::for_each_node(term, [&](Term node) { found = found || is_shuffle(node); });
  return found;
}

// The lane that a shuffle executed by `lane` reads.
int source_lane(const std::string& name, int lane) {
  const std::size_t dot = name.rfind('.');
  const int operand = std::stoi(name.substr(dot + 1));
  const std::string mode = name.substr(8, dot - 8);
  int source = lane;
  if (mode == ir::name(ir::ShuffleMode::butterfly)) source = lane ^ operand;
  if (mode == ir::name(ir::ShuffleMode::down)) source = lane + operand;
  if (mode == ir::name(ir::ShuffleMode::up)) source = lane - operand;
  if (mode == ir::name(ir::ShuffleMode::index)) source = operand;
  // A source outside the warp gives the own value.
  return source < 0 || source > 31 ? lane : source;
}

// Whether it holds something that another lane has too, and differently: a running value of a loop, or an
// arbitrary one. Iterations are shared by the lanes of a shuffle (obligation `shuffle`).
bool belongs_to_thread(Term term) {
  if (!term->has_variables) return false;
  bool found = false;
  calculus::for_each_node(term, [&](Term node) {
    found = found || (node->kind == Kind::variable && node->name.rfind("it.", 0) != 0);
  });
  return found;
}

class LaneEvaluator {
 public:
  LaneEvaluator(Term thread, const Scope& scope, Arithmetic& arithmetic)
      : thread_(thread), scope_(scope), arithmetic_(arithmetic) {
    warp_ = arithmetic_.divide(thread_, 32, scope_);
  }

  // nullptr where a shuffle stands inside a fold: its lanes may be in different iterations.
  Term at(Term term, int lane) {
    const auto key = std::make_pair(term, lane);
    if (const auto found = memo_.find(key); found != memo_.end()) return found->second;
    Term out = nullptr;
    if (is_shuffle(term)) {
      out = at(term->children[0], source_lane(term->name, lane));
    } else if (belongs_to_thread(term)) {
      out = nullptr;
    } else if (!has_shuffle(term)) {
      out =
          simplify(calculus::substitute(
                       term, {{thread_, calculus::add(calculus::scale(32, warp_), calculus::integer(lane))}}),
                   scope_, arithmetic_);
    } else if (term->kind != Kind::fold) {
      std::vector<Term> children;
      for (Term child : term->children) {
        children.push_back(at(child, lane));
        if (children.back() == nullptr) break;
      }
      if (children.size() == term->children.size() && children.back() != nullptr)
        out = calculus::rebuild(term, children);
    }
    memo_.emplace(key, out);
    return out;
  }

 private:
  Term thread_, warp_;
  const Scope& scope_;
  Arithmetic& arithmetic_;
  std::map<std::pair<Term, int>, Term> memo_;
};

// Nested sums, products and extrema of floats in one order: equal for terms that differ in association and
// order only, as they may where equality is over the reals.
Term sorted_chains(Term term) {
  using calculus::Op;
  return calculus::rewrite(term, [](Term node) -> Term {
    if (node->kind != Kind::operation || node->sort.kind != calculus::Sort::Kind::floating) return node;
    if (node->op != Op::add && node->op != Op::mul && node->op != Op::maxnum && node->op != Op::minnum &&
        node->op != Op::maximum && node->op != Op::minimum)
      return node;
    std::vector<Term> operands, work{node};
    while (!work.empty()) {
      const Term t = work.back();
      work.pop_back();
      if (t->kind == Kind::operation && t->op == node->op && t->sort == node->sort)
        work.insert(work.end(), t->children.begin(), t->children.end());
      else
        operands.push_back(t);
      if (operands.size() + work.size() > 4096) return node;
    }
    std::sort(operands.begin(), operands.end(), calculus::TermLess{});
    Term out = operands[0];
    for (std::size_t i = 1; i < operands.size(); ++i)
      out = calculus::operation(node->op, {out, operands[i]}, node->sort, node->rounding,
                                node->flush_subnormals);
    return out;
  });
}

// A sum of words, right modulo 2^32, without the reductions of its terms.
Term plain_sum(Term p) {
  std::vector<Term> parts;
  for (const calculus::Monomial& m : calculus::monomials(p)) {
    const bool word = m.product != nullptr && m.product->kind == Kind::to_index &&
                      m.product->children[0]->kind == Kind::from_index &&
                      m.product->children[0]->sort == calculus::Sort::integer(calculus::Format::u32);
    const Term plain = m.product == nullptr ? calculus::integer(1)
                       : word               ? plain_sum(m.product->children[0]->children[0])
                                            : m.product;
    parts.push_back(calculus::scale(m.coefficient, plain));
  }
  return calculus::add(parts);
}

}  // namespace

Value at_fixed_lane(const Value& value, const Scope& scope, const plan::KernelSpec& spec, Prover& prover) {
  if (value.term == nullptr || !has_shuffle(value.term)) return value;
  const Integer* width = calculus::as_integer(block_extent(spec, 0));
  const bool flat =
      block_extent(spec, 1) == calculus::integer(1) && block_extent(spec, 2) == calculus::integer(1);
  // The lane is tid.x modulo 32 where rows of the block are whole warps.
  if (!flat && (width == nullptr || floor_mod(*width, 32) != 0)) return value;
  Arithmetic arithmetic(prover, true);
  const Term thread = thread_symbol(0);
  const Term lane = arithmetic.modulo(thread, 32, scope);
  LaneEvaluator evaluator(thread, scope, arithmetic);
  Value out = value;
  // All lanes hold one value: a butterfly.
  const bool reals = spec.equality == plan::Equality::reals && value.kind == Value::Kind::element;
  const bool word = value.kind == Value::Kind::integer && value.width == 32;
  const auto in_lane = [&](Term whole, int lane_number) -> Term {
    const Term term = evaluator.at(whole, lane_number);
    return term == nullptr ? nullptr : reals ? sorted_chains(term) : word ? plain_sum(term) : term;
  };
  const auto in_all_lanes = [&](Term term) -> Term {
    Term common = in_lane(term, 0);
    for (int other = 1; other < 32 && common != nullptr; ++other)
      if (in_lane(term, other) != common) common = nullptr;
    return common;
  };
  // A total of the warp inside a later loop (the maximum inside the sum of exponentials): where it does not
  // depend on the iteration, it is what it was before the loop, the same in all lanes.
  std::map<Term, Term> resolved;
  const std::function<Term(Term)> resolve = [&](Term term) -> Term {
    if (!has_shuffle(term)) return term;
    if (const auto found = resolved.find(term); found != resolved.end()) return found->second;
    Term result = nullptr;
    if (!term->open && term->kind == Kind::operation && term->sort.kind == calculus::Sort::Kind::floating)
      result = in_all_lanes(term);
    if (result == nullptr && term->kind == Kind::fold) {
      calculus::FoldParts parts = calculus::open(term);
      for (Term& step : parts.step) step = resolve(step);
      for (Term& init : parts.init) init = resolve(init);
      result = calculus::fold(parts, term->which);
    }
    if (result == nullptr) {
      std::vector<Term> children;
      for (Term child : term->children) children.push_back(resolve(child));
      result = calculus::rebuild(term, children);
    }
    resolved.emplace(term, result);
    return result;
  };
  bool in_fold = false;
  calculus::for_each_node(
      value.term, [&](Term node) { in_fold = in_fold || (node->kind == Kind::fold && has_shuffle(node)); });
  if (in_fold) out.term = resolve(value.term);
  for (int fixed : {0, 31}) {
    if (!prover.rely(scope, calculus::equal(lane, calculus::integer(fixed)))) continue;
    const Term term = evaluator.at(out.term, fixed);
    if (term != nullptr) out.term = term;
    return out;
  }
  if (const Term common = in_all_lanes(out.term); common != nullptr) {
    out.term = common;
    return out;
  }
  // The parts that all lanes share: a total that each lane uses for elements of its own.
  std::map<Term, Term> memo;
  const std::function<Term(Term)> parts = [&](Term term) -> Term {
    if (!has_shuffle(term) || term->kind == Kind::fold) return term;
    if (const auto found = memo.find(term); found != memo.end()) return found->second;
    Term result = nullptr;
    if (term->kind == Kind::operation && term->sort.kind == calculus::Sort::Kind::floating)
      result = in_all_lanes(term);
    if (result == nullptr && !is_shuffle(term)) {
      std::vector<Term> children;
      for (Term child : term->children) children.push_back(parts(child));
      result = calculus::rebuild(term, children);
    }
    if (result == nullptr) result = term;
    memo.emplace(term, result);
    return result;
  };
  if (value.kind == Value::Kind::element) out.term = parts(out.term);
  // Words: each monomial whose shuffled part is one value in all lanes.
  if (word) {
    std::vector<Term> sum;
    for (const calculus::Monomial& m : calculus::monomials(out.term)) {
      const Term part =
          m.product == nullptr ? calculus::integer(m.coefficient) : calculus::scale(m.coefficient, m.product);
      const Term common = has_shuffle(part) ? in_all_lanes(part) : nullptr;
      sum.push_back(common != nullptr ? common : part);
    }
    out.term = calculus::add(sum);
  }
  return out;
}

}  // namespace hallmark::validator
