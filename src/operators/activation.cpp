// Activation functions as ONNX defines them.
#include "operators/families.h"
#include "operators/terms.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

using Activation = std::function<Term(Term)>;

void define_activation(NodeContext& context, const Activation& f) {
  context.require_float(0);
  const Extents& extents = context.extents(0);
  context.define(0, context.format(0), extents, f(context.element(0, axes(extents.size()))));
}

Term exponential(Term x) {
  return apply(Op::exp, {x});
}
Term maximum(Term a, Term b) {
  return apply(Op::max, {a, b});
}
Term minimum(Term a, Term b) {
  return apply(Op::min, {a, b});
}
Term is_negative(Term x) {
  return compare(Op::lt, x, real(0));
}

void sigmoid(NodeContext& context) {
  define_activation(context, [](Term x) {
    return apply(Op::reciprocal, {plus(real(1), exponential(apply(Op::neg, {x})))});
  });
}

void hard_sigmoid(NodeContext& context) {
  // The defaults are the schema's floats 0.2f and 0.5f.
  const Term alpha = real(context.number("alpha", 0.2)), beta = real(context.number("beta", 0.5));
  define_activation(context,
                    [&](Term x) { return maximum(real(0), minimum(real(1), plus(times(alpha, x), beta))); });
}

void hard_swish(NodeContext& context) {
  // ONNX's function body: x * HardSigmoid(alpha = 1/6 as a float, beta = 0.5).
  const Term alpha = real(context.exact(1.0F / 6.0F, "alpha")), beta = real(Rational(1, 2));
  define_activation(context, [&](Term x) {
    return times(x, maximum(real(0), minimum(real(1), plus(times(alpha, x), beta))));
  });
}

void elu(NodeContext& context) {
  const Term alpha = real(context.number("alpha", 1));
  define_activation(context, [&](Term x) {
    return select(is_negative(x), times(alpha, minus(exponential(x), real(1))), x);
  });
}

void celu(NodeContext& context) {
  const Rational alpha = context.number("alpha", 1);
  if (alpha == 0) context.invalid("alpha is 0");
  define_activation(context, [&](Term x) {
    const Term below = times(real(alpha), minus(exponential(quotient(x, real(alpha))), real(1)));
    return plus(maximum(real(0), x), minimum(real(0), below));
  });
}

void selu(NodeContext& context) {
  const Term alpha = real(context.number("alpha", 1.67326319217681884765625));
  const Term gamma = real(context.number("gamma", 1.05070102214813232421875));
  define_activation(context, [&](Term x) {
    const Term below = minus(times(alpha, exponential(x)), alpha);
    return times(gamma, select(compare(Op::le, x, real(0)), below, x));
  });
}

void leaky_relu(NodeContext& context) {
  const Term alpha = real(context.number("alpha", 0.01));
  define_activation(context, [&](Term x) { return select(is_negative(x), times(alpha, x), x); });
}

void thresholded_relu(NodeContext& context) {
  const Term alpha = real(context.number("alpha", 1));
  define_activation(context, [&](Term x) { return select(compare(Op::lt, alpha, x), x, real(0)); });
}

// log(1 + e^x) without a large power: max(x, 0) + log(1 + e^-|x|).
void softplus(NodeContext& context) {
  define_activation(context, [](Term x) {
    const Term small = exponential(apply(Op::neg, {apply(Op::abs, {x})}));
    return plus(maximum(x, real(0)), apply(Op::log, {plus(real(1), small)}));
  });
}

void softsign(NodeContext& context) {
  define_activation(context, [](Term x) { return quotient(x, plus(real(1), apply(Op::abs, {x}))); });
}

void shrink(NodeContext& context) {
  context.require_float(0);
  const Rational lambda = context.number("lambd", 0.5);
  const Term bias = real(context.number("bias", 0));
  define_activation(context, [&](Term x) {
    return select(compare(Op::lt, x, real(-lambda)), plus(x, bias),
                  select(compare(Op::lt, real(lambda), x), minus(x, bias), real(0)));
  });
}

// The slope broadcasts one way, to the input's shape.
void prelu(NodeContext& context) {
  context.require_float(0);
  const Extents extents = context.extents(0);
  if (context.format(1) != context.format(0)) context.invalid("its inputs have different element types");
  if (context.broadcast_extents({extents, context.extents(1)}) != extents)
    context.invalid("the slope does not broadcast to " + text(extents));
  const Indices at = axes(extents.size());
  const Term x = context.element(0, at), slope = context.broadcast(1, at);
  context.define(0, context.format(0), extents, select(is_negative(x), times(slope, x), x));
}

}  // namespace

void add_activations(Table& table) {
  table.push_back({"Sigmoid", "", 6, 17, sigmoid});
  table.push_back({"HardSigmoid", "", 6, 17, hard_sigmoid});
  table.push_back({"HardSwish", "", 14, 17, hard_swish});
  table.push_back({"Elu", "", 6, 17, elu});
  table.push_back({"Celu", "", 12, 17, celu});
  table.push_back({"Selu", "", 6, 17, selu});
  table.push_back({"LeakyRelu", "", 6, 17, leaky_relu});
  table.push_back({"ThresholdedRelu", "", 10, 17, thresholded_relu});
  table.push_back({"Softplus", "", 1, 17, softplus});
  table.push_back({"Softsign", "", 1, 17, softsign});
  table.push_back({"Shrink", "", 9, 17, shrink});
  table.push_back({"PRelu", "", 7, 17, prelu});
}

}  // namespace hallmark::operators
