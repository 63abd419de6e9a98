// BatchNormalization (inference), InstanceNormalization, LayerNormalization, MeanVarianceNormalization, LRN,
// LpNormalization. Variances are written as the mean of the squared deviations.
#include "operators/families.h"
#include "operators/terms.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

Term root(Term x) {
  return apply(Op::sqrt, {x});
}

void batch_normalization(NodeContext& context) {
  context.require_float(0);
  if (context.opset() >= 14 && context.flag("training_mode", false))
    context.refuse("training mode has no meaning here");
  if (context.opset() < 9 && !context.flag("spatial", true))
    context.refuse("spatial = 0 has no meaning here");
  for (std::size_t output = 1; output < context.output_count(); ++output)
    if (context.wants(output)) context.refuse("its outputs of training have no meaning here");
  const Extents& extents = context.extents(0);
  if (extents.size() < 2) context.refuse("an input without a channel axis has no meaning here");
  const Term epsilon = real(context.number("epsilon", 1e-5));
  const auto per_channel = [&](std::size_t i) {
    if (context.rank(i) != 1) context.invalid("one number per channel is expected");
    context.require_equal(context.extent(i, 0), extents[1], "one number per channel is expected");
    return context.element(i, {axis(1)});
  };
  const Term scale = per_channel(1), bias = per_channel(2), mean = per_channel(3), variance = per_channel(4);
  const Term centred = minus(context.element(0, axes(extents.size())), mean);
  const Term normal = quotient(centred, root(plus(variance, epsilon)));
  context.define(0, context.format(0), extents, plus(times(normal, scale), bias));
}

// Mean and reciprocal standard deviation over some axes, as helpers over the others.
struct Moments {
  Term mean = nullptr, deviation = nullptr;  // at the output's indices
};

Moments moments_of(NodeContext& context, const std::vector<bool>& reduced, Term epsilon) {
  const Extents& extents = context.extents(0);
  Extents kept;
  Indices own, inside;
  std::vector<Range> ranges;
  Term count = integer(1);
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (!reduced[d]) {
      inside.push_back(axis(static_cast<int>(kept.size())));
      own.push_back(axis(static_cast<int>(d)));
      kept.push_back(extents[d]);
      continue;
    }
    context.require_at_most(integer(1), extents[d], "the mean of an empty axis");
    ranges.push_back(range("k", extents[d]));
    inside.push_back(ranges.back().variable);
    count = multiply(count, extents[d]);
  }
  const Format format = context.format(0);
  const Sort sort = Sort::real();
  const Term x = context.element(0, inside), n = real_of(count);
  const std::string mean = context.define_helper("mean", format, kept, quotient(sum_over(ranges, x), n));
  const Term centred = minus(x, load(mean, axes(kept.size()), sort));
  const std::string variance =
      context.define_helper("variance", format, kept, quotient(sum_over(ranges, times(centred, centred)), n));
  return {load(mean, own, sort), root(plus(load(variance, own, sort), epsilon))};
}

void instance_normalization(NodeContext& context) {
  context.require_float(0);
  const Extents& extents = context.extents(0);
  if (extents.size() < 3) context.invalid("its input should have at least three axes");
  std::vector<bool> reduced(extents.size(), true);
  reduced[0] = reduced[1] = false;
  const auto per_channel = [&](std::size_t i) {
    if (context.rank(i) != 1) context.invalid("one number per channel is expected");
    context.require_equal(context.extent(i, 0), extents[1], "one number per channel is expected");
    return context.element(i, {axis(1)});
  };
  const Term scale = per_channel(1), bias = per_channel(2);
  const Moments m = moments_of(context, reduced, real(context.number("epsilon", 1e-5)));
  const Term normal = quotient(minus(context.element(0, axes(extents.size())), m.mean), m.deviation);
  context.define(0, context.format(0), extents, plus(times(normal, scale), bias));
}

void layer_normalization(NodeContext& context) {
  context.require_float(0);
  const Extents& extents = context.extents(0);
  const std::size_t first = context.axis_of(context.integer("axis", -1), extents.size());
  const auto stash = element_type(context.integer("stash_type", 1));
  if (!stash || !is_float(*stash)) context.refuse("the stash_type has no meaning here", "E6303");
  const Term epsilon = real(context.number("epsilon", 1e-5));

  // Per row: helpers keep extent 1 on the normalised axes, as the outputs Mean and InvStdDev do.
  Extents per_row = extents;
  Indices inside = axes(extents.size()), row = axes(extents.size());
  std::vector<Range> ranges;
  Term count = integer(1);
  for (std::size_t d = first; d < extents.size(); ++d) {
    context.require_at_most(integer(1), extents[d], "the mean of an empty axis");
    ranges.push_back(range("k", extents[d]));
    inside[d] = ranges.back().variable;
    row[d] = integer(0);
    per_row[d] = integer(1);
    count = multiply(count, extents[d]);
  }
  const Sort sort = Sort::real();
  const Term x = context.element(0, inside), n = real_of(count);
  const auto helper = [&](std::size_t output, const char* hint, Term body) {
    if (!context.wants(output)) return context.define_helper(hint, *stash, per_row, body);
    context.define(output, *stash, per_row, body);
    return context.node().outputs[output];
  };
  const std::string mean = helper(1, "mean", quotient(sum_over(ranges, x), n));
  const Term centred = minus(x, load(mean, row, sort));
  const std::string variance = context.define_helper("variance", *stash, per_row,
                                                     quotient(sum_over(ranges, times(centred, centred)), n));
  const std::string inverse =
      helper(2, "inverse_deviation", apply(Op::reciprocal, {root(plus(load(variance, row, sort), epsilon))}));
  const Indices at = axes(extents.size());
  Term body = times(minus(context.element(0, at), load(mean, row, sort)), load(inverse, row, sort));
  const auto broadcast = [&](std::size_t i) {
    if (context.broadcast_extents({extents, context.extents(i)}) != extents)
      context.invalid("scale or bias do not broadcast to " + text(extents));
    return context.broadcast(i, at);
  };
  body = times(body, broadcast(1));
  if (context.has_input(2)) body = plus(body, broadcast(2));
  context.define(0, context.format(0), extents, body);
}

// ONNX's function body: (x - mean) / (sqrt(E[x^2] - mean^2) + 1e-9).
void mean_variance_normalization(NodeContext& context) {
  context.require_float(0);
  const Extents& extents = context.extents(0);
  std::vector<std::int64_t> given = context.integers("axes");
  if (!context.has("axes")) given = {0, 2, 3};
  std::vector<bool> reduced(extents.size(), false);
  for (const std::size_t axis : context.axes_of(given, extents.size())) reduced[axis] = true;
  const Moments m = moments_of(context, reduced, real(0));
  const Term tiny = real(context.exact(1e-9F, "epsilon"));
  context.define(0, context.format(0), extents,
                 quotient(minus(context.element(0, axes(extents.size())), m.mean), plus(m.deviation, tiny)));
}

// x / (bias + alpha / size * (sum of squares of the neighbouring channels))^beta
void lrn(NodeContext& context) {
  context.require_float(0);
  const Extents& extents = context.extents(0);
  if (extents.size() < 2) context.invalid("its input should have a channel axis");
  const std::int64_t size = context.integer("size");
  if (size < 1) context.invalid("size should be positive");
  const Rational alpha = context.number("alpha", 1e-4), beta = context.number("beta", 0.75);
  const Term bias = real(context.number("bias", 1));
  Indices neighbour = axes(extents.size());
  Range k = range("k", integer(from_i64(size)));
  neighbour[1] = add(axis(1), subtract(k.variable, integer(from_i64((size - 1) / 2))));
  k.guard = in_range(neighbour[1], extents[1]);
  const Term y = context.element(0, neighbour);
  const Term squares = sum_over({k}, times(y, y));
  const Term factor = real(alpha / Rational(from_i64(size)));
  const Term base = plus(bias, times(factor, squares));
  context.define(0, context.format(0), extents,
                 quotient(context.element(0, axes(extents.size())), apply(Op::pow, {base, real(beta)})));
}

void lp_normalization(NodeContext& context) {
  context.require_float(0);
  const Extents& extents = context.extents(0);
  const std::size_t axis = context.axis_of(context.integer("axis", -1), extents.size());
  const std::int64_t p = context.integer("p", 2);
  if (p != 1 && p != 2) context.refuse("only p = 1 and p = 2 have a meaning here");
  const Range k = range("k", extents[axis]);
  Extents per_row = extents;
  Indices inside = axes(extents.size()), row = inside;
  per_row[axis] = integer(1);
  inside[axis] = k.variable;
  row[axis] = integer(0);
  const Term y = context.element(0, inside);
  const Term size = p == 1 ? sum_over({k}, apply(Op::abs, {y})) : root(sum_over({k}, times(y, y)));
  const std::string norm = context.define_helper("norm", context.format(0), per_row, size);
  context.define(0, context.format(0), extents,
                 quotient(context.element(0, axes(extents.size())), load(norm, row, Sort::real())));
}

}  // namespace

void add_normalizations(Table& table) {
  table.push_back({"BatchNormalization", "", 7, 17, batch_normalization});
  table.push_back({"InstanceNormalization", "", 6, 17, instance_normalization});
  table.push_back({"LayerNormalization", "", 17, 17, layer_normalization});
  table.push_back({"MeanVarianceNormalization", "", 9, 17, mean_variance_normalization});
  table.push_back({"LRN", "", 1, 17, lrn});
  table.push_back({"LpNormalization", "", 1, 17, lp_normalization});
}

}  // namespace hallmark::operators
