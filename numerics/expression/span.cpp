#include "numerics/expression/span.h"

#include <algorithm>
#include <cmath>

namespace hallmark::numerics {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();
// Above this the error of a product, quotient or root is itself a double, so that its sign can be read.
constexpr double safe = 0x1p-900;

double below(double x) {
  return std::nextafter(x, -infinity);
}
double above(double x) {
  return std::nextafter(x, infinity);
}

// The error of a + b (Knuth), exact unless the sum overflows.
double sum_error(double a, double b, double s) {
  const double c = s - a;
  return (a - (s - c)) + (b - c);
}

// The result moved by the sign of (exact - result).
double down(double result, double error) {
  return error < 0 ? below(result) : result;
}
double up(double result, double error) {
  return error > 0 ? above(result) : result;
}

double divide_down(double a, double b) {
  const double q = a / b;
  if (std::isinf(a) || std::isinf(b)) return std::isnan(q) ? -infinity : below(q);
  if (a == 0) return 0;
  if (std::isinf(q)) return q > 0 ? largest : q;
  if (std::fabs(a) < safe || std::fabs(q) < safe || std::fabs(b) > 1 / safe) return below(q);
  const double rest = std::fma(-q, b, a);
  return down(q, b > 0 ? rest : -rest);
}
double divide_up(double a, double b) {
  return -divide_down(-a, b);
}
double root_down(double a) {
  if (a == 0 || std::isinf(a)) return a == 0 ? 0 : largest;
  const double s = std::sqrt(a);
  if (a < safe) return std::max(0.0, below(s));
  return down(s, std::fma(-s, s, a));
}
double root_up(double a) {
  if (a == 0 || std::isinf(a)) return a;
  const double s = std::sqrt(a);
  if (a < safe) return above(s);
  return up(s, std::fma(-s, s, a));
}

}  // namespace

Span Span::nowhere() {
  return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
}
double Span::magnitude() const {
  return std::max(std::fabs(low), std::fabs(high));
}

double add_down(double a, double b) {
  const double s = a + b;
  if (std::isnan(s)) return -infinity;
  if (std::isinf(a) || std::isinf(b)) return s;
  if (std::isinf(s)) return s > 0 ? largest : s;
  return down(s, sum_error(a, b, s));
}
double add_up(double a, double b) {
  return -add_down(-a, -b);
}
double multiply_down(double a, double b) {
  if (a == 0 || b == 0) return 0;  // also 0 times an unbounded end
  const double p = a * b;
  if (std::isinf(a) || std::isinf(b)) return p;
  if (std::isinf(p)) return p > 0 ? largest : p;
  if (std::fabs(p) < safe) return below(p);
  return down(p, std::fma(a, b, -p));
}
double multiply_up(double a, double b) {
  return -multiply_down(-a, b);
}

Span operator+(Span a, Span b) {
  if (!a.defined() || !b.defined()) return Span::nowhere();
  return {add_down(a.low, b.low), add_up(a.high, b.high)};
}
Span operator-(Span a, Span b) {
  return a + -b;
}
Span operator-(Span a) {
  return {-a.high, -a.low};
}
Span operator*(Span a, Span b) {
  if (!a.defined() || !b.defined()) return Span::nowhere();
  if (a.low >= 0 && b.low >= 0) return {multiply_down(a.low, b.low), multiply_up(a.high, b.high)};
  return {std::min({multiply_down(a.low, b.low), multiply_down(a.low, b.high), multiply_down(a.high, b.low),
                    multiply_down(a.high, b.high)}),
          std::max({multiply_up(a.low, b.low), multiply_up(a.low, b.high), multiply_up(a.high, b.low),
                    multiply_up(a.high, b.high)})};
}
Span divide(Span a, Span b) {
  if (!a.defined() || !b.defined() || (b.low <= 0 && b.high >= 0)) return Span::nowhere();
  return {std::min({divide_down(a.low, b.low), divide_down(a.low, b.high), divide_down(a.high, b.low),
                    divide_down(a.high, b.high)}),
          std::max({divide_up(a.low, b.low), divide_up(a.low, b.high), divide_up(a.high, b.low),
                    divide_up(a.high, b.high)})};
}
Span square(Span a) {
  const Span b = absolute(a);
  return {multiply_down(b.low, b.low), multiply_up(b.high, b.high)};
}
Span square_root(Span a) {
  if (!a.defined() || a.low < 0) return Span::nowhere();
  return {root_down(a.low), root_up(a.high)};
}
Span absolute(Span a) {
  if (a.low >= 0) return a;
  if (a.high <= 0) return -a;
  if (!a.defined()) return a;
  return {0, std::max(-a.low, a.high)};
}
Span hull(Span a, Span b) {
  if (!a.defined() || !b.defined()) return Span::nowhere();
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
Span least(Span a, Span b) {
  if (!a.defined() || !b.defined()) return Span::nowhere();
  return {std::min(a.low, b.low), std::min(a.high, b.high)};
}
Span greatest(Span a, Span b) {
  return -least(-a, -b);
}

}  // namespace hallmark::numerics
