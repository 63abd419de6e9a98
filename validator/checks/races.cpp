// Races: pairs of accesses that no barrier separates, for two threads of one block; and all pairs for threads
// of two blocks. Addresses and conditions are over launch data and index ranges (soundness C6).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "validator/checks/async_copies.h"
#include "validator/checks/examine.h"
#include "validator/checks/intervals.h"
#include "validator/checks/separation.h"
#include "validator/symbolic/executor.h"

namespace hallmark::validator {

using calculus::Term;

namespace {

// The kind of a warp's own access (Instruction::text); empty for a thread's.
std::string by_warp(const Event& e) {
  return is_of_warp(e) ? e.instruction->text : std::string();
}

calculus::Substitution composed(const calculus::Substitution& inner, const calculus::Substitution& outer) {
  calculus::Substitution out = outer;
  for (const auto& [from, to] : inner) out[from] = calculus::substitute(to, outer);
  return out;
}

std::vector<Term> facts_under(const std::vector<Term>& facts, const calculus::Substitution& map) {
  std::vector<Term> out;
  for (Term fact : facts) out.push_back(calculus::substitute(fact, map));
  return out;
}

// Everything that is said of the second thread.
std::vector<Term> terms_of(const AccessPair& pair, const Event& second) {
  std::vector<Term> out = pair.origin;
  out.insert(out.end(), pair.right_path.begin(), pair.right_path.end());
  out.push_back(second.offset);
  return out;
}

std::vector<Term> free_variables(const Event& e) {
  std::vector<Term> out = e.scope->facts();
  out.push_back(e.offset);
  return out;
}

}  // namespace

Finding Examiner::race() {
  Finding out;
  out.holds = true;
  for (const Event& e : trace_.events)
    if (is_access(e) && e.memory < 0 && e.kind != Event::Kind::load) {
      out.holds = false;
      out.unsupported = true;
      out.failure = fmt::format("{}: {}", place_text(kernel_, e), e.detail);
      return out;
    }
  Separation separation(trace_, prover_);
  const auto fail = [&](const Event& a, const Event& b, const char* where) {
    out.holds = false;
    out.failure =
        fmt::format("{} and {} may touch one place of {} by two threads {}", place_text(kernel_, a),
                    place_text(kernel_, b),
                    trace_.memories[static_cast<std::size_t>(std::max(a.memory, b.memory))].name, where);
  };
  std::vector<Term> same_thread, same_block;
  for (int d = 0; d < 3; ++d) {
    same_thread.push_back(calculus::equal(thread_symbol(d), calculus::symbol(thread_symbol(d)->name + "'")));
    same_block.push_back(calculus::equal(block_symbol(d), calculus::symbol(block_symbol(d)->name + "'")));
  }
  // Dimensions of extent 1 have no symbol.
  const auto present = [&](std::vector<Term> equalities, bool blocks) {
    std::vector<Term> kept;
    for (int d = 0; d < 3; ++d)
      if ((blocks ? grid_extent(spec_, d) : block_extent(spec_, d)) != calculus::integer(1))
        kept.push_back(equalities[static_cast<std::size_t>(d)]);
    return calculus::conjunction(kept);
  };
  // Where strides are numbers and few, solvers need no help; of five and more they only lose their time.
  const auto shown = [&](const std::vector<Term>& facts, int first, const calculus::Substitution& left,
                         int second, const calculus::Substitution& right, Term goal) {
    const auto with_indices = [&] {
      std::vector<Term> more = separation.same_indices(first, left, second, right);
      if (more.empty()) return false;
      more.insert(more.begin(), facts.begin(), facts.end());
      return prover_.rely(Context::make(more), goal);
    };
    // Two that never meet: a claim from hypotheses that contradict each other is worth nothing, so that it is
    // put as what it is, under what holds for every thread.
    if (prover_.holds(Context::make(facts), calculus::truth(false))) {
      std::vector<Term> path;
      for (Term fact : facts)
        if (!trace_.base->knows(fact)) path.push_back(fact);
      const Term apart = calculus::negation(calculus::conjunction(path));
      if (!path.empty() && prover_.rely(trace_.base, apart)) return true;
    }
    const bool many = calculus::monomials(trace_.events[static_cast<std::size_t>(first)].offset).size() >= 5;
    if (many && with_indices()) return true;
    return prover_.rely(Context::make(facts), goal) || (!many && with_indices());
  };
  // --- Two threads of one block.
  const auto apart = [&](const AccessPair& pair) {
    const Event &a = trace_.events[static_cast<std::size_t>(pair.first)],
                &b = trace_.events[static_cast<std::size_t>(pair.second)];
    if (a.memory >= 0 && trace_.memories[static_cast<std::size_t>(a.memory)].space == ir::Space::local)
      return true;
    std::vector<Term> shared;
    for (const SymbolicLoop& loop : trace_.loops) shared.push_back(loop.iteration);
    const calculus::Substitution rename =
        other_thread(trace_, b.scope->facts(), terms_of(pair, b), false, shared);
    const calculus::Substitution right = composed(pair.right, rename);
    std::vector<Term> facts = facts_under(b.scope->facts(), right);
    for (Term fact : facts_under(pair.origin, rename)) facts.push_back(fact);
    for (Term fact : pair.origin) facts.push_back(fact);
    facts.insert(facts.end(), pair.left_path.begin(), pair.left_path.end());
    for (Term fact : facts_under(pair.right_path, rename)) facts.push_back(fact);
    if (pair.departed != nullptr) facts.push_back(pair.departed);
    const std::vector<Term> left_facts = facts_under(a.scope->facts(), pair.left);
    facts.insert(facts.begin(), left_facts.begin(), left_facts.end());
    for (Term fact : separation.same_place(pair.first, pair.left, pair.second, right)) facts.push_back(fact);
    // Which lane does what in a warp's own access is not specified: what its other accesses do to the place
    // has to be apart, whichever thread does it.
    const bool by_some_lane = by_warp(a) != by_warp(b);
    const Term goal = by_some_lane ? calculus::truth(false) : present(same_thread, false);
    if (shown(facts, pair.first, pair.left, pair.second, right, goal)) return true;
    fail(a, b, "of one block");
    return false;
  };
  for (const AccessPair& pair : interval_pairs(trace_))
    if (!apart(pair)) return out;
  // --- Copies under way.
  const CopiesUnderWay copies = copies_under_way(trace_);
  for (const AccessPair& pair : copies.others)
    if (!apart(pair)) {
      out.failure += ": a copy is under way until its thread has waited and a barrier has followed";
      return out;
    }
  if (!copies_left_alone(copies, out)) return out;
  // --- Threads of two blocks: barriers do not order them.
  bool many_blocks = false;
  for (int d = 0; d < 3; ++d) many_blocks = many_blocks || grid_extent(spec_, d) != calculus::integer(1);
  for (std::size_t i = 0; i < trace_.events.size() && many_blocks; ++i)
    for (std::size_t j = i; j < trace_.events.size(); ++j) {
      const Event &a = trace_.events[i], &b = trace_.events[j];
      if (!is_access(a) || !is_access(b) || !conflict(trace_, a, b, true)) continue;
      const auto local_to_block = [&](const Event& e) {
        if (e.memory < 0) return confined_to(e) != ir::Space::generic;
        return trace_.memories[static_cast<std::size_t>(e.memory)].space != ir::Space::global;
      };
      if (local_to_block(a) || local_to_block(b)) continue;
      const calculus::Substitution right = other_thread(trace_, free_variables(b), {}, true, {});
      std::vector<Term> facts = a.scope->facts();
      for (Term fact : facts_under(b.scope->facts(), right)) facts.push_back(fact);
      for (Term fact : separation.same_place(static_cast<int>(i), {}, static_cast<int>(j), right))
        facts.push_back(fact);
      if (!shown(facts, static_cast<int>(i), {}, static_cast<int>(j), right, present(same_block, true))) {
        fail(a, b, "of two blocks");
        return out;
      }
    }
  if (!read_only_loads(out)) return out;
  out.rules.push_back("barrier-intervals");
  out.assumptions.push_back("buffers-do-not-overlap");
  return out;
}

// By their own thread, which has not waited for them and does so before it ends; and what they read is not
// written.
bool Examiner::copies_left_alone(const CopiesUnderWay& copies, Finding& finding) {
  Separation separation(trace_, prover_);
  const auto fail = [&](std::string why) {
    finding.holds = false;
    finding.failure = std::move(why);
    return false;
  };
  for (const auto* list : {&copies.own, &copies.ends})
    for (const AccessPair& pair : *list) {
      const Event &copy = trace_.events[static_cast<std::size_t>(pair.first)],
                  &later = trace_.events[static_cast<std::size_t>(pair.second)];
      const bool is_end = list == &copies.ends;
      std::vector<Term> facts = copy.scope->facts();
      for (Term fact : facts_under(later.scope->facts(), pair.right)) facts.push_back(fact);
      facts.insert(facts.end(), pair.right_path.begin(), pair.right_path.end());
      if (!is_end)
        for (Term fact : separation.same_place(pair.first, {}, pair.second, pair.right))
          facts.push_back(fact);
      if (prover_.rely(Context::make(facts), calculus::truth(false))) continue;
      if (is_end)
        return fail(fmt::format("the copy at {} may still be under way where its thread ends: wait for it",
                                place_text(kernel_, copy)));
      return fail(fmt::format("{} may touch what the copy at {} writes before its thread has waited for it",
                              place_text(kernel_, later), place_text(kernel_, copy)));
    }
  for (const Event& load : trace_.events) {
    if (load.kind != Event::Kind::load || !load.instruction->asynchronous) continue;
    for (const Event& store : trace_.events)
      if ((store.kind == Event::Kind::store || store.kind == Event::Kind::atomic) &&
          may_be_in_one_memory(trace_, load, store))
        return fail(fmt::format("{} copies asynchronously what {} may write", place_text(kernel_, load),
                                place_text(kernel_, store)));
  }
  return true;
}

// What is read through the read-only path is written by no thread of the grid, at no time of the launch
// (PTX ISA, ld.global.nc and ldu; soundness A3).
bool Examiner::read_only_loads(Finding& finding) {
  Separation separation(trace_, prover_);
  for (std::size_t l = 0; l < trace_.events.size(); ++l) {
    const Event& load = trace_.events[l];
    if (load.kind != Event::Kind::load || !load.instruction->non_coherent) continue;
    for (std::size_t s = 0; s < trace_.events.size(); ++s) {
      const Event& store = trace_.events[s];
      if (store.kind != Event::Kind::store && store.kind != Event::Kind::atomic) continue;
      if (!may_be_in_one_memory(trace_, load, store)) continue;
      bool apart = load.memory >= 0 && store.memory >= 0;
      if (apart) {
        const calculus::Substitution right = other_thread(trace_, free_variables(store), {}, true, {});
        std::vector<Term> facts = load.scope->facts();
        for (Term fact : facts_under(store.scope->facts(), right)) facts.push_back(fact);
        const std::vector<Term> meet =
            separation.same_place(static_cast<int>(l), {}, static_cast<int>(s), right);
        apart = prover_.rely(Context::make(facts), calculus::negation(calculus::conjunction(meet)));
      }
      if (apart) continue;
      finding.holds = false;
      finding.failure = fmt::format(
          "{} reads as read-only what {} may write: memory that a launch writes has no read-only path",
          place_text(kernel_, load), place_text(kernel_, store));
      return false;
    }
  }
  return true;
}

// Each place of shared memory and of the outputs is written at most once an interval, even by one thread:
// then the writer that a read or the end of the kernel sees is the one that inversion finds.
bool Examiner::single_writes(Finding& finding) {
  Separation separation(trace_, prover_);
  for (const AccessPair& pair : interval_pairs(trace_)) {
    const Event &a = trace_.events[static_cast<std::size_t>(pair.first)],
                &b = trace_.events[static_cast<std::size_t>(pair.second)];
    if (pair.departed != nullptr) continue;  // never one thread
    if (a.kind != Event::Kind::store || b.kind != Event::Kind::store || a.memory != b.memory) continue;
    if (a.memory >= 0 && trace_.memories[static_cast<std::size_t>(a.memory)].space == ir::Space::local)
      continue;
    // Every store to an output leaves its value, or is stored over; which one is the last matters to reads.
    if (a.memory >= 0 && trace_.memories[static_cast<std::size_t>(a.memory)].parameter != nullptr &&
        !is_read(a.memory))
      continue;
    std::vector<Term> shared;
    for (const SymbolicLoop& loop : trace_.loops) shared.push_back(loop.iteration);
    // The same thread, other iterations.
    calculus::Substitution rename = other_thread(trace_, b.scope->facts(), terms_of(pair, b), false, shared);
    for (int d = 0; d < 3; ++d) rename.erase(thread_symbol(d));
    const calculus::Substitution right = composed(pair.right, rename);
    std::vector<Term> facts = facts_under(a.scope->facts(), pair.left);
    for (Term fact : facts_under(b.scope->facts(), right)) facts.push_back(fact);
    for (Term fact : pair.origin) facts.push_back(fact);
    facts.insert(facts.end(), pair.left_path.begin(), pair.left_path.end());
    for (Term fact : facts_under(pair.right_path, rename)) facts.push_back(fact);
    for (Term fact : separation.same_place(pair.first, pair.left, pair.second, right)) facts.push_back(fact);
    // One event at one iteration is one write.
    std::vector<Term> same;
    if (pair.first == pair.second) {
      for (int loop : a.loops) {
        const Term it = trace_.loops[static_cast<std::size_t>(loop)].iteration;
        same.push_back(calculus::equal(calculus::substitute(it, pair.left), calculus::substitute(it, right)));
      }
    } else {
      same.push_back(calculus::truth(false));
    }
    if (prover_.rely(Context::make(facts), calculus::conjunction(same))) continue;
    finding.failure = fmt::format(
        "{} and {} may write one place of {} twice", place_text(kernel_, a), place_text(kernel_, b),
        a.memory < 0 ? "memory" : trace_.memories[static_cast<std::size_t>(a.memory)].name);
    return false;
  }
  return true;
}

}  // namespace hallmark::validator
