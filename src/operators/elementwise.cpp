// Arithmetic and elementary functions, element by element with multidirectional broadcasting.
#include "operators/families.h"
#include "operators/terms.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

template <Op op>
void unary_float(NodeContext& context) {
  context.require_float(0);
  define_elementwise(context, context.format(0), [](const auto& x) { return apply(op, {x[0]}); });
}

template <Op op>
void unary_number(NodeContext& context) {
  context.require_number(0);
  define_elementwise(context, context.format(0), [](const auto& x) { return apply(op, {x[0]}); });
}

void require_one_format(NodeContext& context) {
  context.require_number(0);
  for (std::size_t i = 1; i < context.input_count(); ++i)
    if (context.format(i) != context.format(0)) context.invalid("its inputs have different element types");
}

template <Op op>
void binary(NodeContext& context) {
  require_one_format(context);
  if (context.input_count() != 2) context.invalid("two inputs are expected");
  define_elementwise(context, context.format(0), [](const auto& x) { return apply(op, {x[0], x[1]}); });
}

// Sum, Mean, Max and Min of any number of inputs.
template <Op op, bool mean>
void variadic(NodeContext& context) {
  require_one_format(context);
  constexpr std::size_t limit = 256;
  if (context.input_count() > limit) context.refuse("more than 256 inputs");
  define_elementwise(context, context.format(0), [&](const auto& x) {
    Term out = x[0];
    for (std::size_t i = 1; i < x.size(); ++i) out = apply(op, {out, x[i]});
    return mean ? quotient(out, real(Rational(static_cast<long>(x.size())))) : out;
  });
}

// A mask that is added: -infinity plus any number is -infinity.
void add_operator(NodeContext& context) {
  require_one_format(context);
  if (context.input_count() != 2) context.invalid("two inputs are expected");
  const Extents extents = context.broadcast_extents({context.extents(0), context.extents(1)});
  const Indices at = axes(extents.size());
  const auto a = context.masked_broadcast(0, at), b = context.masked_broadcast(1, at);
  Term kept = a.kept != nullptr ? a.kept : b.kept;
  if (a.kept != nullptr && b.kept != nullptr) kept = both(a.kept, b.kept);
  context.define(0, context.format(0), extents, NodeContext::Masked{plus(a.value, b.value), kept});
}

void mod_operator(NodeContext& context) {
  require_one_format(context);
  const bool truncating = context.flag("fmod", false);
  if (!truncating && is_float(context.format(0))) context.invalid("floating-point elements need fmod = 1");
  define_elementwise(context, context.format(0), [&](const auto& x) {
    return apply(truncating ? Op::rem : Op::mod, {x[0], x[1]});
  });
}

void bit_shift(NodeContext& context) {
  require_one_format(context);
  if (!is_integer(context.format(0)) || is_signed(context.format(0)))
    context.refuse("needs unsigned integers", "E6303");
  const std::string direction = context.string("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") context.invalid("direction should be LEFT or RIGHT");
  const Op op = direction == "LEFT" ? Op::shift_left : Op::shift_right;
  define_elementwise(context, context.format(0), [&](const auto& x) { return apply(op, {x[0], x[1]}); });
}

// The base's element type is the result's. An exponent of another type is brought to the base's sort; an
// integer base with a real exponent is raised as a real and truncated.
void pow_operator(NodeContext& context) {
  context.require_number(0);
  context.require_number(1);
  const Format format = context.format(0);
  define_elementwise(context, format, [&](const auto& x) {
    if (!is_float(format)) {
      if (context.format(1) == format) return apply(Op::pow, {x[0], x[1]});
      if (is_float(context.format(1)))
        return cast(apply(Op::pow, {cast(x[0], Sort::real(), Format::f64), x[1]}), Sort::integer(format),
                    format);
      if (context.format(1) == Format::u64 || format == Format::u64)
        context.refuse("u64 beside another integer type", "E6303");
      // Modulo 2^64 and then modulo 2^w is modulo 2^w.
      const Sort wide = Sort::integer(Format::i64);
      const auto widen = [&](Term a) { return a->sort == wide ? a : cast(a, wide, Format::i64); };
      const Term power = apply(Op::pow, {widen(x[0]), widen(x[1])});
      return format == Format::i64 ? power : cast(power, Sort::integer(format), format);
    }
    Term exponent = x[1];
    if (exponent->kind == Kind::constant) {
      if (exponent->value == 0) return real(1);
      if (exponent->value == 1) return x[0];
      if (exponent->value == -1) return apply(Op::reciprocal, {x[0]});
      exponent = real(exponent->value);
    }
    if (exponent->sort != Sort::real()) exponent = cast(exponent, Sort::real(), Format::f64);
    return apply(Op::pow, {x[0], exponent});
  });
}

void relu(NodeContext& context) {
  context.require_number(0);
  define_elementwise(context, context.format(0), [](const auto& x) {
    return apply(Op::max, {x[0], zero_of(x[0]->sort)});
  });
}

// Min(high, Max(low, x)); a bound that is absent or infinite does nothing.
void clip(NodeContext& context) {
  context.require_number(0);
  const Extents& extents = context.extents(0);
  Term body = context.element(0, axes(extents.size()));
  if (context.opset() < 11) {
    context.require_float(0);
    const auto bound = [&](const char* name, int sign, Op op) {
      if (!context.has(name) || context.is_infinite(name, sign)) return;
      body = apply(op, {body, real(context.number(name, 0))});
    };
    bound("min", -1, Op::max);
    bound("max", 1, Op::min);
  } else {
    const auto bound = [&](std::size_t i, int sign, Op op) {
      if (!context.has_input(i) || context.is_infinite_constant(i, sign)) return;
      if (context.format(i) != context.format(0)) context.invalid("its inputs have different element types");
      body = apply(op, {body, context.scalar(i)});
    };
    bound(1, -1, Op::max);
    bound(2, 1, Op::min);
  }
  context.define(0, context.format(0), extents, body);
}

}  // namespace

void add_elementwise(Table& table) {
  const auto add = [&](std::string_view name, int since, Builder build) {
    table.push_back({name, "", since, 17, build});
  };
  add("Add", 7, add_operator);
  add("Sub", 7, binary<Op::sub>);
  add("Mul", 7, binary<Op::mul>);
  add("Div", 7, binary<Op::div>);
  add("Mod", 10, mod_operator);
  add("BitShift", 11, bit_shift);
  add("Pow", 7, pow_operator);
  add("Sum", 8, variadic<Op::add, false>);
  add("Mean", 8, variadic<Op::add, true>);
  add("Max", 8, variadic<Op::max, false>);
  add("Min", 8, variadic<Op::min, false>);
  table.push_back({"Sum", "", 6, 7, variadic<Op::add, false>});
  table.push_back({"Mean", "", 6, 7, variadic<Op::add, true>});
  table.push_back({"Max", "", 6, 7, variadic<Op::max, false>});
  table.push_back({"Min", "", 6, 7, variadic<Op::min, false>});
  add("Clip", 6, clip);
  add("Relu", 6, relu);
  add("Neg", 6, unary_number<Op::neg>);
  add("Abs", 6, unary_number<Op::abs>);
  add("Sign", 9, unary_number<Op::sign>);
  add("Reciprocal", 6, unary_float<Op::reciprocal>);
  add("Sqrt", 6, unary_float<Op::sqrt>);
  add("Exp", 6, unary_float<Op::exp>);
  add("Log", 6, unary_float<Op::log>);
  add("Sin", 7, unary_float<Op::sin>);
  add("Cos", 7, unary_float<Op::cos>);
  add("Tan", 7, unary_float<Op::tan>);
  add("Asin", 7, unary_float<Op::asin>);
  add("Acos", 7, unary_float<Op::acos>);
  add("Atan", 7, unary_float<Op::atan>);
  add("Sinh", 9, unary_float<Op::sinh>);
  add("Cosh", 9, unary_float<Op::cosh>);
  add("Asinh", 9, unary_float<Op::asinh>);
  add("Acosh", 9, unary_float<Op::acosh>);
  add("Atanh", 9, unary_float<Op::atanh>);
  add("Tanh", 6, unary_float<Op::tanh>);
  add("Erf", 9, unary_float<Op::erf>);
  add("Floor", 6, unary_float<Op::floor>);
  add("Ceil", 6, unary_float<Op::ceil>);
  add("Round", 11, unary_float<Op::round_even>);
}

}  // namespace hallmark::operators
