// C types and exact literals.
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "base/error.h"
#include "lowering/writer.h"

namespace hallmark::lowering {

using namespace calculus;

std::string storage_type(Format format) {
  switch (format) {
    case Format::f32:
      return "float";
    case Format::f64:
      return "double";
    case Format::f16:
      return "__half";
    case Format::bf16:
      return "__nv_bfloat16";
    case Format::i8:
      return "signed char";
    case Format::i16:
      return "short";
    case Format::i32:
      return "int";
    case Format::i64:
      return "long long";
    case Format::u8:
    case Format::boolean:
      return "unsigned char";
    case Format::u16:
      return "unsigned short";
    case Format::u32:
      return "unsigned";
    case Format::u64:
      return "unsigned long long";
    default:
      throw Refusal("E7201",
                    "tensors of format " + std::string(calculus::name(format)) + " are not lowered to CUDA");
  }
}

std::string value_type(Sort sort) {
  if (sort.kind == Sort::Kind::boolean) return "bool";
  ensure(sort.kind == Sort::Kind::integer || sort.kind == Sort::Kind::floating,
         "a formulation has no value of sort " + to_string(sort));
  return storage_type(sort.format);
}

namespace {

std::string float_literal(Format format, std::uint64_t bits) {
  const bool is_single = format == Format::f32;
  ensure(is_single || format == Format::f64, "a literal of a format without literals");
  const double value =
      is_single ? std::bit_cast<float>(static_cast<std::uint32_t>(bits)) : std::bit_cast<double>(bits);
  const std::string_view suffix = is_single ? "f" : "";
  if (!std::isfinite(value))
    return is_single ? fmt::format("__uint_as_float({:#x}u)", bits)
                     : fmt::format("__longlong_as_double({:#x}ll)", bits);
  if (value == std::trunc(value) && std::fabs(value) <= 65536 && !(value == 0 && std::signbit(value)))
    return fmt::format("{:.1f}{}", value, suffix);
  return fmt::format("{}{:a}{}", std::signbit(value) ? "-" : "", std::fabs(value), suffix);
}

}  // namespace

std::string literal(Term constant) {
  if (constant->sort.kind == Sort::Kind::floating)
    return float_literal(constant->sort.format, constant->bits);
  ensure(constant->sort.kind == Sort::Kind::integer, "a literal of a real number");
  const std::string digits = constant->value.get_num().get_str();
  switch (constant->sort.format) {
    case Format::u32:
      return digits + "u";
    case Format::u64:
      return digits + "ull";
    case Format::i64:
      // The least value has no literal of its own: -2^63 is the negation of an unrepresentable number.
      if (constant->value.get_num() == -power_of_two(63)) return "(-9223372036854775807ll - 1)";
      return digits + "ll";
    case Format::i32:
      if (constant->value.get_num() == -power_of_two(31)) return "(-2147483647 - 1)";
      return digits;
    default:
      return digits;
  }
}

}  // namespace hallmark::lowering
