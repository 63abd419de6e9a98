// Builds one operator's node, evaluates it in double and hands the results to naive loops.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "evaluator/evaluator.h"
#include "operators/operator.h"

namespace hallmark::operators {

// A tensor of the test's own, row-major; integers are held as doubles.
struct Array {
  std::vector<std::int64_t> extents{};
  std::vector<double> values{};
  Format format = Format::f32;

  std::int64_t count() const {
    std::int64_t n = 1;
    for (const std::int64_t e : extents) n *= e;
    return n;
  }
  double& at(const std::vector<std::int64_t>& indices);
  double at(const std::vector<std::int64_t>& indices) const { return const_cast<Array*>(this)->at(indices); }
};

// Values that a float holds exactly: quarters in [-4, 4].
Array random_array(std::vector<std::int64_t> extents, unsigned seed, double low = -4, double high = 4);
Array zeros(std::vector<std::int64_t> extents, Format format = Format::f32);
Array integers(std::vector<std::int64_t> values);  // a vector of int64
Array array_of(std::vector<std::int64_t> extents, std::vector<double> values, Format format = Format::f32);
Array filled(std::vector<std::int64_t> extents,
             const std::function<double(const std::vector<std::int64_t>&)>& f, Format format = Format::f32);
// Calls `visit` for every index tuple, row-major.
void for_each_index(const std::vector<std::int64_t>& extents,
                    const std::function<void(const std::vector<std::int64_t>&)>& visit);

struct Call {
  std::string op_type;
  std::vector<Array> inputs{};
  std::map<std::string, Attribute> attributes{};
  int opset = 17;
  std::size_t outputs = 1;
  // Numbers of inputs that are constants of the model, and of those that are left out.
  std::vector<std::size_t> constant{}, absent{};
};

// All outputs. Throws what building and evaluating throw.
std::vector<Array> run(const Call& call);
void expect_close(const Array& actual, const Array& expected, double tolerance = 1e-9);

}  // namespace hallmark::operators
