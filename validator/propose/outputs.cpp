#include "validator/propose/outputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "validator/checks/sums_terms.h"
#include "validator/propose/eliminate.h"
#include "validator/symbolic/arithmetic.h"
#include "validator/symbolic/executor.h"
#include "validator/symbolic/trace.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Op;
using calculus::Sort;
using calculus::Term;

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Refusal("E4012", why);
}

class Exact {
 public:
  Term of(Term t) {
    if (t->sort.kind != Sort::Kind::floating && t->kind != Kind::compare && t->kind != Kind::conjunction &&
        t->kind != Kind::disjunction && t->kind != Kind::negation)
      return t;
    if (const auto found = known_.find(t); found != known_.end()) return found->second;
    const Term out = make(t);
    known_[t] = out;
    return out;
  }

 private:
  std::vector<Term> children(Term t) {
    std::vector<Term> out;
    for (Term child : t->children) out.push_back(of(child));
    return out;
  }

  Term make(Term t) {
    switch (t->kind) {
      case Kind::constant: {
        const auto value = real_value(t);
        if (!value) refuse("a NaN or an infinity takes part in a value over the reals");
        return calculus::real_constant(*value);
      }
      case Kind::load:
        return calculus::load(t->name, t->children, Sort::real());
      case Kind::from_index:
        return calculus::from_index(t->children[0], Sort::real());
      case Kind::select: {
        const std::vector<Term> c = children(t);
        return calculus::select(c[0], c[1], c[2]);
      }
      case Kind::compare: {
        const std::vector<Term> c = children(t);
        return calculus::compare(t->op, c[0], c[1]);
      }
      case Kind::conjunction:
        return calculus::conjunction(children(t));
      case Kind::disjunction:
        return calculus::disjunction(children(t));
      case Kind::negation:
        return calculus::negation(of(t->children[0]));
      case Kind::cast:
        return of(t->children[0]);
      case Kind::variable:
        if (const auto found = states_.find(t); found != states_.end()) return found->second;
        refuse("a value is not followed: " + t->name);
      case Kind::fold:
        return fold(t);
      case Kind::operation:
        return operation(t);
      default:
        refuse("a value over the reals contains what has no real meaning");
    }
  }

  Term operation(Term t) {
    const std::vector<Term> c = children(t);
    const auto simple = [&](Op op) { return calculus::operation(op, c, Sort::real()); };
    switch (t->op) {
      case Op::fma:
        return calculus::operation(Op::add, {calculus::operation(Op::mul, {c[0], c[1]}, Sort::real()), c[2]},
                                   Sort::real());
      case Op::maxnum:
      case Op::maximum:
      case Op::max:
        return simple(Op::max);
      case Op::minnum:
      case Op::minimum:
      case Op::min:
        return simple(Op::min);
      case Op::custom: {
        const std::string name = function_name(t);
        for (int n = 0; n < static_cast<int>(Op::custom); ++n)
          if (calculus::name(static_cast<Op>(n)) == name) return simple(static_cast<Op>(n));
        refuse("the operation " + t->name + " has no real meaning here");
      }
      default:
        return simple(t->op);
    }
  }

  Term fold(Term t) {
    calculus::FoldParts parts = calculus::open(t);
    calculus::FoldParts out = parts;
    for (std::size_t j = 0; j < parts.states.size(); ++j) {
      if (parts.states[j]->sort.kind != Sort::Kind::floating) continue;
      out.states[j] = calculus::fresh_variable("exact", Sort::real());
      states_[parts.states[j]] = out.states[j];
    }
    for (std::size_t j = 0; j < parts.states.size(); ++j) {
      out.init[j] = of(parts.init[j]);
      out.step[j] = of(parts.step[j]);
    }
    out.right_states.clear();
    out.combine.clear();
    if (out.guard != nullptr) out.guard = of(out.guard);
    return calculus::fold(out, t->which);
  }

  std::map<Term, Term> known_, states_;
};

// The place of a store for people.
std::string place_of(const ir::Kernel& kernel, const Event& event) {
  const std::string source = kernel.source_location(event.instruction->place);
  return fmt::format("{} line {}{}", kernel.text_file, event.instruction->place.line,
                     source.empty() || kernel.is_source ? "" : " (" + source + ")");
}

class Extraction {
 public:
  Extraction(const plan::KernelSpec& spec, const ir::Kernel& kernel, const Prover::Probe& probe)
      : spec_(spec), kernel_(kernel), prover_(probe) {}

  std::vector<plan::Ensure> run() {
    Executor executor(spec_, kernel_, prover_);
    trace_ = executor.run();
    std::vector<plan::Ensure> out;
    for (const Event& event : trace_.events) {
      if (event.instruction == nullptr) continue;
      if (event.kind == Event::Kind::atomic)
        refuse(place_of(kernel_, event) + ": what an atomic leaves depends on the order of threads");
      if (event.kind != Event::Kind::store) continue;
      if (event.memory < 0) refuse(place_of(kernel_, event) + ": " + event.detail);
      const Memory& memory = trace_.memories[static_cast<std::size_t>(event.memory)];
      if (memory.parameter == nullptr || event.scope->contradictory()) continue;
      out.push_back(ensure(event, memory));
    }
    if (out.empty()) refuse(kernel_.text_file + ": the kernel writes to no buffer");
    return out;
  }

 private:
  plan::Ensure ensure(const Event& event, const Memory& memory) {
    plan::Ensure out;
    out.buffer = memory.name;
    calculus::Substitution axes;
    const auto add_axis = [&](Term leaf, Term extent, const std::string& name) {
      axes[leaf] = calculus::axis(static_cast<int>(out.domain.size()));
      out.domain.push_back(extent);
      out.axis_names.push_back(name);
    };
    for (int d = 0; d < 3; ++d)
      if (grid_extent(spec_, d) != calculus::integer(1))
        add_axis(block_symbol(d), grid_extent(spec_, d), fmt::format("block_{}", "xyz"[d]));
    for (int d = 0; d < 3; ++d)
      if (block_extent(spec_, d) != calculus::integer(1))
        add_axis(thread_symbol(d), block_extent(spec_, d), fmt::format("thread_{}", "xyz"[d]));
    std::vector<Term> guards;
    for (int number : event.loops) {
      const SymbolicLoop& loop = trace_.loops[static_cast<std::size_t>(number)];
      if (loop.trips == nullptr) refuse(place_of(kernel_, event) + ": a store in a loop of unknown length");
      const std::vector<Term> bounds = upper_bounds(loop.trips, event.scope);
      if (bounds.empty())
        refuse(place_of(kernel_, event) +
               ": a store in a loop whose length has no bound over sizes and launch");
      add_axis(loop.iteration, bounds[0], fmt::format("it_{}", number));
      guards.push_back(calculus::less(loop.iteration, loop.trips));
    }
    const std::vector<Term>& base = trace_.base->facts();
    for (Term fact : event.scope->facts())
      if (std::find(base.begin(), base.end(), fact) == base.end()) guards.push_back(fact);
    const Term guard = calculus::conjunction(guards);
    const Term value = stored(event, memory);
    follow(event, axes, {guard, value, event.offset});
    out.guard = calculus::substitute(guard, axes);
    if (out.guard == calculus::truth(true)) out.guard = nullptr;
    out.target = {calculus::substitute(element(event), axes)};
    out.value = calculus::substitute(value, axes);
    return out;
  }

  Term element(const Event& event) const {
    const Integer size = from_u64(event.bytes);
    std::vector<Term> parts;
    for (const calculus::Monomial& m : calculus::monomials(event.offset)) {
      if (floor_mod(m.coefficient, size) != 0)
        refuse(place_of(kernel_, event) + ": an address between two elements");
      const Integer c = floor_div(m.coefficient, size);
      parts.push_back(m.product == nullptr ? calculus::integer(c) : calculus::scale(c, m.product));
    }
    return calculus::add(parts);
  }

  Term stored(const Event& event, const Memory& memory) const {
    const calculus::Format format = *memory.format;
    if (calculus::storage_bits(format) != 8 * event.bytes)
      refuse(place_of(kernel_, event) + ": an access of another width than the buffer's elements");
    if (calculus::is_float(format)) {
      if (event.value.kind != Value::Kind::element || event.value.term->sort != calculus::stored_sort(format))
        refuse(place_of(kernel_, event) + ": the stored bits are no float of the buffer's format");
      return spec_.equality == plan::Equality::reals ? exact_term(event.value.term) : event.value.term;
    }
    if (event.value.kind != Value::Kind::integer)
      refuse(place_of(kernel_, event) + ": the stored bits are no integer that is followed");
    return calculus::from_index(event.value.term, calculus::stored_sort(format));
  }

  // Nothing may be left that belongs to the execution alone.
  void follow(const Event& event, const calculus::Substitution& axes, const std::vector<Term>& terms) const {
    for (Term term : terms)
      calculus::for_each_node(term, [&](Term node) {
        if (node->kind == Kind::variable && axes.count(node) == 0)
          refuse(fmt::format("{}: the output depends on a value that is not followed ({})",
                             place_of(kernel_, event),
                             trace_.unsupported.empty() ? node->name : trace_.unsupported.front()));
        if (node->kind == Kind::operation && node->op == Op::custom &&
            (node->name.rfind("shuffle", 0) == 0 || node->name == "reinterpret" || node->name == "from_bits"))
          refuse(fmt::format("{}: the output depends on {}, which is not a term over the inputs",
                             place_of(kernel_, event), node->name));
      });
  }

  const plan::KernelSpec& spec_;
  const ir::Kernel& kernel_;
  Prover prover_;
  Trace trace_;
};

}  // namespace

Term exact_term(Term value) {
  return Exact().of(value);
}

std::vector<plan::Ensure> outputs_of(const plan::KernelSpec& spec, const ir::Kernel& kernel,
                                     const Prover::Probe& probe) {
  return Extraction(spec, kernel, probe).run();
}

}  // namespace hallmark::validator
