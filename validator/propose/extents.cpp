#include "validator/propose/extents.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "calculus/text/text.h"
#include "validator/ir/demangle.h"
#include "validator/propose/eliminate.h"
#include "validator/symbolic/element_ranges.h"
#include "validator/symbolic/executor.h"
#include "validator/symbolic/invert.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

std::string index_text(const plan::KernelSpec& spec, Term term) {
  calculus::text::Scope scope;
  for (const calculus::SymbolRange& range : spec.symbols)
    scope.names.emplace(range.name, calculus::symbol(range.name));
  return calculus::text::print_term(term, scope);
}

namespace {

// The offset as it is where nothing wraps around in 32 bits, and the floors that count the wraps.
Term without_wraps(Term offset, std::vector<Term>& wraps) {
  const Integer word = power_of_two(32);
  const auto divisor = [](Term node) -> Integer {
    if (node->kind != Kind::floor_div) return 0;
    const Integer* c = calculus::as_integer(node->children[1]);
    return c != nullptr && *c >= power_of_two(16) ? *c : Integer(0);
  };
  const auto note = [&](Term node) {
    if (std::find(wraps.begin(), wraps.end(), node) == wraps.end()) wraps.push_back(node);
  };
  std::vector<Term> kept;
  for (const calculus::Monomial& m : calculus::monomials(offset)) {
    const std::vector<Term> factors = factors_of(m.product);
    const auto found =
        std::find_if(factors.begin(), factors.end(), [&](Term factor) { return divisor(factor) != 0; });
    if (found != factors.end() && floor_mod(m.coefficient, word) == 0) {
      note(*found);
      continue;
    }
    kept.push_back(m.product == nullptr ? calculus::integer(m.coefficient)
                                        : calculus::scale(m.coefficient, m.product));
  }
  // Signed readings inside other terms: floor((p + 2^31) / 2^32).
  return calculus::rewrite(kept.empty() ? calculus::integer(0) : calculus::add(kept), [&](Term node) {
    const Integer d = divisor(node);
    if (d == 0 || 2 * calculus::constant_part(node->children[0]) < d) return node;
    note(node);
    return calculus::integer(0);
  });
}

class Derivation {
 public:
  Derivation(const Signature& signature, const ir::Kernel& kernel, const Prover::Probe& probe)
      : kernel_(kernel), prover_(probe) {
    out_.spec = signature.spec;
  }

  Needs run() {
    // Elements of index tensors bound what is read through them, so their ranges come first.
    try {
      Trace trace = execute();
      if (range_index_tensors(trace)) trace = execute();
      measure(trace);
    } catch (const Refusal& refusal) {
      for (const plan::Parameter& p : out_.spec.parameters)
        if (p.buffer) out_.needs.push_back({p.buffer->declaration.name, "", refusal.message(), true});
    }
    for (const Need& need : out_.needs)
      if (need.is_buffer && need.condition.empty())
        for (calculus::SymbolRange& range : out_.spec.symbols)
          if (range.name == elements_symbol(need.memory)) {
            range.low = power_of_two(20);
            range.high = range.low;
          }
    return std::move(out_);
  }

 private:
  Trace execute() {
    prover_.set_axioms(element_ranges(out_.spec));
    Executor executor(out_.spec, kernel_, prover_);
    return executor.run();
  }

  // An integer buffer whose elements reach an address holds indices: 0 <= element < the ghost indices.NAME.
  bool range_index_tensors(const Trace& trace) {
    std::set<std::string> names;
    for (const Event& event : trace.events) {
      if (event.memory < 0 || event.offset == nullptr) continue;
      calculus::for_each_node(event.offset, [&](Term node) {
        if (node->kind == Kind::load) names.insert(node->name);
      });
    }
    bool any = false;
    for (plan::Parameter& p : out_.spec.parameters) {
      if (!p.buffer || names.count(p.buffer->declaration.name) == 0 ||
          !calculus::is_integer(p.buffer->declaration.format))
        continue;
      const std::string name = "indices." + p.buffer->declaration.name;
      out_.spec.symbols.push_back({name, 1, power_of_two(31) - 1});
      p.buffer->element_low = calculus::integer(0);
      p.buffer->element_high = calculus::symbol(name);
      out_.assumptions.push_back(
          fmt::format("elements of {} are indices: from 0 to below {}", p.buffer->declaration.name, name));
      any = true;
    }
    return any;
  }

  // The facts of the event with the declared ranges of the elements that it mentions.
  static Scope with_ranges(const plan::KernelSpec& spec, const Event& event) {
    std::vector<Term> facts;
    calculus::for_each_node(event.offset, [&](Term node) {
      if (node->kind != Kind::to_index || node->children[0]->kind != Kind::load) return;
      for (const plan::Parameter& p : spec.parameters)
        if (p.buffer && p.buffer->element_low != nullptr &&
            p.buffer->declaration.name == node->children[0]->name) {
          facts.push_back(calculus::at_most(p.buffer->element_low, node));
          facts.push_back(calculus::less(node, p.buffer->element_high));
        }
    });
    return facts.empty() ? event.scope : Context::extend(event.scope, facts);
  }

  std::string line_of(const Event& event) const {
    const ir::Place& place = event.instruction->place;
    const std::string source = kernel_.source_location(place);
    return fmt::format("line {}{}", place.line,
                       source.empty() || kernel_.is_source ? "" : " (" + source + ")");
  }

  void measure(const Trace& trace) {
    launch_ = launch_scope(trace);
    std::vector<std::vector<Term>> ends(trace.memories.size());
    std::vector<std::string> reasons(trace.memories.size());
    std::string lost;
    for (const Event& event : trace.events) {
      if (event.instruction == nullptr || event.offset == nullptr) continue;
      if (event.kind != Event::Kind::load && event.kind != Event::Kind::store &&
          event.kind != Event::Kind::atomic)
        continue;
      if (event.memory < 0) {
        if (lost.empty()) lost = fmt::format("{}: {}", line_of(event), event.detail);
        continue;
      }
      const auto m = static_cast<std::size_t>(event.memory);
      out_.reached[{event.block, event.index}].insert(trace.memories[m].name);
      if (!reasons[m].empty() || event.scope->contradictory()) continue;
      const Scope scope = with_ranges(out_.spec, event);
      std::vector<Term> wraps;
      const Term offset = without_wraps(event.offset, wraps);
      for (Term wrap : wraps) forbid(wrap, scope);
      const std::vector<Term> found =
          upper_bounds(calculus::add(offset, calculus::integer(static_cast<long>(event.bytes))), scope);
      if (found.empty()) {
        reasons[m] =
            fmt::format("{}: no bound of the address over sizes and launch was found", line_of(event));
        continue;
      }
      ends[m].push_back(least(found));
    }
    for (std::size_t m = 0; m < trace.memories.size(); ++m) {
      const Memory& memory = trace.memories[m];
      if (!lost.empty() && reasons[m].empty() && memory.parameter != nullptr) reasons[m] = lost;
      if (memory.parameter != nullptr)
        buffer(memory, ends[m], reasons[m]);
      else if (memory.space == ir::Space::shared)
        shared(memory, ends[m], reasons[m]);
    }
  }

  // floor((p + h) / d) is the same for every thread where p + h < d.
  void forbid(Term wrap, const Scope& scope) {
    std::vector<Term> inner;
    const Term straight = without_wraps(wrap->children[0], inner);
    const std::vector<Term> bounds = upper_bounds(straight, scope);
    if (bounds.empty()) return;
    const Term condition = calculus::less(least(bounds), wrap->children[1]);
    if (prover_.holds(launch_, condition) || !require(condition)) return;
    const std::string text = index_text(out_.spec, condition);
    if (std::find(out_.without_wrap.begin(), out_.without_wrap.end(), text) == out_.without_wrap.end())
      out_.without_wrap.push_back(text);
  }

  Scope launch_scope(const Trace& trace) const {
    std::vector<Term> facts;
    for (Term fact : trace.base->facts())
      if (!is_local(fact)) facts.push_back(fact);
    return Context::make(facts);
  }

  // Among bounds, one that no other is shown to be below.
  Term least(const std::vector<Term>& bounds) {
    Term best = bounds[0];
    for (std::size_t i = 1; i < bounds.size() && i < 6; ++i)
      if (!prover_.holds(launch_, calculus::at_most(best, bounds[i])) &&
          prover_.holds(launch_, calculus::at_most(bounds[i], best)))
        best = bounds[i];
    return best;
  }

  std::vector<Term> maximal(const std::vector<Term>& ends) {
    std::vector<Term> kept;
    for (Term end : ends) {
      if (std::any_of(kept.begin(), kept.end(),
                      [&](Term k) { return k == end || prover_.holds(launch_, calculus::at_most(end, k)); }))
        continue;
      std::erase_if(kept, [&](Term k) { return prover_.holds(launch_, calculus::at_most(k, end)); });
      kept.push_back(end);
    }
    return kept;
  }

  void buffer(const Memory& memory, const std::vector<Term>& ends, const std::string& reason) {
    Need need{memory.name, "", reason, true};
    const std::string ghost = elements_symbol(memory.name);
    if (reason.empty() && ends.empty()) need.reason = "the text does not access it";
    if (reason.empty() && !ends.empty()) {
      const Term size = calculus::integer(static_cast<long>(calculus::storage_bits(*memory.format) / 8));
      Term bytes = nullptr;
      for (Term end : maximal(ends)) bytes = bytes == nullptr ? end : calculus::index_max(bytes, end);
      const Term elements = calculus::ceil_div(bytes, size);
      need.condition =
          fmt::format("{} has at least {} elements", memory.name, index_text(out_.spec, elements));
      std::erase_if(out_.spec.symbols, [&](const calculus::SymbolRange& r) { return r.name == ghost; });
      for (plan::Parameter& p : out_.spec.parameters)
        if (p.buffer && p.buffer->declaration.name == memory.name) p.buffer->declaration.extents = {elements};
    }
    out_.needs.push_back(std::move(need));
  }

  static std::string shown(const std::string& array) { return ir::short_name(array); }

  // A condition on the launch where the array does not hold every launch.
  void shared(const Memory& memory, const std::vector<Term>& ends, const std::string& reason) {
    if (!reason.empty()) {
      out_.needs.push_back({memory.name, "", reason, false});
      return;
    }
    const std::vector<Term> greatest = maximal(ends);
    const bool sized = memory.bytes->kind == Kind::symbol && memory.bytes->name == shared_symbol();
    if (sized && !greatest.empty()) {
      Term bytes = nullptr;
      for (Term end : greatest) bytes = bytes == nullptr ? end : calculus::index_max(bytes, end);
      dynamic_ = dynamic_ == nullptr ? bytes : calculus::index_max(dynamic_, bytes);
      out_.spec.launch.dynamic_shared_bytes = dynamic_;
      std::erase_if(out_.spec.symbols,
                    [](const calculus::SymbolRange& r) { return r.name == shared_symbol(); });
      if (!require(calculus::at_most(dynamic_, calculus::integer(49152)))) return;
      out_.needs.push_back({memory.name,
                            fmt::format("the launch gives at least {} bytes of dynamic shared memory",
                                        index_text(out_.spec, bytes)),
                            "", false});
      return;
    }
    for (Term end : greatest) {
      const Term fits = calculus::at_most(end, memory.bytes);
      if (prover_.holds(launch_, fits) || !require(fits)) continue;
      out_.needs.push_back(
          {memory.name,
           fmt::format("{} (so that {} is not left)", index_text(out_.spec, fits), shown(memory.name)), "",
           false});
    }
  }

  // False when no launch would be left.
  bool require(Term condition) {
    if (condition == calculus::truth(true)) return true;
    const Scope with = Context::extend(launch_, condition);
    if (prover_.holds(with, calculus::truth(false))) return false;
    launch_ = with;
    out_.spec.requirements.push_back(condition);
    return true;
  }

  const ir::Kernel& kernel_;
  Prover prover_;
  Scope launch_;
  Needs out_;
  Term dynamic_ = nullptr;
};

}  // namespace

Needs derive_needs(const Signature& signature, const ir::Kernel& kernel, const Prover::Probe& probe) {
  return Derivation(signature, kernel, probe).run();
}

}  // namespace hallmark::validator
