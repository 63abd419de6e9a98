#include "validator/checks/literals.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "validator/interpreter/float_round.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Sort;
using calculus::Term;

namespace {

struct Constant {
  ir::Type type;
  std::uint64_t bits;
  bool operator<(const Constant& o) const { return std::tie(type, bits) < std::tie(o.type, o.bits); }
};

// The constants of the kernel that may be floats, also where a text moves them by their bits.
std::set<Constant> constants_of(const ir::Kernel& kernel) {
  std::set<Constant> out;
  const auto add = [&](ir::ValueId id) {
    if (!kernel.is_constant(id)) return;
    const ir::Value& value = kernel.value(id);
    if (ir::is_float(value.type)) out.insert({value.type, value.bits});
    if (value.type == ir::Type::i32) out.insert({ir::Type::f32, value.bits});
    if (value.type == ir::Type::i64) out.insert({ir::Type::f64, value.bits});
  };
  for (const ir::Block& block : kernel.blocks) {
    for (const ir::Instruction& instruction : block.instructions)
      for (ir::ValueId operand : instruction.operands) add(operand);
    for (const ir::Edge& edge : block.terminator.edges)
      for (ir::ValueId argument : edge.arguments) add(argument);
  }
  return out;
}

// Of a number that the format has; nothing for infinities.
std::optional<Rational> exactly(ir::Type type, std::uint64_t bits) {
  const double value = interpreter::to_double(type, bits);
  if (!std::isfinite(value)) return std::nullopt;
  return Rational(value);
}

// The nearest value of the format, where the kernel has it or its negation; nothing where the number is
// exact.
std::optional<Rational> in_kernel(const Rational& number, ir::Type type,
                                  const std::set<Constant>& constants) {
  const std::uint64_t bits = interpreter::round_to(type, number, ir::Rounding::nearest_even);
  const std::uint64_t sign = std::uint64_t{1} << (ir::bits_of(type) - 1);
  if (constants.count({type, bits}) == 0 && constants.count({type, bits ^ sign}) == 0) return std::nullopt;
  return exactly(type, bits);
}

}  // namespace

WithLiterals with_kernel_literals(plan::KernelSpec spec, const ir::Kernel& kernel) {
  WithLiterals out;
  if (spec.equality == plan::Equality::reals) {
    const std::set<Constant> constants = constants_of(kernel);
    std::map<std::string, Rational> replaced;
    const auto replace = [&](Term node) -> Term {
      if (node->kind != Kind::constant || node->sort.kind != Sort::Kind::real || node->value == 0)
        return node;
      for (const auto& [type, name] : {std::pair{ir::Type::f32, "f32"}, std::pair{ir::Type::f64, "f64"}}) {
        // Exact in the narrower format: meant as it is written.
        const auto exact =
            exactly(type, interpreter::round_to(type, node->value, ir::Rounding::nearest_even));
        if (exact == node->value) return node;
        const auto nearest = in_kernel(node->value, type, constants);
        if (!nearest) continue;
        replaced.emplace(
            fmt::format("{} means its nearest {}, {:a}", node->value.get_d(), name, nearest->get_d()),
            *nearest);
        return calculus::real_constant(*nearest);
      }
      return node;
    };
    for (plan::Ensure& ensure : spec.ensures) ensure.value = calculus::rewrite(ensure.value, replace);
    for (calculus::Function& function : spec.functions)
      function.body = calculus::rewrite(function.body, replace);
    for (const auto& [text, value] : replaced) out.assumptions.push_back(text);
  }
  out.spec = std::move(spec);
  return out;
}

}  // namespace hallmark::validator
