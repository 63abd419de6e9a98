#include "validator/checks/definitions.h"

#include <algorithm>

#include "validator/symbolic/interval.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

namespace {

bool mentions(Term term, Term leaf) {
  bool found = false;
  calculus::for_each_node(term, [&](Term node) { found = found || node == leaf; });
  return found;
}

std::vector<Term> conjuncts(const std::vector<Term>& requirements) {
  std::vector<Term> out;
  for (Term r : requirements) {
    if (r->kind == Kind::conjunction)
      out.insert(out.end(), r->children.begin(), r->children.end());
    else
      out.push_back(r);
  }
  return out;
}

}  // namespace

calculus::Substitution definitions(const plan::KernelSpec& spec) {
  calculus::Substitution out;
  for (Term fact : conjuncts(spec.requirements)) {
    if (fact->kind != Kind::is_zero) continue;
    const Term p = calculus::substitute(fact->children[0], out);
    for (const plan::Parameter& parameter : spec.parameters) {
      if (!parameter.scalar || !calculus::is_integer(parameter.scalar->format)) continue;
      const Term symbol = calculus::symbol(parameter.scalar->name);
      Term coefficient = nullptr, rest = nullptr;
      if (out.count(symbol) != 0 || !calculus::affine_in(p, symbol, coefficient, rest) ||
          mentions(rest, symbol))
        continue;
      if (coefficient != calculus::integer(1) && coefficient != calculus::integer(-1)) continue;
      const Term value = coefficient == calculus::integer(1) ? calculus::scale(-1, rest) : rest;
      for (auto& [known, meaning] : out) meaning = calculus::substitute(meaning, {{symbol, value}});
      out[symbol] = value;
      break;
    }
  }
  return out;
}

plan::KernelSpec with_definitions(const plan::KernelSpec& spec) {
  const calculus::Substitution map = definitions(spec);
  if (map.empty()) return spec;
  plan::KernelSpec out = spec;
  const auto replace = [&](Term& term) {
    if (term != nullptr) term = calculus::substitute(term, map);
  };
  for (Term& r : out.requirements) replace(r);
  // What was known of the symbol is now known of its meaning.
  const auto within = [&](Term value, const Integer& low, const std::optional<Integer>& high) {
    out.requirements.push_back(calculus::at_most(calculus::integer(low), value));
    if (high) out.requirements.push_back(calculus::at_most(value, calculus::integer(*high)));
  };
  for (const calculus::SymbolRange& range : spec.symbols)
    if (const auto found = map.find(calculus::symbol(range.name)); found != map.end())
      within(found->second, range.low, range.high);
  std::erase_if(out.requirements, [](Term r) { return r == calculus::truth(true); });
  for (plan::Parameter& parameter : out.parameters) {
    if (parameter.buffer) {
      for (Term& extent : parameter.buffer->declaration.extents) replace(extent);
      replace(parameter.buffer->element_low);
      replace(parameter.buffer->element_high);
    } else if (const auto found = map.find(calculus::symbol(parameter.scalar->name)); found != map.end()) {
      const Interval range = format_range(parameter.scalar->format);
      within(found->second, *range.low, range.high);
    }
  }
  for (int d = 0; d < 3; ++d) {
    replace(out.launch.grid[d]);
    replace(out.launch.block[d]);
  }
  replace(out.launch.dynamic_shared_bytes);
  for (plan::Ensure& ensure : out.ensures) {
    for (Term& extent : ensure.domain) replace(extent);
    replace(ensure.guard);
    for (Term& index : ensure.target) replace(index);
    replace(ensure.value);
  }
  return out;
}

}  // namespace hallmark::validator
