// Whether a formulation keeps to what the contract permits.
#include <algorithm>
#include <set>

#include "numerics/admission.h"

namespace hallmark::numerics {

using namespace calculus;

namespace {

bool contains(const std::vector<Format>& list, Format format) {
  return std::find(list.begin(), list.end(), format) != list.end();
}

std::string order_name(const Order& order) {
  const std::string whole = to_string(order);
  return whole.substr(0, whole.find('('));
}

// The kinds of order inside an order, outermost first.
void order_kinds(const Order* order, std::set<std::string>& out) {
  if (order == nullptr) return;
  out.insert(order_name(*order));
  order_kinds(order->inner, out);
  order_kinds(order->outer, out);
}

}  // namespace

std::vector<std::string> contract_violations(const AdmissionInput& input) {
  std::vector<std::string> out;
  const contract::Contract& c = input.contract;
  for (const Definition& definition : input.formulation.definitions) {
    const std::string& name = definition.declaration.name;
    const Declaration* authored = find_declaration(input.exact, name);
    const Format stored = definition.declaration.format;
    const bool as_authored = authored != nullptr && authored->format == stored;
    if (is_float(stored) && !as_authored && !contains(c.storage, stored))
      out.push_back(name + " is stored as " + std::string(calculus::name(stored)) +
                    ", which the contract does not permit");
    std::set<std::string> found;
    for_each_node(definition.body, [&](Term node) {
      if (node->kind == Kind::operation && node->op == Op::fma && !c.fma)
        found.insert(name + " uses a fused multiply-add, which the contract does not permit");
      if (node->kind == Kind::operation && node->flush_subnormals && !c.ftz)
        found.insert(name + " flushes subnormals to zero, which the contract does not permit");
      if (node->kind != Kind::fold || node->sort.kind != Sort::Kind::floating) return;
      const Op step = node->children[2 + static_cast<std::size_t>(node->size + node->which)]->op;
      const bool rounds =
          step != Op::maxnum && step != Op::minnum && step != Op::maximum && step != Op::minimum;
      const bool wide =
          !rounds || node->sort.format == Format::f64 || contains(c.accumulation, node->sort.format);
      if (!wide)
        found.insert(name + " accumulates in " + std::string(calculus::name(node->sort.format)) +
                     ", which the contract does not permit");
      std::set<std::string> kinds;
      order_kinds(node->order, kinds);
      const bool any = std::find(c.orders.begin(), c.orders.end(), "any") != c.orders.end();
      for (const std::string& kind : kinds)
        if (!any && std::find(c.orders.begin(), c.orders.end(), kind) == c.orders.end())
          found.insert(name + " reduces in the order " + kind + ", which the contract does not permit");
    });
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

}  // namespace hallmark::numerics
