#include "calculus/sizes.h"

namespace hallmark::calculus {

bool is_over_symbols(Term index) {
  bool all = true;
  for_each_node(index, [&](Term node) {
    switch (node->kind) {
      case Kind::integer:
      case Kind::symbol:
      case Kind::product:
      case Kind::polynomial:
      case Kind::floor_div:
      case Kind::index_min:
      case Kind::index_max:
      case Kind::index_select:
      case Kind::truth:
      case Kind::at_most_zero:
      case Kind::is_zero:
      case Kind::conjunction:
      case Kind::disjunction:
      case Kind::negation:
        return;
      default:
        all = false;
    }
  });
  return all;
}

}  // namespace hallmark::calculus
