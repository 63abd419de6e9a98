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

// Elements of -infinity are left out of the row's maximum and sum and give 0; a row of nothing else is 0 / 0,
// as in ONNX.
template <bool logarithmic>
void softmax(NodeContext& context) {
  context.require_float(0);
  const Format format = context.format(0);
  Rows rows = rows_of(context);
  const auto in_row = logarithmic ? NodeContext::Masked{context.element(0, inside_helper(rows)), nullptr}
                                  : context.masked_element(0, inside_helper(rows));
  rows.ranges.back().guard = in_row.kept;
  const std::string maximum =
      context.define_helper("max", format, rows.per_row, maximum_over(rows.ranges, in_row.value));
  const auto shifted = [&](Term x, const Indices& row) { return minus(x, load(maximum, row, Sort::real())); };
  const Term weight = apply(Op::exp, {shifted(in_row.value, axes(rows.row.size()))});
  const std::string total = context.define_helper("sum", format, rows.per_row, sum_over(rows.ranges, weight));
  const Term sum = load(total, rows.row, Sort::real());
  const auto own = context.masked_element(0, axes(context.rank(0)));
  const Term x = shifted(own.value, rows.row);
  if (logarithmic) return context.define(0, format, context.extents(0), minus(x, apply(Op::log, {sum})));
  Term power = apply(Op::exp, {x});
  if (own.kept != nullptr) power = select(own.kept, power, real(0));
  context.define(0, format, context.extents(0), quotient(power, sum));
}

}  // namespace

void add_softmax(Table& table) {
  table.push_back({"Softmax", "", 1, 17, softmax<false>});
  table.push_back({"LogSoftmax", "", 1, 17, softmax<true>});
}

}  // namespace hallmark::operators
