#include "base/error.h"
#include "lowering/kernel.h"
#include "lowering/simplify.h"

namespace hallmark::lowering {

using namespace calculus;

namespace {

// The constant W of a floor(axis / W) in the term with W a proper divisor of the axis' extent; the largest if
// there are several.
Integer divisor_of(Term term, int number, const Integer& extent) {
  Integer best = 0;
  for_each_node(term, [&](Term node) {
    if (node->kind != Kind::floor_div || node->children[0] != axis(number)) return;
    const Integer* divisor = as_integer(node->children[1]);
    if (divisor != nullptr && *divisor > best && *divisor < extent && floor_mod(extent, *divisor) == 0)
      best = *divisor;
  });
  return best;
}

}  // namespace

void split_axes(KernelRequest& request) {
  const std::size_t rank = request.domain.size();
  for (std::size_t d = 0; d < rank; ++d) {
    const Integer* extent = as_integer(request.domain[d]);
    if (extent == nullptr) continue;
    const Integer divisor = divisor_of(request.value, static_cast<int>(d), *extent);
    if (divisor == 0) continue;
    const Term quotient = axis(static_cast<int>(d)),
               remainder = axis(static_cast<int>(request.domain.size()));
    const Substitution map{{quotient, add(scale(divisor, quotient), remainder)}};
    request.domain[d] = integer(floor_div(*extent, divisor));
    request.domain.push_back(integer(divisor));
    const RangeMap known = known_ranges(*request.formulation, {"", Format::f32, request.domain});
    request.value = simplify_indices(substitute(request.value, map), known);
    for (Term& index : request.target) index = substitute(index, map);
  }
}

}  // namespace hallmark::lowering
