// The tests' own evaluation and the product's reference evaluator agree bit for bit on formulations.
#include <gtest/gtest.h>

#include <cmath>

#include "evaluator/evaluator.h"
#include "formulation/formulate.h"
#include "programs_models.h"

namespace hallmark::testing {
namespace {

using namespace calculus;

evaluator::Tensor tensor_of(const Values& values) {
  auto data = std::make_shared<TensorData>();
  data->format = values.format;
  data->extents.assign(values.extents.begin(), values.extents.end());
  const unsigned width = storage_bits(values.format);
  data->bytes.resize(values.bits.size() * width / 8);
  for (std::size_t k = 0; k < values.bits.size(); ++k)
    evaluator::write_bits(data->bytes.data(), width, static_cast<std::int64_t>(k), values.bits[k]);
  return evaluator::Tensor(evaluator::Tensor::Encoded(data));
}

void expect_agreement(const Program& exact, const formulation::Options& options) {
  const Program formulation = formulation::formulate(exact, options).program;
  Tensors own;
  evaluator::Tensors theirs;
  unsigned seed = 11;
  for (const Declaration& input : exact.inputs) {
    std::vector<long> extents;
    for (Term extent : input.extents) extents.push_back(as_integer(extent)->get_si());
    own[input.name] = random_values(input.format, extents, ++seed);
    theirs.emplace(input.name, tensor_of(own[input.name]));
  }
  evaluate(formulation, {}, own);
  const evaluator::Tensors results = evaluator::evaluate(formulation, {}, theirs);
  for (const std::string& output : formulation.outputs) {
    const Values& want = own.at(output);
    const evaluator::Tensor& got = results.at(output);
    for (std::size_t k = 0; k < want.bits.size(); ++k)
      ASSERT_EQ(want.bits[k], got.bits(static_cast<std::int64_t>(k))) << output << "[" << k << "]";
  }
}

TEST(Oracles, AgreeOnFormulations) {
  formulation::Options options;
  for (const char* name : {"Y.max", "Y.sum", "Y.mean", "Y.var", "max", "sum"})
    options.orders[name] = formulation::block_order(64);
  expect_agreement(softmax(n(3), n(150)), options);
  expect_agreement(layer_norm(n(3), n(200)), options);
  expect_agreement(dense_gelu(5, 24, 7), options);
  expect_agreement(attention(10, 2, 4), options);
  options.fused_multiply_add = false;
  expect_agreement(dense_gelu(5, 24, 7), options);
}

}  // namespace
}  // namespace hallmark::testing
