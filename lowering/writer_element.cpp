// Element operations as CUDA expressions. Float operations are explicit intrinsics with their rounding;
// integer arithmetic is done on unsigned values of the same width, so that it wraps as the calculus says.
#include "base/error.h"
#include "calculus/widening.h"
#include "lowering/writer.h"

namespace hallmark::lowering {

using namespace calculus;

std::string Writer::expression(Term term) {
  switch (term->kind) {
    case Kind::constant:
      return literal(term);
    case Kind::load: {
      const std::string text = access(term->name, term->children);
      return term->sort.kind == Sort::Kind::boolean ? "(" + text + " != 0)" : text;
    }
    case Kind::operation:
      return operation(term);
    case Kind::select:
      return select_text(term);
    case Kind::cast:
      return cast_text(term);
    case Kind::from_index: {
      const Term child = term->children[0];
      const bool exact = range_of(child, ranges_).non_negative();
      // A negative value is formed modulo 2^64 and read as signed.
      const std::string text = index(child);
      const std::string value = exact ? text : "(long long)((size_t)0u + " + text + ")";
      if (!exact && term->sort.kind == Sort::Kind::floating)
        return "(" + value_type(term->sort) + ")" + "(" + value + ")";
      return "(" + value_type(term->sort) + ")(" + value + ")";
    }
    case Kind::truth:
    case Kind::at_most_zero:
    case Kind::is_zero:
    case Kind::conjunction:
    case Kind::disjunction:
    case Kind::negation:
    case Kind::compare:
    case Kind::is_nan:
      return "(" + condition(term) + ")";
    default:
      throw InternalError("an element term without a text form in " + definition_);
  }
}

std::string Writer::operation(Term term) {
  if (term->op == Op::custom) {
    std::string text;
    for (Term child : term->children) text += (text.empty() ? "" : ", ") + element(child);
    return term->name + "(" + text + ")";
  }
  if (term->sort.kind == Sort::Kind::floating) return float_operation(term);
  if (term->sort.kind == Sort::Kind::integer) return integer_operation(term);
  if (term->sort.kind == Sort::Kind::boolean && term->op == Op::logical_xor)
    return "((" + condition(term->children[0]) + ") != (" + condition(term->children[1]) + "))";
  throw Refusal(
      "E7201",
      "the operation " + std::string(name(term->op)) + " on " + to_string(term->sort) + " is not lowered",
      {.node = definition_});
}

std::string Writer::float_operation(Term term) {
  const bool single = term->sort.format == Format::f32;
  const bool rounded_nearest = term->rounding == Rounding::nearest && !term->flush_subnormals;
  std::string function;
  switch (term->op) {
    case Op::add:
      function = single ? "__fadd_rn" : "__dadd_rn";
      break;
    case Op::sub:
      function = single ? "__fsub_rn" : "__dsub_rn";
      break;
    case Op::mul:
      function = single ? "__fmul_rn" : "__dmul_rn";
      break;
    case Op::div:
      function = single ? "__fdiv_rn" : "__ddiv_rn";
      break;
    case Op::fma:
      function = single ? "__fmaf_rn" : "__fma_rn";
      break;
    case Op::sqrt:
      function = single ? "__fsqrt_rn" : "__dsqrt_rn";
      break;
    case Op::abs:
      function = single ? "fabsf" : "fabs";
      break;
    case Op::maxnum:
      function = single ? "fmaxf" : "fmax";
      break;
    case Op::minnum:
      function = single ? "fminf" : "fmin";
      break;
    case Op::floor:
      function = single ? "floorf" : "floor";
      break;
    case Op::ceil:
      function = single ? "ceilf" : "ceil";
      break;
    case Op::trunc:
      function = single ? "truncf" : "trunc";
      break;
    case Op::round_even:
      function = single ? "rintf" : "rint";
      break;
    case Op::neg:
      return "(-(" + element(term->children[0]) + "))";
    default:
      break;
  }
  const bool known_format = single || term->sort.format == Format::f64;
  if (function.empty() || !rounded_nearest || !known_format)
    throw Refusal("E7201",
                  "the operation " + std::string(name(term->op)) + " on " + to_string(term->sort) +
                      " with this rounding is not lowered",
                  {.node = definition_});
  std::string text;
  for (Term child : term->children) text += (text.empty() ? "" : ", ") + element(child);
  return function + "(" + text + ")";
}

std::string Writer::integer_operation(Term term) {
  const Format format = term->sort.format;
  const std::string type = storage_type(format);
  const std::string bits = storage_bits(format) == 64 ? "unsigned long long" : "unsigned";
  const bool has_sign = is_signed(format);
  std::vector<std::string> c;
  for (Term child : term->children) c.push_back(operand(child));
  const auto wrapped = [&](const std::string& between) {
    return "(" + type + ")((" + bits + ")" + c[0] + between + "(" + bits + ")" + c[1] + ")";
  };
  const auto negated = [&](const std::string& a) {
    return "(" + type + ")((" + bits + ")0 - (" + bits + ")" + a + ")";
  };
  // An operand that occurs more than once below is named first.
  const auto named = [&](std::size_t i) {
    const std::string v = fresh("v");
    line("const " + type + " " + v + " = " + c[i] + ";");
    return v;
  };
  switch (term->op) {
    case Op::add:
      return wrapped(" + ");
    case Op::sub:
      return wrapped(" - ");
    case Op::mul:
      return wrapped(" * ");
    case Op::bit_and:
      return "(" + type + ")(" + c[0] + " & " + c[1] + ")";
    case Op::bit_or:
      return "(" + type + ")(" + c[0] + " | " + c[1] + ")";
    case Op::bit_xor:
      return "(" + type + ")(" + c[0] + " ^ " + c[1] + ")";
    case Op::bit_not:
      return "(" + type + ")(~" + c[0] + ")";
    case Op::neg:
      return negated(c[0]);
    case Op::abs: {
      if (!has_sign) return c[0];
      const std::string a = named(0);
      return "(" + a + " < 0 ? " + negated(a) + " : " + a + ")";
    }
    case Op::sign: {
      const std::string a = named(0);
      return has_sign ? "(" + type + ")(" + a + " > 0 ? 1 : " + a + " < 0 ? -1 : 0)"
                      : "(" + type + ")(" + a + " != 0 ? 1 : 0)";
    }
    case Op::max:
    case Op::min: {
      const std::string a = named(0), b = named(1);
      return "(" + a + (term->op == Op::max ? " > " : " < ") + b + " ? " + a + " : " + b + ")";
    }
    case Op::div:
    case Op::rem:
    case Op::mod: {
      // Division by 0 and its remainder are 0 in the calculus; least value / -1 wraps to itself.
      const std::string a = named(0), b = named(1);
      const bool quotient = term->op == Op::div;
      if (quotient && !has_sign)
        return "(" + b + " == 0 ? (" + type + ")0 : (" + type + ")(" + a + " / " + b + "))";
      if (quotient)
        return "(" + b + " == 0 ? (" + type + ")0 : " + b + " == -1 ? " + negated(a) + " : (" + type + ")(" +
               a + " / " + b + "))";
      const std::string rest = fresh("v");
      line("const " + type + " " + rest + " = " + b + " == 0 ? (" + type + ")0" +
           (has_sign ? " : " + b + " == -1 ? (" + type + ")0" : "") + " : (" + type + ")(" + a + " % " + b +
           ");");
      if (term->op == Op::rem || !has_sign) return rest;
      return "(" + b + " != 0 && " + rest + " != 0 && (" + rest + " < 0) != (" + b + " < 0) ? (" + type +
             ")(" + rest + " + " + b + ") : " + rest + ")";
    }
    case Op::shift_left:
    case Op::shift_right: {
      const std::string a = named(0), b = named(1);
      if (has_sign) break;
      const std::string width = std::to_string(storage_bits(format)) + "u";
      return "(" + b + " < " + width + " ? (" + type + ")(" + a +
             (term->op == Op::shift_left ? " << " : " >> ") + b + ") : (" + type + ")0)";
    }
    default:
      break;
  }
  throw Refusal(
      "E7201",
      "the operation " + std::string(name(term->op)) + " on " + to_string(term->sort) + " is not lowered",
      {.node = definition_});
}

namespace {

bool is_short(Format format) {
  return format == Format::f16 || format == Format::bf16;
}
// The nearest value of a 16-bit format to a float, and back.
std::string shortened(Format format, const std::string& text) {
  return (format == Format::f16 ? "__float2half_rn(" : "__float2bfloat16_rn(") + text + ")";
}
std::string lengthened(Format format, const std::string& text) {
  return (format == Format::f16 ? "__half2float(" : "__bfloat162float(") + text + ")";
}

}  // namespace

// A cast rounds to its format and delivers in its sort. Conversions between floats that hold all values are
// exact; every other one is a single rounding to nearest, or refused.
std::string Writer::cast_text(Term term) {
  const Term child = term->children[0];
  const Sort from = child->sort, to = term->sort;
  const bool to_float = to.kind == Sort::Kind::floating, from_float = from.kind == Sort::Kind::floating;
  const auto refuse = [&](const std::string& what) -> std::string {
    throw Refusal("E7201", what + " is not lowered", {.node = definition_});
  };
  // Doubles hold all integers of 32 bits, so only the sort rounds.
  const bool exact_double =
      term->format == Format::f64 && from.kind == Sort::Kind::integer && storage_bits(from.format) <= 32;
  if (to_float && term->format != to.format && !exact_double) {
    if (from == to && holds_values_of(term->format, to.format)) return element(child);
    if (from == to && to.format == Format::f32 && is_short(term->format))
      return lengthened(term->format, shortened(term->format, element(child)));
    if (from == to && to.format == Format::f64 && term->format == Format::f32)
      return "(double)(float)" + operand(child);
    return refuse("an authored rounding to " + std::string(name(term->format)));
  }
  if (from == to) return element(child);
  // What was rounded to the format is not rounded again.
  if (to_float && from_float && child->kind == Kind::cast && child->format == to.format &&
      child->children[0]->sort == from && holds_values_of(from.format, to.format))
    return cast_text(cast(child->children[0], to, to.format));
  const bool shortens = to_float && is_short(to.format), lengthens = from_float && is_short(from.format);
  if (shortens || lengthens) {
    const Format f32 = Format::f32;
    if (shortens && from_float && from.format == f32) return shortened(to.format, element(child));
    if (lengthens && to_float && (to.format == f32 || to.format == Format::f64))
      return (to.format == f32 ? "" : "(double)") + lengthened(from.format, element(child));
    if (lengthens && to.kind == Sort::Kind::boolean)
      return "(" + lengthened(from.format, element(child)) + " != 0.0f)";
    return refuse("a conversion from " + to_string(from) + " to " + to_string(to));
  }
  if (from.kind == Sort::Kind::boolean) return "(" + value_type(to) + ")((" + condition(child) + ") ? 1 : 0)";
  if (to.kind == Sort::Kind::boolean) return "(" + operand(child) + " != 0)";
  return "(" + value_type(to) + ")" + operand(child);
}

}  // namespace hallmark::lowering
