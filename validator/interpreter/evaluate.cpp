#include "validator/interpreter/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <vector>

#include "validator/interpreter/float_arithmetic.h"
#include "validator/interpreter/float_round.h"
#include "validator/ir/unknown.h"

namespace hallmark::validator::interpreter {

namespace {

using ir::Opcode;
using ir::Type;

class Evaluator {
 public:
  Evaluator(const ir::Kernel& kernel, const ir::Instruction& i, std::span<const Cell> operands,
            std::uint64_t garbage, Notes& notes)
      : k_(kernel), i_(i), in_(operands), garbage_(garbage), notes_(notes), type_(k_.type_of(i.results[0])) {}

  Cell run() {
    Cell result;
    if (bitwise(result)) return masked(result);
    std::uint64_t undefined = 0;
    for (const Cell& c : in_) undefined |= c.undefined;
    result.bits = compute();
    if (undefined != 0 || poison_) result = {result.bits ^ (poison_ ? garbage_ : 0), ~std::uint64_t{0}};
    return masked(result);
  }

 private:
  Cell masked(Cell c) const { return {c.bits & ir::mask_of(type_), c.undefined & ir::mask_of(type_)}; }
  Type operand_type(std::size_t n) const { return k_.type_of(i_.operands[n]); }
  unsigned width() const { return ir::bits_of(type_); }
  std::uint64_t bits(std::size_t n) const { return in_[n].bits; }
  std::int64_t sign(std::size_t n) const { return signed_value(in_[n].bits, operand_type(n)); }
  void fault(ObligationKind kind, std::string summary) {
    // What depends on an undefined operand is reported where that value came from.
    for (const Cell& c : in_)
      if (c.undefined != 0) return;
    notes_.fault = kind;
    notes_.summary = std::move(summary);
  }

  // Operations that keep the undefined bits apart from the others.
  bool bitwise(Cell& r) {
    const auto a = [this] { return in_[0]; };
    switch (i_.opcode) {
      case Opcode::bit_and: {
        const std::uint64_t zeros = (~in_[0].bits & ~in_[0].undefined) | (~in_[1].bits & ~in_[1].undefined);
        r = {bits(0) & bits(1), (in_[0].undefined | in_[1].undefined) & ~zeros};
        return true;
      }
      case Opcode::bit_or: {
        const std::uint64_t ones = (in_[0].bits & ~in_[0].undefined) | (in_[1].bits & ~in_[1].undefined);
        r = {bits(0) | bits(1), (in_[0].undefined | in_[1].undefined) & ~ones};
        return true;
      }
      case Opcode::bit_xor:
        r = {bits(0) ^ bits(1), in_[0].undefined | in_[1].undefined};
        return true;
      case Opcode::bit_not:
        r = {~bits(0), a().undefined};
        return true;
      case Opcode::zero_extend:
      case Opcode::truncate:
      case Opcode::bitcast:
        r = a();
        return true;
      case Opcode::sign_extend:
        r = {static_cast<std::uint64_t>(sign(0)),
             static_cast<std::uint64_t>(signed_value(a().undefined, operand_type(0)))};
        return true;
      case Opcode::freeze:
        r = {bits(0), 0};
        return true;
      case Opcode::arbitrary:
        r = {garbage_, ~std::uint64_t{0}};
        return true;
      case Opcode::select:
        if (in_[0].undefined == 0) {
          r = bits(0) != 0 ? in_[1] : in_[2];
        } else {
          r = bits(0) != 0 ? in_[1] : in_[2];
          if (in_[1].bits != in_[2].bits || (in_[1].undefined | in_[2].undefined) != 0)
            r.undefined = ~std::uint64_t{0};
        }
        return true;
      case Opcode::shift_left:
      case Opcode::shift_right_logical:
        if (in_[1].undefined != 0 || bits(1) >= width() || has_wrap_flags()) return false;
        r = i_.opcode == Opcode::shift_left ? Cell{bits(0) << bits(1), a().undefined << bits(1)}
                                            : Cell{bits(0) >> bits(1), a().undefined >> bits(1)};
        return true;
      default:
        return false;
    }
  }

  bool has_wrap_flags() const { return i_.no_signed_wrap || i_.no_unsigned_wrap || i_.exact; }

  std::uint64_t arithmetic() {
    const __int128 sa = sign(0), sb = sign(1);
    const auto ua = static_cast<unsigned __int128>(bits(0)), ub = static_cast<unsigned __int128>(bits(1));
    __int128 s = 0;
    unsigned __int128 u = 0;
    bool unsigned_wrap = false;
    const char* sign_text = "+";
    if (i_.opcode == Opcode::add) {
      s = sa + sb;
      u = ua + ub;
      unsigned_wrap = u > ir::mask_of(type_);
    } else if (i_.opcode == Opcode::sub) {
      s = sa - sb;
      u = ua - ub;
      unsigned_wrap = ua < ub;
      sign_text = "-";
    } else {
      s = sa * sb;
      u = ua * ub;
      unsigned_wrap = u > ir::mask_of(type_);
      sign_text = "*";
    }
    const __int128 high = static_cast<__int128>(ir::mask_of(type_) >> 1), low = -high - 1;
    if (i_.no_signed_wrap && (s < low || s > high)) {
      fault(ObligationKind::overflow,
            fmt::format("{} {} {} does not fit in a signed {}-bit integer", static_cast<std::int64_t>(sa),
                        sign_text, static_cast<std::int64_t>(sb), width()));
      poison_ = false;  // the machine's wrapped value: what follows is what hardware would do
    } else if (i_.no_unsigned_wrap && unsigned_wrap) {
      fault(ObligationKind::overflow, fmt::format("{} {} {} does not fit in an unsigned {}-bit integer",
                                                  bits(0), sign_text, bits(1), width()));
    }
    return static_cast<std::uint64_t>(u);
  }

  std::uint64_t division() {
    const bool is_signed = i_.opcode == Opcode::div_signed || i_.opcode == Opcode::rem_signed;
    const bool remainder = i_.opcode == Opcode::rem_signed || i_.opcode == Opcode::rem_unsigned;
    const bool by_zero = bits(1) == 0;
    const bool too_large = is_signed && sign(1) == -1 && bits(0) == std::uint64_t{1} << (width() - 1);
    // PTX leaves the quotient by 0 open; the least number by -1 wraps around like every other result.
    if (too_large && !k_.is_source) return remainder ? 0 : bits(0);
    if (by_zero || too_large) {
      if (k_.is_source)
        fault(by_zero ? ObligationKind::ub : ObligationKind::overflow,
              by_zero ? fmt::format("division of {} by zero",
                                    is_signed ? fmt::format("{}", sign(0)) : fmt::format("{}", bits(0)))
                      : fmt::format("{} / -1 does not fit in {} bits", sign(0), width()));
      poison_ = true;
      return 0;
    }
    if (!is_signed) return remainder ? bits(0) % bits(1) : bits(0) / bits(1);
    return static_cast<std::uint64_t>(remainder ? sign(0) % sign(1) : sign(0) / sign(1));
  }

  std::uint64_t shift() {
    const std::uint64_t amount = bits(1);
    if (amount >= width()) {
      if (i_.shift_overflow == ir::ShiftOverflow::undefined) {
        fault(ObligationKind::ub, fmt::format("shift of a {}-bit value by {}", width(), amount));
        poison_ = true;
        return 0;
      }
      return i_.opcode == Opcode::shift_right_arithmetic ? static_cast<std::uint64_t>(sign(0) < 0 ? -1 : 0)
                                                         : 0;
    }
    if (i_.opcode == Opcode::shift_left) {
      const std::uint64_t result = (bits(0) << amount) & ir::mask_of(type_);
      if (i_.no_signed_wrap && signed_value(result, type_) >> amount != sign(0))
        fault(ObligationKind::overflow, fmt::format("{} << {} does not fit", sign(0), amount));
      if (i_.no_unsigned_wrap && result >> amount != bits(0))
        fault(ObligationKind::overflow, fmt::format("{} << {} does not fit", bits(0), amount));
      return result;
    }
    return i_.opcode == Opcode::shift_right_logical ? bits(0) >> amount
                                                    : static_cast<std::uint64_t>(sign(0) >> amount);
  }

  bool compare() const {
    using P = ir::Predicate;
    switch (i_.predicate) {
      case P::equal:
        return bits(0) == bits(1);
      case P::not_equal:
        return bits(0) != bits(1);
      case P::less_signed:
        return sign(0) < sign(1);
      case P::less_equal_signed:
        return sign(0) <= sign(1);
      case P::greater_signed:
        return sign(0) > sign(1);
      case P::greater_equal_signed:
        return sign(0) >= sign(1);
      case P::less_unsigned:
        return bits(0) < bits(1);
      case P::less_equal_unsigned:
        return bits(0) <= bits(1);
      case P::greater_unsigned:
        return bits(0) > bits(1);
      default:
        return bits(0) >= bits(1);
    }
  }

  // PTX bfe: position and length are their low 8 bits; beyond the width comes the sign (or 0).
  std::uint64_t extract_field() const {
    const unsigned w = width();
    const auto position = static_cast<unsigned>(bits(1) & 0xff),
               length = static_cast<unsigned>(bits(2) & 0xff);
    const bool is_signed = i_.opcode == Opcode::extract_bits_signed;
    const unsigned last = std::min(position + length - 1, w - 1);
    const bool fill = is_signed && length != 0 && (bits(0) >> last & 1) != 0;
    std::uint64_t result = 0;
    for (unsigned n = 0; n < w; ++n) {
      const bool bit = n < length && position + n < w ? (bits(0) >> (position + n) & 1) != 0 : fill;
      result |= std::uint64_t{bit} << n;
    }
    return result;
  }

  std::uint64_t insert_field() const {
    const auto position = static_cast<unsigned>(bits(2) & 0xff),
               length = static_cast<unsigned>(bits(3) & 0xff);
    std::uint64_t result = bits(1);
    for (unsigned n = 0; n < length && position + n < width(); ++n) {
      const std::uint64_t mask = std::uint64_t{1} << (position + n);
      result = (bits(0) >> n & 1) != 0 ? result | mask : result & ~mask;
    }
    return result;
  }

  std::uint64_t permute() const {
    const std::uint64_t bytes = bits(0) | bits(1) << 32;
    std::uint64_t result = 0;
    for (unsigned n = 0; n < 4; ++n) {
      const std::uint64_t selector = bits(2) >> (4 * n) & 15;
      std::uint64_t byte = bytes >> (8 * (selector & 7)) & 0xff;
      if ((selector & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
      result |= byte << (8 * n);
    }
    return result;
  }

  std::uint64_t funnel() const {
    const std::uint64_t pair = bits(0) | bits(1) << 32;
    const std::uint64_t amount =
        i_.shift_overflow == ir::ShiftOverflow::wrap ? bits(2) & 31 : std::min<std::uint64_t>(bits(2), 32);
    return i_.opcode == Opcode::funnel_left ? (pair << amount) >> 32 : pair >> amount;
  }

  std::uint64_t find_leading() const {
    const Type t = operand_type(0);
    std::uint64_t a = bits(0);
    if (i_.opcode == Opcode::find_leading_signed && sign(0) < 0) a = ~a & ir::mask_of(t);
    return a == 0 ? 0xffffffff : 63 - static_cast<std::uint64_t>(std::countl_zero(a));
  }

  std::uint64_t reverse() const {
    std::uint64_t result = 0;
    for (unsigned n = 0; n < width(); ++n) result |= (bits(0) >> n & 1) << (width() - 1 - n);
    return result;
  }

  // An infinity although all operands are finite and none of them is a pole.
  bool overflowed(std::span<const std::uint64_t> operands, std::uint64_t result) const {
    const auto kind = [](Type type, std::uint64_t value) { return classify(type, value).kind; };
    if (!ir::is_float(type_) || kind(type_, result) != FloatParts::Kind::infinite) return false;
    for (std::size_t n = 0; n < operands.size(); ++n) {
      const Type type = operand_type(n);
      if (!ir::is_float(type)) continue;
      const FloatParts::Kind of = kind(type, operands[n]);
      if (of == FloatParts::Kind::infinite || of == FloatParts::Kind::nan) return false;
      // 1 / 0, log(0), rsqrt(0) and their kin.
      const bool divides = i_.opcode == Opcode::float_div ? n == 1 : i_.opcode == Opcode::float_reciprocal;
      if (of == FloatParts::Kind::zero && (divides || i_.opcode == Opcode::library_call)) return false;
    }
    return true;
  }

  std::uint64_t floats() {
    if (ir::is_unknown(i_))
      throw Refusal("E3301", fmt::format("the interpreter does not execute this instruction ({})", i_.text),
                    k_.location(i_.place));
    constexpr std::size_t usual = 3;  // tensor cores have more
    std::array<std::uint64_t, usual> few{};
    std::vector<std::uint64_t> many(in_.size() > usual ? in_.size() : 0);
    const std::span<std::uint64_t> operands =
        many.empty() ? std::span(few).first(in_.size()) : std::span(many);
    for (std::size_t n = 0; n < in_.size(); ++n) operands[n] = bits(n);
    const FloatResult r = i_.opcode == Opcode::library_call
                              ? library_function(i_.text, type_, operands)
                              : float_operation(i_, operand_type(0), type_, operands);
    notes_.approximate = notes_.approximate || r.approximate;
    notes_.overflowed = notes_.overflowed || overflowed(operands, r.bits);
    return r.bits;
  }

  std::uint64_t compute() {
    switch (i_.opcode) {
      case Opcode::add:
      case Opcode::sub:
      case Opcode::mul:
        return arithmetic();
      case Opcode::mul_high_signed:
        return static_cast<std::uint64_t>((static_cast<__int128>(sign(0)) * sign(1)) >> width());
      case Opcode::mul_high_unsigned:
        return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits(0)) * bits(1)) >> width());
      case Opcode::div_signed:
      case Opcode::div_unsigned:
      case Opcode::rem_signed:
      case Opcode::rem_unsigned:
        return division();
      case Opcode::shift_left:
      case Opcode::shift_right_logical:
      case Opcode::shift_right_arithmetic:
        return shift();
      case Opcode::min_signed:
        return sign(0) < sign(1) ? bits(0) : bits(1);
      case Opcode::max_signed:
        return sign(0) > sign(1) ? bits(0) : bits(1);
      case Opcode::min_unsigned:
        return std::min(bits(0), bits(1));
      case Opcode::max_unsigned:
        return std::max(bits(0), bits(1));
      case Opcode::abs_signed:
        return sign(0) < 0 ? ~bits(0) + 1 : bits(0);
      case Opcode::population_count:
        return static_cast<std::uint64_t>(std::popcount(bits(0)));
      case Opcode::count_leading_zeros:
        return static_cast<std::uint64_t>(std::countl_zero(bits(0))) - (64 - ir::bits_of(operand_type(0)));
      case Opcode::find_leading_signed:
      case Opcode::find_leading_unsigned:
        return find_leading();
      case Opcode::bit_reverse:
        return reverse();
      case Opcode::extract_bits_signed:
      case Opcode::extract_bits_unsigned:
        return extract_field();
      case Opcode::insert_bits:
        return insert_field();
      case Opcode::byte_permute:
        return permute();
      case Opcode::funnel_left:
      case Opcode::funnel_right:
        return funnel();
      case Opcode::compare_integer:
        return compare() ? 1 : 0;
      case Opcode::compare_float:
        return float_compare(i_.predicate, operand_type(0), bits(0), bits(1), i_.flush_subnormals) ? 1 : 0;
      case Opcode::float_to_signed:
      case Opcode::float_to_unsigned: {
        const IntegerResult r = float_to_integer(i_, operand_type(0), type_, bits(0));
        if (!r.defined) {
          fault(ObligationKind::ub, "a float that does not fit is converted to an integer");
          poison_ = true;
        }
        return r.bits;
      }
      case Opcode::signed_to_float:
      case Opcode::unsigned_to_float:
        return integer_to_float(i_, operand_type(0), type_, bits(0));
      case Opcode::float_convert:
      case Opcode::round_to_integral:
      case Opcode::float_add:
      case Opcode::float_sub:
      case Opcode::float_mul:
      case Opcode::float_fma:
      case Opcode::float_div:
      case Opcode::float_sqrt:
      case Opcode::float_reciprocal:
      case Opcode::float_reciprocal_sqrt:
      case Opcode::float_exp2:
      case Opcode::float_log2:
      case Opcode::float_sin:
      case Opcode::float_cos:
      case Opcode::float_tanh:
      case Opcode::float_min:
      case Opcode::float_max:
      case Opcode::float_neg:
      case Opcode::float_abs:
      case Opcode::float_copysign:
      case Opcode::library_call:
        return floats();
      default:
        throw Refusal("E3301", fmt::format("the interpreter does not execute {}", name(i_.opcode)),
                      k_.location(i_.place));
    }
  }

  const ir::Kernel& k_;
  const ir::Instruction& i_;
  std::span<const Cell> in_;
  std::uint64_t garbage_;
  Notes& notes_;
  Type type_;
  bool poison_ = false;
};

}  // namespace

std::int64_t signed_value(std::uint64_t bits, ir::Type type) {
  const unsigned unused = 64 - ir::bits_of(type);
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

Cell evaluate(const ir::Kernel& kernel, const ir::Instruction& i, std::span<const Cell> operands,
              std::uint64_t garbage, Notes& notes) {
  return Evaluator(kernel, i, operands, garbage, notes).run();
}

}  // namespace hallmark::validator::interpreter
