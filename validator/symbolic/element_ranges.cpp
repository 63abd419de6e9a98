#include "validator/symbolic/element_ranges.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

Prover::Axioms element_ranges(const plan::KernelSpec& spec) {
  std::map<std::string, plan::Buffer> ranged;
  for (const plan::Parameter& p : spec.parameters)
    if (p.buffer && p.buffer->element_low != nullptr && p.buffer->element_high != nullptr)
      ranged.emplace(p.buffer->declaration.name, *p.buffer);
  if (ranged.empty()) return {};
  return [ranged](Term node) -> std::vector<Prover::Axiom> {
    const Term load = node->children[0];
    if (load->kind != Kind::load) return {};
    const auto found = ranged.find(load->name);
    if (found == ranged.end()) return {};
    const plan::Buffer& buffer = found->second;
    // Kernels read by position, specifications by an index per axis.
    std::vector<Term> extents = buffer.declaration.extents;
    if (load->children.size() != extents.size()) {
      Term count = calculus::integer(1);
      for (Term extent : extents) count = calculus::multiply(count, extent);
      extents = {count};
    }
    if (load->children.size() != extents.size()) return {};
    Term exists = calculus::truth(true);
    for (std::size_t d = 0; d < extents.size(); ++d)
      exists = calculus::both(exists, calculus::in_range(load->children[d], extents[d]));
    return {{exists, calculus::at_most(buffer.element_low, node)},
            {exists, calculus::less(node, buffer.element_high)}};
  };
}

}  // namespace hallmark::validator
