// Integer arithmetic (ISA 9.7.1) and extended precision (9.7.2).
#include <fmt/format.h>

#include "validator/ptx/lower.h"

namespace hallmark::validator::ptx {

std::uint32_t Lowering::carry_flag() {
  if (!carry_) carry_ = ssa_->add(Type::i1, "CC.CF");
  return *carry_;
}

// The carry (or borrow) out of a +- b +- carry-in, by comparisons of wrapped results.
void Lowering::carry_add(Work& w, ValueId a, ValueId b, bool with_carry_in, bool subtract, bool carry_out) {
  const Type t = builder_.type_of(a);
  const Op op = subtract ? Op::sub : Op::add;
  ValueId result = emit(op, {a, b}, t);
  ValueId carry = subtract ? compare(ir::Predicate::less_unsigned, a, b)
                           : compare(ir::Predicate::less_unsigned, result, a);
  if (with_carry_in) {
    const ValueId in = extend(ssa_->read(carry_flag()), t, false);
    const ValueId sum = emit(op, {result, in}, t);
    const ValueId second = subtract ? compare(ir::Predicate::less_unsigned, result, in)
                                    : compare(ir::Predicate::less_unsigned, sum, result);
    carry = emit(Op::bit_or, {carry, second}, Type::i1);
    result = sum;
  }
  if (carry_out) {
    if (guard_) {
      const ValueId old = ssa_->read(carry_flag());
      carry = guard_negated_ ? emit(Op::select, {*guard_, old, carry}, Type::i1)
                             : emit(Op::select, {*guard_, carry, old}, Type::i1);
    }
    ssa_->write(carry_flag(), carry);
  }
  write(w, w.operand(0), result);
}

// .u16x2 and .s16x2: both halves of a word, each as a number of its own.
void Lowering::in_halves(Work& w, Op op) {
  const auto a = unpack(read_i32(w, 1), Type::i16), b = unpack(read_i32(w, 2), Type::i16);
  const ValueId low = emit(op, {a[0], b[0]}, Type::i16);
  write(w, w.operand(0), pack({low, emit(op, {a[1], b[1]}, Type::i16)}));
}

void Lowering::add_sub(Work& w) {
  const bool subtract = w.s.name.starts_with("sub");
  const bool carry_in = w.s.name.ends_with("c");
  expect_count(w, 3);
  const bool carry_out = w.suffixes.take("cc");
  if (!carry_in && !carry_out && !w.suffixes.take_any({"u16x2", "s16x2"}).empty())
    return in_halves(w, subtract ? Op::sub : Op::add);
  const TypeSuffix t = type(w);
  if (t.is_float() || t.is_packed()) {
    if (carry_in || carry_out) refuse(w, "a carry with floats");
    return float_arithmetic(w, subtract ? Op::float_sub : Op::float_add, t, 2);
  }
  if (t.kind == TypeSuffix::Kind::predicate || t.type == Type::i8) refuse(w, "its type is not understood");
  const ValueId a = read(w, 1, t), b = read(w, 2, t);
  if (carry_in || carry_out) return carry_add(w, a, b, carry_in, subtract, carry_out);
  write(w, w.operand(0), emit(subtract ? Op::sub : Op::add, {a, b}, t.type));
}

// lo, hi, or wide.
ir::ValueId Lowering::multiply(Work& w, const TypeSuffix& t, std::string_view part) {
  if (t.kind != TypeSuffix::Kind::is_signed && t.kind != TypeSuffix::Kind::is_unsigned)
    refuse(w, "its type is not understood");
  if (t.type == Type::i8) refuse(w, "its type is not understood");
  const ValueId a = read(w, 1, t), b = read(w, 2, t);
  if (part == "lo") return emit(Op::mul, {a, b}, t.type);
  if (part == "hi") return emit(t.is_signed() ? Op::mul_high_signed : Op::mul_high_unsigned, {a, b}, t.type);
  if (t.type == Type::i64) refuse(w, "a product of 128 bits");
  const Type wide = ir::integer_type(2 * ir::bits_of(t.type));
  return emit(Op::mul, {extend(a, wide, t.is_signed()), extend(b, wide, t.is_signed())}, wide);
}

void Lowering::mul(Work& w) {
  expect_count(w, 3);
  const std::string_view part = w.suffixes.take_any({"lo", "hi", "wide"});
  const TypeSuffix t = type(w);
  if (t.is_float() || t.is_packed()) {
    if (!part.empty()) refuse(w, "a part of a float product");
    return float_arithmetic(w, Op::float_mul, t, 2);
  }
  if (part.empty()) refuse(w, "which part of the product is not said");
  write(w, w.operand(0), multiply(w, t, part));
}

void Lowering::mad(Work& w) {
  expect_count(w, 4);
  const bool carry_in = w.s.name == "madc", carry_out = w.suffixes.take("cc");
  const std::string_view part = w.suffixes.take_any({"lo", "hi", "wide"});
  if (part.empty() && !carry_in && !carry_out) return fma(w);  // mad on floats is fma (ISA 9.7.3.7)
  const TypeSuffix t = type(w);
  if (t.is_float() || t.is_packed() || part.empty()) refuse(w, "its type is not understood");
  const ValueId product = multiply(w, t, part);
  const TypeSuffix sum{t.kind, builder_.type_of(product)};
  const ValueId c = read(w, 3, sum);
  if (carry_in || carry_out) return carry_add(w, product, c, carry_in, false, carry_out);
  write(w, w.operand(0), emit(Op::add, {product, c}, sum.type));
}

// The low 24 bits of both factors; .lo and .hi are bits 31..0 and 47..16 of the product (ISA 9.7.1.5).
void Lowering::mul24(Work& w) {
  const bool with_sum = w.s.name == "mad24";
  expect_count(w, with_sum ? 4 : 3);
  const std::string_view part = w.suffixes.take_any({"lo", "hi"});
  const TypeSuffix t = type(w);
  if (part.empty() || t.type != Type::i32 ||
      (t.kind != TypeSuffix::Kind::is_signed && t.kind != TypeSuffix::Kind::is_unsigned))
    refuse(w, "this form is not understood");
  const auto shift = [&](Op op, ValueId a, unsigned amount) {
    const ValueId r = emit(op, {a, constant(Type::i32, amount)}, builder_.type_of(a));
    builder_.modify().shift_overflow = ir::ShiftOverflow::clamp;
    return r;
  };
  const auto factor = [&](std::size_t n) {
    const ValueId low = shift(t.is_signed() ? Op::shift_right_arithmetic : Op::shift_right_logical,
                              shift(Op::shift_left, read(w, n, t), 8), 8);
    return extend(low, Type::i64, t.is_signed());
  };
  ValueId product = emit(Op::mul, {factor(1), factor(2)}, Type::i64);
  if (part == "hi") product = shift(Op::shift_right_logical, product, 16);
  ValueId result = low_bits(product, Type::i32);
  if (with_sum) result = emit(Op::add, {result, read(w, 3, t)}, Type::i32);
  write(w, w.operand(0), result);
}

void Lowering::sad(Work& w) {
  expect_count(w, 4);
  const TypeSuffix t = type(w);
  if (t.kind != TypeSuffix::Kind::is_signed && t.kind != TypeSuffix::Kind::is_unsigned)
    refuse(w, "its type is not understood");
  const ValueId a = read(w, 1, t), b = read(w, 2, t), c = read(w, 3, t);
  const ValueId high = emit(t.is_signed() ? Op::max_signed : Op::max_unsigned, {a, b}, t.type);
  const ValueId low = emit(t.is_signed() ? Op::min_signed : Op::min_unsigned, {a, b}, t.type);
  write(w, w.operand(0), emit(Op::add, {emit(Op::sub, {high, low}, t.type), c}, t.type));
}

void Lowering::div_rem(Work& w) {
  expect_count(w, 3);
  const bool remainder = w.s.name == "rem";
  const bool has_approx = !w.suffixes.rest().empty() &&
                          (w.suffixes.rest().front() == "approx" || w.suffixes.rest().front() == "full");
  Suffixes probe = w.suffixes;
  const auto t = probe.take_type();
  if (!t) refuse(w, "its type is not understood");
  if (t->is_float() && !remainder) return float_division(w, type(w));
  if (has_approx || (t->kind != TypeSuffix::Kind::is_signed && t->kind != TypeSuffix::Kind::is_unsigned) ||
      t->type == Type::i8)
    refuse(w, "its type is not understood");
  const TypeSuffix taken = type(w);
  const ValueId a = read(w, 1, taken), b = read(w, 2, taken);
  const Op op = remainder ? (taken.is_signed() ? Op::rem_signed : Op::rem_unsigned)
                          : (taken.is_signed() ? Op::div_signed : Op::div_unsigned);
  write(w, w.operand(0), emit(op, {a, b}, taken.type));
}

void Lowering::abs_neg(Work& w) {
  expect_count(w, 2);
  const bool negate = w.s.name == "neg";
  const TypeSuffix t = type(w);
  if (t.is_float() || t.is_packed()) return float_abs_neg(w, t, negate ? Op::float_neg : Op::float_abs);
  if (t.kind != TypeSuffix::Kind::is_signed || t.type == Type::i8) refuse(w, "its type is not understood");
  const ValueId a = read(w, 1, t);
  write(w, w.operand(0),
        negate ? emit(Op::sub, {constant(t.type, 0), a}, t.type) : emit(Op::abs_signed, {a}, t.type));
}

void Lowering::min_max(Work& w) {
  expect_count(w, 3);
  const bool maximum = w.s.name == "max";
  if (w.suffixes.take("u16x2")) return in_halves(w, maximum ? Op::max_unsigned : Op::min_unsigned);
  if (w.suffixes.take("s16x2")) return in_halves(w, maximum ? Op::max_signed : Op::min_signed);
  const TypeSuffix t = type(w);
  if (t.is_float() || t.is_packed()) return float_min_max(w, t, maximum ? Op::float_max : Op::float_min);
  if ((t.kind != TypeSuffix::Kind::is_signed && t.kind != TypeSuffix::Kind::is_unsigned) ||
      t.type == Type::i8)
    refuse(w, "its type is not understood");
  const ValueId a = read(w, 1, t), b = read(w, 2, t);
  const Op op = maximum ? (t.is_signed() ? Op::max_signed : Op::max_unsigned)
                        : (t.is_signed() ? Op::min_signed : Op::min_unsigned);
  write(w, w.operand(0), emit(op, {a, b}, t.type));
}

// dp4a and dp2a: the sum of products of the parts of a (four bytes, or two halves) with bytes of b, added to
// c; dp2a takes the lower (lo) or the upper (hi) two bytes of b (ISA 9.7.1.23 and 9.7.1.24).
void Lowering::dot_product(Work& w) {
  expect_count(w, 4);
  const bool halves = w.s.name == "dp2a";
  const std::string_view part = halves ? w.suffixes.take_any({"lo", "hi"}) : std::string_view("lo");
  if (part.empty()) refuse(w, "which half of the second operand is not said");
  const TypeSuffix ta = type(w), tb = type(w);
  const auto valid = [](const TypeSuffix& t) {
    return t.type == Type::i32 &&
           (t.kind == TypeSuffix::Kind::is_signed || t.kind == TypeSuffix::Kind::is_unsigned);
  };
  if (!valid(ta) || !valid(tb)) refuse(w, "its type is not understood");
  const auto extract = [&](ValueId v, bool is_signed, unsigned first, unsigned width) {
    return emit(is_signed ? Op::extract_bits_signed : Op::extract_bits_unsigned,
                {v, constant(Type::i32, first), constant(Type::i32, width)}, Type::i32);
  };
  const ValueId a = read(w, 1, ta), b = read(w, 2, tb);
  ValueId sum = read(w, 3, ta);
  const unsigned count = halves ? 2 : 4, width = halves ? 16 : 8, offset = part == "hi" ? 16 : 0;
  for (unsigned i = 0; i < count; ++i) {
    const ValueId product =
        emit(Op::mul,
             {extract(a, ta.is_signed(), i * width, width), extract(b, tb.is_signed(), offset + 8 * i, 8)},
             Type::i32);
    sum = emit(Op::add, {sum, product}, Type::i32);
  }
  write(w, w.operand(0), sum);
}

}  // namespace hallmark::validator::ptx
