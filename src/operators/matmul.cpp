// MatMul and Gemm.
#include "operators/families.h"
#include "operators/terms.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

void require_two_of_one_format(NodeContext& context) {
  context.require_number(0);
  if (context.format(1) != context.format(0)) context.invalid("its inputs have different element types");
}

// numpy.matmul: a vector on the left is a row, on the right a column, and the added axis is dropped; axes
// before the last two broadcast.
void matmul(NodeContext& context) {
  require_two_of_one_format(context);
  const std::size_t a_rank = context.rank(0), b_rank = context.rank(1);
  if (a_rank == 0 || b_rank == 0) context.invalid("an input is a scalar");
  const Term shared = context.extent(0, a_rank - 1);
  context.require_equal(shared, context.extent(1, b_rank == 1 ? 0 : b_rank - 2),
                        "the extents that are summed over differ");
  const auto batch_of = [&](std::size_t i) {
    Extents batch = context.extents(i);
    batch.resize(batch.size() < 2 ? 0 : batch.size() - 2);
    return batch;
  };
  Extents extents = context.broadcast_extents({batch_of(0), batch_of(1)});
  const std::size_t batch_rank = extents.size();
  if (a_rank > 1) extents.push_back(context.extent(0, a_rank - 2));
  if (b_rank > 1) extents.push_back(context.extent(1, b_rank - 1));
  const Indices at = axes(extents.size());
  const Range k = range("k", shared);
  const auto batch_index = [&](std::size_t i) {
    const Extents batch = batch_of(i);
    Indices out;
    for (std::size_t d = 0; d < batch.size(); ++d)
      out.push_back(batch[d] == integer(1) ? integer(0) : at[batch_rank - batch.size() + d]);
    return out;
  };
  Indices a = batch_index(0), b = batch_index(1);
  if (a_rank > 1) a.push_back(at[batch_rank]);
  a.push_back(k.variable);
  b.push_back(k.variable);
  if (b_rank > 1) b.push_back(at[extents.size() - 1]);
  context.define(0, context.format(0), extents,
                 sum_over({k}, times(context.element(0, a), context.element(1, b))));
}

// alpha * A' * B' + beta * C, with C broadcast one way.
void gemm(NodeContext& context) {
  require_two_of_one_format(context);
  context.require_float(0);
  if (context.rank(0) != 2 || context.rank(1) != 2) context.invalid("A and B should be matrices");
  const bool a_transposed = context.flag("transA", false), b_transposed = context.flag("transB", false);
  const Rational alpha = context.number("alpha", 1), beta = context.number("beta", 1);
  const Term rows = context.extent(0, a_transposed ? 1 : 0),
             columns = context.extent(1, b_transposed ? 0 : 1);
  const Range k = range("k", context.extent(0, a_transposed ? 0 : 1));
  context.require_equal(k.extent, context.extent(1, b_transposed ? 1 : 0),
                        "the extents that are summed over differ");
  const Indices at = axes(2);
  const auto element = [&](std::size_t i, bool transposed, Term row, Term column) {
    return context.element(i, transposed ? Indices{column, row} : Indices{row, column});
  };
  Term body = sum_over(
      {k}, times(element(0, a_transposed, at[0], k.variable), element(1, b_transposed, k.variable, at[1])));
  if (alpha != 1) body = times(real(alpha), body);
  const Extents extents{rows, columns};
  if (context.has_input(2)) {
    if (context.format(2) != context.format(0)) context.invalid("its inputs have different element types");
    const Extents joined = context.broadcast_extents({extents, context.extents(2)});
    if (joined != extents) context.invalid("C does not broadcast to " + text(extents));
    const Term c = context.broadcast(2, at);
    body = plus(body, beta == 1 ? c : times(real(beta), c));
  }
  context.define(0, context.format(0), extents, body);
}

}  // namespace

void add_matrix_products(Table& table) {
  table.push_back({"MatMul", "", 1, 17, matmul});
  table.push_back({"Gemm", "", 7, 17, gemm});
}

}  // namespace hallmark::operators
