// Exact programs built by hand, and random inputs for them.
#pragma once
#include <random>

#include "calculus/program.h"
#include "term_evaluator.h"

namespace hallmark::testing {

inline calculus::Term n(long value) {
  return calculus::integer(value);
}
inline calculus::Term real(const std::string& tensor, const std::vector<calculus::Term>& indices) {
  return calculus::load(tensor, indices, calculus::Sort::real());
}
inline calculus::Term i(int number) {
  return calculus::axis(number);
}
inline calculus::Declaration f32(const std::string& name, const std::vector<calculus::Term>& extents) {
  return {name, calculus::Format::f32, extents};
}
inline calculus::Definition define(const std::string& name, const std::vector<calculus::Term>& extents,
                                   calculus::Term body, const std::string& origin = {},
                                   calculus::Format format = calculus::Format::f32) {
  return {{name, format, extents}, {}, body, origin};
}

inline calculus::Program relu(long size) {
  using namespace calculus;
  Program p;
  p.inputs = {f32("X", {n(size)})};
  p.definitions = {
      define("Y", {n(size)}, apply(Op::max, {real("X", {i(0)}), real_constant(0)}), "Relu_0 (Relu)")};
  p.outputs = {"Y"};
  return p;
}

inline calculus::Program addition(long rows, long columns) {
  using namespace calculus;
  Program p;
  p.inputs = {f32("A", {n(rows), n(columns)}), f32("b", {n(columns)})};
  p.definitions = {define("C", {n(rows), n(columns)},
                          apply(Op::add, {real("A", {i(0), i(1)}), real("b", {i(1)})}), "Add_0 (Add)")};
  p.outputs = {"C"};
  return p;
}

inline calculus::Program matmul(calculus::Term m, calculus::Term depth, calculus::Term columns) {
  using namespace calculus;
  Program p;
  p.inputs = {f32("A", {m, depth}), f32("B", {depth, columns})};
  const Term k = fresh_variable("k");
  p.definitions = {define("C", {m, columns},
                          sum(k, depth, apply(Op::mul, {real("A", {i(0), k}), real("B", {k, i(1)})})),
                          "MatMul_0 (MatMul)")};
  p.outputs = {"C"};
  return p;
}

// Random values for an input: floats in [-2, 2] with some zeros, integers below `limit`.
inline Values random_values(calculus::Format format, const std::vector<long>& extents, unsigned seed,
                            long limit = 4) {
  std::mt19937 random(seed);
  Values v;
  v.format = format;
  v.extents = extents;
  long total = 1;
  for (long e : extents) total *= e;
  std::uniform_real_distribution<float> real(-2, 2);
  for (long k = 0; k < total; ++k) {
    if (format == calculus::Format::f32) {
      const float x = random() % 16 == 0 ? 0.0f : real(random);
      v.bits.push_back(std::bit_cast<std::uint32_t>(x));
    } else if (format == calculus::Format::f64) {
      v.bits.push_back(std::bit_cast<std::uint64_t>(static_cast<double>(real(random))));
    } else {
      v.bits.push_back(random() % static_cast<unsigned long>(limit));
    }
  }
  return v;
}

}  // namespace hallmark::testing
