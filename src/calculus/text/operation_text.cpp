#include "calculus/text/operation_text.h"

#include <algorithm>
#include <array>

#include "calculus/text/syntax.h"

namespace hallmark::calculus::text {
namespace {

constexpr std::array<std::string_view, 12> other_words{
    "sum", "prod", "any", "all", "fold", "argmax", "argmin", "bits", "index", "is_nan", "ratio", "ceil_div"};

std::string_view take_part(std::string_view& name) {
  const std::size_t dot = name.find('.');
  const std::string_view part = name.substr(0, dot);
  name = dot == std::string_view::npos ? std::string_view{} : name.substr(dot + 1);
  return part;
}

}  // namespace

std::size_t operand_count(Op op) {
  switch (op) {
    case Op::fma:
      return 3;
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::mod:
    case Op::rem:
    case Op::pow:
    case Op::max:
    case Op::min:
    case Op::maximum:
    case Op::minimum:
    case Op::maxnum:
    case Op::minnum:
    case Op::scale2:
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::shift_left:
    case Op::shift_right:
    case Op::logical_xor:
      return 2;
    default:
      return 1;
  }
}

std::optional<WrittenOperation> operation_named(std::string_view written) {
  const std::string_view word = take_part(written);
  WrittenOperation out;
  for (int i = static_cast<int>(Op::neg); i < static_cast<int>(Op::lt); ++i)
    if (name(static_cast<Op>(i)) == word) out.op = static_cast<Op>(i);
  if (out.op == Op::none) return std::nullopt;
  while (!written.empty()) {
    const std::string_view part = take_part(written);
    if (part == "ftz" && !out.ftz)
      out.ftz = true;
    else if (part == "rz" && !out.ftz && out.rounding == Rounding::none)
      out.rounding = Rounding::toward_zero;
    else if (part == "rd" && !out.ftz && out.rounding == Rounding::none)
      out.rounding = Rounding::down;
    else if (part == "ru" && !out.ftz && out.rounding == Rounding::none)
      out.rounding = Rounding::up;
    else
      return std::nullopt;
  }
  return out;
}

std::string operation_name(Term a) {
  std::string out(name(a->op));
  if (a->rounding == Rounding::toward_zero) out += ".rz";
  if (a->rounding == Rounding::down) out += ".rd";
  if (a->rounding == Rounding::up) out += ".ru";
  return out + (a->flush_subnormals ? ".ftz" : "");
}

std::optional<WrittenCast> cast_named(std::string_view name) {
  const auto sort = sort_named(take_part(name));
  if (!sort || sort->kind == Sort::Kind::index) return std::nullopt;
  WrittenCast out{*sort, sort->format, sort->kind != Sort::Kind::real};
  if (sort->kind == Sort::Kind::boolean) out.format = Format::boolean;
  if (name.empty()) return out;
  const auto format = format_of(name);
  if (!format) return std::nullopt;
  out.format = *format;
  out.has_format = true;
  return out;
}

std::string cast_name(Term a) {
  std::string out = to_string(a->sort);
  return stored_sort(a->format) == a->sort ? out : out + "." + std::string(name(a->format));
}

bool is_built_in(std::string_view name) {
  return operation_named(name) || cast_named(name) ||
         std::find(other_words.begin(), other_words.end(), name) != other_words.end();
}

}  // namespace hallmark::calculus::text
