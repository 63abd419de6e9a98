// Shuffles stay symbolic, "the value v of the lane l xor 16", until something fixes the lane.
#include <algorithm>
#include <functional>
#include <map>

#include "base/error.h"
#include "validator/symbolic/executor.h"
#include "validator/symbolic/lane_moves.h"
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

// The smallest aligned groups of lanes that no shuffle of the term leaves, all of which do the same.
int group_width(Term term) {
  int width = 2;
  calculus::for_each_node(term, [&](Term node) {
    if (!is_shuffle(node)) return;
    const LaneMove move = LaneMove::of(node->name);
    const auto fits = [&] {
      for (int lane = 0; lane < 32; ++lane)
        if (move.source(lane) != lane / width * width + move.source(lane % width)) return false;
      return true;
    };
    while (width < 32 && !fits()) width *= 2;
  });
  return width;
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

// A fold whose start values alone hold shuffles, which come before its loop: the start values by `start`, the
// rest by `plain`. nullptr for other folds, and where a start value is not known.
Term starting_at(Term fold, const std::function<Term(Term)>& start, const std::function<Term(Term)>& plain) {
  calculus::FoldParts parts = calculus::open(fold);
  const auto moved = [&](Term& term) {
    if (term == nullptr) return true;
    if (has_shuffle(term)) return false;
    term = plain(term);
    return true;
  };
  if (!parts.combine.empty() || !moved(parts.extent) || !moved(parts.guard)) return nullptr;
  for (Term& step : parts.step)
    if (!moved(step)) return nullptr;
  for (Term& init : parts.init)
    if ((init = start(init)) == nullptr) return nullptr;
  return calculus::fold(parts, fold->which);
}

class LaneEvaluator {
 public:
  // Lanes of groups of `width`.
  LaneEvaluator(Term thread, int width, const Scope& scope, Arithmetic& arithmetic)
      : thread_(thread), width_(width), scope_(scope), arithmetic_(arithmetic) {
    group_ = arithmetic_.divide(thread_, width, scope_);
  }

  // nullptr where a shuffle stands inside a fold: its lanes may be in different iterations.
  Term at(Term term, int lane) {
    const auto key = std::make_pair(term, lane);
    if (const auto found = memo_.find(key); found != memo_.end()) return found->second;
    Term out = nullptr;
    if (is_shuffle(term)) {
      out = at(term->children[0], LaneMove::of(term->name).source(lane));
    } else if (belongs_to_thread(term)) {
      out = nullptr;
    } else if (!has_shuffle(term)) {
      out = in_lane(term, lane);
    } else if (term->kind == Kind::fold) {
      out = starting_at(
          term, [&](Term init) { return at(init, lane); }, [&](Term plain) { return in_lane(plain, lane); });
    } else {
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
  Term in_lane(Term term, int lane) {
    return simplify(
        calculus::substitute(
            term, {{thread_, calculus::add(calculus::scale(width_, group_), calculus::integer(lane))}}),
        scope_, arithmetic_);
  }

  Term thread_, group_;
  int width_;
  const Scope& scope_;
  Arithmetic& arithmetic_;
  std::map<std::pair<Term, int>, Term> memo_;
};

// What the executing lane gets, whichever it is: a shuffle upwards, downwards or across one bit reads the
// lane at a fixed distance, or, at the end of a segment, the own one.
class OwnLane {
 public:
  // `lane` is that of `thread`, modulo 32.
  OwnLane(Term thread, Term lane, const Scope& scope, Arithmetic& arithmetic)
      : thread_(thread), lane_(lane), scope_(scope), arithmetic_(arithmetic) {}

  // nullptr where it is not known: a running value of a loop, a shuffle inside a fold, too many cases.
  Term of(Term term) {
    if (!has_shuffle(term)) return term;
    if (const auto found = memo_.find(term); found != memo_.end()) return found->second;
    Term out = nullptr;
    if (is_shuffle(term)) {
      const Term inner = of(term->children[0]);
      if (inner != nullptr && !belongs_to_thread(inner)) out = moved(inner, LaneMove::of(term->name));
    } else if (term->kind != Kind::fold) {
      std::vector<Term> children;
      for (Term child : term->children) {
        children.push_back(of(child));
        if (children.back() == nullptr) break;
      }
      if (children.size() == term->children.size() && children.back() != nullptr)
        out = calculus::rebuild(term, children);
    }
    memo_.emplace(term, out);
    return out;
  }

 private:
  static constexpr int most_cases = 40;

  Term moved(Term value, const LaneMove& move) {
    // Lanes of one distance to their sources, as runs.
    std::vector<Term> conditions, values;
    int from = 0;
    while (from < 32) {
      const int distance = move.source(from) - from;
      int to = from;
      while (to < 31 && move.source(to + 1) - to - 1 == distance) ++to;
      if (++cases_ > most_cases) return nullptr;
      std::vector<Term> ends;
      if (from > 0) ends.push_back(calculus::at_most(calculus::integer(from), lane_));
      if (to < 31) ends.push_back(calculus::at_most(lane_, calculus::integer(to)));
      const Term here = calculus::conjunction(ends);
      conditions.push_back(here);
      values.push_back(simplify(
          calculus::substitute(value, {{thread_, calculus::add(thread_, calculus::integer(distance))}}),
          Context::extend(scope_, here), arithmetic_));
      from = to + 1;
    }
    const bool words =
        std::all_of(values.begin(), values.end(), [](Term v) { return v->kind == Kind::from_index; });
    Term out = words ? values.back()->children[0] : values.back();
    for (std::size_t i = values.size() - 1; i-- > 0;)
      out = words ? calculus::index_select(conditions[i], values[i]->children[0], out)
                  : calculus::select(conditions[i], values[i], out);
    return words ? calculus::from_index(out, value->sort) : out;
  }

  Term thread_, lane_;
  const Scope& scope_;
  Arithmetic& arithmetic_;
  std::map<Term, Term> memo_;
  int cases_ = 0;
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

namespace {

// Whether the lane is tid.x modulo 32: rows of the block are whole warps.
bool warps_lie_in_rows(const plan::KernelSpec& spec) {
  if (block_extent(spec, 1) == calculus::integer(1) && block_extent(spec, 2) == calculus::integer(1))
    return true;
  const Integer* width = calculus::as_integer(block_extent(spec, 0));
  return width != nullptr && floor_mod(*width, 32) == 0;
}

}  // namespace

std::optional<Value> in_lane(const Value& value, Term lane, const Scope& scope, const plan::KernelSpec& spec,
                             Prover& prover, bool rely) {
  const bool known = value.kind == Value::Kind::element || value.kind == Value::Kind::integer;
  if (!known || value.term == nullptr || !warps_lie_in_rows(spec) || has_shuffle(value.term) ||
      belongs_to_thread(value.term))
    return std::nullopt;
  Arithmetic arithmetic(prover, rely);
  const Term thread = thread_symbol(0);
  const Term source = calculus::add(calculus::scale(32, arithmetic.divide(thread, 32, scope)),
                                    arithmetic.modulo(lane, 32, scope));
  Value out = value;
  out.term = simplify(calculus::substitute(value.term, {{thread, source}}), scope, arithmetic);
  // Choices between lanes that are made where the lane is known.
  out.term = calculus::rewrite(out.term, [&](Term node) -> Term {
    if (node->kind != Kind::select && node->kind != Kind::index_select) return node;
    const Term condition = node->children[0];
    const auto decided = condition->open ? std::nullopt : scope->quick(condition);
    if (!decided) return node;
    if (rely && !prover.rely(scope, *decided ? condition : calculus::negation(condition))) return node;
    return node->children[*decided ? 1 : 2];
  });
  return out;
}

Term in_first_lane(Term term, const Scope& scope, const plan::KernelSpec& spec, Prover& prover) {
  if (!warps_lie_in_rows(spec)) return nullptr;
  Arithmetic arithmetic(prover, true);
  const Term first = calculus::scale(32, arithmetic.divide(thread_symbol(0), 32, scope));
  return simplify(calculus::substitute(term, {{thread_symbol(0), first}}), scope, arithmetic);
}

Value at_fixed_lane(const Value& value, const Scope& scope, const plan::KernelSpec& spec, Prover& prover) {
  if (value.term == nullptr || !has_shuffle(value.term)) return value;
  if (!warps_lie_in_rows(spec)) return value;
  Arithmetic arithmetic(prover, true);
  const Term thread = thread_symbol(0);
  const int lanes = group_width(value.term);
  const Term lane = arithmetic.modulo(thread, lanes, scope);
  LaneEvaluator evaluator(thread, lanes, scope, arithmetic);
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
    for (int other = 1; other < lanes && common != nullptr; ++other)
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
  for (int fixed : {0, lanes - 1}) {
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
  // Of two lanes each has its own.
  if (lanes == 2 && has_shuffle(out.term)) {
    const Term even = evaluator.at(out.term, 0), odd = evaluator.at(out.term, 1);
    if (even != nullptr && odd != nullptr)
      out.term = calculus::select(calculus::equal(lane, calculus::integer(0)), even, odd);
  }
  if (has_shuffle(out.term)) {
    OwnLane own(thread, arithmetic.modulo(thread, 32, scope), scope, arithmetic);
    if (const Term term = own.of(out.term); term != nullptr) out.term = term;
  }
  return out;
}

bool Executor::vote(const ir::Instruction& instruction, const Scope& scope) {
  if (instruction.opcode != ir::Opcode::vote || instruction.vote_mode == ir::VoteMode::ballot ||
      instruction.results.size() != 1)
    return false;
  const Value votes = use(instruction.operands.at(0)), mask = use(instruction.operands.at(1));
  const Integer* named = mask.term == nullptr ? nullptr : calculus::as_integer(mask.term);
  if (votes.kind != Value::Kind::boolean || named == nullptr || !warps_lie_in_rows(spec_)) return false;
  Arithmetic arithmetic(prover_, trial_depth_ == 0);
  LaneEvaluator evaluator(thread_symbol(0), 32, scope, arithmetic);
  const bool all = instruction.vote_mode == ir::VoteMode::all;
  if (!all && instruction.vote_mode != ir::VoteMode::any) return false;
  std::vector<Term> lanes;
  for (int lane = 0; lane < 32; ++lane) {
    if (floor_mod(floor_div(*named, power_of_two(static_cast<unsigned>(lane))), 2) == 0) continue;
    lanes.push_back(evaluator.at(votes.term, lane));
    if (lanes.back() == nullptr) return false;
  }
  values_[instruction.results[0]] = {Value::Kind::boolean, 1,
                                     all ? calculus::conjunction(lanes) : calculus::disjunction(lanes)};
  return true;
}

}  // namespace hallmark::validator
