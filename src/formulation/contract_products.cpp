#include "formulation/contract_products.h"

namespace hallmark::formulation {

using namespace calculus;

namespace {

bool is(Term term, Op op) {
  return term->kind == Kind::operation && term->op == op && term->sort.kind == Sort::Kind::floating &&
         term->rounding == Rounding::nearest;
}

Term contracted(Term node) {
  if (!is(node, Op::add) || node->children.size() != 2) return node;
  for (std::size_t side = 0; side < 2; ++side) {
    const Term product = node->children[side];
    if (is(product, Op::mul) && product->sort == node->sort)
      return operation(Op::fma, {product->children[0], product->children[1], node->children[1 - side]},
                       node->sort, Rounding::nearest);
  }
  return node;
}

}  // namespace

Formulation contract_products(Formulation formulation) {
  for (Definition& definition : formulation.program.definitions)
    definition.body = rewrite(definition.body, contracted);
  return formulation;
}

}  // namespace hallmark::formulation
