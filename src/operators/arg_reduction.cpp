// ArgMax, ArgMin and Hardmax: folds over a pair of the best value so far and where it stands.
#include "operators/families.h"
#include "operators/terms.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

// The position of the greatest (sign = -1) or least (+1) element on an axis, as int64; of several the first,
// or the last.
Term position_of_extremum(int sign, const Range& k, Term x, bool last) {
  const Sort position = Sort::integer(Format::i64);
  return fold_over({start_of_extremum(sign, x->sort), int_constant(Format::i64, 0)}, {k},
                   [&](const std::vector<Term>& state) {
                     const Op op = last ? Op::le : Op::lt;
                     const Term better = sign < 0 ? compare(op, state[0], x) : compare(op, x, state[0]);
                     return std::vector<Term>{select(better, x, state[0]),
                                              select(better, from_index(k.variable, position), state[1])};
                   })[1];
}

template <int sign>
void arg_extremum(NodeContext& context) {
  context.require_number(0);
  const Extents& from = context.extents(0);
  const std::size_t axis = context.axis_of(context.integer("axis", 0), from.size());
  const bool kept = context.flag("keepdims", true), last = context.flag("select_last_index", false);
  context.require_at_most(integer(1), from[axis], "the extremum of an empty axis");
  const Range k = range("k", from[axis]);
  Extents to = from;
  Indices indices = axes(from.size());
  if (kept) {
    to[axis] = integer(1);
    indices[axis] = k.variable;
  } else {
    to.erase(to.begin() + static_cast<std::ptrdiff_t>(axis));
    indices.pop_back();
    indices.insert(indices.begin() + static_cast<std::ptrdiff_t>(axis), k.variable);
  }
  context.define(0, Format::i64, to, position_of_extremum(sign, k, context.element(0, indices), last));
}

// 1 at the first maximum of each row, 0 elsewhere. Before opset 13 a row is all axes from `axis` on.
void hardmax(NodeContext& context) {
  context.require_float(0);
  const Extents& extents = context.extents(0);
  const bool whole_rows = context.opset() < 13;
  const std::size_t first = context.axis_of(context.integer("axis", whole_rows ? 1 : -1), extents.size());
  const std::size_t last = whole_rows ? extents.size() : first + 1;
  // The helper keeps extent 1 on the axes of a row; a row is one range of positions.
  Extents row, per_row = extents;
  Indices inside = axes(extents.size()), of_row = inside, own;
  for (std::size_t d = first; d < last; ++d) {
    row.push_back(extents[d]);
    own.push_back(axis(static_cast<int>(d)));
    per_row[d] = integer(1);
    of_row[d] = integer(0);
  }
  const Range k = range("k", product(row));
  context.require_at_most(integer(1), k.extent, "the extremum of an empty row");
  const Indices in_row = unflatten(k.variable, row);
  for (std::size_t d = first; d < last; ++d) inside[d] = in_row[d - first];
  const std::string best = context.define_helper(
      "best", Format::i64, per_row, position_of_extremum(-1, k, context.element(0, inside), false));
  const Sort position = Sort::integer(Format::i64);
  const Term hit = compare(Op::eq, load(best, of_row, position), from_index(flatten(own, row), position));
  context.define(0, context.format(0), extents, select(hit, real(1), real(0)));
}

}  // namespace

void add_arg_reductions(Table& table) {
  table.push_back({"ArgMax", "", 1, 17, arg_extremum<-1>});
  table.push_back({"ArgMin", "", 1, 17, arg_extremum<1>});
  table.push_back({"Hardmax", "", 1, 17, hardmax});
}

}  // namespace hallmark::operators
