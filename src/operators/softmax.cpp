// Softmax and LogSoftmax with the maximum of each row subtracted, which changes no real value. Before opset
// 13 the input is read as a matrix whose rows are all axes from `axis` on.
#include "operators/families.h"
#include "operators/terms.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

struct Rows {
  std::vector<Range> ranges;
  Indices inside;  // of the element at the ranges' variables
  Extents per_row;
  Indices row;  // of this row in the helpers
};

Rows rows_of(NodeContext& context) {
  const Extents& extents = context.extents(0);
  const bool to_the_end = context.opset() < 13;
  const std::size_t first = context.axis_of(context.integer("axis", to_the_end ? 1 : -1), extents.size());
  Rows out;
  out.inside = axes(extents.size());
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const bool in_row = d == first || (to_the_end && d > first);
    if (in_row) {
      context.require_at_most(integer(1), extents[d], "an empty row");
      out.ranges.push_back(range("k", extents[d]));
      out.inside[d] = out.ranges.back().variable;
    } else {
      out.per_row.push_back(extents[d]);
      out.row.push_back(axis(static_cast<int>(d)));
    }
  }
  return out;
}

// In a helper, whose axes are the row axes alone.
Indices inside_helper(const Rows& rows) {
  Indices out = rows.inside;
  int next = 0;
  for (Term& index : out)
    if (index->kind == Kind::axis) index = axis(next++);
  return out;
}

template <bool logarithmic>
void softmax(NodeContext& context) {
  context.require_float(0);
  const Format format = context.format(0);
  const Rows rows = rows_of(context);
  const Term in_row = context.element(0, inside_helper(rows));
  const std::string maximum =
      context.define_helper("max", format, rows.per_row, maximum_over(rows.ranges, in_row));
  const auto shifted = [&](Term x, const Indices& row) { return minus(x, load(maximum, row, Sort::real())); };
  const Term weight = apply(Op::exp, {shifted(in_row, axes(rows.row.size()))});
  const std::string total = context.define_helper("sum", format, rows.per_row, sum_over(rows.ranges, weight));
  const Term sum = load(total, rows.row, Sort::real());
  const Term x = shifted(context.element(0, axes(context.rank(0))), rows.row);
  context.define(0, format, context.extents(0),
                 logarithmic ? minus(x, apply(Op::log, {sum})) : quotient(apply(Op::exp, {x}), sum));
}

}  // namespace

void add_softmax(Table& table) {
  table.push_back({"Softmax", "", 1, 17, softmax<false>});
  table.push_back({"LogSoftmax", "", 1, 17, softmax<true>});
}

}  // namespace hallmark::operators
