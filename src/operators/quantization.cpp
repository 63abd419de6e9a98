// QuantizeLinear, DequantizeLinear, MatMulInteger, ConvInteger: rounding to integers is an exact step
// function.
#include "operators/families.h"
#include "operators/window.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

Term as_real(Term x) {
  return x->sort == Sort::real() ? x : cast(x, Sort::real(), Format::f64);
}

// Scale or zero point: one for all, or one per element of an axis (since opset 13).
Term per_axis_element(NodeContext& context, std::size_t i) {
  if (product(context.extents(i)) == calculus::integer(1)) return context.scalar(i);
  if (context.opset() < 13 || context.rank(i) != 1)
    context.invalid("one scale and one zero point are expected");
  const std::size_t axis = context.axis_of(context.integer("axis", 1), context.rank(0));
  context.require_equal(context.extent(i, 0), context.extent(0, axis),
                        "one scale per element of the axis is expected");
  return context.element(i, {calculus::axis(static_cast<int>(axis))});
}

void quantize(NodeContext& context) {
  const Format format = context.has_input(2) ? context.format(2) : Format::u8;
  if (format != Format::u8 && format != Format::i8)
    context.refuse("a result that is no 8-bit integer", "E6303");
  // Scales are made so that elements fall on ties; which way those go depends on the scale's own rounding,
  // which the real meaning does not have.
  if (context.is_computed(1)) context.refuse("a scale that the model computes itself");
  const Extents& extents = context.extents(0);
  const Term x = as_real(context.element(0, axes(extents.size())));
  Term level = apply(Op::round_even, {quotient(x, per_axis_element(context, 1))});
  if (context.has_input(2)) level = plus(level, as_real(per_axis_element(context, 2)));
  const Term low = real(format == Format::u8 ? 0 : -128), high = real(format == Format::u8 ? 255 : 127);
  const Term saturated = apply(Op::min, {apply(Op::max, {level, low}), high});
  context.define(0, format, extents, cast(saturated, Sort::integer(format), format));
}

void dequantize(NodeContext& context) {
  if (!is_integer(context.format(0))) context.refuse("an input that holds no integers", "E6303");
  const Extents& extents = context.extents(0);
  Term x = as_real(context.element(0, axes(extents.size())));
  if (context.has_input(2)) x = minus(x, as_real(per_axis_element(context, 2)));
  context.define(0, context.format(1), extents, times(x, per_axis_element(context, 1)));
}

Term as_i32(Term x) {
  return cast(x, Sort::integer(Format::i32), Format::i32);
}

// The element less its zero point, as int32; the zero point is one number, or one per `index`.
Term shifted(NodeContext& context, std::size_t i, std::size_t zero_point, const Indices& at, Term index) {
  const Term x = as_i32(context.element(i, at));
  if (!context.has_input(zero_point)) return x;
  if (product(context.extents(zero_point)) == calculus::integer(1))
    return minus(x, as_i32(context.scalar(zero_point)));
  if (context.rank(zero_point) != 1 || index == nullptr) context.refuse("zero points of this shape");
  return minus(x, as_i32(context.element(zero_point, {index})));
}

void require_bytes(NodeContext& context) {
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
    if (context.format(i) != Format::u8 && context.format(i) != Format::i8)
      context.refuse("inputs that are no 8-bit integers", "E6303");
}

void matmul_integer(NodeContext& context) {
  require_bytes(context);
  const std::size_t rank = context.rank(0);
  if (rank < 2 || context.rank(1) != rank) context.refuse("operands of these ranks");
  const Range k = range("k", context.extent(0, rank - 1));
  context.require_equal(k.extent, context.extent(1, rank - 2), "the extents that are summed over differ");
  Extents to(context.extents(0).begin(), context.extents(0).end() - 1);
  for (std::size_t d = 0; d + 2 < rank; ++d)
    context.require_equal(to[d], context.extent(1, d), "the batch extents differ");
  to.push_back(context.extent(1, rank - 1));
  Indices a = axes(rank), b = a;
  const Term row = a[rank - 2], column = b[rank - 1];
  a[rank - 1] = b[rank - 2] = k.variable;
  for (const std::size_t i : {std::size_t{2}, std::size_t{3}})
    if (context.has_input(i) && product(context.extents(i)) != calculus::integer(1))
      context.require_equal(context.extent(i, 0), to[i == 2 ? rank - 2 : rank - 1],
                            "a zero point per row or column");
  context.define(0, Format::i32, to,
                 sum_over({k}, times(shifted(context, 0, 2, a, row), shifted(context, 1, 3, b, column))));
}

// Padding counts as the zero point, that is as nothing.
void conv_integer(NodeContext& context) {
  require_bytes(context);
  if (context.rank(0) < 3 || context.rank(1) != context.rank(0))
    context.invalid("input and weight have other ranks");
  const std::int64_t given_groups = context.integer("group", 1);
  if (given_groups < 1) context.invalid("group should be positive");
  const Term groups = calculus::integer(from_i64(given_groups));
  std::vector<Term> kernels;
  for (std::size_t d = 2; d < context.rank(1); ++d) kernels.push_back(context.extent(1, d));
  if (context.has("kernel_shape")) {
    const auto given = per_axis(context, "kernel_shape", kernels.size(), 1);
    for (std::size_t d = 0; d < kernels.size(); ++d)
      context.require_equal(calculus::integer(from_i64(given[d])), kernels[d],
                            "kernel_shape and the weight differ");
  }
  const std::vector<Window> windows = windows_of(context, kernels, false);
  const Range c = range("c", context.extent(1, 1));
  context.require_equal(multiply(c.extent, groups), context.extent(0, 1),
                        "the weight has other channels than the input");
  const Term per_group = floor_div(context.extent(1, 0), groups);
  context.require_equal(multiply(per_group, groups), context.extent(1, 0),
                        "the weight's channels do not divide into the groups");
  const Term first =
      given_groups == 1 ? calculus::integer(0) : multiply(floor_div(axis(1), per_group), c.extent);
  std::vector<Range> ranges{c};
  Extents to{context.extent(0, 0), context.extent(1, 0)};
  Indices input{axis(0), add(first, c.variable)}, weight{axis(1), c.variable};
  for (std::size_t d = 0; d < windows.size(); ++d) {
    const Term o = axis(static_cast<int>(d) + 2);
    ranges.push_back(windows[d].guarded_range(o));
    to.push_back(windows[d].output);
    input.push_back(windows[d].position(o, ranges.back().variable));
    weight.push_back(ranges.back().variable);
  }
  if (context.has_input(3) && product(context.extents(3)) != calculus::integer(1))
    context.require_equal(context.extent(3, 0), to[1], "one zero point per output channel");
  context.define(0, Format::i32, to,
                 sum_over(ranges, times(shifted(context, 0, 2, input, nullptr),
                                        shifted(context, 1, 3, weight, axis(1)))));
}

}  // namespace

void add_quantizations(Table& table) {
  table.push_back({"QuantizeLinear", "", 10, 17, quantize});
  table.push_back({"DequantizeLinear", "", 10, 17, dequantize});
  table.push_back({"MatMulInteger", "", 10, 17, matmul_integer});
  table.push_back({"ConvInteger", "", 10, 17, conv_integer});
}

}  // namespace hallmark::operators
