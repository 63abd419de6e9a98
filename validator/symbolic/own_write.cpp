#include "validator/symbolic/own_write.h"

#include <algorithm>

#include "validator/symbolic/invert.h"
#include "validator/symbolic/writers.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

namespace {

bool among(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Whether all variables of the term are among these.
bool only_of(Term term, const std::vector<Term>& iterations) {
  bool ok = true;
  if (term != nullptr && term->has_variables)
    calculus::for_each_node(term, [&](Term node) {
      ok = ok && (node->kind != Kind::variable ||
                  std::find(iterations.begin(), iterations.end(), node) != iterations.end());
    });
  return ok;
}

std::optional<FoundWrite> written_by(const Trace& trace, int id, const Event& read, Prover& prover) {
  const Event& store = trace.events[static_cast<std::size_t>(id)];
  std::vector<Term> ended, all;
  for (int loop : store.loops) {
    const SymbolicLoop& around = trace.loops[static_cast<std::size_t>(loop)];
    all.push_back(around.iteration);
    if (among(read.loops, loop)) continue;
    if (around.trips == nullptr) return std::nullopt;
    ended.push_back(around.iteration);
  }
  if (!ended.empty()) {
    // What else an ended loop carries has another value by now.
    bool known = only_of(store.offset, all) && only_of(store.value.term, all);
    for (Term fact : store.scope->facts()) known = known && only_of(fact, all);
    if (!known) return std::nullopt;
  }
  Arithmetic arithmetic(prover, true);
  calculus::Substitution at;
  if (!ended.empty()) {
    const auto inverse =
        invert(store.offset, ended, store.scope->facts(), read.offset, read.scope, arithmetic);
    if (!inverse) return std::nullopt;
    at = *inverse;
  }
  const auto there = [&](Term term) {
    return simplify(calculus::substitute(term, at), read.scope, arithmetic);
  };
  if (!prover.rely(read.scope, calculus::equal(there(store.offset), read.offset))) return std::nullopt;
  for (Term fact : store.scope->facts())
    if (!prover.rely(read.scope, there(fact))) return std::nullopt;
  FoundWrite out{{id, at}, store.value};
  out.value.term = there(store.value.term);
  return out;
}

}  // namespace

std::optional<FoundWrite> find_own_write(const Trace& trace, const Event& read, Prover& prover) {
  for (std::size_t id = trace.events.size(); id-- > 0;) {
    const Event& store = trace.events[id];
    if (store.kind != Event::Kind::store || store.memory != read.memory || store.bytes != read.bytes ||
        store.value.term == nullptr || store.value.kind == Value::Kind::arbitrary)
      continue;
    const std::size_t mark = prover.mark();
    if (auto found = written_by(trace, static_cast<int>(id), read, prover)) return found;
    prover.rewind(mark);
  }
  return std::nullopt;
}

}  // namespace hallmark::validator
