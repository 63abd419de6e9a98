#include "harness.h"

#include <algorithm>
#include <cstring>

#include "evaluator/float_format.h"

namespace hallmark::operators {

using calculus::TensorData;

double& Array::at(const std::vector<std::int64_t>& indices) {
  std::int64_t position = 0;
  EXPECT_EQ(indices.size(), extents.size());
  for (std::size_t d = 0; d < indices.size(); ++d) {
    EXPECT_TRUE(indices[d] >= 0 && indices[d] < extents[d]) << "the test's own loop leaves its array";
    position = position * extents[d] + indices[d];
  }
  return values.at(static_cast<std::size_t>(position));
}

Array random_array(std::vector<std::int64_t> extents, unsigned seed, double low, double high) {
  std::mt19937 engine(seed);
  Array out = zeros(std::move(extents));
  const auto steps = static_cast<std::uint32_t>((high - low) * 4 + 1);
  for (double& v : out.values) v = low + static_cast<double>(engine() % steps) / 4;
  return out;
}

Array zeros(std::vector<std::int64_t> extents, Format format) {
  Array out{std::move(extents), {}, format};
  out.values.assign(static_cast<std::size_t>(out.count()), 0);
  return out;
}

Array integers(std::vector<std::int64_t> values) {
  Array out{{static_cast<std::int64_t>(values.size())}, {}, Format::i64};
  for (const std::int64_t v : values) out.values.push_back(static_cast<double>(v));
  return out;
}

Array array_of(std::vector<std::int64_t> extents, std::vector<double> values, Format format) {
  Array out{std::move(extents), std::move(values), format};
  EXPECT_EQ(out.count(), static_cast<std::int64_t>(out.values.size()));
  return out;
}

void for_each_index(const std::vector<std::int64_t>& extents,
                    const std::function<void(const std::vector<std::int64_t>&)>& visit) {
  std::int64_t count = 1;
  for (const std::int64_t e : extents) count *= e;
  std::vector<std::int64_t> at(extents.size(), 0);
  for (; count > 0; --count) {
    visit(at);
    for (std::size_t d = at.size(); d-- > 0 && ++at[d] == extents[d];) at[d] = 0;
  }
}

Array filled(std::vector<std::int64_t> extents,
             const std::function<double(const std::vector<std::int64_t>&)>& f, Format format) {
  Array out = zeros(std::move(extents), format);
  std::size_t next = 0;
  for_each_index(out.extents, [&](const auto& at) { out.values[next++] = f(at); });
  return out;
}

namespace {

TensorPointer data_of(const Array& array) {
  auto data = std::make_shared<TensorData>();
  data->format = array.format;
  data->extents = array.extents;
  const unsigned bits = storage_bits(array.format);
  data->bytes.resize(array.values.size() * bits / 8);
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    const std::uint64_t encoded =
        is_float(array.format) ? evaluator::encode(array.format, array.values[i])
                               : static_cast<std::uint64_t>(static_cast<std::int64_t>(array.values[i]));
    evaluator::write_bits(data->bytes.data(), bits, static_cast<std::int64_t>(i), encoded);
  }
  return data;
}

Array array_of(const evaluator::Tensor& tensor) {
  Array out{tensor.extents(), {}, tensor.format()};
  for (std::int64_t i = 0; i < tensor.element_count(); ++i)
    out.values.push_back(is_float(tensor.format()) ? tensor.number(i)
                                                   : static_cast<double>(tensor.integer(i)));
  return out;
}

}  // namespace

std::vector<Array> run(const Call& call) {
  Scope scope({});
  Node node;
  node.op_type = call.op_type;
  node.attributes = call.attributes;
  evaluator::Tensors tensors;
  const auto listed = [](const std::vector<std::size_t>& list, std::size_t i) {
    return std::find(list.begin(), list.end(), i) != list.end();
  };
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    node.inputs.push_back(listed(call.absent, i) ? "" : "in" + std::to_string(i));
    if (node.inputs.back().empty()) continue;
    if (listed(call.constant, i)) {
      scope.add_constant(node.inputs.back(), data_of(call.inputs[i]));
      continue;
    }
    calculus::Declaration declaration{node.inputs.back(), call.inputs[i].format, {}};
    for (const std::int64_t e : call.inputs[i].extents)
      declaration.extents.push_back(calculus::integer(from_i64(e)));
    scope.add_input(declaration);
    tensors.emplace(node.inputs.back(), evaluator::Tensor(data_of(call.inputs[i])));
  }
  for (std::size_t j = 0; j < call.outputs; ++j) node.outputs.push_back("out" + std::to_string(j));
  build(scope, node, call.opset);
  const calculus::Program program = scope.finish(node.outputs);
  check_program(program);
  const evaluator::Tensors results = evaluator::evaluate(program, {}, tensors);
  std::vector<Array> out;
  for (const std::string& name : node.outputs) out.push_back(array_of(results.at(name)));
  return out;
}

void expect_close(const Array& actual, const Array& expected, double tolerance) {
  ASSERT_EQ(actual.extents, expected.extents);
  ASSERT_EQ(actual.format, expected.format);
  for (std::size_t i = 0; i < expected.values.size(); ++i)
    ASSERT_NEAR(actual.values[i], expected.values[i], tolerance * (1 + std::fabs(expected.values[i])))
        << "element " << i;
}

}  // namespace hallmark::operators
