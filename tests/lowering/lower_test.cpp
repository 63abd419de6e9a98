#include "lowering/lower.h"

#include <gtest/gtest.h>

#include "check.h"

namespace hallmark::testing {
namespace {

using namespace calculus;

TEST(Lower, ReluAddMatMul) {
  for (const long size : {1L, 5L, 256L, 1000L}) expect_kernels_match(relu(size));
  expect_kernels_match(addition(7, 33));
  expect_kernels_match(matmul(n(5), n(9), n(17)));
}

TEST(Lower, SymbolicExtents) {
  Program p = matmul(symbol("M"), symbol("K"), symbol("N"));
  p.symbols = {{"M", 0, Integer(1) << 20}, {"K", 0, Integer(1) << 20}, {"N", 1, std::nullopt}};
  for (const long depth : {0L, 1L, 10L}) expect_kernels_match(p, {}, {}, {{"M", 6}, {"K", depth}, {"N", 50}});
  expect_kernels_match(p, {}, {}, {{"M", 0}, {"K", 3}, {"N", 5}});
}

TEST(Lower, SameInputSameText) {
  const Program p = formulation::formulate(matmul(n(5), n(9), n(17))).program;
  EXPECT_EQ(lowering::lower(p).kernels.at(0).text, lowering::lower(p).kernels.at(0).text);
}

TEST(Lower, TextsCompile) {
  for (const Program& p : {relu(1000), addition(7, 33), matmul(n(5), n(9), n(17))})
    expect_texts_compile(lowering::lower(formulation::formulate(p).program));
}

}  // namespace
}  // namespace hallmark::testing
