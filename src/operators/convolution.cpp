// Conv and ConvTranspose over any number of spatial axes, with groups, strides, dilations and padding.
#include "operators/families.h"
#include "operators/window.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

struct Channels {
  std::int64_t groups = 1;
  Term input = nullptr, output = nullptr;  // of the whole tensor
  Term input_per_group = nullptr, output_per_group = nullptr;
};

// weight_channels: the weight's second extent, which is per group.
Channels channels_of(NodeContext& context, bool transposed) {
  if (context.rank(0) < 3) context.invalid("its input should have at least one spatial axis");
  if (context.rank(1) != context.rank(0)) context.invalid("input and weight have different ranks");
  if (context.format(1) != context.format(0)) context.invalid("its inputs have different element types");
  context.require_float(0);
  Channels out;
  out.groups = context.integer("group", 1);
  if (out.groups < 1) context.invalid("group should be positive");
  const Term groups = integer(from_i64(out.groups));
  out.input = context.extent(0, 1);
  if (transposed) {
    context.require_equal(context.extent(1, 0), out.input, "the weight has other channels than the input");
    out.output_per_group = context.extent(1, 1);
    out.output = multiply(out.output_per_group, groups);
    out.input_per_group = floor_div(out.input, groups);
    context.require_equal(multiply(out.input_per_group, groups), out.input,
                          "the input's channels do not divide into the groups");
  } else {
    out.input_per_group = context.extent(1, 1);
    context.require_equal(multiply(out.input_per_group, groups), out.input,
                          "the weight has other channels than the input");
    out.output = context.extent(1, 0);
    out.output_per_group = floor_div(out.output, groups);
    context.require_equal(multiply(out.output_per_group, groups), out.output,
                          "the weight's channels do not divide into the groups");
  }
  return out;
}

std::vector<Term> kernels_of(NodeContext& context) {
  const std::size_t spatial = context.rank(0) - 2;
  std::vector<Term> kernels;
  for (std::size_t d = 0; d < spatial; ++d) kernels.push_back(context.extent(1, d + 2));
  if (context.has("kernel_shape")) {
    const auto given = per_axis(context, "kernel_shape", spatial, 1);
    for (std::size_t d = 0; d < spatial; ++d)
      context.require_equal(integer(from_i64(given[d])), kernels[d], "kernel_shape and the weight differ");
  }
  return kernels;
}

void define_with_bias(NodeContext& context, const Extents& to, Term body) {
  if (context.has_input(2)) {
    if (context.rank(2) != 1 || context.format(2) != context.format(0))
      context.invalid("the bias should be one number per output channel");
    context.require_equal(context.extent(2, 0), to[1], "the bias should be one number per output channel");
    body = plus(body, context.element(2, {axis(1)}));
  }
  context.define(0, context.format(0), to, body);
}

// The group of output channel axis(1) and where its input channels start.
Term first_input_channel(const Channels& channels) {
  if (channels.groups == 1) return integer(0);
  return multiply(floor_div(axis(1), channels.output_per_group), channels.input_per_group);
}

void conv(NodeContext& context) {
  const Channels channels = channels_of(context, false);
  const std::vector<Window> windows = windows_of(context, kernels_of(context), false);
  const Range c = range("c", channels.input_per_group);
  std::vector<Range> ranges{c};
  Extents to{context.extent(0, 0), channels.output};
  Indices input{axis(0), add(first_input_channel(channels), c.variable)}, weight{axis(1), c.variable};
  for (std::size_t d = 0; d < windows.size(); ++d) {
    const Window& w = windows[d];
    const Term o = axis(static_cast<int>(d) + 2);
    const Range k = w.guarded_range(o);
    ranges.push_back(k);
    to.push_back(w.output);
    input.push_back(w.position(o, k.variable));
    weight.push_back(k.variable);
  }
  define_with_bias(context, to,
                   sum_over(ranges, times(context.element(0, input), context.element(1, weight))));
}

// Output o gets x[i] * w[k] for every i * stride - before + k * dilation = o.
void conv_transpose(NodeContext& context) {
  const Channels channels = channels_of(context, true);
  const std::vector<Term> kernels = kernels_of(context);
  const std::size_t spatial = kernels.size();
  const auto strides = per_axis(context, "strides", spatial, 1);
  const auto dilations = per_axis(context, "dilations", spatial, 1);
  const auto pads = per_axis(context, "pads", 2 * spatial, 0);
  const auto extra = per_axis(context, "output_padding", spatial, 0);
  const std::string mode = context.string("auto_pad", "NOTSET");
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (!same && mode != "NOTSET" && mode != "VALID") context.invalid("auto_pad should not be '" + mode + "'");
  const auto wanted = per_axis(context, "output_shape", spatial, 0);

  const Range c = range("c", channels.input_per_group);
  std::vector<Range> ranges{c};
  Extents to{context.extent(0, 0), channels.output};
  const Term channel = add(first_input_channel(channels), c.variable);
  Indices input{axis(0), channel};
  Indices weight{channel, channels.groups == 1 ? axis(1) : mod(axis(1), channels.output_per_group)};
  for (std::size_t d = 0; d < spatial; ++d) {
    if (strides[d] == 0 || dilations[d] == 0) context.invalid("a stride or dilation of 0");
    const Term n = context.extent(0, d + 2), stride = integer(from_i64(strides[d]));
    const Term dilation = integer(from_i64(dilations[d])), one = integer(1);
    const Term span = add(multiply(subtract(kernels[d], one), dilation), one);
    const Term full = add(add(multiply(stride, subtract(n, one)), span), integer(from_i64(extra[d])));
    context.require_at_most(one, n, "an empty axis");
    Term before = integer(from_i64(pads[d]));
    Term output = subtract(full, add(before, integer(from_i64(pads[spatial + d]))));
    if (context.has("output_shape") || same) {
      output = context.has("output_shape") ? integer(from_i64(wanted[d])) : multiply(n, stride);
      // ONNX computes the padding from the output's extent. When it would be negative, libraries differ.
      const Term total = subtract(full, output);
      if (is_at_most(integer(0), total, context.ranges()) != Decision::yes)
        context.refuse("an output that may be larger than its windows reach");
      const Term half = floor_div(total, integer(2));
      if (!same && is_equal(multiply(integer(2), half), total, context.ranges()) != Decision::yes)
        context.refuse("output_shape with an odd padding and no side that takes the rest");
      before = mode == "SAME_LOWER" ? subtract(total, half) : half;
    }
    context.require_at_most(one, output, "an empty output");
    const Term o = axis(static_cast<int>(d) + 2);
    Range k = range("k", kernels[d]);
    const Term reach = subtract(add(o, before), multiply(k.variable, dilation));
    const Term i = floor_div(reach, stride);
    k.guard = both(equal(mod(reach, stride), integer(0)), in_range(i, n));
    ranges.push_back(k);
    to.push_back(output);
    input.push_back(i);
    weight.push_back(k.variable);
  }
  define_with_bias(context, to,
                   sum_over(ranges, times(context.element(0, input), context.element(1, weight))));
}

}  // namespace

void add_convolutions(Table& table) {
  table.push_back({"Conv", "", 1, 17, conv});
  table.push_back({"ConvTranspose", "", 1, 17, conv_transpose});
}

}  // namespace hallmark::operators
