#include "lowering/prepare.h"

#include <algorithm>

namespace hallmark::lowering {

using namespace calculus;

namespace {

bool mentions_symbol(Term term) {
  bool found = false;
  for_each_node(term, [&](Term node) { found = found || node->kind == Kind::symbol; });
  return found;
}

}  // namespace

std::set<std::string> fixed_definitions(const Program& formulation) {
  std::set<std::string> fixed;
  for (const Constant& constant : formulation.constants) fixed.insert(constant.declaration.name);
  std::set<std::string> out;
  for (const Definition& definition : formulation.definitions) {
    const std::string& name = definition.declaration.name;
    bool closed =
        !mentions_symbol(definition.body) &&
        std::find(formulation.outputs.begin(), formulation.outputs.end(), name) == formulation.outputs.end();
    for (const Term extent : definition.declaration.extents) closed = closed && !mentions_symbol(extent);
    for_each_node(definition.body, [&](Term node) {
      closed = closed && (node->kind != Kind::load || fixed.contains(node->name));
    });
    if (!closed) continue;
    fixed.insert(name);
    out.insert(name);
  }
  return out;
}

bool worth_preparing(const Definition& definition) {
  bool loads = false, computes = false;
  for_each_node(definition.body, [&](Term node) {
    loads = loads || node->kind == Kind::load;
    computes = computes || node->kind == Kind::operation || node->kind == Kind::fold;
  });
  return loads && computes;
}

}  // namespace hallmark::lowering
