// Sums of products by packed blocks against the walker: the same bits, also at borders, in groups, with
// splats.
#include "evaluator/contraction.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "base/error.h"
#include "calculus/text/text.h"

namespace hallmark::evaluator {
namespace {

using namespace calculus;

Tensor filled(std::vector<std::int64_t> extents, std::uint64_t seed, bool splat = false) {
  auto data = std::make_shared<TensorData>();
  data->format = Format::f32;
  data->extents = std::move(extents);
  data->splat = splat;
  std::mt19937_64 random(seed);
  std::vector<float> values(splat ? 1 : static_cast<std::size_t>(data->element_count()));
  for (float& v : values) v = static_cast<float>(random() % 2000) / 1000 - 1;
  data->bytes.resize(values.size() * sizeof(float));
  std::memcpy(data->bytes.data(), values.data(), data->bytes.size());
  return Tensor(data);
}

struct Case {
  const char* name;
  const char* program;
  std::vector<std::vector<std::int64_t>> inputs;  // extents of A, B
  bool taken = true;
};

void check(const Case& c, const Tensors& tensors) {
  const Program program = text::parse_program(c.program, c.name);
  const Definition& definition = program.definitions.at(0);
  Term body = definition.body;
  const std::vector<std::int64_t> extents = evaluate_extents(definition.declaration, {});
  // The sum itself, below a bias or a factor.
  std::optional<Contraction> found;
  for_each_node(body, [&](Term node) {
    if (node->kind != Kind::fold || node->open) return;
    if (auto contraction = match_contraction(node, tensors, extents)) found = std::move(contraction);
  });
  EXPECT_EQ(found.has_value(), c.taken) << c.name;
  const Tensor slow = evaluate(definition, {}, {}, tensors, {.compile = false});
  for (const unsigned jobs : {1U, 3U, 9U}) {
    const Tensor fast = evaluate(definition, {}, {}, tensors, {.jobs = jobs});
    ASSERT_EQ(fast.extents(), slow.extents());
    for (std::int64_t i = 0; i < slow.element_count(); ++i) {
      const double a = slow.number(i), b = fast.number(i);
      ASSERT_TRUE(std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
                  (std::isnan(a) && std::isnan(b)))
          << c.name << " element " << i << ": " << a << " and " << b;
    }
  }
}

const Case cases[] = {
    {"matmul",
     "hallmark 1 program exact input A : f32[13, 300] input B : f32[300, 21]\n"
     "define C : f32[i < 13, j < 21] = sum(k < 300) A[i, k] * B[k, j]",
     {{13, 300}, {300, 21}}},
    {"vector times transposed matrix, scaled, with a bias",
     "hallmark 1 program exact input A : f32[1, 70] input B : f32[50, 70]\n"
     "define C : f32[i < 1, j < 50] = 0.5 * (sum(k < 70) A[i, k] * B[j, k]) + B[j, 3]",
     {{1, 70}, {50, 70}}},
    {"batched with one batch missing",
     "hallmark 1 program exact input A : f32[3, 5, 12] input B : f32[12, 9]\n"
     "define C : f32[b < 3, i < 5, j < 9] = sum(k < 12) A[b, i, k] * B[k, j]",
     {{3, 5, 12}, {12, 9}}},
    {"convolution with padding and stride",
     "hallmark 1 program exact input A : f32[2, 3, 9, 8] input B : f32[5, 3, 3, 3]\n"
     "define C : f32[n < 2, m < 5, y < 5, x < 4] =\n"
     " fold(c < 3; s = 0 -> fold(p < 3 where 0 <= 2 * y + p - 1 < 9; t = s ->\n"
     "   fold(q < 3 where 0 <= 2 * x + q - 1 < 8; u = t -> u + A[n, c, 2 * y + p - 1, 2 * x + q - 1] * B[m, "
     "c, p, q])))",
     {{2, 3, 9, 8}, {5, 3, 3, 3}}},
    {"convolution in groups",
     "hallmark 1 program exact input A : f32[1, 6, 7, 7] input B : f32[4, 3, 3, 3]\n"
     "define C : f32[n < 1, m < 4, y < 5, x < 5] =\n"
     " fold(c < 3; s = 0 -> fold(p < 3; t = s -> fold(q < 3; u = t ->\n"
     "   u + A[n, 3 * (m / 2) + c, y + p, x + q] * B[m, c, p, q])))",
     {{1, 6, 7, 7}, {4, 3, 3, 3}}},
    {"one channel a group",
     "hallmark 1 program exact input A : f32[1, 8, 12, 12] input B : f32[8, 1, 3, 3]\n"
     "define C : f32[n < 1, m < 8, y < 10, x < 10] =\n"
     " fold(p < 3; t = 0 -> fold(q < 3; u = t -> u + A[n, m, y + p, x + q] * B[m, 0, p, q]))",
     {{1, 8, 12, 12}, {8, 1, 3, 3}}},
    {"one channel a group, with padding",
     "hallmark 1 program exact input A : f32[1, 6, 12, 11] input B : f32[6, 1, 3, 3]\n"
     "define C : f32[n < 1, m < 6, y < 12, x < 11] =\n"
     " fold(p < 3 where 0 <= y + p - 1 < 12; t = 0 ->\n"
     "   fold(q < 3 where 0 <= x + q - 1 < 11; u = t -> u + A[n, m, y + p - 1, x + q - 1] * B[m, 0, p, q]))",
     {{1, 6, 12, 11}, {6, 1, 3, 3}}},
    {"a start that is not 0",
     "hallmark 1 program exact input A : f32[4, 9] input B : f32[9, 4]\n"
     "define C : f32[i < 4, j < 4] = fold(k < 9; s = 2.5 -> s + A[i, k] * B[k, j])",
     {{4, 9}, {9, 4}}},
    {"both factors the same tensor",
     "hallmark 1 program exact input A : f32[6, 30] input B : f32[1, 1]\n"
     "define C : f32[i < 6, j < 6] = sum(k < 30) A[i, k] * A[j, k]",
     {{6, 30}, {1, 1}}},
    {"an index that is not affine",
     "hallmark 1 program exact input A : f32[4, 30] input B : f32[30, 4]\n"
     "define C : f32[i < 4, j < 4] = sum(k < 30) A[i, k / 2] * B[k, j]",
     {{4, 30}, {30, 4}},
     false}};

TEST(Contraction, TheSameBitsAsTheWalker) {
  for (const Case& c : cases)
    for (const bool splat : {false, true})
      check(c, {{"A", filled(c.inputs[0], 1)}, {"B", filled(c.inputs[1], 2, splat)}});
}

// A skipped step is no product with 0: an infinite weight must not make a NaN of it.
TEST(Contraction, InfiniteWeightsAtBorders) {
  Tensor weights = filled(cases[3].inputs[1], 2);
  auto data = std::make_shared<TensorData>(**weights.encoded());
  const float infinity = std::numeric_limits<float>::infinity();
  std::memcpy(data->bytes.data(), &infinity, sizeof infinity);
  check(cases[3], {{"A", filled(cases[3].inputs[0], 1)}, {"B", Tensor(data)}});
}

TEST(Contraction, ReadsOutsideAreStillErrors) {
  const Program program = text::parse_program(
      "hallmark 1 program exact input A : f32[4, 9] input B : f32[9, 4]\n"
      "define C : f32[i < 4, j < 4] = sum(k < 10) A[i, k] * B[k, j]",
      "outside");
  EXPECT_THROW(evaluate(program.definitions[0], {}, {}, {{"A", filled({4, 9}, 1)}, {"B", filled({9, 4}, 2)}}),
               UserError);
}

}  // namespace
}  // namespace hallmark::evaluator
