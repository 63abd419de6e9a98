// mov, cvta, comparisons and selections (ISA 9.7.6, 9.7.9).
#include <fmt/format.h>

#include "validator/ptx/lower.h"

namespace hallmark::validator::ptx {

void Lowering::mov(Work& w) {
  expect_count(w, 2);
  const TypeSuffix t = type(w);
  if (t.is_packed() || t.type == Type::i8) refuse(w, "its type is not understood");
  const Operand& to = w.operand(0);
  const Operand& from = w.operand(1);
  if (to.kind == Operand::Kind::vector || from.kind == Operand::Kind::vector) {
    const Operand& parts = to.kind == Operand::Kind::vector ? to : from;
    const std::size_t count = parts.elements.size();
    if ((count != 2 && count != 4) || t.type == Type::i1) refuse(w, "this form is not understood");
    const unsigned width = ir::bits_of(t.type) / static_cast<unsigned>(count);
    if (width != 8 && width != 16 && width != 32) refuse(w, "this form is not understood");
    const Type whole = ir::integer_type(ir::bits_of(t.type)), part = ir::integer_type(width);
    if (to.kind == Operand::Kind::vector) {
      const ValueId a = cast_bits(read(w, from, t.type, t), whole);
      for (std::size_t n = 0; n < count; ++n) {
        ValueId shifted = a;
        if (n > 0) {
          shifted = emit(Op::shift_right_logical, {a, constant(Type::i32, n * width)}, whole);
          builder_.modify().shift_overflow = ir::ShiftOverflow::clamp;
        }
        if (parts.elements[n].kind != Operand::Kind::sink)
          write(w, parts.elements[n], low_bits(shifted, part));
      }
      return;
    }
    std::optional<ValueId> sum;
    for (std::size_t n = 0; n < count; ++n) {
      ValueId piece =
          extend(read(w, parts.elements[n], part, TypeSuffix{TypeSuffix::Kind::bits, part}), whole, false);
      if (n > 0) {
        piece = emit(Op::shift_left, {piece, constant(Type::i32, n * width)}, whole);
        builder_.modify().shift_overflow = ir::ShiftOverflow::clamp;
      }
      sum = sum ? emit(Op::bit_or, {*sum, piece}, whole) : piece;
    }
    return write(w, to, *sum);
  }
  if (from.kind == Operand::Kind::symbol && from.name != "WARP_SZ") {
    if (t.type != Type::i32 && t.type != Type::i64) reject(w, "an address has 32 or 64 bits");
    const std::uint32_t number = array(w, from.name);
    const ir::Space space = builder_.kernel().arrays[number].space;
    if (t.type == Type::i32 && space != ir::Space::shared && space != ir::Space::local)
      refuse(w, "a 32-bit address of global memory");
    ValueId address = emit(Op::symbol_address, {}, t.type);
    builder_.modify().index = number;
    if (from.value != 0) address = emit(Op::add, {address, constant(t.type, from.value)}, t.type);
    return write(w, to, address);
  }
  if (from.kind == Operand::Kind::param) refuse(w, "the address of a parameter is not understood");
  // A copy keeps the type that the register's value has.
  if (from.kind == Operand::Kind::reg && !from.negated) {
    const ValueId a = read_register(from.number);
    if (ir::bits_of(builder_.type_of(a)) != ir::bits_of(t.type)) reject(w, "a register of a wrong width");
    return write(w, to, a);
  }
  write(w, to, read(w, from, t.type, t));
}

void Lowering::cvta(Work& w) {
  expect_count(w, 2);
  const bool to_space = w.suffixes.take("to");
  const std::string_view word = w.suffixes.take_any({"global", "shared", "local", "const"});
  w.suffixes.take("cta");
  const TypeSuffix t = type(w);
  if (word.empty() || t.type != Type::i64) refuse(w, "this form is not understood");
  const ir::Space space = word == "global"   ? ir::Space::global
                          : word == "shared" ? ir::Space::shared
                          : word == "local"  ? ir::Space::local
                                             : ir::Space::constant;
  ValueId a;
  if (w.operand(1).kind == Operand::Kind::symbol) {
    const std::uint32_t number = array(w, w.operand(1).name);
    if (to_space || builder_.kernel().arrays[number].space != space) reject(w, "a variable of another space");
    a = emit(Op::symbol_address, {}, Type::i64);
    builder_.modify().index = number;
    if (w.operand(1).value != 0) a = emit(Op::add, {a, constant(Type::i64, w.operand(1).value)}, Type::i64);
  } else {
    a = read(w, 1, TypeSuffix{TypeSuffix::Kind::is_unsigned, Type::i64});
  }
  const ValueId result = emit(Op::address_cast, {a}, Type::i64);
  builder_.modify().from_space = to_space ? ir::Space::generic : space;
  builder_.modify().space = to_space ? space : ir::Space::generic;
  write(w, w.operand(0), result);
}

void Lowering::selp(Work& w) {
  expect_count(w, 4);
  const TypeSuffix t = type(w);
  if (t.is_packed() || t.type == Type::i8 || t.type == Type::i1) refuse(w, "its type is not understood");
  // selp.b32 between float registers stays a float (see register_types.h).
  Type want = t.type;
  if (!t.is_float() && w.operand(0).kind == Operand::Kind::reg &&
      ir::bits_of(register_types_[w.operand(0).number]) == ir::bits_of(want))
    want = register_types_[w.operand(0).number];
  const ValueId a = read(w, w.operand(1), want, t), b = read(w, w.operand(2), want, t);
  const ValueId c = read_predicate(w, w.operand(3));
  write(w, w.operand(0), emit(Op::select, {c, a, b}, want));
}

// slct d, a, b, c: c >= 0 ? a : b.
void Lowering::slct(Work& w) {
  expect_count(w, 4);
  const bool ftz = w.suffixes.take("ftz");
  const TypeSuffix t = type(w), tc = type(w);
  if (t.is_packed() || (tc.type != Type::f32 && tc.kind != TypeSuffix::Kind::is_signed) ||
      (tc.type != Type::f32 && tc.type != Type::i32) || ir::bits_of(t.type) < 16)
    refuse(w, "its type is not understood");
  const ValueId a = read(w, 1, t), b = read(w, 2, t), c = read(w, 3, tc);
  const ValueId condition =
      compare(tc.is_float() ? ir::Predicate::ordered_greater_equal : ir::Predicate::greater_equal_signed, c,
              constant(tc.type, 0));
  if (tc.is_float()) builder_.modify().flush_subnormals = ftz;
  write(w, w.operand(0), emit(Op::select, {condition, a, b}, t.type));
}

std::string_view Lowering::take_comparison(Work& w) {
  return w.suffixes.take_any({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu",
                              "leu", "gtu", "geu", "num", "nan"});
}

ir::ValueId Lowering::comparison(Work& w, std::string_view op, const TypeSuffix& t, ValueId a, ValueId b,
                                 bool ftz) {
  using P = ir::Predicate;
  static const std::map<std::string_view, P> floats{
      {"eq", P::ordered_equal},      {"ne", P::ordered_not_equal},
      {"lt", P::ordered_less},       {"le", P::ordered_less_equal},
      {"gt", P::ordered_greater},    {"ge", P::ordered_greater_equal},
      {"equ", P::unordered_equal},   {"neu", P::unordered_not_equal},
      {"ltu", P::unordered_less},    {"leu", P::unordered_less_equal},
      {"gtu", P::unordered_greater}, {"geu", P::unordered_greater_equal},
      {"num", P::ordered},           {"nan", P::unordered}};
  static const std::map<std::string_view, P> signed_integers{
      {"eq", P::equal},          {"ne", P::not_equal},
      {"lt", P::less_signed},    {"le", P::less_equal_signed},
      {"gt", P::greater_signed}, {"ge", P::greater_equal_signed}};
  static const std::map<std::string_view, P> unsigned_integers{{"eq", P::equal},
                                                               {"ne", P::not_equal},
                                                               {"lt", P::less_unsigned},
                                                               {"lo", P::less_unsigned},
                                                               {"le", P::less_equal_unsigned},
                                                               {"ls", P::less_equal_unsigned},
                                                               {"gt", P::greater_unsigned},
                                                               {"hi", P::greater_unsigned},
                                                               {"ge", P::greater_equal_unsigned},
                                                               {"hs", P::greater_equal_unsigned}};
  const auto& table = t.is_float() ? floats : t.is_signed() ? signed_integers : unsigned_integers;
  const auto found = table.find(op);
  if (found == table.end() || (t.kind == TypeSuffix::Kind::bits && op != "eq" && op != "ne"))
    reject(w, fmt::format(".{} does not compare this type", op));
  if (ftz && !t.is_float()) reject(w, "ftz is for floats");
  const ValueId result = compare(found->second, a, b);
  builder_.modify().flush_subnormals = ftz;
  return result;
}

ir::ValueId Lowering::boolean_operation(std::string_view op, ValueId a, ValueId b) {
  return emit(op == "and" ? Op::bit_and : op == "or" ? Op::bit_or : Op::bit_xor, {a, b}, Type::i1);
}

void Lowering::setp(Work& w) {
  const std::string_view op = take_comparison(w);
  const std::string_view combine = w.suffixes.take_any({"and", "or", "xor"});
  const bool ftz = w.suffixes.take("ftz");
  const TypeSuffix t = type(w);
  if (op.empty() || t.is_packed() || t.type == Type::i8 || t.type == Type::i1)
    refuse(w, "this form is not understood");
  expect_count(w, combine.empty() ? 3 : 4);
  const ValueId a = read(w, 1, t), b = read(w, 2, t);
  ValueId p = comparison(w, op, t, a, b, ftz);
  const bool two = !w.operand(0).second.empty();
  ValueId q = two ? emit(Op::bit_not, {p}, Type::i1) : p;
  if (!combine.empty()) {
    const ValueId c = read_predicate(w, w.operand(3));
    p = boolean_operation(combine, p, c);
    if (two) q = boolean_operation(combine, q, c);
  }
  write(w, w.operand(0), p);
  if (two) write(w, w.operand(0).second[0], q);
}

void Lowering::set(Work& w) {
  const std::string_view op = take_comparison(w);
  const std::string_view combine = w.suffixes.take_any({"and", "or", "xor"});
  const bool ftz = w.suffixes.take("ftz");
  const TypeSuffix to = type(w), t = type(w);
  if (op.empty() || t.is_packed() || t.type == Type::i8 || t.type == Type::i1 ||
      (to.type != Type::i32 && to.type != Type::f32) || to.is_packed())
    refuse(w, "this form is not understood");
  expect_count(w, combine.empty() ? 3 : 4);
  const ValueId a = read(w, 1, t), b = read(w, 2, t);
  ValueId p = comparison(w, op, t, a, b, ftz);
  if (!combine.empty()) p = boolean_operation(combine, p, read_predicate(w, w.operand(3)));
  const ValueId yes = constant(to.type, to.is_float() ? 0x3f800000 : 0xffffffff);
  write(w, w.operand(0), emit(Op::select, {p, yes, constant(to.type, 0)}, to.type));
}

}  // namespace hallmark::validator::ptx
