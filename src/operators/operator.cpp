#include "operators/operator.h"

#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "operators/families.h"

namespace hallmark::operators {

const std::vector<Operator>& all_operators() {
  static const Table table = [] {
    Table all;
    for (const auto add :
         {add_activations,     add_arg_reductions, add_casts,       add_comparisons, add_constants,
          add_convolutions,    add_einsum,         add_elementwise, add_gathers,     add_legacy,
          add_matrix_products, add_normalizations, add_pads,        add_pools,       add_quantizations,
          add_rearrangements,  add_reductions,     add_reshapes,    add_resizes,     add_slices,
          add_softmax})
      add(all);
    std::stable_sort(all.begin(), all.end(), [](const Operator& a, const Operator& b) {
      return std::tie(a.domain, a.name, a.since) < std::tie(b.domain, b.name, b.since);
    });
    return all;
  }();
  return table;
}

const Operator* find_operator(std::string_view name, std::string_view domain, int opset) {
  if (domain == "ai.onnx") domain = "";
  for (const Operator& candidate : all_operators())
    if (candidate.name == name && candidate.domain == domain && candidate.since <= opset &&
        opset <= candidate.until)
      return &candidate;
  return nullptr;
}

void build(Scope& scope, const Node& node, int opset) {
  const Operator* found = find_operator(node.op_type, node.domain, opset);
  if (found == nullptr)
    throw Refusal("E6300",
                  describe(node) + ": the operator has no definition here at opset " + std::to_string(opset),
                  {.node = describe(node)});
  NodeContext context(scope, node, opset);
  found->build(context);
  for (const std::string& output : node.outputs)
    ensure(output.empty() || scope.find(output) != nullptr, describe(node) + " left an output undefined");
}

}  // namespace hallmark::operators
