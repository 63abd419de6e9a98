// MaxPool with indices, AveragePool, LpPool and their global forms.
#include <algorithm>

#include "operators/families.h"
#include "operators/window.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

struct Pool {
  std::vector<Window> windows;
  std::vector<Range> ranges;
  Extents to;
  Indices input;
};

Pool pool_of(NodeContext& context) {
  if (context.rank(0) < 3) context.invalid("its input should have at least one spatial axis");
  const std::size_t spatial = context.rank(0) - 2;
  if (!context.has("kernel_shape")) context.invalid("the attribute 'kernel_shape' is missing");
  std::vector<Term> kernels;
  for (const std::int64_t k : per_axis(context, "kernel_shape", spatial, 1))
    kernels.push_back(integer(from_i64(k)));
  Pool out;
  out.windows = windows_of(context, kernels, context.flag("ceil_mode", false));
  out.to = {context.extent(0, 0), context.extent(0, 1)};
  out.input = {axis(0), axis(1)};
  for (std::size_t d = 0; d < spatial; ++d) {
    const Window& w = out.windows[d];
    const Term o = axis(static_cast<int>(d) + 2);
    out.ranges.push_back(w.guarded_range(o));
    out.to.push_back(w.output);
    out.input.push_back(w.position(o, out.ranges.back().variable));
  }
  return out;
}

// A window of padding alone has no maximum and no mean. Every window holds an element when the first one ends
// inside the input or behind its start, the last one starts before the input's end, and the taps are not
// further apart than the input is long, so that they cannot step over it.
void refuse_empty_windows(NodeContext& context, const Pool& pool) {
  for (const Window& w : pool.windows) {
    if (!w.leaves_end && !w.leaves_start) continue;
    const Term one = integer(1);
    const Term last_start = subtract(multiply(subtract(w.output, one), w.stride), w.before);
    const auto holds = [&](Term a, Term b) { return is_at_most(a, b, context.ranges()) == Decision::yes; };
    if (!holds(add(w.before, one), w.span()) || !holds(add(last_start, one), w.input) ||
        !holds(w.dilation, w.input))
      context.refuse("a window may lie in the padding alone");
  }
}

Term position_of(const Pool& pool, const Extents& from, bool column_major) {
  Extents spatial(from.begin() + 2, from.end());
  Indices at(pool.input.begin() + 2, pool.input.end());
  if (column_major) {
    std::reverse(spatial.begin(), spatial.end());
    std::reverse(at.begin(), at.end());
  }
  const Term plane = add(multiply(axis(0), from[1]), axis(1));
  return add(multiply(plane, product(spatial)), flatten(at, spatial));
}

void max_pool(NodeContext& context) {
  context.require_number(0);
  const Pool pool = pool_of(context);
  refuse_empty_windows(context, pool);
  const Term x = context.element(0, pool.input);
  context.define(0, context.format(0), pool.to, maximum_over(pool.ranges, x));
  if (!context.wants(1)) return;
  const Sort position = Sort::integer(Format::i64);
  const Term here =
      from_index(position_of(pool, context.extents(0), context.flag("storage_order", false)), position);
  // An index of -1 until the first element: one that is no more than the start of the maximum counts, too.
  const std::vector<Term> init{start_of_extremum(-1, x->sort), int_constant(Format::i64, -1)};
  context.define(1, Format::i64, pool.to, fold_over(init, pool.ranges, [&](const std::vector<Term>& state) {
                   const Term first = compare(Op::lt, state[1], int_constant(Format::i64, 0));
                   const Term better = either(first, compare(Op::lt, state[0], x));
                   return std::vector<Term>{select(better, x, state[0]), select(better, here, state[1])};
                 })[1]);
}

void average_pool(NodeContext& context) {
  context.require_float(0);
  const bool padding_counts = context.opset() >= 7 && context.flag("count_include_pad", false);
  const Pool pool = pool_of(context);
  refuse_empty_windows(context, pool);
  // Lengths that depend on where the window lies are counted axis by axis: their product as one index would
  // be a polynomial that nobody can read.
  Term count = integer(1);
  std::vector<Term> lengths;
  for (std::size_t d = 0; d < pool.windows.size(); ++d) {
    const Window& w = pool.windows[d];
    if (w.dilation != integer(1)) context.refuse("dilations have no meaning at this opset");
    const Term start = w.position(axis(static_cast<int>(d) + 2), integer(0));
    Term from = start, to = add(start, w.kernel);
    if (padding_counts) {
      // In ceil mode the last window may reach beyond the padding too; what it counts there is not settled.
      const Term one = integer(1);
      const Term end = add(subtract(multiply(subtract(w.output, one), w.stride), w.before), w.kernel);
      if (w.leaves_end && is_at_most(end, add(w.input, w.after), context.ranges()) != Decision::yes)
        context.refuse("count_include_pad with a window that reaches beyond the padding");
    } else {
      if (w.leaves_start) from = index_max(from, integer(0));
      if (w.leaves_end) to = index_min(to, w.input);
    }
    const Term length = subtract(to, from);
    if (calculus::as_integer(length) != nullptr)
      count = multiply(count, length);
    else
      lengths.push_back(real_of(length));
  }
  Term divisor = lengths.empty() || count != integer(1) ? real_of(count) : nullptr;
  for (Term length : lengths) divisor = divisor == nullptr ? length : times(divisor, length);
  const Term total = sum_over(pool.ranges, context.element(0, pool.input));
  context.define(0, context.format(0), pool.to, quotient(total, divisor));
}

Term power(Term x, std::int64_t p) {
  const Term magnitude = apply(Op::abs, {x});
  if (p == 1) return magnitude;
  return p == 2 ? times(x, x) : apply(Op::pow, {magnitude, real(Rational(from_i64(p)))});
}

Term root(Term x, std::int64_t p) {
  if (p == 1) return x;
  return p == 2 ? apply(Op::sqrt, {x}) : apply(Op::pow, {x, real(Rational(1, from_i64(p)))});
}

std::int64_t norm_of(NodeContext& context) {
  const std::int64_t p = context.integer("p", 2);
  if (p < 1) context.invalid("p should be positive");
  return p;
}

void lp_pool(NodeContext& context) {
  context.require_float(0);
  const std::int64_t p = norm_of(context);
  const Pool pool = pool_of(context);
  const Term total = sum_over(pool.ranges, power(context.element(0, pool.input), p));
  context.define(0, context.format(0), pool.to, root(total, p));
}

// The whole of each plane as one window; the result keeps spatial axes of extent 1.
Pool global_pool(NodeContext& context) {
  context.require_float(0);
  const Extents& from = context.extents(0);
  if (from.size() < 3) context.invalid("its input should have at least one spatial axis");
  Pool out;
  out.to = {from[0], from[1]};
  out.input = {axis(0), axis(1)};
  for (std::size_t d = 2; d < from.size(); ++d) {
    context.require_at_most(integer(1), from[d], "an empty plane");
    out.ranges.push_back(range("k", from[d]));
    out.input.push_back(out.ranges.back().variable);
    out.to.push_back(integer(1));
  }
  return out;
}

void global_average_pool(NodeContext& context) {
  const Pool pool = global_pool(context);
  Term count = integer(1);
  for (const Range& r : pool.ranges) count = multiply(count, r.extent);
  const Term total = sum_over(pool.ranges, context.element(0, pool.input));
  context.define(0, context.format(0), pool.to, quotient(total, real_of(count)));
}

void global_max_pool(NodeContext& context) {
  const Pool pool = global_pool(context);
  context.define(0, context.format(0), pool.to, maximum_over(pool.ranges, context.element(0, pool.input)));
}

void global_lp_pool(NodeContext& context) {
  const std::int64_t p = norm_of(context);
  const Pool pool = global_pool(context);
  const Term total = sum_over(pool.ranges, power(context.element(0, pool.input), p));
  context.define(0, context.format(0), pool.to, root(total, p));
}

}  // namespace

void add_pools(Table& table) {
  table.push_back({"MaxPool", "", 1, 17, max_pool});
  table.push_back({"AveragePool", "", 1, 17, average_pool});
  table.push_back({"LpPool", "", 2, 17, lp_pool});
  table.push_back({"GlobalAveragePool", "", 1, 17, global_average_pool});
  table.push_back({"GlobalMaxPool", "", 1, 17, global_max_pool});
  table.push_back({"GlobalLpPool", "", 2, 17, global_lp_pool});
}

}  // namespace hallmark::operators
