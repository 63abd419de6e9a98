#include "pipeline/shrink.h"

#include <map>

#include "base/error.h"
#include "pipeline/store.h"

namespace hallmark::pipeline {
namespace {

// The findings and the goal that an obligation of numerics stands for; nothing for other kinds.
const std::map<std::string, Witness>* found(const numerics::Findings& findings, const Obligation& o) {
  switch (o.kind) {
    case ObligationKind::tolerance:
      return &findings.tolerance;
    case ObligationKind::range:
      return &findings.range;
    case ObligationKind::defined:
      return o.level == Level::model ? &findings.undefined : &findings.domain;
    default:
      return nullptr;
  }
}

numerics::WitnessGoals goal_of(const Obligation& o) {
  numerics::WitnessGoals out;
  if (o.kind == ObligationKind::tolerance) out.tolerance = {o.subject};
  if (o.kind == ObligationKind::range) out.range = {o.subject};
  if (o.kind == ObligationKind::defined) (o.level == Level::model ? out.undefined : out.domain) = {o.subject};
  return out;
}

class Shrinker {
 public:
  Shrinker(const Evidence& e, const Obligation& o, const Effort& effort, const Say& say)
      : e_(e), o_(o), effort_(effort), say_(say) {}

  std::optional<Witness> run() {
    const numerics::Findings none;
    if (!o_.outcome.witness || found(none, o_) == nullptr) return std::nullopt;
    for (const auto& [name, value] : o_.outcome.witness->bindings)
      for (const calculus::SymbolRange& symbol : e_.formulation.program.symbols)
        if (symbol.name == name) sizes_[name] = Integer(value, 10);
    std::optional<Witness> best;
    for (auto& [name, size] : sizes_) {
      Integer low = low_of(name);
      // Invariant: a witness at `size` is known, none below `low` is.
      while (low < size) {
        const Integer before = size, middle = (low + size) / 2;
        size = middle;
        if (std::optional<Witness> smaller = at_sizes()) {
          best = std::move(smaller);
          say_("shrink: " + name + " = " + size.get_str());
        } else {
          size = before;
          low = middle + 1;
        }
      }
    }
    return best;
  }

 private:
  Integer low_of(const std::string& name) const {
    for (const calculus::SymbolRange& symbol : e_.formulation.program.symbols)
      if (symbol.name == name) return contract::range_of(e_.contract, symbol).low;
    return 1;
  }

  std::optional<Witness> at_sizes() const {
    contract::Contract contract = e_.contract;
    for (const auto& [name, size] : sizes_) {
      contract.dimensions[name].low = size;
      contract.dimensions[name].high = size;
    }
    const numerics::Findings findings = numerics::search_witnesses(
        e_.elected, e_.formulation.program, contract, goal_of(o_), witness_options(effort_.jobs));
    const auto& all = *found(findings, o_);
    const auto mine = all.find(o_.subject);
    return mine == all.end() ? std::nullopt : std::optional(mine->second);
  }

  const Evidence& e_;
  const Obligation& o_;
  const Effort& effort_;
  const Say& say_;
  std::map<std::string, Integer> sizes_;
};

}  // namespace

std::optional<Witness> shrink(const bundle::OpenBundle& bundle, const Obligation& o, const Effort& effort,
                              const Say& say) {
  const Evidence evidence = restore(reader_of(bundle));
  return Shrinker(evidence, o, effort, say).run();
}

}  // namespace hallmark::pipeline
