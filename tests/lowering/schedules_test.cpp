// The three schedule families and fusion, each against the formulation, bit for bit.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "check.h"
#include "formulation/formulate.h"
#include "programs_models.h"

namespace hallmark::testing {
namespace {

using namespace calculus;

formulation::Options rows(const std::vector<std::string>& names, int lanes) {
  formulation::Options options;
  for (const std::string& name : names) options.orders[name] = formulation::block_order(lanes);
  return options;
}

lowering::Artifact lowered(const Program& p, const formulation::Options& options = {},
                           const lowering::Schedule& schedule = {}) {
  lowering::Artifact artifact = lowering::lower(formulation::formulate(p, options).program, schedule);
  if (std::getenv("HALLMARK_SHOW_KERNELS") != nullptr)
    for (const lowering::KernelFile& file : artifact.kernels) std::cout << file.text << "\n";
  return artifact;
}

TEST(Rows, SoftmaxIsOneKernel) {
  const formulation::Options options = rows({"Y.max", "Y.sum"}, 64);
  const lowering::Artifact artifact = lowered(softmax(n(3), n(150)), options);
  ASSERT_EQ(artifact.kernels.size(), 1U);
  EXPECT_NE(artifact.kernels[0].text.find("__shfl_xor_sync"), std::string::npos);
  for (const long columns : {1L, 31L, 64L, 150L}) expect_kernels_match(softmax(n(3), n(columns)), options);
  expect_kernels_match(softmax(n(2), n(700)), rows({"Y.max", "Y.sum"}, 256));
  expect_texts_compile(artifact);
}

TEST(Rows, LayerNormIsOneKernel) {
  const formulation::Options options = rows({"Y.mean", "Y.var"}, 128);
  const lowering::Artifact artifact = lowered(layer_norm(n(3), n(200)), options);
  ASSERT_EQ(artifact.kernels.size(), 1U);
  expect_kernels_match(layer_norm(n(3), n(200)), options);
  expect_texts_compile(artifact);
}

TEST(Rows, StatisticsWithKeptAxesAreFusedAndComputedOnceARow) {
  const formulation::Options options = rows({"mean", "variance"}, 64);
  const lowering::Artifact artifact = lowered(layer_norm_with_kept_axes(3, 150), options);
  ASSERT_EQ(artifact.kernels.size(), 1U);
  const std::string& text = artifact.kernels[0].text;
  // The reciprocal and the mean stand before the loop that writes the row, and no coordinate of an axis of
  // one index is computed.
  const std::size_t columns = text.rfind("for (");
  EXPECT_EQ(text.find("__fsqrt_rn", columns), std::string::npos) << text;
  EXPECT_EQ(text.find("__fdiv_rn", columns), std::string::npos) << text;
  EXPECT_EQ(text.find("i0 ="), std::string::npos) << text;
  expect_kernels_match(layer_norm_with_kept_axes(3, 150), options);
  // Where statistics are asked for, they stay tensors; what uses them then reads them.
  Program shown = layer_norm_with_kept_axes(3, 150);
  shown.outputs = {"Y", "inverse"};
  EXPECT_GT(lowered(shown, options).kernels.size(), 1U);
  expect_kernels_match(shown, options);
}

TEST(Rows, SymbolicSizes) {
  Program p = softmax(symbol("R"), symbol("C"));
  p.symbols = {{"R", 1, Integer(1) << 20}, {"C", 1, Integer(1) << 20}};
  expect_kernels_match(p, rows({"Y.max", "Y.sum"}, 64), {}, {{"R", 3}, {"C", 77}});
}

TEST(Rows, DifferentLanesAreDifferentKernels) {
  formulation::Options options = rows({"Y.max"}, 64);
  options.orders["Y.sum"] = formulation::block_order(128);
  EXPECT_GT(lowered(softmax(n(3), n(150)), options).kernels.size(), 1U);
  expect_kernels_match(softmax(n(3), n(150)), options);
}

TEST(Tiles, EveryRemainder) {
  for (const long size : {16L, 17L, 40L})
    for (const long depth : {16L, 33L, 48L}) {
      const lowering::Artifact artifact = lowered(matmul(n(size), n(depth), n(56 - size)));
      EXPECT_NE(artifact.kernels[0].text.find("__shared__"), std::string::npos);
      expect_kernels_match(matmul(n(size), n(depth), n(56 - size)));
    }
  formulation::Options separate;
  separate.fused_multiply_add = false;
  expect_kernels_match(matmul(n(20), n(20), n(20)), separate);
  expect_texts_compile(lowered(matmul(n(40), n(40), n(40))));
}

TEST(Fusion, DenseGeluIsOneTiledKernel) {
  const lowering::Artifact artifact = lowered(dense_gelu(20, 24, 40));
  ASSERT_EQ(artifact.kernels.size(), 1U);
  EXPECT_NE(artifact.kernels[0].text.find("erf_f32("), std::string::npos);
  expect_kernels_match(dense_gelu(20, 24, 40));
  lowering::Schedule plain;
  plain.fuse = false;
  plain.tile = false;
  EXPECT_EQ(lowered(dense_gelu(20, 24, 40), {}, plain).kernels.size(), 4U);
  expect_kernels_match(dense_gelu(20, 24, 40), {}, plain);
  expect_texts_compile(artifact);
}

TEST(Fusion, AttentionIsThreeKernels) {
  const formulation::Options options = rows({"max", "sum"}, 64);
  const lowering::Artifact artifact = lowered(attention(24, 2, 16), options);
  EXPECT_EQ(artifact.kernels.size(), 3U);
  // Heads are taken apart again for the last product: tiles for both.
  EXPECT_NE(artifact.kernels[2].text.find("tiles of 16"), std::string::npos);
  expect_kernels_match(attention(24, 2, 16), options);
  lowering::Schedule plain;
  plain.fuse = false;
  expect_kernels_match(attention(24, 2, 16), options, plain);
  expect_texts_compile(artifact);
}

}  // namespace
}  // namespace hallmark::testing
