#include "numerics/expression/call_span.h"

#include <cmath>
#include <cstring>
#include <map>

#include "numerics/expression/library_function.h"

namespace hallmark::numerics {

namespace {

constexpr std::size_t entries = 4096;  // a power of two

using Mpfr = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

struct Increasing {
  Mpfr function;
  bool positive = false;  // defined above 0 only
};
const std::map<Operation, Increasing>& increasing() {
  static const std::map<Operation, Increasing> table{
      {Operation::exp, {mpfr_exp}},         {Operation::exp2, {mpfr_exp2}},
      {Operation::expm1, {mpfr_expm1}},     {Operation::log, {mpfr_log, true}},
      {Operation::log2, {mpfr_log2, true}}, {Operation::log10, {mpfr_log10, true}},
      {Operation::atan, {mpfr_atan}},       {Operation::sinh, {mpfr_sinh}},
      {Operation::tanh, {mpfr_tanh}},       {Operation::asinh, {mpfr_asinh}},
      {Operation::erf, {mpfr_erf}},         {Operation::cbrt, {mpfr_cbrt}}};
  return table;
}

// One MPFR number with the digits of a double.
class Scratch {
 public:
  Scratch() { mpfr_init2(value_, 53); }
  ~Scratch() { mpfr_clear(value_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  double apply(Mpfr function, double x, mpfr_rnd_t direction) {
    mpfr_set_d(value_, x, MPFR_RNDN);  // exact
    function(value_, value_, direction);
    return mpfr_get_d(value_, direction);
  }

 private:
  mpfr_t value_;
};

std::uint64_t bits(double x) {
  std::uint64_t out = 0;
  std::memcpy(&out, &x, sizeof out);
  return out;
}
bool same(Span a, Span b) {
  return bits(a.low) == bits(b.low) && bits(a.high) == bits(b.high);
}
bool is_finite(Span a) {
  return a.defined() && std::isfinite(a.low) && std::isfinite(a.high);
}

Span value_of(Operation operation, Span x) {
  if (const auto found = increasing().find(operation); found != increasing().end()) {
    if (found->second.positive && !(x.low > 0)) return Span::nowhere();
    static thread_local Scratch scratch;
    const Span out{scratch.apply(found->second.function, x.low, MPFR_RNDD),
                   scratch.apply(found->second.function, x.high, MPFR_RNDU)};
    return std::isnan(out.low) || std::isnan(out.high) ? Span::nowhere() : out;
  }
  const MaybeInterval value = library_function(operation, as_interval(x));
  return value ? as_span(*value) : Span::nowhere();
}

}  // namespace

Span as_span(const Interval& a) {
  return {mpfr_get_d(a.low(), MPFR_RNDD), mpfr_get_d(a.high(), MPFR_RNDU)};
}
Interval as_interval(Span a) {
  Interval out(53);
  mpfi_interv_d(out.raw(), a.low, a.high);
  return out;
}

CallSpans::CallSpans() : kept_(entries) {}

CallSpans::Entry& CallSpans::entry(Operation operation, bool derivative, Span x) {
  std::uint64_t h = bits(x.low) * 0x9e3779b97f4a7c15u ^ (bits(x.high) + 0x7f4a7c15u) * 0xc2b2ae3d27d4eb4fu;
  h ^= static_cast<std::uint64_t>(operation) * 2 + (derivative ? 1 : 0);
  h *= 0x9e3779b97f4a7c15u;
  return kept_[static_cast<std::size_t>(h >> 40) & (entries - 1)];
}

Span CallSpans::value(Operation operation, Span x) {
  if (!is_finite(x)) return Span::nowhere();
  Entry& e = entry(operation, false, x);
  if (e.operation == operation && !e.derivative && same(e.x, x)) return e.result;
  e = {operation, false, x, {}, value_of(operation, x)};
  return e.result;
}

Span CallSpans::derivative(Operation operation, Span x, Span value) {
  if (std::isinf(value.low) || std::isinf(value.high)) return Span::nowhere();
  if (operation == Operation::exp) return value;
  Entry& e = entry(operation, true, x);
  if (e.operation == operation && e.derivative && same(e.x, x) && same(e.value, value)) return e.result;
  const MaybeInterval d = library_derivative(operation, as_interval(x), as_interval(value));
  e = {operation, true, x, value, d ? as_span(*d) : Span::nowhere()};
  return e.result;
}

}  // namespace hallmark::numerics
