// Opset 6, where it differs from opset 7: broadcasting asked for by attributes, one way only; test mode asked
// for by is_test. ONNX's own converter from 6 to 7 puts the second operand's axes in the wrong place unless
// they are the first or the last ones, and leaves PRelu's slope per channel as it is, so it is not used.
#include "operators/families.h"
#include "operators/terms.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

// The second operand at the output's indices: its axes stand at `axis`, by default at the end, of the first
// operand's axes.
Term second_operand(NodeContext& context) {
  const Extents& a = context.extents(0);
  const Extents& b = context.extents(1);
  const Indices at = axes(a.size());
  if (!context.flag("broadcast", false)) {
    if (b.size() != a.size()) context.invalid("extents differ without broadcast");
    for (std::size_t d = 0; d < a.size(); ++d)
      context.require_equal(a[d], b[d], "extents differ without broadcast");
    return context.element(1, at);
  }
  if (b.size() > a.size()) context.invalid("the second operand has the higher rank");
  std::size_t first = a.size() - b.size();
  if (context.has("axis") && !b.empty()) first = context.axis_of(context.integer("axis"), a.size());
  if (first + b.size() > a.size()) context.invalid("the second operand reaches beyond the first");
  Indices indices;
  for (std::size_t d = 0; d < b.size(); ++d) {
    const bool repeated = b[d] == integer(1);
    if (!repeated) context.require_equal(a[first + d], b[d], "extents that do not broadcast");
    indices.push_back(repeated ? integer(0) : at[first + d]);
  }
  return context.element(1, indices);
}

using Join = Term (*)(Term, Term);

template <Op op>
Term arithmetic(Term a, Term b) {
  return apply(op, {a, b});
}
template <Op op, bool exchanged>
Term comparison(Term a, Term b) {
  return exchanged ? compare(op, b, a) : compare(op, a, b);
}
Term conjoin(Term a, Term b) {
  return both(a, b);
}
Term disjoin(Term a, Term b) {
  return either(a, b);
}
Term differ(Term a, Term b) {
  return either(both(a, negation(b)), both(negation(a), b));
}
Term agree(Term a, Term b) {
  return a->sort == Sort::boolean() ? negation(differ(a, b)) : compare(Op::eq, a, b);
}

template <Join join, bool on_booleans, bool gives_booleans>
void binary(NodeContext& context) {
  if (context.format(0) != context.format(1)) context.invalid("its inputs have different element types");
  if (!on_booleans) context.require_number(0);
  const Extents& extents = context.extents(0);
  const Term body = join(context.element(0, axes(extents.size())), second_operand(context));
  context.define(0, gives_booleans ? Format::boolean : context.format(0), extents, body);
}

template <Join join>
void logic(NodeContext& context) {
  if (context.format(0) != Format::boolean) context.invalid("its inputs should be bool");
  binary<join, true, true>(context);
}

// One slope for all, or one per channel.
void prelu(NodeContext& context) {
  context.require_float(0);
  const Extents& extents = context.extents(0);
  if (context.format(1) != context.format(0)) context.invalid("its inputs have different element types");
  Term slope = nullptr;
  if (product(context.extents(1)) == integer(1)) {
    slope = context.scalar(1);
  } else {
    if (context.rank(1) != 1 || extents.size() < 2) context.invalid("one slope per channel is expected");
    context.require_equal(context.extent(1, 0), extents[1], "one slope per channel is expected");
    slope = context.element(1, {axis(1)});
  }
  const Term x = context.element(0, axes(extents.size()));
  context.define(0, context.format(0), extents, select(compare(Op::lt, x, real(0)), times(slope, x), x));
}

void require_test_mode(NodeContext& context) {
  if (!context.flag("is_test", false)) context.refuse("training mode (is_test = 0) has no meaning here");
}

void batch_normalization(NodeContext& context) {
  require_test_mode(context);
  find_operator("BatchNormalization", "", 7)->build(context);
}

void dropout(NodeContext& context) {
  require_test_mode(context);
  find_operator("Dropout", "", 7)->build(context);
}

// C broadcasts only when `broadcast` says so.
void gemm(NodeContext& context) {
  if (!context.flag("broadcast", false)) {
    const bool a_transposed = context.flag("transA", false), b_transposed = context.flag("transB", false);
    if (context.rank(0) != 2 || context.rank(1) != 2 || context.rank(2) != 2)
      context.invalid("its inputs should be matrices");
    context.require_equal(context.extent(2, 0), context.extent(0, a_transposed ? 1 : 0),
                          "C has other extents");
    context.require_equal(context.extent(2, 1), context.extent(1, b_transposed ? 0 : 1),
                          "C has other extents");
  }
  find_operator("Gemm", "", 7)->build(context);
}

}  // namespace

void add_legacy(Table& table) {
  const auto add = [&](std::string_view name, Builder build) { table.push_back({name, "", 6, 6, build}); };
  add("Add", binary<arithmetic<Op::add>, false, false>);
  add("Sub", binary<arithmetic<Op::sub>, false, false>);
  add("Mul", binary<arithmetic<Op::mul>, false, false>);
  add("Div", binary<arithmetic<Op::div>, false, false>);
  add("Pow", binary<arithmetic<Op::pow>, false, false>);
  add("Less", binary<comparison<Op::lt, false>, false, true>);
  add("Greater", binary<comparison<Op::lt, true>, false, true>);
  add("Equal", binary<agree, true, true>);
  add("And", logic<conjoin>);
  add("Or", logic<disjoin>);
  add("Xor", logic<differ>);
  add("PRelu", prelu);
  add("BatchNormalization", batch_normalization);
  add("Dropout", dropout);
  add("Gemm", gemm);
}

}  // namespace hallmark::operators
