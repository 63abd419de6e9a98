// Logic, shifts and bit fields (ISA 9.7.1 and 9.7.8).
#include <fmt/format.h>

#include "validator/ptx/lower.h"

namespace hallmark::validator::ptx {

namespace {
bool is_bits(const TypeSuffix& t) {
  return (t.kind == TypeSuffix::Kind::bits && t.type != ir::Type::i8) ||
         t.kind == TypeSuffix::Kind::predicate;
}
}  // namespace

void Lowering::logic(Work& w) {
  expect_count(w, 3);
  const TypeSuffix t = type(w);
  if (!is_bits(t)) refuse(w, "its type is not understood");
  const ValueId a = read(w, 1, t), b = read(w, 2, t);
  const Op op = w.s.name == "and" ? Op::bit_and : w.s.name == "or" ? Op::bit_or : Op::bit_xor;
  write(w, w.operand(0), emit(op, {a, b}, t.type));
}

void Lowering::bit_not(Work& w) {
  expect_count(w, 2);
  const TypeSuffix t = type(w);
  if (!is_bits(t)) refuse(w, "its type is not understood");
  const ValueId a = read(w, 1, t);
  if (w.s.name == "not") return write(w, w.operand(0), emit(Op::bit_not, {a}, t.type));
  if (t.kind == TypeSuffix::Kind::predicate) refuse(w, "its type is not understood");
  const ValueId zero = compare(ir::Predicate::equal, a, constant(t.type, 0));
  write(w, w.operand(0), extend(zero, t.type, false));
}

// lop3.b32 d, a, b, c, table: bit (4a + 2b + c) of the table.
void Lowering::lop3(Work& w) {
  expect_count(w, 5);
  const TypeSuffix t = type(w);
  if (t.kind != TypeSuffix::Kind::bits || t.type != Type::i32) refuse(w, "its type is not understood");
  if (w.operand(4).kind != Operand::Kind::integer) reject(w, "the table must be a constant");
  const std::array<ValueId, 3> in{read(w, 1, t), read(w, 2, t), read(w, 3, t)};
  std::optional<ValueId> sum;
  for (unsigned row = 0; row < 8; ++row) {
    if ((w.operand(4).value >> row & 1) == 0) continue;
    std::optional<ValueId> product;
    for (unsigned n = 0; n < 3; ++n) {
      const bool positive = (row >> (2 - n) & 1) != 0;
      const ValueId factor = positive ? in[n] : emit(Op::bit_not, {in[n]}, Type::i32);
      product = product ? emit(Op::bit_and, {*product, factor}, Type::i32) : factor;
    }
    sum = sum ? emit(Op::bit_or, {*sum, *product}, Type::i32) : *product;
  }
  write(w, w.operand(0), sum.value_or(constant(Type::i32, 0)));
}

void Lowering::shift(Work& w) {
  expect_count(w, 3);
  const TypeSuffix t = type(w);
  const bool left = w.s.name == "shl";
  if (t.is_float() || t.is_packed() || t.kind == TypeSuffix::Kind::predicate || t.type == Type::i8)
    refuse(w, "its type is not understood");
  if (left && t.kind != TypeSuffix::Kind::bits) refuse(w, "its type is not understood");
  const ValueId a = read(w, 1, t);
  const ValueId amount = read_i32(w, 2);
  const Op op = left ? Op::shift_left : t.is_signed() ? Op::shift_right_arithmetic : Op::shift_right_logical;
  const ValueId result = emit(op, {a, amount}, t.type);
  builder_.modify().shift_overflow = ir::ShiftOverflow::clamp;
  write(w, w.operand(0), result);
}

void Lowering::funnel(Work& w) {
  expect_count(w, 4);
  const std::string_view direction = w.suffixes.take_any({"l", "r"});
  const std::string_view mode = w.suffixes.take_any({"clamp", "wrap"});
  const TypeSuffix t = type(w);
  if (direction.empty() || mode.empty() || t.kind != TypeSuffix::Kind::bits || t.type != Type::i32)
    refuse(w, "this form is not understood");
  const ValueId low = read(w, 1, t), high = read(w, 2, t), amount = read(w, 3, t);
  const ValueId result =
      emit(direction == "l" ? Op::funnel_left : Op::funnel_right, {low, high, amount}, Type::i32);
  builder_.modify().shift_overflow = mode == "clamp" ? ir::ShiftOverflow::clamp : ir::ShiftOverflow::wrap;
  write(w, w.operand(0), result);
}

void Lowering::permute(Work& w) {
  expect_count(w, 4);
  const TypeSuffix t = type(w);
  if (t.kind != TypeSuffix::Kind::bits || t.type != Type::i32) refuse(w, "its type is not understood");
  const ValueId a = read(w, 1, t), b = read(w, 2, t), selector = read(w, 3, t);
  write(w, w.operand(0), emit(Op::byte_permute, {a, b, selector}, Type::i32));
}

void Lowering::bit_field(Work& w) {
  const TypeSuffix t = type(w);
  if (t.type != Type::i32 && t.type != Type::i64) refuse(w, "its type is not understood");
  if (w.s.name == "bfi") {
    expect_count(w, 5);
    if (t.kind != TypeSuffix::Kind::bits) refuse(w, "its type is not understood");
    const ValueId a = read(w, 1, t), b = read(w, 2, t), position = read_i32(w, 3), length = read_i32(w, 4);
    return write(w, w.operand(0), emit(Op::insert_bits, {a, b, position, length}, t.type));
  }
  expect_count(w, 4);
  if (t.kind != TypeSuffix::Kind::is_signed && t.kind != TypeSuffix::Kind::is_unsigned)
    refuse(w, "its type is not understood");
  const ValueId a = read(w, 1, t), position = read_i32(w, 2), length = read_i32(w, 3);
  write(w, w.operand(0),
        emit(t.is_signed() ? Op::extract_bits_signed : Op::extract_bits_unsigned, {a, position, length},
             t.type));
}

void Lowering::count_bits(Work& w) {
  expect_count(w, 2);
  const bool as_shift = w.s.name == "bfind" && w.suffixes.take("shiftamt");
  const TypeSuffix t = type(w);
  if ((t.type != Type::i32 && t.type != Type::i64)) refuse(w, "its type is not understood");
  if (t.is_packed()) refuse(w, "its type is not understood");
  const ValueId a = read(w, 1, t);
  if (w.s.name == "brev") return write(w, w.operand(0), emit(Op::bit_reverse, {a}, t.type));
  const Op op = w.s.name == "popc"  ? Op::population_count
                : w.s.name == "clz" ? Op::count_leading_zeros
                : t.is_signed()     ? Op::find_leading_signed
                                    : Op::find_leading_unsigned;
  const ValueId found = emit(op, {a}, Type::i32);
  if (!as_shift) return write(w, w.operand(0), found);
  // By how much to shift left until the bit found is the highest; -1 still says that there is none.
  const ValueId none = constant(Type::i32, 0xffffffffu);
  const ValueId amount = emit(Op::sub, {constant(Type::i32, ir::bits_of(t.type) - 1), found}, Type::i32);
  const ValueId is_none = compare(ir::Predicate::equal, found, none);
  write(w, w.operand(0), emit(Op::select, {is_none, none, amount}, Type::i32));
}

}  // namespace hallmark::validator::ptx
