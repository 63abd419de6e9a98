#include "pipeline/kernel_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "plan/spec_text.h"
#include "validator/checks/portfolio_probe.h"
#include "validator/checks/side_by_side.h"
#include "validator/propose/extents.h"
#include "validator/propose/outputs.h"

namespace hallmark::pipeline {
namespace {

using calculus::Term;
using validator::Needs;

const validator::ir::Kernel& kernel_of(const ComparedKernel& k) {
  if (k.text.kernel == nullptr)
    throw Refusal("E7602", fmt::format("the kernel {} was not read: {}", k.name, k.text.detail));
  return *k.text.kernel;
}

std::string name_at(const plan::Parameter& p) {
  return p.buffer ? p.buffer->declaration.name : p.scalar->name;
}

// Names of the other's parameters become the reference's.
calculus::Substitution renaming(const plan::KernelSpec& reference, const plan::KernelSpec& other) {
  const auto differ = [&](const std::string& what) {
    throw UserError("E7601", fmt::format("{} and {} do not have the same parameters: {}", reference.kernel,
                                         other.kernel, what));
  };
  if (reference.parameters.size() != other.parameters.size())
    differ(fmt::format("{} against {}", reference.parameters.size(), other.parameters.size()));
  calculus::Substitution out;
  for (std::size_t i = 0; i < reference.parameters.size(); ++i) {
    const plan::Parameter &a = reference.parameters[i], &b = other.parameters[i];
    if (a.buffer.has_value() != b.buffer.has_value())
      differ(fmt::format("number {} is a pointer in one of them only", i + 1));
    if (a.buffer && calculus::storage_bits(a.buffer->declaration.format) !=
                        calculus::storage_bits(b.buffer->declaration.format))
      differ(fmt::format("number {}, {}, has elements of another width", i + 1, name_at(a)));
    if (a.scalar && calculus::storage_bits(a.scalar->format) != calculus::storage_bits(b.scalar->format))
      differ(fmt::format("number {}, {}, has another width", i + 1, name_at(a)));
    if (a.scalar) out[calculus::symbol(b.scalar->name)] = calculus::symbol(a.scalar->name);
    if (a.buffer)
      out[calculus::symbol(validator::elements_symbol(name_at(b)))] =
          calculus::symbol(validator::elements_symbol(name_at(a)));
  }
  return out;
}

// One specification for both, without launch and ensures: buffers that hold what either accesses, and what
// both need of sizes.
plan::KernelSpec common(const plan::KernelSpec& a, const plan::KernelSpec& b,
                        const calculus::Substitution& names) {
  plan::KernelSpec out = a;
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    if (!a.parameters[i].buffer) continue;
    plan::Buffer& mine = *out.parameters[i].buffer;
    const Term other = calculus::substitute(b.parameters[i].buffer->declaration.extents[0], names);
    Term& extent = mine.declaration.extents[0];
    if (extent != other) extent = calculus::index_max(extent, other);
    if (b.parameters[i].buffer->access == plan::Access::inout && mine.access == plan::Access::out)
      mine.access = plan::Access::inout;
  }
  for (calculus::SymbolRange range : b.symbols) {
    const auto renamed = names.find(calculus::symbol(range.name));
    if (renamed != names.end()) range.name = renamed->second->name;
    if (std::none_of(out.symbols.begin(), out.symbols.end(),
                     [&](const calculus::SymbolRange& r) { return r.name == range.name; }))
      out.symbols.push_back(range);
  }
  // What the other needs of its launch is up to whoever launches it. What it needs of sizes and the reference
  // does not is a difference between the two.
  std::set<std::string> sizes;
  for (const plan::Parameter& p : a.parameters)
    sizes.insert(p.buffer ? validator::elements_symbol(name_at(p)) : name_at(p));
  for (Term condition : b.requirements) {
    const Term mine = calculus::substitute(condition, names);
    bool of_launch = true;
    calculus::for_each_node(mine, [&](Term node) {
      of_launch = of_launch && !(node->kind == calculus::Kind::symbol && sizes.count(node->name) != 0);
    });
    if (of_launch &&
        std::find(out.requirements.begin(), out.requirements.end(), mine) == out.requirements.end())
      out.requirements.push_back(mine);
  }
  return out;
}

plan::Launch renamed(plan::Launch launch, const calculus::Substitution& names) {
  for (Term* list : {launch.grid, launch.block})
    for (int d = 0; d < 3; ++d)
      if (list[d] != nullptr) list[d] = calculus::substitute(list[d], names);
  if (launch.dynamic_shared_bytes != nullptr)
    launch.dynamic_shared_bytes = calculus::substitute(launch.dynamic_shared_bytes, names);
  return launch;
}

Outcome refuted(const Witness& difference) {
  Outcome out;
  out.state = State::refuted;
  out.reason = Reason::none;
  out.detail = difference.summary;
  out.witness = difference;
  return out;
}

bool rests_on_reference(const Obligation& o) {
  return o.kind == ObligationKind::coverage || o.kind == ObligationKind::frame ||
         o.kind == ObligationKind::value;
}

}  // namespace

Comparison compare_kernels(const ComparedKernel& reference, const ComparedKernel& other,
                           plan::Equality equality, smt::Portfolio& portfolio) {
  const auto probe = validator::portfolio_probe(portfolio);
  std::vector<std::string> assumed;
  const auto needs_of = [&](const ComparedKernel& k) {
    const validator::Signature signature = requested_signature(kernel_of(k), k.request);
    const Needs needs = validator::derive_needs(signature, kernel_of(k), probe);
    for (const auto* list : {&signature.assumptions, &needs.assumptions})
      for (const std::string& sentence : *list)
        if (std::find(assumed.begin(), assumed.end(), sentence) == assumed.end()) assumed.push_back(sentence);
    return needs;
  };
  const Needs first = needs_of(reference), second = needs_of(other);
  const calculus::Substitution names = renaming(first.spec, second.spec);
  plan::KernelSpec a = common(first.spec, second.spec, names);
  a.equality = equality;
  a.ensures = validator::outputs_of(a, kernel_of(reference), probe);
  plan::KernelSpec b = a;
  b.launch = renamed(second.spec.launch, names);
  a.kernel = reference.name + " (reference)";
  b.kernel = other.name;
  std::string conditions;
  for (Term condition : a.requirements)
    conditions += (conditions.empty() ? "" : " and ") + validator::index_text(a, condition);
  Comparison out;
  const auto check = [&](const plan::KernelSpec& spec, const ComparedKernel& k,
                         const std::optional<Witness>& difference) {
    std::vector<Obligation> list = list_kernel_obligations(spec, k.text, k.level);
    // Nobody looks for a proof of what an execution has refuted.
    std::optional<Obligation> value;
    const auto at = std::find_if(list.begin(), list.end(),
                                 [](const Obligation& o) { return o.kind == ObligationKind::value; });
    const auto place = at - list.begin();
    if (difference && at != list.end()) {
      value = *at;
      value->outcome = refuted(*difference);
      list.erase(at);
    }
    discharge_kernel(list, spec, k.text, k.level, portfolio);
    if (value) list.insert(list.begin() + place, *value);
    for (Obligation& o : list)
      if (o.outcome.state == State::proved) {
        o.outcome.assumptions.push_back("launch-and-sizes-as-proposed");
        o.outcome.assumptions.push_back("buffers-hold-what-is-accessed");
        if (!conditions.empty()) o.scope += ", where " + conditions;
      }
    return list;
  };
  // Executed first: kernels that are plainly different have their answer at once.
  std::optional<Witness> difference;
  if (equality == plan::Equality::bits)
    difference = validator::difference_side_by_side(a, kernel_of(reference), b, kernel_of(other));
  out.obligations = check(a, reference, std::nullopt);
  const auto open = std::find_if(out.obligations.begin(), out.obligations.end(),
                                 [](const Obligation& o) { return o.outcome.state != State::proved; });
  std::vector<Obligation> theirs = check(b, other, difference);
  if (open != out.obligations.end())
    for (Obligation& o : theirs)
      if (rests_on_reference(o) && o.outcome.state != State::refuted)
        o.outcome = Outcome::unrun(
            Reason::gave_up, fmt::format("what the reference computes is known only together with {}, which "
                                         "is not proved",
                                         open->id));
  out.obligations.insert(out.obligations.end(), theirs.begin(), theirs.end());
  out.notes.push_back(fmt::format("{} against the reference {}, equality {}", other.name, reference.name,
                                  equality == plan::Equality::bits ? "bits" : "reals"));
  for (const std::string& sentence : assumed) out.notes.push_back("  " + sentence);
  if (!conditions.empty()) out.notes.push_back("  " + conditions);
  for (std::size_t i = 0; i < a.parameters.size(); ++i)
    if (a.parameters[i].buffer)
      out.notes.push_back(
          fmt::format("  {} has at least {} elements", name_at(a.parameters[i]),
                      validator::index_text(a, a.parameters[i].buffer->declaration.extents[0])));
  return out;
}

}  // namespace hallmark::pipeline
