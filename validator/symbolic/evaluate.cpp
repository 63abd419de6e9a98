// The meaning of each instruction of the kernel IR on symbolic values. Float operations are uninterpreted:
// operation name, rounding, ftz and operands are what is compared (soundness B6, B7).
#include <fmt/format.h>

#include "base/error.h"
#include "validator/ir/unknown.h"
#include "validator/symbolic/clamped.h"
#include "validator/symbolic/executor.h"

namespace hallmark::validator {

using calculus::Format;
using calculus::Op;
using calculus::Sort;
using calculus::Term;
using ir::Instruction;
using ir::Opcode;
using ir::Predicate;

namespace {

Sort float_sort(ir::Type type) {
  switch (type) {
    case ir::Type::f16:
      return Sort::floating(Format::f16);
    case ir::Type::bf16:
      return Sort::floating(Format::bf16);
    case ir::Type::f64:
      return Sort::floating(Format::f64);
    default:
      return Sort::floating(Format::f32);
  }
}

calculus::Rounding rounding_of(ir::Rounding rounding) {
  switch (rounding) {
    case ir::Rounding::toward_zero:
      return calculus::Rounding::toward_zero;
    case ir::Rounding::down:
      return calculus::Rounding::down;
    case ir::Rounding::up:
      return calculus::Rounding::up;
    default:
      return calculus::Rounding::nearest;
  }
}

Op operation_of(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::float_add:
      return Op::add;
    case Opcode::float_sub:
      return Op::sub;
    case Opcode::float_mul:
      return Op::mul;
    case Opcode::float_fma:
      return Op::fma;
    case Opcode::float_div:
      return Op::div;
    case Opcode::float_sqrt:
      return Op::sqrt;
    case Opcode::float_reciprocal:
      return Op::reciprocal;
    case Opcode::float_min:
      return i.propagate_nan ? Op::minimum : Op::minnum;
    case Opcode::float_max:
      return i.propagate_nan ? Op::maximum : Op::maxnum;
    case Opcode::float_neg:
      return Op::neg;
    case Opcode::float_abs:
      return Op::abs;
    default:
      return Op::none;
  }
}

std::uint64_t one_bits(Format format) {
  switch (format) {
    case Format::f64:
      return 0x3ff0000000000000u;
    case Format::f16:
      return 0x3c00u;
    case Format::bf16:
      return 0x3f80u;
    default:
      return 0x3f800000u;
  }
}

}  // namespace

Value Executor::evaluate_float(const Instruction& i) {
  const ir::Type type = kernel_.type_of(i.results.at(0));
  const Sort sort = float_sort(type);
  std::vector<Term> operands;
  for (ir::ValueId operand : i.operands)
    operands.push_back(element_of(use(operand), float_sort(kernel_.type_of(operand))));
  const unsigned width = ir::bits_of(type);
  const Op op = operation_of(i);
  Term out = nullptr;
  if (i.contractible) trace_.bare_floats = true;
  if (fusible_.count(&i) != 0) {
    // ptxas may fuse it with a product (soundness G8): which bits come out is not known.
    out = calculus::custom_operation(fmt::format("contractible.{}", ir::name(i.opcode)), operands, sort);
    if (trial_depth_ == 0)
      trace_.unsupported.push_back(
          fmt::format("line {}: {}: contraction allowed: the assembler may fuse it "
                      "with a multiplication",
                      i.place.line, ir::print(kernel_, i)));
  } else if (op != Op::none && !i.approximate && i.rounding != ir::Rounding::nearest_away) {
    if (op == Op::reciprocal) {
      // 1/x and its correctly rounded reciprocal are one value.
      operands.insert(operands.begin(), calculus::float_constant(sort.format, one_bits(sort.format)));
      out = calculus::operation(Op::div, operands, sort, rounding_of(i.rounding), i.flush_subnormals);
    } else {
      out = calculus::operation(op, operands, sort, rounding_of(i.rounding), i.flush_subnormals);
    }
  } else {
    std::string name = i.opcode == Opcode::library_call ? i.text : std::string(ir::name(i.opcode));
    if (i.approximate) name += i.text.empty() ? ".approx" : "." + i.text;
    if (i.flush_subnormals) name += ".ftz";
    out = calculus::custom_operation(name, operands, sort);
  }
  if (i.saturate) out = calculus::custom_operation("saturate", {out}, sort);
  return {Value::Kind::element, width, out};
}

// What only the source level promises or leaves undefined.
void Executor::note_risks(const Instruction& i, const std::vector<Term>& operands, const Scope& scope) {
  if (trial_depth_ > 0) return;
  const unsigned width = ir::bits_of(kernel_.type_of(i.results.at(0)));
  Arithmetic arithmetic(prover_, true);
  if (i.no_signed_wrap && operands.size() == 2 &&
      (i.opcode == Opcode::add || i.opcode == Opcode::sub || i.opcode == Opcode::mul)) {
    const Term a = arithmetic.observe_signed(operands[0], width, scope),
               b = arithmetic.observe_signed(operands[1], width, scope);
    const Term exact = i.opcode == Opcode::add   ? calculus::add(a, b)
                       : i.opcode == Opcode::sub ? calculus::subtract(a, b)
                                                 : calculus::multiply(a, b);
    trace_.signed_operations.push_back({&i, width, exact, scope});
  }
  if (i.opcode == Opcode::div_signed || i.opcode == Opcode::rem_signed) {
    // Of all quotients only that of the least number and -1 leaves the format; its remainder is no better.
    const Integer half = power_of_two(width - 1);
    const Term least = calculus::equal(arithmetic.observe_signed(operands[0], width, scope),
                                       calculus::integer(Integer(-half))),
               minus_one = calculus::equal(arithmetic.observe_signed(operands[1], width, scope),
                                           calculus::integer(-1));
    trace_.signed_operations.push_back({&i, width,
                                        calculus::index_select(calculus::both(least, minus_one),
                                                               calculus::integer(half), calculus::integer(0)),
                                        scope});
  }
  if (i.opcode == Opcode::div_signed || i.opcode == Opcode::div_unsigned || i.opcode == Opcode::rem_signed ||
      i.opcode == Opcode::rem_unsigned)
    trace_.risks.push_back(
        {&i, scope,
         calculus::negation(
             calculus::equal(arithmetic.observe_unsigned(operands[1], width, scope), calculus::integer(0))),
         "a division by zero"});
  const bool shift = i.opcode == Opcode::shift_left || i.opcode == Opcode::shift_right_logical ||
                     i.opcode == Opcode::shift_right_arithmetic;
  if (shift && i.shift_overflow == ir::ShiftOverflow::undefined)
    trace_.risks.push_back(
        {&i, scope,
         calculus::less(arithmetic.observe_unsigned(operands[1], width, scope), calculus::integer(width)),
         "a shift by the width or more"});
}

namespace {

// Bytes of a (0 to 3) and of b (4 to 7) in the order of the selector's digits: runs of bytes that stay
// together are one field. Nothing where a digit asks for copies of a sign.
Term permuted(Term a, Term b, const Integer& selector, Arithmetic& arithmetic, const Scope& scope) {
  unsigned from[4];
  for (unsigned k = 0; k < 4; ++k) {
    from[k] = static_cast<unsigned>(floor_mod(floor_div(selector, power_of_two(4 * k)), 16).get_ui());
    if (from[k] > 7) return nullptr;
  }
  std::vector<Term> fields;
  for (unsigned k = 0; k < 4;) {
    unsigned n = 1;
    while (k + n < 4 && from[k + n] == from[k] + n && from[k + n] % 4 != 0) ++n;
    const Term whole = from[k] < 4 ? a : b;
    const Term moved = arithmetic.divide(whole, power_of_two(8 * (from[k] % 4)), scope);
    fields.push_back(
        calculus::scale(power_of_two(8 * k), arithmetic.modulo(moved, power_of_two(8 * n), scope)));
    k += n;
  }
  return calculus::add(fields);
}

}  // namespace

Value Executor::evaluate_integer(const Instruction& i, const Scope& scope) {
  const ir::Type type = kernel_.type_of(i.results.at(0));
  if (type == ir::Type::i1) {
    const Term a = boolean_of(use(i.operands.at(0)));
    const Term b = i.operands.size() > 1 ? boolean_of(use(i.operands[1])) : nullptr;
    switch (i.opcode) {
      case Opcode::bit_and:
      case Opcode::mul:
        return {Value::Kind::boolean, 1, calculus::both(a, b)};
      case Opcode::bit_or:
        return {Value::Kind::boolean, 1, calculus::either(a, b)};
      case Opcode::bit_xor:
      case Opcode::add:
      case Opcode::sub:
        if (b == calculus::truth(true)) return {Value::Kind::boolean, 1, calculus::negation(a)};
        if (a == calculus::truth(true)) return {Value::Kind::boolean, 1, calculus::negation(b)};
        return {Value::Kind::boolean, 1,
                calculus::either(calculus::both(a, calculus::negation(b)),
                                 calculus::both(calculus::negation(a), b))};
      case Opcode::bit_not:
        return {Value::Kind::boolean, 1, calculus::negation(a)};
      default:
        return unsupported(i, type, "an operation on booleans that is not modelled");
    }
  }
  if (i.operands.empty()) return unsupported(i, type, "its result depends on other lanes");
  const unsigned width = ir::bits_of(type);
  Arithmetic arithmetic(prover_, trial_depth_ == 0);
  std::vector<Term> operands;
  for (ir::ValueId operand : i.operands) {
    const Value value = use(operand);
    operands.push_back(integer_of(value));
  }
  note_risks(i, operands, scope);
  const Term b = operands.size() > 1 ? operands[1] : nullptr;
  Term out = operands.size() <= 2 ? arithmetic.operate(i.opcode, operands[0], b, width, scope) : nullptr;
  const auto literal = [&](std::size_t n) -> const Integer* { return calculus::as_integer(operands[n]); };
  const bool extracts = i.opcode == Opcode::extract_bits_unsigned || i.opcode == Opcode::extract_bits_signed;
  if (out == nullptr && (extracts || i.opcode == Opcode::insert_bits)) {
    const std::size_t at = i.opcode == Opcode::insert_bits ? 2 : 1;
    const Integer *position = literal(at), *length = literal(at + 1);
    if (position != nullptr && length != nullptr && *position >= 0 && *length >= 0 &&
        *position + *length <= width) {
      const unsigned p = static_cast<unsigned>(position->get_ui()),
                     l = static_cast<unsigned>(length->get_ui());
      if (at == 1) {
        out =
            arithmetic.modulo(arithmetic.divide(operands[0], power_of_two(p), scope), power_of_two(l), scope);
        if (i.opcode == Opcode::extract_bits_signed && l > 0) out = arithmetic.observe_signed(out, l, scope);
      } else {
        const Term field =
            calculus::scale(power_of_two(p), arithmetic.modulo(operands[0], power_of_two(l), scope));
        const Term low = arithmetic.modulo(operands[1], power_of_two(p), scope);
        const Term high =
            p + l == width
                ? calculus::integer(0)
                : calculus::subtract(operands[1], arithmetic.modulo(operands[1], power_of_two(p + l), scope));
        out = calculus::add({high, field, low});
      }
    }
  }
  if (out == nullptr && i.opcode == Opcode::byte_permute && literal(2) != nullptr)
    out = permuted(operands[0], operands[1], *literal(2), arithmetic, scope);
  if (out == nullptr) {
    std::vector<Term> seen;
    unsigned widest = 0;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const unsigned bits = ir::bits_of(kernel_.type_of(i.operands[k]));
      seen.push_back(arithmetic.observe_unsigned(operands[k], bits, scope));
      widest = std::max(widest, bits);
    }
    // One order for the operands of bitwise operations.
    if ((i.opcode == Opcode::bit_and || i.opcode == Opcode::bit_or || i.opcode == Opcode::bit_xor) &&
        calculus::compare_terms(seen[1], seen[0]) < 0)
      std::swap(seen[0], seen[1]);
    // A number that reads the same with a sign and without has none.
    const bool plain = i.opcode == Opcode::shift_right_arithmetic &&
                       arithmetic.observe_signed(operands[0], width, scope) == seen[0];
    std::string name(ir::name(plain ? Opcode::shift_right_logical : i.opcode));
    const bool funnel = i.opcode == Opcode::funnel_left || i.opcode == Opcode::funnel_right;
    if (funnel && i.shift_overflow == ir::ShiftOverflow::clamp) name += ".clamp";
    out = Arithmetic::opaque(name, seen, width, widest);
  }
  return {Value::Kind::integer, width, out};
}

std::optional<Value> Executor::compared_with_null(Predicate predicate, const Value& a, const Value& b) {
  if (predicate != Predicate::equal && predicate != Predicate::not_equal) return std::nullopt;
  const auto is_null = [](const Value& v) {
    const Integer* number = v.term == nullptr ? nullptr : calculus::as_integer(v.term);
    return v.kind == Value::Kind::integer && number != nullptr && *number == 0;
  };
  const auto is_buffer = [&](const Value& v) {
    return v.kind == Value::Kind::integer && v.width == 64 && v.term != nullptr &&
           std::any_of(spec_.parameters.begin(), spec_.parameters.end(), [&](const plan::Parameter& p) {
             return p.buffer && v.term == calculus::symbol("&" + p.buffer->declaration.name);
           });
  };
  if (!(is_buffer(a) && is_null(b)) && !(is_null(a) && is_buffer(b))) return std::nullopt;
  trace_.compares_with_null = true;
  return Value{Value::Kind::boolean, 1, calculus::truth(predicate == Predicate::not_equal)};
}

Value Executor::evaluate_conversion(const Instruction& i, const Scope& scope) {
  const ir::Type to = kernel_.type_of(i.results.at(0)), from = kernel_.type_of(i.operands.at(0));
  const unsigned width = ir::bits_of(to);
  const Value value = use(i.operands[0]);
  Arithmetic arithmetic(prover_, trial_depth_ == 0);
  switch (i.opcode) {
    case Opcode::zero_extend:
      // Where an array of a small space begins fits in its 32 bits.
      if (value.kind == Value::Kind::integer && ir::bits_of(from) == 32 &&
          value.term->kind == calculus::Kind::symbol && value.term->name[0] == '&')
        return {Value::Kind::integer, width, value.term};
      return {Value::Kind::integer, width,
              value.kind == Value::Kind::boolean
                  ? integer_of(value)
                  : arithmetic.observe_unsigned(integer_of(value), ir::bits_of(from), scope)};
    case Opcode::sign_extend:
      if (value.kind == Value::Kind::boolean)
        return {Value::Kind::integer, width, calculus::scale(-1, integer_of(value))};
      return {Value::Kind::integer, width,
              arithmetic.observe_signed(integer_of(value), ir::bits_of(from), scope)};
    case Opcode::truncate:
      if (to == ir::Type::i1)
        return {Value::Kind::boolean, 1,
                calculus::equal(arithmetic.modulo(integer_of(value), 2, scope), calculus::integer(1))};
      return {Value::Kind::integer, width, Arithmetic::reduce(integer_of(value), width)};
    case Opcode::bitcast:
    case Opcode::freeze:
      if (ir::is_float(to)) return {Value::Kind::element, width, element_of(value, float_sort(to))};
      return {value.kind, width, value.term};
    case Opcode::address_cast: {
      if (value.term == nullptr || value.kind != Value::Kind::integer) return {value.kind, width, value.term};
      const Term out = calculus::add(
          value.term, calculus::subtract(address_window(i.from_space), address_window(i.space)));
      return {value.kind, width, out};
    }
    case Opcode::float_convert: {
      const Term element = element_of(value, float_sort(from));
      const Sort sort = float_sort(to);
      const bool narrowing = ir::bits_of(from) > width || (ir::bits_of(from) == width && from != to);
      if (i.saturate || i.flush_subnormals ||
          (narrowing && i.rounding != ir::Rounding::nearest_even && i.rounding != ir::Rounding::none))
        return {Value::Kind::element, width,
                calculus::custom_operation(
                    fmt::format("convert.{}{}{}", ir::name(i.rounding), i.flush_subnormals ? ".ftz" : "",
                                i.saturate ? ".sat" : ""),
                    {element}, sort)};
      return {Value::Kind::element, width, from == to ? element : calculus::cast(element, sort, sort.format)};
    }
    case Opcode::round_to_integral: {
      const Term element = element_of(value, float_sort(from));
      const auto saturated = [&](Term out) {
        return Value{Value::Kind::element, width,
                     i.saturate ? calculus::custom_operation("saturate", {out}, float_sort(to)) : out};
      };
      if (i.rounding == ir::Rounding::nearest_away)
        return saturated(calculus::custom_operation(
            fmt::format("round_away{}", i.flush_subnormals ? ".ftz" : ""), {element}, float_sort(to)));
      const Op op = i.rounding == ir::Rounding::down          ? Op::floor
                    : i.rounding == ir::Rounding::up          ? Op::ceil
                    : i.rounding == ir::Rounding::toward_zero ? Op::trunc
                                                              : Op::round_even;
      return saturated(calculus::operation(op, {element}, float_sort(to), calculus::Rounding::nearest,
                                           i.flush_subnormals));
    }
    case Opcode::float_to_signed:
    case Opcode::float_to_unsigned: {
      const bool is_signed = i.opcode == Opcode::float_to_signed;
      const Format format = width == 64   ? (is_signed ? Format::i64 : Format::u64)
                            : width == 16 ? (is_signed ? Format::i16 : Format::u16)
                            : width == 8  ? (is_signed ? Format::i8 : Format::u8)
                                          : (is_signed ? Format::i32 : Format::u32);
      if (i.rounding == ir::Rounding::toward_zero || i.rounding == ir::Rounding::none)
        if (const Term plain = truncated_in_range(element_of(value, float_sort(from)), format))
          return {Value::Kind::integer, width, plain};
      // What the format does not hold is undefined in the source, unless a function says that it is clamped.
      if (!i.clamped_conversion && trial_depth_ == 0 && kernel_.is_source) {
        const Term element = element_of(value, float_sort(from));
        // An integer of two bits less is rounded to one that fits.
        const Integer fits = power_of_two(width - 2);
        const bool whole =
            element->kind == calculus::Kind::from_index &&
            arithmetic.rely(
                scope,
                calculus::both(calculus::at_most(calculus::integer(is_signed ? Integer(-fits) : Integer(0)),
                                                 element->children[0]),
                               calculus::at_most(element->children[0], calculus::integer(fits))));
        if (!whole)
          trace_.risks.push_back(
              {&i, scope, calculus::truth(false), "a conversion of a float that the integer may not hold"});
      }
      return {Value::Kind::integer, width,
              calculus::to_index(calculus::custom_operation(
                  fmt::format("to_integer.{}{}", ir::name(i.rounding), i.flush_subnormals ? ".ftz" : ""),
                  {element_of(value, float_sort(from))}, Sort::integer(format)))};
    }
    case Opcode::signed_to_float:
    case Opcode::unsigned_to_float: {
      const unsigned bits = ir::bits_of(from);
      const Term number = i.opcode == Opcode::signed_to_float
                              ? arithmetic.observe_signed(integer_of(value), bits, scope)
                              : arithmetic.observe_unsigned(integer_of(value), bits, scope);
      if (i.rounding != ir::Rounding::nearest_even && i.rounding != ir::Rounding::none)
        return unsupported(i, to, "a rounding of integers other than to nearest");
      const Term out = calculus::from_index(number, float_sort(to));
      return {Value::Kind::element, width,
              i.saturate ? calculus::custom_operation("saturate", {out}, float_sort(to)) : out};
    }
    default:
      return unsupported(i, to, "a conversion that is not modelled");
  }
}

Value Executor::evaluate_special(const Instruction& i, const Scope& scope) {
  const ir::Type type = kernel_.type_of(i.results.at(0));
  const unsigned width = ir::bits_of(type);
  const auto integer = [&](Term t) { return Value{Value::Kind::integer, width, t}; };
  const int register_number = static_cast<int>(i.special);
  if (register_number <= static_cast<int>(ir::SpecialRegister::grid_size_z)) {
    const int dimension = register_number % 3;
    switch (register_number / 3) {
      case 0:
        return integer(block_extent(spec_, dimension) == calculus::integer(1) ? calculus::integer(0)
                                                                              : thread_symbol(dimension));
      case 1:
        return integer(block_extent(spec_, dimension));
      case 2:
        return integer(grid_extent(spec_, dimension) == calculus::integer(1) ? calculus::integer(0)
                                                                             : block_symbol(dimension));
      default:
        return integer(grid_extent(spec_, dimension));
    }
  }
  if (i.special == ir::SpecialRegister::lane) {
    Term linear = calculus::integer(0);
    for (int d = 2; d >= 0; --d)
      linear = calculus::add(
          calculus::multiply(linear, block_extent(spec_, d)),
          block_extent(spec_, d) == calculus::integer(1) ? calculus::integer(0) : thread_symbol(d));
    Arithmetic arithmetic(prover_, trial_depth_ == 0);
    return integer(arithmetic.modulo(linear, 32, scope));
  }
  return unsupported(i, type, "a special register that is not modelled");
}

Value Executor::evaluate(const Instruction& i, const Scope& scope) {
  const ir::Type type = kernel_.type_of(i.results.at(0));
  const unsigned width = ir::bits_of(type);
  switch (i.opcode) {
    case Opcode::library_call:
      if (ir::is_unknown(i)) return unsupported(i, type, "this instruction is not modelled");
      return ir::is_float(type) ? evaluate_float(i)
                                : unsupported(i, type, "an instruction that is not modelled");
    case Opcode::parameter: {
      const plan::Parameter& parameter = spec_.parameters.at(i.index);
      if (parameter.buffer) {
        if (i.offset != 0 || width != 64) return unsupported(i, type, "a part of a pointer");
        return {Value::Kind::integer, 64, calculus::symbol("&" + parameter.buffer->declaration.name)};
      }
      if (i.offset != 0 || width != calculus::storage_bits(parameter.scalar->format))
        return unsupported(i, type, "a part of a parameter");
      if (calculus::is_float(parameter.scalar->format))
        // A float scalar is what a buffer of rank 0 would hold.
        return {Value::Kind::element, width,
                calculus::load(parameter.scalar->name, {}, Sort::floating(parameter.scalar->format))};
      return {Value::Kind::integer, width,
              calculus::substitute(calculus::symbol(parameter.scalar->name), definitions_)};
    }
    case Opcode::special_register:
      return evaluate_special(i, scope);
    case Opcode::symbol_address:
      return {Value::Kind::integer, width,
              calculus::symbol("&" + trace_.memories.at(array_memory_.at(i.index)).name)};
    case Opcode::arbitrary:
      return {Value::Kind::arbitrary, width, nullptr};
    case Opcode::zero_extend:
    case Opcode::sign_extend:
    case Opcode::truncate:
    case Opcode::bitcast:
    case Opcode::freeze:
    case Opcode::address_cast:
    case Opcode::float_convert:
    case Opcode::round_to_integral:
    case Opcode::float_to_signed:
    case Opcode::float_to_unsigned:
    case Opcode::signed_to_float:
    case Opcode::unsigned_to_float:
      return evaluate_conversion(i, scope);
    case Opcode::compare_integer: {
      const Value a = use(i.operands[0]), b = use(i.operands[1]);
      if (a.kind == Value::Kind::boolean && b.kind == Value::Kind::boolean) {
        const Term same =
            calculus::either(calculus::both(a.term, b.term),
                             calculus::both(calculus::negation(a.term), calculus::negation(b.term)));
        if (i.predicate == Predicate::equal) return {Value::Kind::boolean, 1, same};
        if (i.predicate == Predicate::not_equal) return {Value::Kind::boolean, 1, calculus::negation(same)};
      }
      if (const auto known = compared_with_null(i.predicate, a, b)) return *known;
      Arithmetic arithmetic(prover_, trial_depth_ == 0);
      return {Value::Kind::boolean, 1,
              arithmetic.compare(i.predicate, integer_of(a), integer_of(b),
                                 ir::bits_of(kernel_.type_of(i.operands[0])), scope)};
    }
    case Opcode::compare_float: {
      const Sort sort = float_sort(kernel_.type_of(i.operands[0]));
      Term a = element_of(use(i.operands[0]), sort), b = element_of(use(i.operands[1]), sort);
      if (i.flush_subnormals) {
        a = calculus::custom_operation("flush", {a}, sort);
        b = calculus::custom_operation("flush", {b}, sort);
      }
      const auto lt = [](Term x, Term y) { return calculus::compare(Op::lt, x, y); };
      const auto le = [](Term x, Term y) { return calculus::compare(Op::le, x, y); };
      const Term eq = calculus::compare(Op::eq, a, b);
      const Term ordered =
          calculus::both(calculus::negation(calculus::is_nan(a)), calculus::negation(calculus::is_nan(b)));
      Term out = nullptr;
      switch (i.predicate) {
        case Predicate::ordered_equal:
          out = eq;
          break;
        case Predicate::ordered_not_equal:
          out = calculus::either(lt(a, b), lt(b, a));
          break;
        case Predicate::ordered_less:
          out = lt(a, b);
          break;
        case Predicate::ordered_less_equal:
          out = le(a, b);
          break;
        case Predicate::ordered_greater:
          out = lt(b, a);
          break;
        case Predicate::ordered_greater_equal:
          out = le(b, a);
          break;
        case Predicate::ordered:
          out = ordered;
          break;
        case Predicate::unordered_equal:
          out = calculus::negation(calculus::either(lt(a, b), lt(b, a)));
          break;
        case Predicate::unordered_not_equal:
          out = calculus::negation(eq);
          break;
        case Predicate::unordered_less:
          out = calculus::negation(le(b, a));
          break;
        case Predicate::unordered_less_equal:
          out = calculus::negation(lt(b, a));
          break;
        case Predicate::unordered_greater:
          out = calculus::negation(le(a, b));
          break;
        case Predicate::unordered_greater_equal:
          out = calculus::negation(lt(a, b));
          break;
        case Predicate::unordered:
          out = calculus::negation(ordered);
          break;
        default:
          throw InternalError("an integer predicate on floats");
      }
      return {Value::Kind::boolean, 1, out};
    }
    case Opcode::select: {
      const Term condition = boolean_of(use(i.operands[0]));
      if (condition->kind == calculus::Kind::truth) return use(i.operands[condition->number != 0 ? 1 : 2]);
      return join(condition, use(i.operands[1]), use(i.operands[2]), type, scope);
    }
    default:
      if (ir::is_float(type)) return evaluate_float(i);
      if (ir::is_integer(type)) return evaluate_integer(i, scope);
      return unsupported(i, type, "an instruction that is not modelled");
  }
}

}  // namespace hallmark::validator
