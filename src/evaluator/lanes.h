// Elementwise work on blocks of lanes. An operand that does not vary along the lanes is a pointer to one
// value.
#pragma once
#include <cstdint>

#include "calculus/term.h"

namespace hallmark::evaluator {

constexpr int block_lanes = 256;

template <typename T>
struct Operand {
  const T* data = nullptr;
  bool varies = false;
  T operator[](int lane) const { return data[varies ? lane : 0]; }
};

// All on lanes low <= lane < high; lanes may hold anything, so nothing here throws for a value.
// An operation of sort Real or Float, as double_operation and float_operation define it.
void number_operation(calculus::Term operation, double* result, const Operand<double>* operands, int low,
                      int high);
void integer_lanes(calculus::Term operation, std::int64_t* result, const Operand<std::int64_t>* operands,
                   int low, int high);
void number_compare(calculus::Op op, std::uint8_t* result, Operand<double> a, Operand<double> b, int low,
                    int high);
void integer_compare_lanes(calculus::Op op, bool is_signed, std::uint8_t* result, Operand<std::int64_t> a,
                           Operand<std::int64_t> b, int low, int high);

// result[lane] = data[offset + lane * stride] as the double or 64-bit integer that equals it.
void load_numbers(calculus::Format format, double* result, const std::byte* data, std::int64_t offset,
                  std::int64_t stride, int low, int high);
void load_integers(calculus::Format format, std::int64_t* result, const std::byte* data, std::int64_t offset,
                   std::int64_t stride, int low, int high);
// data[offset + lane * stride] = value[lane] in the format's encoding.
void store_numbers(calculus::Format format, std::byte* data, std::int64_t offset, std::int64_t stride,
                   Operand<double> value, int low, int high);
void store_integers(calculus::Format format, std::byte* data, std::int64_t offset, std::int64_t stride,
                    Operand<std::int64_t> value, int low, int high);

}  // namespace hallmark::evaluator
