#include <algorithm>

#include "contract/contract.h"
#include "contract/format_values.h"

namespace hallmark::contract {
namespace {

using namespace calculus;

// The least extent over the sizes of the contract, where the extent is a number or a symbol.
std::optional<Integer> least_extent(Term extent, const Program& program, const Contract& contract) {
  if (const Integer* value = as_integer(extent); value != nullptr) return *value;
  for (const SymbolRange& symbol : program.symbols)
    if (extent->kind == Kind::symbol && extent->name == symbol.name) return range_of(contract, symbol).low;
  return std::nullopt;
}

struct Demand {
  Integer low, high;
};

// What one use of an element of `input` as an index allows: the element itself, or ONNX's wrapped form in
// which negative indices count from the end. Other uses demand nothing that is known here.
std::optional<Demand> demand(Term index, const std::string& input, Term extent, const Integer& least) {
  const auto is_element = [&](Term t) {
    return t->kind == Kind::to_index && t->children[0]->kind == Kind::load && t->children[0]->name == input;
  };
  if (is_element(index)) return Demand{0, least - 1};
  if (index->kind != Kind::index_select) return std::nullopt;
  for (const std::size_t side : {1, 2}) {
    const Term plain = index->children[side], wrapped = index->children[3 - side];
    if (is_element(plain) && wrapped == add(plain, extent)) return Demand{-least, least - 1};
  }
  return std::nullopt;
}

std::optional<Demand> index_demand(const std::string& input, const Program& program,
                                   const Contract& contract) {
  std::optional<Demand> result;
  for (const Definition& definition : program.definitions)
    for_each_node(definition.body, [&](Term node) {
      if (node->kind != Kind::load) return;
      const Declaration* declaration = find_declaration(program, node->name);
      if (declaration == nullptr) return;
      for (std::size_t d = 0; d < node->children.size(); ++d) {
        const Term extent = declaration->extents[d];
        const auto least = least_extent(extent, program, contract);
        if (!least) continue;
        const auto one = demand(node->children[d], input, extent, *least);
        if (!one) continue;
        if (!result) {
          result = one;
        } else {
          result->low = std::max(result->low, one->low);
          result->high = std::min(result->high, one->high);
        }
      }
    });
  return result;
}

}  // namespace

Contract complete(Contract contract, const Program& program) {
  for (const Declaration& input : program.inputs) {
    if (contract.inputs.count(input.name) != 0) continue;
    InputBox box;
    box.format = input.format;
    box.assumed = true;
    if (is_float(input.format)) {
      box.low = -1;
      box.high = 1;
    } else {
      // No default but what the operators demand (soundness G9): otherwise every value is admitted, and the
      // analysis takes the format's whole range.
      const auto demanded = index_demand(input.name, program, contract);
      if (!demanded || demanded->low > demanded->high) continue;
      box.low = Rational(demanded->low);
      box.high = Rational(demanded->high);
    }
    contract.inputs.emplace(input.name, box);
  }
  // 16 unit roundoffs of a short format: what f32 has by default is finer than its values are apart.
  for (const std::string& output : program.outputs) {
    const Declaration* declaration = find_declaration(program, output);
    if (!contract.tolerance.empty() || declaration == nullptr || contract.outputs.count(output) != 0)
      continue;
    const bool half = declaration->format == Format::f16;
    if (!half && declaration->format != Format::bf16) continue;
    Tolerance& tolerance = contract.outputs[output];
    tolerance.absolute = tolerance.relative = half ? Rational(1, 128) : Rational(1, 16);
    tolerance.assumed = true;
  }
  const bool needs_tolerance =
      contract.tolerance.empty() &&
      std::any_of(program.outputs.begin(), program.outputs.end(), [&](const std::string& output) {
        const Declaration* declaration = find_declaration(program, output);
        return declaration != nullptr && is_float(declaration->format) && contract.outputs.count(output) == 0;
      });
  if (needs_tolerance) {
    contract.tolerance.absolute = Rational(1, 10'000);
    contract.tolerance.relative = Rational(1, 10'000);
    contract.tolerance.assumed = true;
  }
  return contract;
}

Contract default_contract(const Program& program) {
  return complete(Contract{}, program);
}

std::vector<std::string> assumptions(const Contract& contract) {
  std::vector<std::string> out;
  for (const auto& [name, box] : contract.inputs)
    if (box.assumed) out.push_back("default-box:" + name);
  if (contract.tolerance.assumed) out.push_back("default-tolerance");
  for (const auto& [name, tolerance] : contract.outputs)
    if (tolerance.assumed) out.push_back("default-tolerance:" + name);
  return out;
}

}  // namespace hallmark::contract
