#include "formulation/functions.h"

#include <algorithm>

#include "formulation/elementary/elementary.h"
#include "formulation/function_builder.h"

namespace hallmark::formulation {
namespace {

using namespace calculus;

// Powers and roots that are compositions of correctly rounded operations.
void add_compositions(std::vector<ElementaryFunction>& all) {
  for (const Format format : {Format::f32, Format::f64}) {
    const FunctionBuilder b(format);
    const Term x = b.parameter("x");
    const std::string suffix = "_" + std::string(name(format));
    all.push_back({{"square" + suffix, {x}, b.mul(x, x)}, [](const auto& a) {
                     return apply(Op::pow, {a[0], real_constant(2)});
                   }});
    all.push_back({{"cube" + suffix, {x}, b.mul(b.mul(x, x), x)}, [](const auto& a) {
                     return apply(Op::pow, {a[0], real_constant(3)});
                   }});
    all.push_back({{"square_root" + suffix, {x}, b.sqrt(x)}, [](const auto& a) {
                     return apply(Op::pow, {a[0], real_constant(Rational(1, 2))});
                   }});
    all.push_back({{"rsqrt" + suffix, {x}, b.div(b.number(1), b.sqrt(x))},
                   [](const auto& a) { return apply(Op::rsqrt, a); }});
    // x^(3/4), for local response normalisation.
    const Term root = b.sqrt(x);
    all.push_back({{"power_3_4" + suffix, {x}, b.mul(root, b.sqrt(root))}, [](const auto& a) {
                     return apply(Op::pow, {a[0], real_constant(Rational(3, 4))});
                   }});
    // sign(0) = 0; a NaN gives 0.
    all.push_back({{"sign" + suffix,
                    {x},
                    b.choose(b.less(b.number(0), x), b.number(1),
                             b.choose(b.less(x, b.number(0)), b.number(-1), b.number(0)))},
                   [](const auto& a) { return apply(Op::sign, a); }});
  }
}

std::vector<ElementaryFunction> build() {
  std::vector<ElementaryFunction> all;
  add_compositions(all);
  all.push_back({exp_f32(), [](const auto& a) { return apply(Op::exp, a); }});
  all.push_back({log_f32(), [](const auto& a) { return apply(Op::log, a); }});
  all.push_back({tanh_f32(), [](const auto& a) { return apply(Op::tanh, a); }});
  all.push_back({erf_f32(), [](const auto& a) { return apply(Op::erf, a); }});
  all.push_back({sin_f32(), [](const auto& a) { return apply(Op::sin, a); }});
  all.push_back({cos_f32(), [](const auto& a) { return apply(Op::cos, a); }});
  all.push_back({tan_f32(), [](const auto& a) { return apply(Op::tan, a); }});
  all.push_back({asin_f32(), [](const auto& a) { return apply(Op::asin, a); }});
  all.push_back({acos_f32(), [](const auto& a) { return apply(Op::acos, a); }});
  all.push_back({atan_f32(), [](const auto& a) { return apply(Op::atan, a); }});
  all.push_back({sinh_f32(), [](const auto& a) { return apply(Op::sinh, a); }});
  all.push_back({cosh_f32(), [](const auto& a) { return apply(Op::cosh, a); }});
  all.push_back({asinh_f32(), [](const auto& a) { return apply(Op::asinh, a); }});
  all.push_back({acosh_f32(), [](const auto& a) { return apply(Op::acosh, a); }});
  all.push_back({atanh_f32(), [](const auto& a) { return apply(Op::atanh, a); }});
  all.push_back({pow_f32(), [](const auto& a) { return apply(Op::pow, a); }});
  return all;
}

}  // namespace

const std::vector<ElementaryFunction>& elementary_functions() {
  static const std::vector<ElementaryFunction>* const all = new std::vector<ElementaryFunction>(build());
  return *all;
}

const ElementaryFunction* find_elementary_function(std::string_view name) {
  const auto& all = elementary_functions();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ElementaryFunction& f) { return f.function.name == name; });
  return found != all.end() ? &*found : nullptr;
}

std::optional<std::string> implementation(Op op, Format format) {
  const std::string candidate = std::string(name(op)) + "_" + std::string(name(format));
  const ElementaryFunction* known = find_elementary_function(candidate);
  if (known == nullptr || known->exact == nullptr) return std::nullopt;
  return candidate;
}

}  // namespace hallmark::formulation
