// Floating-point arithmetic (ISA 9.7.3 to 9.7.5).
#include <fmt/format.h>

#include "validator/ptx/lower.h"

namespace hallmark::validator::ptx {

ir::Rounding Lowering::take_rounding(Work& w) {
  const std::string_view word = w.suffixes.take_any({"rn", "rz", "rm", "rp"});
  return word == "rn"   ? ir::Rounding::nearest_even
         : word == "rz" ? ir::Rounding::toward_zero
         : word == "rm" ? ir::Rounding::down
         : word == "rp" ? ir::Rounding::up
                        : ir::Rounding::none;
}

ir::ValueId Lowering::emit_float(Op op, std::vector<ValueId> operands, Type t, const FloatModifiers& m) {
  const ValueId result = emit(op, std::move(operands), t);
  ir::Instruction& i = builder_.modify();
  i.rounding = m.rounding;
  i.flush_subnormals = m.ftz;
  i.saturate = m.saturate;
  i.approximate = m.approximate;
  if (m.full_range) i.text = "full";
  i.contractible = m.contractible;
  i.propagate_nan = m.propagate_nan;
  return result;
}

// The same operation on one float, or on both parts of packed pairs.
void Lowering::emit_float_all(Work& w, Op op, const TypeSuffix& t, std::size_t operands,
                              const FloatModifiers& m) {
  if (!t.is_packed()) {
    std::vector<ValueId> values;
    for (std::size_t n = 1; n <= operands; ++n) values.push_back(read(w, n, t));
    return write(w, w.operand(0), emit_float(op, std::move(values), t.type, m));
  }
  std::array<std::vector<ValueId>, 2> values;
  for (std::size_t n = 1; n <= operands; ++n) {
    const auto parts = unpack(read(w, n, t), t.element());
    values[0].push_back(parts[0]);
    values[1].push_back(parts[1]);
  }
  const ValueId low = emit_float(op, std::move(values[0]), t.element(), m);
  const ValueId high = emit_float(op, std::move(values[1]), t.element(), m);
  write(w, w.operand(0), pack({low, high}));
}

void Lowering::float_arithmetic(Work& w, Op op, const TypeSuffix& t, std::size_t operands) {
  FloatModifiers m;
  m.rounding = take_rounding(w);
  m.ftz = w.suffixes.take("ftz");
  m.saturate = w.suffixes.take("sat");
  if (m.rounding == ir::Rounding::none) {
    m.rounding = ir::Rounding::nearest_even;
    m.contractible = true;
  }
  emit_float_all(w, op, t, operands, m);
}

void Lowering::fma(Work& w) {
  expect_count(w, 4);
  FloatModifiers m;
  m.rounding = take_rounding(w);
  if (m.rounding == ir::Rounding::none) refuse(w, "its rounding is not said");
  m.ftz = w.suffixes.take("ftz");
  m.saturate = w.suffixes.take("sat");
  const TypeSuffix t = type(w);
  if (!t.is_float() && !t.is_packed()) refuse(w, "its type is not understood");
  emit_float_all(w, Op::float_fma, t, 3, m);
}

void Lowering::float_division(Work& w, const TypeSuffix& t) {
  FloatModifiers m;
  const std::string_view approximation = w.suffixes.take_any({"approx", "full"});
  m.approximate = !approximation.empty();
  m.full_range = approximation == "full";
  m.rounding = take_rounding(w);
  m.ftz = w.suffixes.take("ftz");
  if (m.approximate == (m.rounding != ir::Rounding::none) || (t.type != Type::f32 && t.type != Type::f64))
    refuse(w, "this form is not understood");
  emit_float_all(w, Op::float_div, t, 2, m);
}

void Lowering::float_function(Work& w) {
  expect_count(w, 2);
  static const std::map<std::string_view, Op> table{
      {"rcp", Op::float_reciprocal}, {"sqrt", Op::float_sqrt}, {"rsqrt", Op::float_reciprocal_sqrt},
      {"sin", Op::float_sin},        {"cos", Op::float_cos},   {"lg2", Op::float_log2},
      {"ex2", Op::float_exp2},       {"tanh", Op::float_tanh}};
  const Op op = table.at(w.s.name);
  FloatModifiers m;
  m.approximate = w.suffixes.take("approx");
  m.rounding = take_rounding(w);
  m.ftz = w.suffixes.take("ftz");
  const TypeSuffix t = type(w);
  const bool may_be_exact = op == Op::float_reciprocal || op == Op::float_sqrt;
  if (!t.is_float() && !t.is_packed()) refuse(w, "its type is not understood");
  if (m.approximate == (m.rounding != ir::Rounding::none) || (!m.approximate && !may_be_exact))
    refuse(w, "this form is not understood");
  if (!m.approximate && t.type != Type::f32 && t.type != Type::f64) refuse(w, "its type is not understood");
  emit_float_all(w, op, t, 1, m);
}

void Lowering::float_min_max(Work& w, const TypeSuffix& t, Op op) {
  FloatModifiers m;
  m.ftz = w.suffixes.take("ftz");
  m.propagate_nan = w.suffixes.take("NaN");
  emit_float_all(w, op, t, 2, m);
}

void Lowering::float_abs_neg(Work& w, const TypeSuffix& t, Op op) {
  FloatModifiers m;
  m.ftz = w.suffixes.take("ftz");
  emit_float_all(w, op, t, 1, m);
}

// copysign d, a, b: the sign of a on the magnitude of b (ISA 9.7.3.2).
void Lowering::copysign(Work& w) {
  expect_count(w, 3);
  const TypeSuffix t = type(w);
  if (t.type != Type::f32 && t.type != Type::f64) refuse(w, "its type is not understood");
  const ValueId sign = read(w, 1, t), magnitude = read(w, 2, t);
  write(w, w.operand(0), emit(Op::float_copysign, {magnitude, sign}, t.type));
}

void Lowering::testp(Work& w) {
  expect_count(w, 2);
  const std::string_view test =
      w.suffixes.take_any({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  const TypeSuffix t = type(w);
  if (test.empty() || (t.type != Type::f32 && t.type != Type::f64)) refuse(w, "this form is not understood");
  const ValueId a = read(w, 1, t);
  const ValueId magnitude = emit(Op::float_abs, {a}, t.type);
  const bool single = t.type == Type::f32;
  const ValueId infinity = constant(t.type, single ? 0x7f800000 : 0x7ff0000000000000);
  const ValueId least_normal = constant(t.type, single ? 0x00800000 : 0x0010000000000000);
  using P = ir::Predicate;
  ValueId result;
  if (test == "finite") {
    result = compare(P::ordered_less, magnitude, infinity);
  } else if (test == "infinite") {
    result = compare(P::ordered_equal, magnitude, infinity);
  } else if (test == "number") {
    result = compare(P::ordered, a, a);
  } else if (test == "notanumber") {
    result = compare(P::unordered, a, a);
  } else if (test == "normal") {
    result = emit(Op::bit_and,
                  {compare(P::ordered_greater_equal, magnitude, least_normal),
                   compare(P::ordered_less, magnitude, infinity)},
                  Type::i1);
  } else {
    result = emit(Op::bit_and,
                  {compare(P::ordered_less, magnitude, least_normal),
                   compare(P::ordered_greater, magnitude, constant(t.type, 0))},
                  Type::i1);
  }
  write(w, w.operand(0), result);
}

}  // namespace hallmark::validator::ptx
