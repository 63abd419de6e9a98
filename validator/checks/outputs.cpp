// frame, value: what the kernel leaves in its buffers against the specification's ensures.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "validator/checks/accumulate.h"
#include "validator/checks/examine.h"
#include "validator/checks/identities.h"
#include "validator/checks/library_functions.h"
#include "validator/checks/match.h"
#include "validator/checks/specification.h"
#include "validator/checks/sums.h"
#include "validator/symbolic/executor.h"
#include "validator/symbolic/invert.h"
#include "validator/symbolic/writers.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

namespace {

std::vector<Term> axes_of(const plan::Ensure& ensure) {
  std::vector<Term> out;
  for (std::size_t d = 0; d < ensure.domain.size(); ++d) out.push_back(calculus::axis(static_cast<int>(d)));
  return out;
}

// The point of an ensure's domain that a store writes, confirmed by claims.
struct Point {
  const plan::Ensure* ensure = nullptr;
  calculus::Substitution axes;
};

std::optional<Point> point_of(const plan::KernelSpec& spec, const Event& store, const Memory& memory,
                              Prover& prover) {
  if (!memory.parameter || from_u64(store.bytes) * 8 != calculus::storage_bits(*memory.format))
    return std::nullopt;
  Arithmetic arithmetic(prover, true);
  for (const plan::Ensure& ensure : spec.ensures) {
    if (ensure.buffer != memory.name) continue;
    const Term target = calculus::scale(from_u64(store.bytes), flatten(*memory.parameter, ensure.target));
    for (const InvertOptions& options : invert_attempts) {
      const std::size_t mark = prover.mark();
      const auto inverse =
          invert(target, axes_of(ensure), {}, store.offset, store.scope, arithmetic, options);
      if (!inverse) continue;
      std::vector<Term> goals{calculus::equal(calculus::substitute(target, *inverse), store.offset)};
      for (std::size_t d = 0; d < ensure.domain.size(); ++d)
        goals.push_back(
            calculus::in_range(inverse->at(calculus::axis(static_cast<int>(d))), ensure.domain[d]));
      if (ensure.guard != nullptr) goals.push_back(calculus::substitute(ensure.guard, *inverse));
      bool ok = true;
      for (Term goal : goals) ok = ok && prover.rely(store.scope, goal);
      if (ok) return Point{&ensure, *inverse};
      prover.rewind(mark);
    }
  }
  return std::nullopt;
}

// One element, one value: the points of all ensures of a buffer name different elements, inside its extents.
// Empty, or what is wrong.
std::string ambiguous(const plan::KernelSpec& spec, const Scope& launch, Prover& prover) {
  const auto domain = [](const plan::Ensure& ensure, const calculus::Substitution& names) {
    std::vector<Term> facts;
    for (std::size_t d = 0; d < ensure.domain.size(); ++d)
      facts.push_back(calculus::in_range(calculus::axis(static_cast<int>(d)), ensure.domain[d]));
    if (ensure.guard != nullptr) facts.push_back(ensure.guard);
    for (Term& fact : facts) fact = calculus::substitute(fact, names);
    return facts;
  };
  for (std::size_t a = 0; a < spec.ensures.size(); ++a) {
    const plan::Ensure& left = spec.ensures[a];
    const std::vector<Term>& extents = buffer_of(spec, left.buffer).declaration.extents;
    const Scope inside = Context::extend(launch, domain(left, {}));
    bool whole = left.target == axes_of(left);
    for (std::size_t d = 0; d < extents.size(); ++d) {
      if (whole && left.domain[d] == extents[d]) continue;
      if (!prover.rely(inside, calculus::in_range(left.target[d], extents[d])))
        return fmt::format("ensure {} is not shown to stay inside {}", a + 1, left.buffer);
    }
    for (std::size_t b = a; b < spec.ensures.size(); ++b) {
      const plan::Ensure& right = spec.ensures[b];
      if (right.buffer != left.buffer || (a == b && whole)) continue;
      calculus::Substitution primed;
      for (std::size_t d = 0; d < right.domain.size(); ++d)
        primed[calculus::axis(static_cast<int>(d))] = calculus::variable(fmt::format("axis.{}'", d));
      std::vector<Term> meet, same;
      for (std::size_t d = 0; d < extents.size(); ++d)
        meet.push_back(calculus::equal(left.target[d], calculus::substitute(right.target[d], primed)));
      for (std::size_t d = 0; d < right.domain.size() && a == b; ++d) {
        const Term own = calculus::axis(static_cast<int>(d));
        same.push_back(calculus::equal(own, primed.at(own)));
      }
      const Term apart = calculus::negation(calculus::conjunction(meet));
      const Term goal = a == b ? calculus::either(apart, calculus::conjunction(same)) : apart;
      if (!prover.rely(Context::extend(inside, domain(right, primed)), goal))
        return a == b
                   ? fmt::format("ensure {} may name one element of {} twice", a + 1, left.buffer)
                   : fmt::format("ensures {} and {} may name one element of {}", a + 1, b + 1, left.buffer);
    }
  }
  return {};
}

}  // namespace

Finding Examiner::frame() {
  Finding out;
  out.holds = true;
  for (const Event& event : trace_.events) {
    if (event.kind != Event::Kind::store && event.kind != Event::Kind::atomic) continue;
    if (event.memory < 0) {
      out.holds = false;
      out.unsupported = true;
      out.failure = fmt::format("{}: {}", place_text(kernel_, event), event.detail);
      return out;
    }
    const Memory& memory = trace_.memories[static_cast<std::size_t>(event.memory)];
    if (memory.parameter == nullptr) continue;
    if (spec_.equality == plan::Equality::safety && memory.parameter->access != plan::Access::in) continue;
    if (!point_of(spec_, event, memory, prover_)) {
      out.holds = false;
      out.failure = fmt::format("{}: element {} of {} is written, and no ensure is shown to name it",
                                place_text(kernel_, event), brief(event.offset, 8), memory.name);
      return out;
    }
  }
  out.rules.push_back("element-of-an-ensure");
  return out;
}

namespace {

// Every load of the specification's value is inside its buffer, under the conditions around it. Terms are
// shared, so each is looked at once under the same conditions; comparisons of floats say nothing of an index
// and are no condition.
class Definedness {
 public:
  Definedness(const plan::KernelSpec& spec, Prover& prover) : spec_(spec), prover_(prover) {}

  bool holds(Term value, const Scope& scope) {
    if (value->children.empty()) return true;
    if (depth_ > depth_limit) return fail("a value that is nested too deeply");
    if (!seen_.insert({value, scope->facts()}).second) return true;
    ++depth_;
    const bool ok = children_hold(value, scope);
    --depth_;
    return ok;
  }
  const std::string& failure() const { return failure_; }

 private:
  static constexpr int depth_limit = 1000;

  bool children_hold(Term value, const Scope& scope) {
    switch (value->kind) {
      case Kind::load: {
        if (value->children.empty()) return true;  // a scalar parameter
        const plan::Buffer& buffer = buffer_of(spec_, value->name);
        for (std::size_t d = 0; d < value->children.size(); ++d)
          if (!prover_.rely(scope, calculus::in_range(value->children[d], buffer.declaration.extents[d])))
            return fail(fmt::format("the specification reads {} outside its extent", brief(value, 6)));
        return all(value->children, scope);
      }
      case Kind::select:
      case Kind::index_select: {
        const Term condition = value->children[0];
        return holds(condition, scope) && holds(value->children[1], under(scope, condition)) &&
               holds(value->children[2], under(scope, calculus::negation(condition)));
      }
      case Kind::fold: {
        const calculus::FoldParts parts = calculus::open(value);
        const Scope range = Context::extend(scope, calculus::in_range(parts.variable, parts.extent));
        return holds(parts.guard, range) && all(parts.init, scope) &&
               all(parts.step, under(range, parts.guard));
      }
      default:
        return all(value->children, scope);
    }
  }

  bool all(const std::vector<Term>& terms, const Scope& scope) {
    return std::all_of(terms.begin(), terms.end(), [&](Term t) { return holds(t, scope); });
  }

  static Scope under(const Scope& scope, Term condition) {
    std::vector<Term> parts{condition};
    if (condition->kind == Kind::conjunction) parts = condition->children;
    std::erase_if(parts, compares_floats);
    return Context::extend(scope, parts);
  }

  bool fail(const std::string& why) {
    if (failure_.empty()) failure_ = why;
    return false;
  }

  const plan::KernelSpec& spec_;
  Prover& prover_;
  std::set<std::pair<Term, std::vector<Term>>> seen_;  // found to hold, or about to be refused altogether
  std::string failure_;
  int depth_ = 0;
};

// The value with what loops carry as folds of the steps so far: a state at iteration `it` is what `it` steps
// make of its start.
Term without_states(const Trace& trace, Term value) {
  if (trace.running.empty() || value == nullptr) return value;
  // A state's start and steps may speak of loops further out.
  for (std::size_t round = 0; round <= trace.loops.size(); ++round) {
    const Term before = value;
    value = calculus::substitute(value, trace.running);
    if (value == before) break;
  }
  return value;
}

// What holds wherever a buffer is written.
Scope common_facts(const Trace& trace) {
  std::optional<std::vector<Term>> out;
  for (const Event& event : trace.events) {
    if (event.kind != Event::Kind::store && event.kind != Event::Kind::atomic) continue;
    if (event.memory < 0) continue;
    if (trace.memories[static_cast<std::size_t>(event.memory)].parameter == nullptr) continue;
    if (!out) out = event.scope->facts();
    std::erase_if(*out, [&](Term fact) { return !event.scope->knows(fact); });
  }
  return Context::make(out.value_or(std::vector<Term>{}));
}

}  // namespace

Finding Examiner::value() {
  Finding out;
  out.holds = true;
  if (spec_.equality == plan::Equality::safety || spec_.ensures.empty()) {
    out.rules.push_back("no-ensures");
    return out;
  }
  const Scope launch = launch_scope();
  if (out.failure = ambiguous(spec_, launch, prover_); !out.failure.empty()) {
    out.holds = false;
    return out;
  }
  std::map<const plan::Ensure*, Term> prepared;
  for (const plan::Ensure& ensure : spec_.ensures) {
    std::vector<Term> facts;
    for (std::size_t d = 0; d < ensure.domain.size(); ++d)
      facts.push_back(calculus::in_range(calculus::axis(static_cast<int>(d)), ensure.domain[d]));
    if (ensure.guard != nullptr) facts.push_back(ensure.guard);
    const Term whole = calculus::expand_functions(ensure.value, spec_.functions);
    Definedness definedness(spec_, prover_);
    if (!definedness.holds(whole, Context::extend(launch, facts))) {
      out.holds = false;
      out.failure = definedness.failure();
      return out;
    }
    prepared[&ensure] = prepare_value(spec_, ensure.value);
  }
  if (!single_writes(out)) {
    out.holds = false;
    return out;
  }
  Matcher matcher(prover_, value_differs_ ? Matcher::Effort::hint : Matcher::Effort::proof);
  SumMatcher sums(prover_, common_facts(trace_));
  LibraryFunctions functions(prover_);
  std::string sum_failure;
  Arithmetic arithmetic(prover_, true);
  for (const Event& event : trace_.events) {
    if (event.kind != Event::Kind::store && event.kind != Event::Kind::atomic) continue;
    if (event.memory < 0) continue;  // frame says so
    const Memory& memory = trace_.memories[static_cast<std::size_t>(event.memory)];
    if (memory.parameter == nullptr) continue;
    if (accumulates(trace_, memory.name)) continue;
    const std::optional<Scope> last = where_last(event);
    if (!last || (*last)->contradictory()) {
      out.rules.push_back("overwritten");
      continue;
    }
    // A store that hits no ensured element concerns the frame alone.
    const auto point = point_of(spec_, event, memory, prover_);
    if (!point) {
      out.holds = false;
      out.failure = fmt::format("{}: which element of {} is written is not known", place_text(kernel_, event),
                                memory.name);
      return out;
    }
    std::vector<Term> as_written;
    for (Term fact : event.scope->facts())
      if (const Term same = normalise(fact); same != fact) as_written.push_back(same);
    const Scope scope = Context::extend(*last, as_written);
    const Term wanted =
        simplify(calculus::substitute(prepared.at(point->ensure), point->axes), scope, arithmetic);
    bool ok = false;
    if (calculus::is_float(*memory.format)) {
      // In the buffer's own format: bits of another one of the same width are another number.
      const Term have = event.value.kind == Value::Kind::element && event.value.term != nullptr &&
                                event.value.term->sort == calculus::stored_sort(*memory.format)
                            ? normalise(without_states(trace_, event.value.term))
                            : nullptr;
      if (spec_.equality == plan::Equality::reals) {
        ok = have != nullptr && functions.equal(have, wanted, scope, sums);
        sum_failure = sums.failure();
      } else {
        ok = have != nullptr && matcher.match_value(have, wanted, scope);
      }
      if (have == nullptr) out.failure = "what is stored is no float of the buffer's format";
    } else if (event.value.term != nullptr &&
               (event.value.kind == Value::Kind::integer || event.value.kind == Value::Kind::boolean)) {
      const Term stored = without_states(trace_, event.value.term);
      const Term have = event.value.kind == Value::Kind::boolean
                            ? calculus::index_select(stored, calculus::integer(1), calculus::integer(0))
                            : stored;
      const unsigned width = calculus::storage_bits(*memory.format);
      const Term number = integer_reading(wanted);
      ok = has_fold(number) && sums.integers(have, number, width, scope);
      sum_failure = sums.failure();
      if (!ok) ok = matcher.match_integer(have, number, width, scope);
    }
    if (!ok) {
      out.holds = false;
      std::string why = !matcher.failure().empty() ? matcher.failure() : out.failure;
      if (why.empty() && sum_failure.empty())
        why = "what is stored is not shown to be what the specification says";
      if (!sum_failure.empty()) why = sum_failure + (why.empty() ? "" : "; " + why);
      out.failure = fmt::format("{}: {}", place_text(kernel_, event), why);
      return out;
    }
  }
  for (const plan::Ensure& ensure : spec_.ensures) {
    if (!accumulates(trace_, ensure.buffer)) continue;
    if (!adds_up(trace_, spec_, kernel_, ensure, launch, prover_, out)) {
      out.holds = false;
      return out;
    }
  }
  for (const std::string& rule : matcher.rules()) out.rules.push_back(rule);
  for (const std::string& rule : sums.rules()) out.rules.push_back(rule);
  if (out.rules.empty()) out.rules.push_back("identity");
  for (const char* other : {"init-of-this-kernel", "race-of-this-kernel", "coverage-of-this-kernel"})
    out.assumptions.emplace_back(other);
  if (spec_.equality == plan::Equality::reals)
    for (const char* erased : {"floats-are-finite", "roundings-erased"}) out.assumptions.emplace_back(erased);
  for (const std::string& sequence : functions.assumptions()) out.assumptions.push_back(sequence);
  if (trace_.bare_floats) out.assumptions.push_back("ptxas-contraction-only-mul-add");
  if (spec_.equality == plan::Equality::bits && kernel_.rests_on_no_contraction)
    out.assumptions.push_back("compiled-without-contraction");
  return out;
}

}  // namespace hallmark::validator
