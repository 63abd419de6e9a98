#include "evaluator/lanes.h"

#include <cmath>
#include <cstring>

#include "evaluator/float_format.h"
#include "evaluator/float_operation.h"
#include "evaluator/integer_operation.h"
#include "evaluator/real_operation.h"

namespace hallmark::evaluator {

using namespace calculus;

namespace {

// The compiler makes one vector loop for each combination of operands that vary.
template <typename T, typename R, typename F>
void unary(R* result, const Operand<T>& a, int low, int high, F f) {
  if (a.varies) {
    for (int i = low; i < high; ++i) result[i] = f(a.data[i]);
  } else {
    const T x = a.data[0];
    for (int i = low; i < high; ++i) result[i] = f(x);
  }
}

template <typename T, typename R, typename F>
void binary(R* result, const Operand<T>& a, const Operand<T>& b, int low, int high, F f) {
  if (a.varies && b.varies) {
    for (int i = low; i < high; ++i) result[i] = f(a.data[i], b.data[i]);
  } else if (a.varies) {
    const T y = b.data[0];
    for (int i = low; i < high; ++i) result[i] = f(a.data[i], y);
  } else if (b.varies) {
    const T x = a.data[0];
    for (int i = low; i < high; ++i) result[i] = f(x, b.data[i]);
  } else {
    const R value = f(a.data[0], b.data[0]);
    for (int i = low; i < high; ++i) result[i] = value;
  }
}

float single(double x) {
  return static_cast<float>(x);
}

// Operations with a vector loop; false for others.
bool fast_real(Op op, double* r, const Operand<double>* x, int low, int high) {
  switch (op) {
    case Op::add:
      binary(r, x[0], x[1], low, high, [](double a, double b) { return a + b; });
      return true;
    case Op::sub:
      binary(r, x[0], x[1], low, high, [](double a, double b) { return a - b; });
      return true;
    case Op::mul:
      binary(r, x[0], x[1], low, high, [](double a, double b) { return a * b; });
      return true;
    case Op::div:
      binary(r, x[0], x[1], low, high, [](double a, double b) { return a / b; });
      return true;
    case Op::neg:
      unary(r, x[0], low, high, [](double a) { return -a; });
      return true;
    case Op::abs:
      unary(r, x[0], low, high, [](double a) { return std::fabs(a); });
      return true;
    case Op::sqrt:
      unary(r, x[0], low, high, [](double a) { return std::sqrt(a); });
      return true;
    case Op::reciprocal:
      unary(r, x[0], low, high, [](double a) { return 1 / a; });
      return true;
    case Op::max:
    case Op::maximum:
      binary(r, x[0], x[1], low, high, [](double a, double b) { return a != a ? a : a > b ? a : b; });
      return true;
    case Op::min:
    case Op::minimum:
      binary(r, x[0], x[1], low, high, [](double a, double b) { return a != a ? a : a < b ? a : b; });
      return true;
    default:
      return false;
  }
}

bool fast_f32(Op op, double* r, const Operand<double>* x, int low, int high) {
  switch (op) {
    case Op::add:
      binary(r, x[0], x[1], low, high,
             [](double a, double b) { return static_cast<double>(single(a) + single(b)); });
      return true;
    case Op::sub:
      binary(r, x[0], x[1], low, high,
             [](double a, double b) { return static_cast<double>(single(a) - single(b)); });
      return true;
    case Op::mul:
      binary(r, x[0], x[1], low, high,
             [](double a, double b) { return static_cast<double>(single(a) * single(b)); });
      return true;
    case Op::div:
      binary(r, x[0], x[1], low, high,
             [](double a, double b) { return static_cast<double>(single(a) / single(b)); });
      return true;
    case Op::fma:
      for (int i = low; i < high; ++i)
        r[i] = static_cast<double>(std::fma(single(x[0][i]), single(x[1][i]), single(x[2][i])));
      return true;
    case Op::sqrt:
      unary(r, x[0], low, high, [](double a) { return static_cast<double>(std::sqrt(single(a))); });
      return true;
    default:
      return false;
  }
}

bool fast_f64(Op op, double* r, const Operand<double>* x, int low, int high) {
  switch (op) {
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::sqrt:
    case Op::reciprocal:
      return fast_real(op, r, x, low, high);
    case Op::fma:
      for (int i = low; i < high; ++i) r[i] = std::fma(x[0][i], x[1][i], x[2][i]);
      return true;
    default:
      return false;
  }
}

template <typename T>
T read(const std::byte* data, std::int64_t at) {
  T value;
  std::memcpy(&value, data + at * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename T>
void write(std::byte* data, std::int64_t at, T value) {
  std::memcpy(data + at * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
}

// The common strides get loops of their own, which the compiler can turn into vector loads.
template <typename T, typename R, typename F>
void load_lanes(R* result, const std::byte* data, std::int64_t offset, std::int64_t stride, int low, int high,
                F f) {
  if (stride == 1) {
    for (int i = low; i < high; ++i) result[i] = f(read<T>(data, offset + i));
  } else if (stride == 0) {
    const R value = f(read<T>(data, offset));
    for (int i = low; i < high; ++i) result[i] = value;
  } else {
    for (int i = low; i < high; ++i) result[i] = f(read<T>(data, offset + i * stride));
  }
}

template <typename T, typename V, typename F>
void store_lanes(std::byte* data, std::int64_t offset, std::int64_t stride, const Operand<V>& value, int low,
                 int high, F f) {
  for (int i = low; i < high; ++i) write<T>(data, offset + i * stride, f(value[i]));
}

}  // namespace

void number_operation(Term t, double* result, const Operand<double>* operands, int low, int high) {
  double x[3] = {0, 0, 0};
  const std::size_t count = t->children.size();
  if (t->sort.kind == Sort::Kind::real) {
    if (fast_real(t->op, result, operands, low, high)) return;
    for (int i = low; i < high; ++i) {
      for (std::size_t j = 0; j < count; ++j) x[j] = operands[j][i];
      result[i] = double_operation(t->op, x);
    }
    return;
  }
  const bool plain = t->rounding == Rounding::nearest && !t->flush_subnormals;
  if (plain && t->sort.format == Format::f32 && fast_f32(t->op, result, operands, low, high)) return;
  if (plain && t->sort.format == Format::f64 && fast_f64(t->op, result, operands, low, high)) return;
  for (int i = low; i < high; ++i) {
    for (std::size_t j = 0; j < count; ++j) x[j] = operands[j][i];
    result[i] = float_operation(t->op, t->sort.format, t->rounding, t->flush_subnormals, x);
  }
}

void integer_lanes(Term t, std::int64_t* result, const Operand<std::int64_t>* operands, int low, int high) {
  std::int64_t x[3] = {0, 0, 0};
  for (int i = low; i < high; ++i) {
    for (std::size_t j = 0; j < t->children.size(); ++j) x[j] = operands[j][i];
    result[i] = integer_operation(t->op, t->sort.format, x);
  }
}

void number_compare(Op op, std::uint8_t* result, Operand<double> a, Operand<double> b, int low, int high) {
  if (op == Op::lt)
    binary(result, a, b, low, high, [](double x, double y) -> std::uint8_t { return x < y; });
  else if (op == Op::le)
    binary(result, a, b, low, high, [](double x, double y) -> std::uint8_t { return x <= y; });
  else
    binary(result, a, b, low, high, [](double x, double y) -> std::uint8_t { return x == y; });
}

void integer_compare_lanes(Op op, bool is_signed, std::uint8_t* result, Operand<std::int64_t> a,
                           Operand<std::int64_t> b, int low, int high) {
  const Format format = is_signed ? Format::i64 : Format::u64;
  for (int i = low; i < high; ++i) result[i] = integer_compare(op, format, a[i], b[i]) ? 1 : 0;
}

void load_numbers(Format format, double* result, const std::byte* data, std::int64_t offset,
                  std::int64_t stride, int low, int high) {
  if (format == Format::f32)
    return load_lanes<float>(result, data, offset, stride, low, high,
                             [](float x) { return static_cast<double>(x); });
  if (format == Format::f64)
    return load_lanes<double>(result, data, offset, stride, low, high, [](double x) { return x; });
  const auto each = [&]<typename T>(T) {
    load_lanes<T>(result, data, offset, stride, low, high, [format](T x) { return decode(format, x); });
  };
  if (storage_bits(format) == 32) return each(std::uint32_t{});
  if (storage_bits(format) == 16) return each(std::uint16_t{});
  each(std::uint8_t{});
}

void load_integers(Format format, std::int64_t* result, const std::byte* data, std::int64_t offset,
                   std::int64_t stride, int low, int high) {
  const auto each = [&]<typename T>(T) {
    load_lanes<T>(result, data, offset, stride, low, high, [](T x) { return static_cast<std::int64_t>(x); });
  };
  switch (format) {
    case Format::i8:
      return each(std::int8_t{});
    case Format::i16:
      return each(std::int16_t{});
    case Format::i32:
      return each(std::int32_t{});
    case Format::u8:
      return each(std::uint8_t{});
    case Format::u16:
      return each(std::uint16_t{});
    case Format::u32:
      return each(std::uint32_t{});
    case Format::boolean:
      return load_lanes<std::uint8_t>(result, data, offset, stride, low, high,
                                      [](std::uint8_t x) { return std::int64_t{x != 0}; });
    default:
      return each(std::int64_t{});
  }
}

void store_numbers(Format format, std::byte* data, std::int64_t offset, std::int64_t stride,
                   Operand<double> value, int low, int high) {
  const auto each = [&]<typename T>(T) {
    store_lanes<T>(data, offset, stride, value, low, high,
                   [format](double x) { return static_cast<T>(encode(format, x)); });
  };
  switch (storage_bits(format)) {
    case 64:
      return each(std::uint64_t{});
    case 32:
      return each(std::uint32_t{});
    case 16:
      return each(std::uint16_t{});
    default:
      each(std::uint8_t{});
  }
}

void store_integers(Format format, std::byte* data, std::int64_t offset, std::int64_t stride,
                    Operand<std::int64_t> value, int low, int high) {
  const auto each = [&]<typename T>(T) {
    store_lanes<T>(data, offset, stride, value, low, high, [](std::int64_t x) { return static_cast<T>(x); });
  };
  switch (storage_bits(format)) {
    case 64:
      return each(std::uint64_t{});
    case 32:
      return each(std::uint32_t{});
    case 16:
      return each(std::uint16_t{});
    default:
      each(std::uint8_t{});
  }
}

}  // namespace hallmark::evaluator
