// Loops: one trial visit with arbitrary header values finds the affine recurrences, one visit for a generic
// iteration confirms them; everything else that is carried becomes a fold over the iterations.
//
// A loop visits its header for it = 0, 1, ... and goes on exactly while its conditions L_i(it) hold, each
// rest_i + q_i * it <= 0 with q_i >= 1. So the visits are those with it = 0 or all L_i(it - 1), and the
// number of back edges taken is max(0, min_i(floor(-rest_i / q_i) + 1)).
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "validator/symbolic/divide.h"
#include "validator/symbolic/executor.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

namespace {

constexpr unsigned free_unroll_limit = 64;  // loops with shuffles or barriers driven by constants alone
constexpr std::size_t most_unrolled_nodes =
    20000;                                      // of the whole execution: loops inside each other multiply
constexpr unsigned forced_unroll_limit = 1024;  // loops that no affine domain describes

bool mentions(Term term, Term leaf) {
  bool found = false;
  calculus::for_each_node(term, [&](Term node) { found = found || node == leaf; });
  return found;
}

// Wrap-around left out: a guess at what the condition says, confirmed later.
Term without_wraps(Term term, Term it, const Scope& scope) {
  return calculus::rewrite(term, [&](Term node) -> Term {
    if (node->kind != Kind::floor_div) return node;
    const Integer* c = calculus::as_integer(node->children[1]);
    if (c == nullptr || mpz_popcount(c->get_mpz_t()) != 1) return node;
    // A wrap that was divided further has a larger divisor; only one that moves with the loop is of interest.
    if (*c == power_of_two(32) || *c == power_of_two(64) || *c == power_of_two(16) ||
        (*c > power_of_two(16) && mentions(node, it))) {
      // What it is in the first iteration.
      const Interval first =
          scope->range(calculus::substitute(node->children[0], {{it, calculus::integer(0)}}));
      if (first.low && first.high && floor_div(*first.low, *c) == floor_div(*first.high, *c))
        return calculus::integer(floor_div(*first.low, *c));
      // The constant of the dividend has been taken to [0, 2^w): -4 stands there as 2^w - 4; a signed view
      // adds 2^(w-1) and means no more wraps than without.
      return calculus::integer(floor_div(calculus::constant_part(node->children[0]) + *c / 4, *c));
    }
    return node;
  });
}

// p of `p != 0` with the wraps that move with the loop left out, so that it starts near 0: where the loop
// ends the wrapped value is the straight one, whatever it was on the way. nullptr where p has no such wrap.
Term nearest_zero(Term p, Term it, const Scope& scope) {
  Integer modulus = 0;
  std::vector<Term> rest;
  for (const calculus::Monomial& m : calculus::monomials(p)) {
    const Integer* c = m.product != nullptr && m.product->kind == Kind::floor_div && mentions(m.product, it)
                           ? calculus::as_integer(m.product->children[1])
                           : nullptr;
    if (c == nullptr || *c < power_of_two(16) || mpz_popcount(c->get_mpz_t()) != 1 ||
        abs(m.coefficient) < power_of_two(8)) {
      rest.push_back(m.product == nullptr ? calculus::integer(m.coefficient)
                                          : calculus::scale(m.coefficient, m.product));
      continue;
    }
    if (modulus != 0 && modulus != abs(m.coefficient)) return nullptr;
    modulus = abs(m.coefficient);
  }
  if (modulus == 0) return nullptr;
  const Term straight = calculus::add(rest);
  const Interval first = scope->range(calculus::substitute(straight, {{it, calculus::integer(0)}}));
  if (!first.low || !first.high || *first.high - *first.low > modulus / 2) return straight;
  const Integer turns = floor_div(*first.high + modulus / 2, modulus);
  return calculus::subtract(straight, calculus::integer(Integer(turns * modulus)));
}

// The linear upper bounds on `it` that a condition states: each p with p <= 0 and a positive coefficient.
bool guess_bounds(Term condition, Term it, const Scope& scope, std::vector<Term>& out) {
  if (condition->kind == Kind::conjunction) {
    for (Term part : condition->children)
      if (!guess_bounds(part, it, scope, out)) return false;
    return true;
  }
  if (condition->kind == Kind::truth) return condition->number != 0;
  const Term plain = without_wraps(condition, it, scope);
  const bool differs = plain->kind == Kind::negation && plain->children[0]->kind == Kind::is_zero;
  if (plain->kind != Kind::at_most_zero && !differs) return false;
  Term p = differs ? plain->children[0]->children[0] : plain->children[0];
  if (condition->kind == Kind::negation && condition->children[0]->kind == Kind::is_zero)
    if (const Term near = nearest_zero(condition->children[0]->children[0], it, scope); near != nullptr)
      p = without_wraps(near, it, scope);
  Term q = nullptr, rest = nullptr;
  if (!calculus::affine_in(p, it, q, rest) || mentions(rest, it) || mentions(q, it)) return false;
  if (q == calculus::integer(0)) return true;  // does not depend on the iteration: holds at entry or never
  const Interval sign = scope->range(q);
  if (differs) {
    // Counts towards 0 from one side: below it while q > 0.
    if (sign.high && *sign.high < 0)
      p = calculus::scale(-1, p);
    else if (!(sign.low && *sign.low > 0))
      return false;
    p = calculus::add(p, calculus::integer(1));
  } else if (sign.high && *sign.high <= 0) {
    return false;
  }
  out.push_back(calculus::at_most(p, calculus::integer(0)));
  return true;
}

// The parts of a conjunction that bound the counter from above by themselves, whatever the others say.
std::vector<Term> linear_parts(Term conjunction, Term it, const Scope& scope) {
  std::vector<Term> out;
  for (Term part : conjunction->children) {
    std::vector<Term> bounds;
    if (part->kind == Kind::at_most_zero && guess_bounds(part, it, scope, bounds))
      out.insert(out.end(), bounds.begin(), bounds.end());
  }
  return out;
}

// next - state as unbounded numbers, with choices taken apart: a counter that may stand still. nullptr where
// it depends on the state.
Term increment(Term next, Term state) {
  const Term difference = calculus::subtract(next, state);
  if (!mentions(difference, state)) return difference;
  for (const calculus::Monomial& m : calculus::monomials(next)) {
    if (m.product == nullptr || m.product->kind != Kind::index_select || m.coefficient != 1) continue;
    const Term rest = calculus::subtract(next, m.product);
    const Term yes = increment(calculus::add(rest, m.product->children[1]), state);
    const Term no = yes == nullptr ? nullptr : increment(calculus::add(rest, m.product->children[2]), state);
    if (no == nullptr || mentions(m.product->children[0], state)) return nullptr;
    return calculus::index_select(m.product->children[0], yes, no);
  }
  return nullptr;
}

Term at(Term term, Term it, Term value) {
  return calculus::substitute(term, {{it, value}});
}

// A counter that goes round: the slot of a double buffer, (k + 1) % 3. Its value over the iteration where the
// step, from a constant, comes back to it after a few steps; nullptr otherwise.
Term periodic(Term init, Term next, Term state, Term it, unsigned width) {
  const Integer* first = calculus::as_integer(init);
  if (first == nullptr) return nullptr;
  std::vector<Integer> orbit{floor_mod(*first, power_of_two(width))};
  constexpr std::size_t longest = 16;
  while (orbit.size() <= longest) {
    const Term value = calculus::substitute(next, {{state, calculus::integer(orbit.back())}});
    const Integer* number = calculus::as_integer(value);
    if (number == nullptr) return nullptr;
    const Integer reduced = floor_mod(*number, power_of_two(width));
    if (reduced == orbit[0]) break;
    orbit.push_back(reduced);
  }
  if (orbit.size() < 2 || orbit.size() > longest) return nullptr;
  const Term turn = calculus::mod(it, calculus::integer(static_cast<long>(orbit.size())));
  const Integer step = orbit[1] - orbit[0];
  bool even = true;
  for (std::size_t i = 1; i < orbit.size(); ++i) even = even && orbit[i] == orbit[i - 1] + step;
  if (even) return calculus::add(calculus::integer(orbit[0]), calculus::scale(step, turn));
  Term out = calculus::integer(orbit.back());
  for (std::size_t i = orbit.size() - 1; i-- > 0;)
    out = calculus::index_select(calculus::equal(turn, calculus::integer(static_cast<long>(i))),
                                 calculus::integer(orbit[i]), out);
  return out;
}

bool contains_cross_lane(const ir::Kernel& kernel, const ir::Loop& loop) {
  for (ir::BlockId block : loop.blocks)
    for (const ir::Instruction& instruction : kernel.blocks[block].instructions)
      if (instruction.opcode == ir::Opcode::shuffle) return true;
  return false;
}

}  // namespace

void Executor::execute_loop(Region& region, std::uint32_t loop) {
  const ir::BlockId header = flow_.loops()[loop].header;
  std::vector<Incoming> in = region.incoming.at(header);
  std::erase_if(in, [](const Incoming& edge) { return edge.condition == calculus::truth(false); });
  if (in.empty()) return;
  std::vector<Value> init;
  const Term entry = merge(region, header, in, init);
  region.condition[header] = entry;
  if (contains_cross_lane(kernel_, flow_.loops()[loop]) &&
      unroll(region, loop, init, entry, in, free_unroll_limit))
    return;
  symbolic_loop(region, loop, init, entry, in);
}

bool Executor::unroll(Region& region, std::uint32_t loop, const std::vector<Value>& init, Term entry,
                      const std::vector<Incoming>& in, unsigned limit) {
  const ir::BlockId header = flow_.loops()[loop].header;
  const Trace saved = trace_;
  const std::vector<Value> saved_values = values_;
  const std::size_t mark = prover_.mark();
  std::vector<Value> arguments = init;
  std::vector<Incoming> edges = in;
  Term condition = entry;
  const auto give_up = [&] {
    trace_ = saved;
    values_ = saved_values;
    prover_.rewind(mark);
    return false;
  };
  for (unsigned turn = 0; turn < limit; ++turn) {
    if (trace_.nodes.size() > most_unrolled_nodes) return give_up();
    Region body;
    body.loop = loop;
    body.scope = Context::extend(region.scope, condition);
    body.loops = region.loops;
    for (Incoming& edge : edges) {
      edge.condition = calculus::truth(true);
      edge.arguments = arguments;
    }
    // All entries bring the merged arguments, so one decides and all stay predecessors.
    body.incoming[header] = edges;
    execute_region(body, header);
    if (body.back.empty()) {
      for (Region::Exit& exit : body.exits) {
        exit.in.condition = calculus::both(condition, exit.in.condition);
        region.incoming[exit.target].push_back(exit.in);
      }
      return true;
    }
    if (!body.exits.empty()) return give_up();
    arguments.clear();
    for (std::size_t p = 0; p < init.size(); ++p) {
      Value value = body.back.back().arguments[p];
      for (std::size_t i = body.back.size() - 1; i-- > 0;)
        value = join(body.back[i].condition, body.back[i].arguments[p], value,
                     kernel_.type_of(kernel_.blocks[header].parameters[p]), body.scope);
      arguments.push_back(value);
    }
    edges = body.back;
  }
  return give_up();
}

Executor::Region Executor::trial(const Region& region, std::uint32_t loop, const std::vector<Value>& start,
                                 const Scope& scope) {
  const Trace saved = trace_;
  const std::size_t mark = prover_.mark();
  ++trial_depth_;
  Region body;
  body.loop = loop;
  body.scope = scope;
  body.loops = region.loops;
  body.incoming[flow_.loops()[loop].header].push_back({calculus::truth(true), start, -1});
  execute_region(body, flow_.loops()[loop].header);
  --trial_depth_;
  for (std::size_t i = saved.events.size(); i < trace_.events.size(); ++i)
    if (trace_.events[i].kind == Event::Kind::store || trace_.events[i].kind == Event::Kind::atomic)
      stored_in_loop_[loop].insert(trace_.events[i].memory);
  trace_ = saved;
  prover_.rewind(mark);
  return body;
}

void Executor::symbolic_loop(Region& region, std::uint32_t loop, const std::vector<Value>& init, Term entry,
                             const std::vector<Incoming>& in) {
  const ir::BlockId header = flow_.loops()[loop].header;
  const std::vector<ir::ValueId>& parameters = kernel_.blocks[header].parameters;
  const Scope entry_scope = Context::extend(region.scope, entry);
  const std::vector<Value> values_before = values_;
  const int number = instance_++;
  const Term it = calculus::variable(fmt::format("it.{}.{}", header, number));

  // --- The trial: header values arbitrary.
  std::vector<Value> start;
  std::vector<Term> states;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    Value value = init[p].kind == Value::Kind::arbitrary
                      ? unknown(kernel_.type_of(parameters[p]), "not set before the loop")
                      : init[p];
    const calculus::Sort sort = value.kind == Value::Kind::integer   ? calculus::Sort::index()
                                : value.kind == Value::Kind::boolean ? calculus::Sort::boolean()
                                                                     : value.term->sort;
    states.push_back(calculus::variable(fmt::format("state.{}.{}.{}", header, number, p), sort));
    value.term = states.back();
    start.push_back(value);
  }
  const auto back_values = [&](Region& body, const Scope& scope) {
    std::vector<Value> next;
    for (std::size_t p = 0; p < parameters.size() && !body.back.empty(); ++p) {
      Value value = body.back.back().arguments[p];
      for (std::size_t i = body.back.size() - 1; i-- > 0;)
        value = join(body.back[i].condition, body.back[i].arguments[p], value, kernel_.type_of(parameters[p]),
                     scope);
      next.push_back(value);
    }
    return next;
  };
  Region guess = trial(region, loop, start, entry_scope);
  const std::vector<Value> trial_next = back_values(guess, entry_scope);
  std::vector<Carried> carried(parameters.size());
  std::vector<Term> round(parameters.size(), nullptr);  // values of those that have a period
  for (std::size_t p = 0; p < parameters.size() && !guess.back.empty(); ++p) {
    carried[p].variable = states[p];
    const Value& next = trial_next[p];
    if (init[p].kind == Value::Kind::arbitrary || next.kind != init[p].kind) continue;
    if (next.term == states[p]) {
      carried[p].kind = Carried::Kind::affine;  // never changes
      carried[p].step = init[p].kind == Value::Kind::integer ? calculus::integer(0) : nullptr;
      continue;
    }
    if (init[p].kind != Value::Kind::integer) continue;
    const Term step = Arithmetic::reduce(calculus::subtract(next.term, states[p]), next.width);
    if (!visible(step, {})) {
      round[p] = periodic(init[p].term, next.term, states[p], it, next.width);
      if (round[p] != nullptr) carried[p].kind = Carried::Kind::affine;
      continue;
    }
    carried[p].kind = Carried::Kind::affine;
    carried[p].step = step;
  }
  // What a visit computes from the counters alone, for the next one (nvcc keeps -k beside k): a recurrence
  // too, where it starts as a visit before the first would have left it.
  calculus::Substitution counters;
  for (std::size_t p = 0; p < parameters.size(); ++p)
    if (carried[p].kind == Carried::Kind::affine && carried[p].step != nullptr)
      counters[states[p]] = calculus::add(init[p].term, calculus::multiply(it, carried[p].step));
  for (std::size_t p = 0; p < parameters.size() && !guess.back.empty(); ++p) {
    if (carried[p].kind == Carried::Kind::affine || carried[p].variable == nullptr ||
        init[p].kind != Value::Kind::integer || trial_next[p].kind != Value::Kind::integer)
      continue;
    Term step = nullptr, rest = nullptr;
    const Term next = calculus::substitute(trial_next[p].term, counters);
    if (!calculus::affine_in(next, it, step, rest) || mentions(rest, it) || mentions(step, it) ||
        !visible(step, {}) || !visible(rest, {}) ||
        Arithmetic::reduce(calculus::subtract(init[p].term, calculus::subtract(rest, step)),
                           trial_next[p].width) != calculus::integer(0))
      continue;
    carried[p].kind = Carried::Kind::affine;
    carried[p].step = step;
  }
  // --- The domain, from the trial's condition of going on.
  calculus::Substitution closed;
  std::vector<Value> now;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    Value value = start[p];
    if (carried[p].kind == Carried::Kind::affine) {
      value.term = round[p] != nullptr ? round[p]
                   : carried[p].step != nullptr
                       ? calculus::add(init[p].term, calculus::multiply(it, carried[p].step))
                       : init[p].term;
      closed[states[p]] = value.term;
    }
    // Nobody gave it a value before the loop: a visit that uses it before it sets it may be the first.
    if (init[p].kind == Value::Kind::arbitrary) value = init[p];
    now.push_back(value);
  }
  std::vector<Term> going;
  for (const Incoming& edge : guess.back) going.push_back(calculus::substitute(edge.condition, closed));
  const Term goes_on = calculus::disjunction(going);
  std::vector<Term> bounds;
  const bool bounded =
      !guess.back.empty() && guess_bounds(goes_on, it, entry_scope, bounds) && !bounds.empty();
  if (!bounded && unroll(region, loop, init, entry, in, forced_unroll_limit)) return;
  // A loop that may end early, at a break: it goes on at most while its counter says so.
  if (!bounded)
    bounds =
        goes_on->kind == Kind::conjunction ? linear_parts(goes_on, it, entry_scope) : std::vector<Term>{};

  // --- A generic visit.
  SymbolicLoop record;
  record.iteration = it;
  record.parent = region.loops.empty() ? -1 : region.loops.back();
  record.block = header;
  std::vector<Term> visit{calculus::at_most(calculus::integer(0), it)};
  const Term previous = calculus::subtract(it, calculus::integer(1));
  Arithmetic arithmetic(prover_, trial_depth_ == 0);
  for (Term bound : bounds) {
    if (arithmetic.rely(entry_scope, at(bound, it, calculus::integer(-1))))
      visit.push_back(at(bound, it, previous));
    else
      visit.push_back(calculus::either(calculus::at_most(it, calculus::integer(0)), at(bound, it, previous)));
  }
  // A sum of numbers lies between its start and the least and greatest steps, it times over. The state's
  // variable stands for that sum without any reduction, as its fold does; the steps are confirmed below.
  std::vector<std::pair<std::size_t, Interval>> sums;
  for (std::size_t p = 0; p < parameters.size() && bounded; ++p) {
    if (carried[p].kind != Carried::Kind::state || carried[p].variable == nullptr ||
        init[p].kind != Value::Kind::integer || trial_next[p].kind != Value::Kind::integer)
      continue;
    const Term step = increment(trial_next[p].term, states[p]);
    if (step == nullptr) continue;
    const Interval range = entry_scope->range(step);
    if (!range.low || !range.high || abs(*range.low) > power_of_two(32) ||
        abs(*range.high) > power_of_two(32))
      continue;
    sums.emplace_back(p, range);
    visit.push_back(
        calculus::at_most(calculus::add(init[p].term, calculus::scale(*range.low, it)), states[p]));
    visit.push_back(
        calculus::at_most(states[p], calculus::add(init[p].term, calculus::scale(*range.high, it))));
  }
  record.visit = Context::extend(entry_scope, visit);
  const int id = static_cast<int>(trace_.loops.size());
  trace_.loops.push_back(record);
  const std::size_t visible_before = visible_.size();
  visible_.push_back(it);
  for (std::size_t p = 0; p < parameters.size(); ++p)
    if (carried[p].kind == Carried::Kind::state) visible_.push_back(states[p]);
  Region body;
  body.loop = loop;
  body.scope = record.visit;
  body.loops = region.loops;
  body.loops.push_back(id);
  const int header_node = static_cast<int>(trace_.nodes.size());
  trace_.loops[static_cast<std::size_t>(id)].header = header_node;
  std::vector<Incoming> edges = in;
  for (Incoming& edge : edges) {
    edge.condition = calculus::truth(true);
    edge.arguments = now;
    edge.kind = TraceEdge::Kind::enter;
    edge.loop = id;
  }
  body.incoming[header] = edges;
  execute_region(body, header);
  for (const Incoming& edge : body.back) {
    trace_.nodes[static_cast<std::size_t>(edge.node)].successors.push_back(
        {header_node, TraceEdge::Kind::back, id});
    trace_.nodes[static_cast<std::size_t>(header_node)].predecessors.push_back(edge.node);
  }
  const std::vector<Value> next = back_values(body, record.visit);

  // --- Confirmation.
  std::string trouble;
  for (std::size_t p = 0; p < parameters.size() && !body.back.empty(); ++p) {
    if (carried[p].kind != Carried::Kind::affine) continue;
    bool same = next[p].kind == now[p].kind;
    if (same && round[p] != nullptr) {
      const Term wanted = at(round[p], it, calculus::add(it, calculus::integer(1)));
      const Term difference = Arithmetic::reduce(calculus::subtract(next[p].term, wanted), now[p].width);
      same = difference == calculus::integer(0) ||
             arithmetic.rely(record.visit, calculus::equal(difference, calculus::integer(0)));
    } else if (same && carried[p].step != nullptr) {
      const Term wanted = calculus::add(now[p].term, carried[p].step);
      const Term difference = Arithmetic::reduce(calculus::subtract(next[p].term, wanted), now[p].width);
      same = difference == calculus::integer(0) ||
             arithmetic.rely(record.visit, calculus::equal(difference, calculus::integer(0)));
    } else if (same) {
      same = next[p].term == now[p].term;
    }
    // In a trial pass a recurrence that is not confirmed is tried again by the real pass.
    if (!same && trial_depth_ == 0)
      throw Refusal("E4002", "a recurrence of the loop could not be confirmed",
                    kernel_.location(kernel_.blocks[header].terminator.place));
  }
  for (const auto& [p, range] : sums) {
    if (body.back.empty()) continue;
    const Term step = next[p].kind == now[p].kind ? increment(next[p].term, states[p]) : nullptr;
    const bool same = step != nullptr &&
                      arithmetic.rely(record.visit, calculus::at_most(calculus::integer(*range.low), step)) &&
                      arithmetic.rely(record.visit, calculus::at_most(step, calculus::integer(*range.high)));
    if (!same && trial_depth_ == 0)
      throw Refusal("E4002", "a sum of the loop could not be confirmed",
                    kernel_.location(kernel_.blocks[header].terminator.place));
  }
  std::vector<Term> goes;
  for (const Incoming& edge : body.back) goes.push_back(edge.condition);
  if (bounded) {
    const Term all = calculus::conjunction(bounds);
    const Term machine = calculus::disjunction(goes);
    Term trips = nullptr;
    for (Term bound : bounds) {
      Term q = nullptr, rest = nullptr;
      calculus::affine_in(bound->children[0], it, q, rest);
      if (!arithmetic.rely(entry_scope, calculus::at_most(calculus::integer(1), q)))
        trouble = "its stride may not be positive";
      const Integer* constant = calculus::as_integer(q);
      const Term negated = calculus::scale(-1, rest);
      const Term count = calculus::add(constant != nullptr && *constant > 0
                                           ? arithmetic.divide(negated, *constant, entry_scope)
                                           : divide_by_symbols(negated, q),
                                       calculus::integer(1));
      trips = trips == nullptr ? count : calculus::index_min(trips, count);
    }
    if (!arithmetic.rely(Context::extend(record.visit, all), machine) ||
        !arithmetic.rely(Context::extend(record.visit, calculus::negation(all)), calculus::negation(machine)))
      trouble = "its exit test does not follow its counter";
    if (trouble.empty()) {
      if (!arithmetic.rely(entry_scope, calculus::at_most(calculus::integer(0), trips)))
        trips = calculus::index_max(trips, calculus::integer(0));
      trace_.loops[static_cast<std::size_t>(id)].trips = trips;
      trace_.loops[static_cast<std::size_t>(id)].conditions = bounds;
    }
  } else {
    if (!bounds.empty() && !body.back.empty() && trial_depth_ == 0 &&
        !arithmetic.rely(Context::extend(record.visit, calculus::disjunction(goes)),
                         calculus::conjunction(bounds)))
      throw Refusal("E4003",
                    "the number of iterations of a loop could not be determined: "
                    "it may go on when its counter is done",
                    kernel_.location(kernel_.blocks[header].terminator.place));
    trouble = body.back.empty() ? "" : "its exit test is not linear in a counter";
    if (body.back.empty()) trace_.loops[static_cast<std::size_t>(id)].trips = calculus::integer(0);
  }
  if (!trouble.empty() && bounded && trial_depth_ == 0) {
    // The visit facts rested on bounds that are not confirmed: nothing inside may rely on them.
    throw Refusal("E4003", "the number of iterations of a loop could not be determined: " + trouble,
                  kernel_.location(kernel_.blocks[header].terminator.place));
  }
  trace_.loops[static_cast<std::size_t>(id)].detail = trouble;
  close_loop(region, body, loop, id, init, now, carried, next, entry);
  visible_.resize(visible_before);
}

// Values after the loop: the iteration becomes the trip count, states become folds.
void Executor::close_loop(Region& region, Region& body, std::uint32_t loop, int id,
                          const std::vector<Value>& init, const std::vector<Value>& now,
                          const std::vector<Carried>& carried, const std::vector<Value>& next, Term entry) {
  const SymbolicLoop& record = trace_.loops[static_cast<std::size_t>(id)];
  const Term it = record.iteration;
  const std::size_t count = carried.size();
  calculus::Substitution after;
  // Folds of each state over `extent` iterations, with only the states that it depends on.
  const auto folded = [&](std::size_t j, Term extent) -> Term {
    std::vector<std::size_t> used{j};
    std::vector<Term> known{it};
    for (std::size_t i = 0; i < used.size(); ++i) {
      known.push_back(carried[used[i]].variable);
      for (std::size_t p = 0; p < count; ++p)
        if (carried[p].kind == Carried::Kind::state && std::find(used.begin(), used.end(), p) == used.end() &&
            mentions(next[used[i]].term, carried[p].variable))
          used.push_back(p);
    }
    std::sort(used.begin(), used.end());
    calculus::FoldParts parts;
    parts.variable = it;
    parts.extent = extent;
    parts.order = calculus::seq_order();
    int which = 0;
    // Only iterations and states of loops further out may stay free.
    std::vector<Term> outside = visible_;
    for (std::size_t i = 0; i < used.size(); ++i) {
      const std::size_t p = used[i];
      if (p == j) which = static_cast<int>(i);
      if (init[p].kind != next[p].kind || init[p].kind == Value::Kind::arbitrary ||
          init[p].term->sort != next[p].term->sort || !visible(next[p].term, known) ||
          !visible(init[p].term, {}))
        return nullptr;
      parts.states.push_back(carried[p].variable);
      parts.init.push_back(init[p].term);
      parts.step.push_back(next[p].term);
    }
    return calculus::fold(parts, which);
  };
  const Term trips = record.trips;
  std::vector<Term> finals(count, nullptr), later(count, nullptr);
  if (trips != nullptr) after[it] = trips;
  for (std::size_t p = 0; p < count; ++p) {
    if (carried[p].kind != Carried::Kind::state || next.empty()) continue;
    if (trial_depth_ == 0)
      if (const Term so_far = folded(p, it); so_far != nullptr) trace_.running[carried[p].variable] = so_far;
    if (trips != nullptr) {
      finals[p] = folded(p, trips);
      later[p] = folded(p, calculus::add(trips, calculus::integer(1)));
    }
    if (finals[p] != nullptr) after[carried[p].variable] = finals[p];
  }
  const auto close = [&](const Value& value, ir::Type type) -> Value {
    if (value.term == nullptr || value.kind == Value::Kind::arbitrary) return value;
    for (std::size_t p = 0; p < count; ++p)
      if (later[p] != nullptr && value.kind == next[p].kind && value.term == next[p].term) {
        Value out = value;
        out.term = later[p];
        return out;
      }
    Value out = value;
    out.term = calculus::substitute(value.term, after);
    std::vector<Term> outer(visible_.begin(), visible_.end());
    bool open = false;
    calculus::for_each_node(out.term, [&](Term node) {
      open = open || node == it;
      for (std::size_t p = 0; p < count; ++p)
        open = open || (carried[p].variable != nullptr && node == carried[p].variable);
    });
    return open ? unknown(type, "the value after a loop without known trip count") : out;
  };
  (void)now;
  for (ir::BlockId block : flow_.loops()[loop].blocks) {
    for (ir::ValueId parameter : kernel_.blocks[block].parameters)
      if (values_[parameter].kind != Value::Kind::none)
        values_[parameter] = close(values_[parameter], kernel_.type_of(parameter));
    for (const ir::Instruction& instruction : kernel_.blocks[block].instructions)
      for (ir::ValueId result : instruction.results)
        if (values_[result].kind != Value::Kind::none)
          values_[result] = close(values_[result], kernel_.type_of(result));
  }
  for (Region::Exit& exit : body.exits) {
    Incoming in = exit.in;
    in.kind = TraceEdge::Kind::leave_loop;
    in.loop = id;
    const std::vector<ir::ValueId>& parameters = kernel_.blocks[exit.target].parameters;
    for (std::size_t p = 0; p < in.arguments.size(); ++p)
      in.arguments[p] = close(in.arguments[p], kernel_.type_of(parameters[p]));
    Term condition = calculus::truth(true);
    if (body.exits.size() > 1) {
      Value test{Value::Kind::boolean, 1, exit.in.condition};
      condition = close(test, ir::Type::i1).term;
    }
    in.condition = calculus::both(entry, condition);
    region.incoming[exit.target].push_back(in);
  }
}

}  // namespace hallmark::validator
