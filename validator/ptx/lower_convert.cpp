// cvt (ISA 9.7.9.21).
#include <fmt/format.h>

#include "validator/ptx/lower.h"

namespace hallmark::validator::ptx {

namespace {

ir::Rounding integral_rounding(std::string_view word) {
  return word == "rni"   ? ir::Rounding::nearest_even
         : word == "rzi" ? ir::Rounding::toward_zero
         : word == "rmi" ? ir::Rounding::down
         : word == "rpi" ? ir::Rounding::up
                         : ir::Rounding::none;
}

bool is_integer_suffix(const TypeSuffix& t) {
  return t.kind == TypeSuffix::Kind::is_signed || t.kind == TypeSuffix::Kind::is_unsigned;
}

}  // namespace

void Lowering::cvt(Work& w) {
  if (w.suffixes.take("tf32")) return cvt_tf32(w);
  const ir::Rounding integral = integral_rounding(w.suffixes.take_any({"rni", "rzi", "rmi", "rpi"}));
  ir::Rounding rounding = take_rounding(w);
  if (rounding == ir::Rounding::none && w.suffixes.take("rna")) rounding = ir::Rounding::nearest_away;
  const bool ftz = w.suffixes.take("ftz"), saturate = w.suffixes.take("sat");
  const TypeSuffix to = type(w);
  if (to.is_packed()) {
    if (rounding != ir::Rounding::nearest_even && rounding != ir::Rounding::toward_zero)
      refuse(w, "this rounding is not understood");
    if (integral != ir::Rounding::none || ftz || saturate) refuse(w, "this form is not understood");
    return cvt_pair(w, to);
  }
  const TypeSuffix from = type(w);
  expect_count(w, 2);
  if (from.is_packed() || rounding == ir::Rounding::nearest_away) refuse(w, "this form is not understood");
  if (is_integer_suffix(to) && is_integer_suffix(from)) {
    if (integral != ir::Rounding::none || rounding != ir::Rounding::none || ftz)
      reject(w, "a rounding between integers");
    return cvt_integer(w, to, from, saturate);
  }
  if (!(to.is_float() || is_integer_suffix(to)) || !(from.is_float() || is_integer_suffix(from)))
    refuse(w, "its type is not understood");
  const ValueId a = read_low(w, w.operand(1), from);
  FloatModifiers m;
  m.ftz = ftz;
  m.saturate = saturate && to.is_float();
  if (from.is_float() && to.is_float()) {
    const bool narrows = ir::bits_of(to.type) < ir::bits_of(from.type) ||
                         (to.type != from.type && ir::bits_of(to.type) == ir::bits_of(from.type));
    if (integral != ir::Rounding::none) {
      if (to.type != from.type || rounding != ir::Rounding::none) reject(w, "a wrong rounding");
      m.rounding = integral;
      return write(w, w.operand(0), emit_float(Op::round_to_integral, {a}, to.type, m));
    }
    if (narrows != (rounding != ir::Rounding::none))
      reject(w, "a rounding stands exactly where bits are lost");
    m.rounding = rounding;
    return write(w, w.operand(0), emit_float(Op::float_convert, {a}, to.type, m));
  }
  if (from.is_float()) {
    if (integral == ir::Rounding::none || rounding != ir::Rounding::none) reject(w, "a wrong rounding");
    m.rounding = integral;
    const ValueId result =
        emit_float(to.is_signed() ? Op::float_to_signed : Op::float_to_unsigned, {a}, to.type, m);
    builder_.modify().clamped_conversion = true;
    return write_extended(w, w.operand(0), result, to.is_signed());
  }
  if (rounding == ir::Rounding::none || integral != ir::Rounding::none || ftz) reject(w, "a wrong rounding");
  m.rounding = rounding;
  write(w, w.operand(0),
        emit_float(from.is_signed() ? Op::signed_to_float : Op::unsigned_to_float, {a}, to.type, m));
}

// cvt.rn.f16x2.f32 d, a, b: a into the upper, b into the lower half.
void Lowering::cvt_pair(Work& w, const TypeSuffix& to) {
  w.suffixes = Suffixes(w.s.suffixes);
  FloatModifiers m;
  m.rounding = take_rounding(w);
  type(w);
  const TypeSuffix from = type(w);
  expect_count(w, 3);
  if (from.type != Type::f32 || !from.is_float()) refuse(w, "its type is not understood");
  const ValueId a = read(w, 1, from), b = read(w, 2, from);
  const ValueId low = emit_float(Op::float_convert, {b}, to.element(), m);
  const ValueId high = emit_float(Op::float_convert, {a}, to.element(), m);
  write(w, w.operand(0), pack({low, high}));
}

void Lowering::cvt_integer(Work& w, const TypeSuffix& to, const TypeSuffix& from, bool saturate) {
  ValueId a = read_low(w, w.operand(1), from);
  const unsigned have = ir::bits_of(from.type), want = ir::bits_of(to.type);
  if (saturate) {
    // Clamp in the source type, as far as its values can lie outside the target's range.
    const bool s = from.is_signed();
    const std::uint64_t target_high = to.is_signed() ? ir::mask_of(to.type) >> 1 : ir::mask_of(to.type);
    const std::uint64_t source_high = s ? ir::mask_of(from.type) >> 1 : ir::mask_of(from.type);
    if (s && (!to.is_signed() || want < have)) {
      const std::uint64_t low = to.is_signed() ? ~target_high : 0;
      a = emit(Op::max_signed, {a, constant(from.type, low)}, from.type);
    }
    if (target_high < source_high)
      a = emit(s ? Op::min_signed : Op::min_unsigned, {a, constant(from.type, target_high)}, from.type);
  }
  if (want < have) a = low_bits(a, to.type);
  if (want > have) a = extend(a, to.type, from.is_signed());
  write_extended(w, w.operand(0), a, to.is_signed());
}

// cvt.rna.tf32.f32: ten bits of fraction are kept, halves away from zero.
void Lowering::cvt_tf32(Work& w) {
  expect_count(w, 2);
  if (!w.suffixes.take("rna") || !w.suffixes.take("f32")) refuse(w, "this form is not understood");
  const ValueId a = read(w, w.operand(1), Type::f32, TypeSuffix{TypeSuffix::Kind::floating, Type::f32});
  const ValueId rounded = emit(Op::library_call, {a}, Type::f32);
  builder_.modify().text = "cvt.rna.tf32";
  write_bits(w, w.operand(0), rounded);
}

}  // namespace hallmark::validator::ptx
