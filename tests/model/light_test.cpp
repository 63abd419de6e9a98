// The nine convolutional networks of the shared folder, run in double against their recorded outputs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "evaluator/evaluator.h"
#include "model/import.h"
#include "model/suite.h"
#include "model/tensors.h"

namespace hallmark::model {
namespace {

std::string shared(const std::string& path) {
  const char* given = std::getenv("HALLMARK_SHARED");
  return (given != nullptr ? std::string(given) : std::string(HALLMARK_SOURCE_DIR) + "/../shared") + "/" +
         path;
}

// The one open input is float32(arange(n) / n) in row-major order.
evaluator::Tensor ramp(const std::vector<std::int64_t>& extents) {
  const std::int64_t count = evaluator::checked_count(extents);
  auto data = std::make_shared<calculus::TensorData>();
  data->format = calculus::Format::f32;
  data->extents = extents;
  data->bytes.resize(static_cast<std::size_t>(count) * sizeof(float));
  for (std::int64_t i = 0; i < count; ++i) {
    const float value = static_cast<float>(static_cast<double>(i) / static_cast<double>(count));
    std::memcpy(data->bytes.data() + static_cast<std::size_t>(i) * sizeof(float), &value, sizeof(float));
  }
  return evaluator::Tensor(data);
}

void check_light_model(const std::string& name) {
  const std::string path = shared("onnx/light/light_" + name + ".onnx");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "the shared folder has no " << path;
  const Model model = import_model(path);
  for (const calculus::Constant& constant : model.program.constants)
    EXPECT_LE(constant.data->bytes.size(), 4096U) << constant.declaration.name << " was materialised";
  ASSERT_EQ(model.program.inputs.size(), 1U);
  const calculus::Declaration& input = model.program.inputs[0];
  evaluator::Tensors inputs;
  inputs.emplace(input.name, ramp(evaluator::evaluate_extents(input, {})));
  const unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  const auto outputs = evaluator::evaluate(model.program, {}, inputs, {evaluator::Reals::in_double, jobs});
  ASSERT_EQ(outputs.size(), 1U);
  const auto expected = read_tensor_file(shared("onnx/light/light_" + name + "_output_0.pb"));
  const auto difference = first_difference(outputs.begin()->second, evaluator::Tensor(expected.data));
  EXPECT_FALSE(difference) << *difference;
}

#ifdef HALLMARK_LIGHT_SQUEEZENET
TEST(Light, Squeezenet) {
  check_light_model("squeezenet");
}
#else
class Light : public testing::TestWithParam<const char*> {};
TEST_P(Light, GivesItsRecordedOutput) {
  check_light_model(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Networks, Light,
                         testing::Values("bvlc_alexnet", "densenet121", "inception_v1", "inception_v2",
                                         "resnet50", "shufflenet", "vgg19", "zfnet512"),
                         [](const auto& info) { return std::string(info.param); });
#endif

}  // namespace
}  // namespace hallmark::model
