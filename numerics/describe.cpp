#include "numerics/describe.h"

#include <fmt/format.h>

#include "contract/number.h"
#include "formulation/round_constant.h"

namespace hallmark::numerics {

using namespace calculus;

namespace {

std::string arguments(Term a, int depth) {
  std::string out = "(";
  for (std::size_t i = 0; i < a->children.size(); ++i)
    out += (i == 0 ? "" : ", ") + describe(a->children[i], depth - 1);
  return out + ")";
}

std::string constant_text(Term a) {
  if (a->sort.kind != Sort::Kind::floating) return contract::print_number(a->value);
  const auto value = formulation::exact_value(a->bits, a->sort.format);
  return value ? float_text(*value, a->sort.format) : "non-finite";
}

}  // namespace

std::string float_text(const Rational& value, Format format) {
  return format == Format::f64 ? fmt::format("{}", value.get_d())
                               : fmt::format("{}", static_cast<float>(value.get_d()));
}

std::string describe(Term a, int depth) {
  if (a->sort == Sort::index()) return "..";
  if (depth == 0) return "..";
  switch (a->kind) {
    case Kind::constant:
      return constant_text(a);
    case Kind::extreme:
      return a->number < 0 ? "lowest" : "highest";
    case Kind::load:
      return a->name + (a->children.empty() ? "" : "[..]");
    case Kind::operation:
      return (a->op == Op::custom ? a->name : std::string(name(a->op))) + arguments(a, depth);
    case Kind::compare:
      return std::string(name(a->op)) + arguments(a, depth);
    case Kind::select:
      return "select" + arguments(a, depth);
    case Kind::fold: {
      // The step names the reduction; states and variables inside it read as "..".
      const Term step = a->children[2 + static_cast<std::size_t>(a->size + a->which)];
      return "fold " + describe(step, depth);
    }
    case Kind::state:
    case Kind::variable:
      return "state";
    case Kind::cast:
      return "cast<" + std::string(name(a->format)) + ">" + arguments(a, depth);
    case Kind::from_index:
      return "index";
    default:
      return "condition";
  }
}

}  // namespace hallmark::numerics
