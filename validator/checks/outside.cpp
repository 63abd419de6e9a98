#include "validator/checks/outside.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace hallmark::validator {
namespace {

using ir::Opcode;

// Uses of an arbitrary value that conclude nothing from it.
bool is_harmless(const ir::Instruction& use, const std::set<ir::ValueId>& arbitrary,
                 const ir::Kernel& kernel) {
  const auto tainted = [&](std::size_t i) { return arbitrary.count(use.operands[i]) != 0; };
  if (use.opcode == Opcode::store) return !tainted(0) && use.space == ir::Space::global;
  if (use.opcode == Opcode::select) return ir::is_float(kernel.type_of(use.operands[1]));
  const auto all_float = [&](const std::vector<ir::ValueId>& values) {
    return std::all_of(values.begin(), values.end(),
                       [&](ir::ValueId v) { return ir::is_float(kernel.type_of(v)); });
  };
  switch (use.opcode) {
    case Opcode::compare_float:
      return true;
    case Opcode::float_add:
    case Opcode::float_sub:
    case Opcode::float_mul:
    case Opcode::float_fma:
    case Opcode::float_neg:
      return all_float(use.operands) && all_float(use.results);
    default:
      return false;
  }
}

}  // namespace

bool may_decide(const ir::Kernel& kernel, const Site& site) {
  const ir::Instruction& load = kernel.blocks[site.block].instructions[site.index];
  std::set<ir::ValueId> arbitrary(load.results.begin(), load.results.end());
  for (const ir::ValueId v : load.results)
    if (!ir::is_float(kernel.type_of(v))) return true;
  const auto reaches = [&](const std::vector<ir::ValueId>& values) {
    return std::any_of(values.begin(), values.end(), [&](ir::ValueId v) { return arbitrary.count(v) != 0; });
  };
  for (std::size_t before = 0; before != arbitrary.size();) {
    before = arbitrary.size();
    for (const ir::Block& block : kernel.blocks) {
      for (const ir::Instruction& use : block.instructions) {
        if (!reaches(use.operands)) continue;
        if (!is_harmless(use, arbitrary, kernel)) return true;
        arbitrary.insert(use.results.begin(), use.results.end());
      }
      for (const ir::Edge& edge : block.terminator.edges)
        for (std::size_t i = 0; i < edge.arguments.size(); ++i)
          if (arbitrary.count(edge.arguments[i]) != 0)
            arbitrary.insert(kernel.blocks[edge.target].parameters[i]);
    }
  }
  return false;
}

}  // namespace hallmark::validator
