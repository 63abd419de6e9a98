// What a kernel's term looks like, as far as the choice of a schedule needs it.
#pragma once
#include <optional>
#include <set>
#include <vector>

#include "calculus/program.h"

namespace hallmark::lowering {

// Axes of the enclosing definition that occur in the term.
std::set<int> axes_of(calculus::Term term);

// Whether an extent is 1 whatever the symbols are.
bool is_unit(calculus::Term extent);

// Folds that a block computes together. `folds`: component 0 of each, in an order in which each uses only
// earlier ones; all with the same number of lanes; `rows`: the axes on which they depend; `columns`: the
// others.
struct RowShape {
  std::vector<calculus::Term> folds;
  long lanes = 0;
  std::vector<int> rows, columns;
};
// Nothing when the term has no fold of an order strided(L, blocked(32, tree(32), tree(L / 32))), or when one
// of them stands under another binder, or their lanes differ, or a fold has another order than these and seq.
std::optional<RowShape> row_shape(calculus::Term term, std::size_t rank);
bool has_strided_fold(calculus::Term term);

// sum(k < depth) left * right, started anywhere, as the only fold of a term: `row` and `column` are axes such
// that left does not depend on `column` and right not on `row`.
struct MatmulShape {
  calculus::Term fold = nullptr;
  calculus::FoldParts parts;  // opened; the step over parts.variable and parts.states[0]
  calculus::Term left = nullptr, right = nullptr;
  int row = 0, column = 0;
  bool fused = true;  // fma, otherwise a product and a sum
};
std::optional<MatmulShape> matmul_shape(calculus::Term term, const std::vector<calculus::Term>& extents);

// How often an element of the tensor is asked for when `count` elements of the term are computed, folds of a
// row shape once a row; symbols at a nominal size.
double evaluations(calculus::Term term, const std::string& tensor, const calculus::Program& program,
                   const calculus::Declaration& declaration);
// A number for an extent: its value, or for a symbolic one the value at nominal symbols (128, within range).
double nominal(calculus::Term extent, const calculus::Program& program);
double nominal_count(const calculus::Declaration& declaration, const calculus::Program& program);

}  // namespace hallmark::lowering
