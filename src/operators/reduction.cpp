// Reduce*: one fold per reduced axis with one running value.
#include "operators/families.h"
#include "operators/terms.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

// The reduced axes, the output's extents and where an input element stands.
struct Reduction {
  std::vector<Range> ranges;
  Extents to;
  Indices indices;       // over axis(..) of the output and the ranges' variables
  bool nothing = false;  // the operator was told to do nothing
};

Reduction reduction_of(NodeContext& context, bool axes_as_input) {
  const Extents& from = context.extents(0);
  const bool kept = context.flag("keepdims", true);
  std::vector<std::int64_t> given = context.integers("axes");
  if (axes_as_input) given = context.has_input(1) ? context.known_integers(1) : std::vector<std::int64_t>{};
  Reduction out;
  if (given.empty()) {
    out.nothing = axes_as_input && context.flag("noop_with_empty_axes", false);
    for (std::size_t d = 0; d < from.size() && !out.nothing; ++d)
      given.push_back(static_cast<std::int64_t>(d));
  }
  std::vector<bool> reduced(from.size(), false);
  for (const std::size_t axis : context.axes_of(given, from.size())) reduced[axis] = true;
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (!reduced[d]) {
      out.indices.push_back(axis(static_cast<int>(out.to.size())));
      out.to.push_back(from[d]);
      continue;
    }
    out.ranges.push_back(range("k", from[d]));
    out.indices.push_back(out.ranges.back().variable);
    if (kept) out.to.push_back(integer(1));
  }
  return out;
}

Term count_of(const Reduction& reduction) {
  Term out = integer(1);
  for (const Range& r : reduction.ranges) out = multiply(out, r.extent);
  return out;
}

Term same(Term x) {
  return x;
}
Term magnitude(Term x) {
  return apply(Op::abs, {x});
}
Term square(Term x) {
  return times(x, x);
}
Term logarithm(Term x) {
  return apply(Op::log, {x});
}
Term root(Term x) {
  return apply(Op::sqrt, {x});
}

// after(sum(before(x)))
template <Term (*before)(Term), Term (*after)(Term), bool needs_float, bool may_have_input>
void sum_like(NodeContext& context) {
  context.require_number(0);
  if (needs_float) context.require_float(0);
  const Reduction r = reduction_of(context, may_have_input && context.opset() >= 13);
  const Term x = context.element(0, r.indices);
  context.define(0, context.format(0), r.to, r.nothing ? x : after(sum_over(r.ranges, before(x))));
}

void reduce_mean(NodeContext& context) {
  context.require_float(0);
  const Reduction r = reduction_of(context, false);
  for (const Range& range : r.ranges)
    context.require_at_most(integer(1), range.extent, "the mean of an empty axis");
  const Term total = sum_over(r.ranges, context.element(0, r.indices));
  context.define(0, context.format(0), r.to, quotient(total, real_of(count_of(r))));
}

void reduce_prod(NodeContext& context) {
  context.require_number(0);
  const Reduction r = reduction_of(context, false);
  const Term x = context.element(0, r.indices);
  context.define(0, context.format(0), r.to, reduce_over(Op::mul, one_of(x->sort), r.ranges, x));
}

template <Term (*extremum)(const std::vector<Range>&, Term)>
void extremum_like(NodeContext& context) {
  context.require_number(0);
  const Reduction r = reduction_of(context, false);
  for (const Range& range : r.ranges)
    context.require_at_most(integer(1), range.extent, "the extremum of an empty axis");
  context.define(0, context.format(0), r.to, extremum(r.ranges, context.element(0, r.indices)));
}

// log(sum(exp(x))) as m + log(sum(exp(x - m))) with the maximum m, the same number without large powers.
void log_sum_exp(NodeContext& context) {
  context.require_float(0);
  const Reduction r = reduction_of(context, false);
  for (const Range& range : r.ranges)
    context.require_at_most(integer(1), range.extent, "the extremum of an empty axis");
  const Term x = context.element(0, r.indices);
  const std::string maximum =
      context.define_helper("max", context.format(0), r.to, maximum_over(r.ranges, x));
  const Term m = load(maximum, axes(r.to.size()), x->sort);
  const Term total = sum_over(r.ranges, apply(Op::exp, {minus(x, m)}));
  context.define(0, context.format(0), r.to, plus(m, logarithm(total)));
}

}  // namespace

void add_reductions(Table& table) {
  const auto add = [&](std::string_view name, Builder build) { table.push_back({name, "", 1, 17, build}); };
  add("ReduceSum", sum_like<same, same, false, true>);
  add("ReduceSumSquare", sum_like<square, same, false, false>);
  add("ReduceL1", sum_like<magnitude, same, false, false>);
  add("ReduceL2", sum_like<square, root, true, false>);
  add("ReduceLogSum", sum_like<same, logarithm, true, false>);
  add("ReduceLogSumExp", log_sum_exp);
  add("ReduceMean", reduce_mean);
  add("ReduceProd", reduce_prod);
  add("ReduceMax", extremum_like<maximum_over>);
  add("ReduceMin", extremum_like<minimum_over>);
}

}  // namespace hallmark::operators
