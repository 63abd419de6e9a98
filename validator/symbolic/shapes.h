// The index spaces in which an address of a buffer may be read. A shape is a way to write a buffer's size as
// a product of extents, outermost first: the declared one, or, where a buffer is declared flat with a size
// such as rows*cols or 16*n*n, the orders of its factors. Any of them may serve an argument about one buffer:
// that 0 <= i_d < E_d for all d gives 0 <= flat(i) < E_0 * E_1 * ... (lemma mixed-radix-bounds), and that
// equal places have equal indices (lemma mixed-radix-unique), hold for every factorisation of the size.
#pragma once
#include <vector>

#include "validator/symbolic/trace.h"

namespace hallmark::validator {

// At least two extents each; none when the size is no product. A shape other than the declared one is listed
// only if some coefficient of `offset` is a multiple of its innermost extents, so that it has something to
// tell.
std::vector<std::vector<calculus::Term>> shapes_of(const Memory& memory, calculus::Term offset);

// A shape with one inner extent replaced by a symbol that the offset strides by: rows that are taken to be
// narrower than they are. Where 0 <= i_d < F_d <= E_d for all d, flat(i) over F is below F_0 * F_1 * ... and
// so below E_0 * E_1 * ...: the access is in the buffer, if not at the element that was meant.
struct SmallerShape {
  std::vector<calculus::Term> extents;
  calculus::Term smaller = nullptr;  // has to be shown: the symbol is at most the extent
};
std::vector<SmallerShape> smaller_shapes(const std::vector<std::vector<calculus::Term>>& shapes,
                                         calculus::Term offset);

// E_1 * ... * E_(n-1) * i_0 + ... + i_(n-1), over the given indices.
calculus::Term flat_index(const std::vector<calculus::Term>& extents,
                          const std::vector<calculus::Term>& indices);

}  // namespace hallmark::validator
