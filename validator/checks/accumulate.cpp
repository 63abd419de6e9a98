#include "validator/checks/accumulate.h"

#include <fmt/format.h>

#include <algorithm>

#include "validator/checks/library_functions.h"
#include "validator/checks/specification.h"
#include "validator/checks/sums.h"
#include "validator/symbolic/executor.h"
#include "validator/symbolic/writers.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

namespace {

// A thread's own running value of a loop, or an arbitrary one: no sum over threads may speak of it.
bool belongs_to_thread(Term term) {
  bool found = false;
  calculus::for_each_node(term, [&](Term node) {
    found = found || (node->kind == Kind::variable && node->name.rfind("it.", 0) != 0);
    // What a shuffle gives is no function of what it is given.
    found = found || (node->kind == Kind::operation && node->name.rfind("shuffle.", 0) == 0);
  });
  return found;
}

bool on_buffer(const Trace& trace, const Event& event, const std::string& buffer) {
  if (event.memory < 0) return false;
  const Memory& memory = trace.memories[static_cast<std::size_t>(event.memory)];
  return memory.parameter != nullptr && memory.name == buffer;
}

}  // namespace

bool accumulates(const Trace& trace, const std::string& buffer) {
  return std::any_of(trace.events.begin(), trace.events.end(), [&](const Event& e) {
    return e.kind == Event::Kind::atomic && on_buffer(trace, e, buffer);
  });
}

Term contribution(const Trace& trace, const plan::KernelSpec& spec, const Event& atomic,
                  const std::vector<int>& inner, Term offset, bool whole_grid, std::string& failure) {
  const bool element = atomic.value.kind == Value::Kind::element;
  if (atomic.value.term == nullptr || atomic.value.kind == Value::Kind::arbitrary) {
    failure = "what the atomic adds is not known";
    return nullptr;
  }
  Term value = atomic.value.kind == Value::Kind::boolean
                   ? calculus::index_select(atomic.value.term, calculus::integer(1), calculus::integer(0))
                   : atomic.value.term;
  std::vector<Term> parts = atomic.scope->facts();
  for (Term term : {value, atomic.offset}) parts.push_back(term);
  if (std::any_of(parts.begin(), parts.end(), belongs_to_thread)) {
    failure = "what the atomic adds depends on a value that is not known for every thread";
    return nullptr;
  }
  // Iterations of loops that are not summed over stay what they are; others must be among `inner`.
  struct Range {
    Term variable, extent;
  };
  std::vector<Range> ranges;  // outermost first
  calculus::Substitution names;
  const auto add = [&](Term symbol, Term extent) {
    const Term variable = calculus::fresh_variable("each", symbol->sort);
    ranges.push_back({variable, calculus::substitute(extent, names)});
    names[symbol] = variable;
  };
  for (int d = 0; d < 3 && whole_grid; ++d)
    if (grid_extent(spec, d) != calculus::integer(1)) add(block_symbol(d), grid_extent(spec, d));
  for (int d = 0; d < 3; ++d)
    if (block_extent(spec, d) != calculus::integer(1)) add(thread_symbol(d), block_extent(spec, d));
  for (int loop : inner) {
    const SymbolicLoop& record = trace.loops[static_cast<std::size_t>(loop)];
    if (record.trips == nullptr || belongs_to_thread(record.trips)) {
      failure = "how often a loop around the atomic goes round is not known";
      return nullptr;
    }
    // The header is visited once more than its back edges are taken.
    add(record.iteration, calculus::add(record.trips, calculus::integer(1)));
  }
  // Every iteration that is spoken of is one of those that are summed over.
  for (Term part : parts)
    calculus::for_each_node(part, [&](Term node) {
      if (node->kind == Kind::variable && names.count(node) == 0)
        failure = "what the atomic adds depends on the iteration of a loop that it does not stand in";
    });
  if (!failure.empty()) return nullptr;
  std::vector<Term> guards;
  for (Term fact : atomic.scope->facts()) guards.push_back(calculus::substitute(fact, names));
  guards.push_back(calculus::equal(calculus::substitute(atomic.offset, names), offset));
  const Term guard = calculus::conjunction(guards);
  value = calculus::substitute(value, names);
  const calculus::Sort sort = value->sort;
  const auto plus = [&](Term a, Term b) {
    return element ? calculus::operation(calculus::Op::add, {a, b}, sort, calculus::Rounding::nearest)
                   : calculus::add(a, b);
  };
  const Term zero = element ? calculus::float_constant(sort.format, 0) : calculus::integer(0);
  // From the inside out; without any range the one thread adds once or not at all.
  Term sum = element ? calculus::select(guard, value, zero) : calculus::index_select(guard, value, zero);
  bool guarded = false;
  for (auto range = ranges.rbegin(); range != ranges.rend(); ++range) {
    calculus::FoldParts fold;
    fold.variable = range->variable;
    fold.extent = range->extent;
    if (!guarded) {
      fold.guard = guard;
      sum = value;
      guarded = true;
    }
    fold.states = {calculus::fresh_variable("sum", sort)};
    fold.init = {zero};
    fold.step = {plus(fold.states[0], sum)};
    fold.order = calculus::any_order();
    sum = calculus::fold(fold);
  }
  return sum;
}

Accumulated accumulated(const Trace& trace, const plan::KernelSpec& spec, const ir::Kernel& kernel,
                        const plan::Buffer& buffer, Term target) {
  Accumulated out;
  const calculus::Declaration& declaration = buffer.declaration;
  const bool floats = calculus::is_float(declaration.format);
  const unsigned bits = calculus::storage_bits(declaration.format);
  const auto fail = [&](const Event& event, const std::string& why) {
    out.value = nullptr;
    out.failure = fmt::format("{}: {}", place_text(kernel, event), why);
    return out;
  };
  const Term before = calculus::load(declaration.name, {target}, calculus::stored_sort(declaration.format));
  Term sum = floats ? before : calculus::to_index(before);
  for (const Event& event : trace.events) {
    if (event.kind != Event::Kind::store && event.kind != Event::Kind::atomic) continue;
    if (!on_buffer(trace, event, declaration.name)) continue;
    if (event.kind == Event::Kind::store)
      return fail(event, "the buffer is written by an atomic and by an ordinary store");
    if (event.instruction->atomic_operation != ir::AtomicOperation::add)
      return fail(event, fmt::format("the result of an atomic {} depends on the order of threads",
                                     ir::name(event.instruction->atomic_operation)));
    if (buffer.access == plan::Access::out)
      return fail(event,
                  "the atomic adds to what the buffer held before the launch, and that is arbitrary; "
                  "hint: set the buffer to 0 before the launch and declare it inout");
    if (event.bytes * 8 != bits || (event.value.kind == Value::Kind::element) != floats)
      return fail(event, "an access of another width than the buffer's elements");
    if (floats && spec.equality != plan::Equality::reals)
      return fail(event, "a sum of floats by atomics has the bits of the order of threads");
    std::string failure;
    const Term part = contribution(trace, spec, event, event.loops,
                                   calculus::scale(from_u64(event.bytes), target), true, failure);
    if (part == nullptr) return fail(event, failure);
    sum = floats
              ? calculus::operation(calculus::Op::add, {sum, part}, part->sort, calculus::Rounding::nearest)
              : calculus::add(sum, part);
  }
  out.value = sum;
  return out;
}

bool adds_up(const Trace& trace, const plan::KernelSpec& spec, const ir::Kernel& kernel,
             const plan::Ensure& ensure, const Scope& launch, Prover& prover, Finding& finding) {
  const plan::Buffer& buffer = buffer_of(spec, ensure.buffer);
  std::vector<Term> facts;
  for (std::size_t d = 0; d < ensure.domain.size(); ++d)
    facts.push_back(calculus::in_range(calculus::axis(static_cast<int>(d)), ensure.domain[d]));
  if (ensure.guard != nullptr) facts.push_back(ensure.guard);
  const Scope scope = Context::extend(launch, facts);
  const Accumulated total = accumulated(trace, spec, kernel, buffer, flatten(buffer, ensure.target));
  if (total.value == nullptr) {
    finding.unsupported = true;
    finding.failure = total.failure;
    return false;
  }
  Arithmetic arithmetic(prover, true);
  SumMatcher sums(prover);
  const Term wanted = simplify(prepare_value(spec, ensure.value), scope, arithmetic);
  const unsigned width = calculus::storage_bits(buffer.declaration.format);
  LibraryFunctions functions(prover);
  const bool ok =
      calculus::is_float(buffer.declaration.format)
          ? spec.equality == plan::Equality::reals && functions.equal(total.value, wanted, scope, sums)
          : sums.integers(total.value, integer_reading(wanted), width, scope);
  for (const std::string& sequence : functions.assumptions()) finding.assumptions.push_back(sequence);
  if (ok)
    finding.rules.push_back("atomic additions commute");
  else
    finding.failure = fmt::format("what atomics add to {}: {}", ensure.buffer, sums.failure());
  return ok;
}

}  // namespace hallmark::validator
