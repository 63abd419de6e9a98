// Models of one operator from their ONNX text to their PTX: what a tensor of rank 0, a window over padding,
// words of 8 to 64 bits, indices read from a tensor and an output that is a constant must not hinder.
#include <gtest/gtest.h>

#include "base/files.h"
#include "cases.h"

namespace hallmark {
namespace {

struct OneNode {
  const char* name;
  const char* text;
};
// gtest prints the parameter.
std::ostream& operator<<(std::ostream& out, const OneNode& node) {
  return out << node.name;
}

class Operator : public ::testing::TestWithParam<OneNode> {};

TEST_P(Operator, IsProvedAtBothLevels) {
  const TemporaryFolder folder;
  const std::string model = folder.path() + "/" + GetParam().name + ".onnxtxt";
  write_file(model, std::string("<ir_version: 8, opset_import: [\"\" : 17]>\n") + GetParam().text + "\n");
  pipeline::RunRequest request;
  request.model = model;
  request.context.corpus = testing::corpus();
  request.output = folder.path() + "/out";
  const pipeline::RunResult result = pipeline::run(request, [](const std::string&) {});
  for (const Obligation& o : result.report.obligations) {
    if (o.outcome.state == State::proved) continue;
    EXPECT_TRUE(o.outcome.state == State::unrun && o.outcome.reason == Reason::tool_missing)
        << o.id << ": " << o.outcome.detail;
  }
}

constexpr OneNode nodes[]{
    {"clip_between_tensors",
     "m (float[3, 4] x, float low, float high) => (float[3, 4] y) { y = Clip (x, low, high) }"},
    {"clip_of_bytes", "m (int8[3, 4] x, int8 high) => (int8[3, 4] y) { y = Min (x, high) }"},
    {"scalar_bias", "m (float[2, 3] a, float[3, 4] b, float c) => (float[2, 4] y) { y = Gemm (a, b, c) }"},
    {"average_over_padding",
     "m (float[1, 3, 28, 28] x) => (float[1, 3, 30, 30] y)\n"
     "{ y = AveragePool <kernel_shape = [3, 3], pads = [2, 2, 2, 2]> (x) }"},
    {"shift_of_words",
     "m (uint16[5] x, uint16[5] n) => (uint16[5] y) { y = BitShift <direction = \"LEFT\"> (x, n) }"},
    {"shift_of_bytes_down",
     "m (uint8[5] x, uint8[5] n) => (uint8[5] y) { y = BitShift <direction = \"RIGHT\"> (x, n) }"},
    {"convolution_of_bytes",
     "m (uint8[1, 1, 3, 3] x, uint8[1, 1, 2, 2] w, uint8 zero) => (int32[1, 1, 2, 2] y)\n"
     "{ y = ConvInteger (x, w, zero) }"},
    {"gather_of_integers",
     "m (int32[2, 2] data, int64[2, 2] at) => (int32[2] y) { y = GatherND (data, at) }"},
    {"gather_in_batches",
     "m (int32[2, 2, 2] data, int64[2, 1] at) => (int32[2, 2] y) { y = GatherND <batch_dims = 1> (data, at) "
     "}"},
    {"mask_of_nothing_dropped",
     "m (float[3, 4] x) => (float[3, 4] y, bool[3, 4] mask) { y, mask = Dropout (x) }"},
    {"transposed_convolution",
     "m (float[1, 3, 7, 6] x, float[3, 2, 3, 3] w) => (float[1, 2, 15, 12] y)\n"
     "{ y = ConvTranspose <strides = [2, 2], pads = [1, 1, 1, 1], output_padding = [2, 1]> (x, w) }"},
    {"casts_of_halves",
     "m (float[5, 7] x, bfloat16[5, 7] w, double[5, 7] d, float16[5, 7] h)\n"
     " => (float16[5, 7] y, float[5, 7] u, float[5, 7] v, float[5, 7] s, double[5, 7] t)\n"
     "{ y = Cast <to = 10> (x)\n u = Cast <to = 1> (y)\n v = Cast <to = 1> (w)\n s = Cast <to = 1> (d)\n"
     " t = Cast <to = 11> (h) }"},
    {"halves_in_place_of_floats",
     "m (float16[5, 7] x) => (float16[7, 5] y) { n = Neg (x)\n r = Relu (n)\n y = Transpose (r) }"},
    {"bytes_as_floats",
     "m (uint8[5, 7] x) => (float[5, 7] y) <float scale = {0.25}, uint8 zero = {7}>\n"
     "{ y = DequantizeLinear (x, scale, zero) }"},
    {"smallest_of_one", "m (int32[4, 1, 1] x) => (int64[4, 1, 1] y) { y = ArgMin <axis = 2> (x) }"},
    {"truth_of_integers", "m (int16[5] x) => (bool[5] y) { y = Cast <to = 9> (x) }"},
    {"truth_of_floats", "m (float[5] x) => (bool[5] y) { y = Cast <to = 9> (x) }"},
    {"greatest_of_two",
     "m (int32[3, 2, 2] x) => (int64[3, 1, 2] y)\n"
     "{ y = ArgMax <axis = 1, select_last_index = 1> (x) }"},
    {"no_extents", "m (float[3, 4] x) => (int64[0] y) { y = Shape <end = 0> (x) }"},
    {"slice_of_nothing",
     "m (float[4, 4] x) => (float[0, 4] y)\n"
     "<int64[1] from = {3}, int64[1] to = {1}, int64[1] along = {0}> { y = Slice (x, from, to, along) }"},
    {"greatest_integer", "m (int32[5, 20] x) => (int64[5, 1] y) { y = ArgMax <axis = 1> (x) }"},
    {"logarithm_of_a_row", "m (float[2, 128] x) => (float[2, 128] y) { y = LogSoftmax <axis = -1> (x) }"},
    {"logarithm_of_one", "m (float[5, 1] x) => (float[5, 1] y) { y = LogSoftmax <axis = -1> (x) }"},
    {"nothing_turned_round",
     "m (float[3, 0, 5] x) => (float[5, 0, 3] y) { y = Transpose <perm = [2, 1, 0]> (x) }"},
    {"average_of_every_other_window",
     "m (float[1, 24, 14, 14] x) => (float[1, 24, 7, 7] y)\n"
     "{ y = AveragePool <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (x) }"},
    {"arcs",
     "m (float[40] x) => (float[40] a, float[40] b, float[40] c, float[40] d) { a = Asin (x)\n b = Acos (x)\n"
     " c = Atan (x)\n d = Tan (x) }"},
    {"hyperbolic",
     "m (float[40] x) => (float[40] a, float[40] b, float[40] c, float[40] d, float[40] e)\n"
     "<float half = {0.5}, float three = {3.0}> { a = Sinh (x)\n b = Cosh (x)\n c = Asinh (x)\n h = Mul (x, "
     "half)\n"
     " d = Atanh (h)\n t = Add (x, three)\n e = Acosh (t) }"},
    {"powers",
     "m (float[40] x, float[40] e) => (float[40] y) <float two = {2.0}> { b = Add (x, two)\n y = Pow (b, e) "
     "}"},
    {"constant", "m () => (float[3] y) { y = Constant <value = float[3] {1.0, 2.0, 3.0}> () }"},
};

INSTANTIATE_TEST_SUITE_P(Nodes, Operator, ::testing::ValuesIn(nodes),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hallmark
