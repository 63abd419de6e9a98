// A short notation for writing Float terms in C++: the bodies of elementary functions.
#pragma once
#include <string_view>
#include <vector>

#include "calculus/term.h"

namespace hallmark::formulation {

class FunctionBuilder {
 public:
  explicit FunctionBuilder(calculus::Format format)
      : format_(format), sort_(calculus::Sort::floating(format)) {}

  calculus::Term parameter(std::string_view name) const { return calculus::variable(name, sort_); }
  // The nearest value of the format. Throws InternalError when it overflows.
  calculus::Term number(const Rational& value) const;
  // An f32 constant is written as the double that names it exactly, for example 0x1.62e43p-1.
  calculus::Term literal(double value) const { return number(exact_rational(value)); }
  calculus::Term infinity(int sign) const;
  calculus::Term nan() const;

  calculus::Term add(calculus::Term a, calculus::Term b) const { return op(calculus::Op::add, {a, b}); }
  calculus::Term sub(calculus::Term a, calculus::Term b) const { return op(calculus::Op::sub, {a, b}); }
  calculus::Term mul(calculus::Term a, calculus::Term b) const { return op(calculus::Op::mul, {a, b}); }
  calculus::Term div(calculus::Term a, calculus::Term b) const { return op(calculus::Op::div, {a, b}); }
  // a * b + c, rounded once.
  calculus::Term fma(calculus::Term a, calculus::Term b, calculus::Term c) const {
    return op(calculus::Op::fma, {a, b, c});
  }
  calculus::Term neg(calculus::Term a) const { return op(calculus::Op::neg, {a}); }
  calculus::Term abs(calculus::Term a) const { return op(calculus::Op::abs, {a}); }
  calculus::Term sqrt(calculus::Term a) const { return op(calculus::Op::sqrt, {a}); }
  calculus::Term round(calculus::Term a) const { return op(calculus::Op::round_even, {a}); }
  calculus::Term maxnum(calculus::Term a, calculus::Term b) const { return op(calculus::Op::maxnum, {a, b}); }
  calculus::Term minnum(calculus::Term a, calculus::Term b) const { return op(calculus::Op::minnum, {a, b}); }
  calculus::Term less(calculus::Term a, calculus::Term b) const {
    return calculus::compare(calculus::Op::lt, a, b);
  }
  calculus::Term at_most(calculus::Term a, calculus::Term b) const {
    return calculus::compare(calculus::Op::le, a, b);
  }
  calculus::Term choose(calculus::Term condition, calculus::Term a, calculus::Term b) const {
    return calculus::select(condition, a, b);
  }
  calculus::Term call(std::string_view function, const std::vector<calculus::Term>& arguments) const {
    return calculus::custom_operation(function, arguments, sort_);
  }
  // Horner's rule with fma: coefficients from the highest power down to the constant one.
  calculus::Term polynomial(calculus::Term x, const std::vector<double>& coefficients) const;

 private:
  calculus::Term op(calculus::Op op, const std::vector<calculus::Term>& arguments) const {
    return calculus::operation(op, arguments, sort_, calculus::Rounding::nearest);
  }
  calculus::Format format_;
  calculus::Sort sort_;
};

}  // namespace hallmark::formulation
