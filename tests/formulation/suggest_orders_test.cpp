#include "formulation/suggest_orders.h"

#include <gtest/gtest.h>

#include "../lowering/programs_models.h"

namespace hallmark::formulation {
namespace {

using namespace calculus;
using testing::n;

TEST(SuggestOrders, RowsYesProductsNo) {
  const auto softmax = suggest_orders(testing::softmax(n(12), n(1000)));
  EXPECT_EQ(softmax.size(), 2U);
  EXPECT_EQ(softmax.at("Y.max"), block_order(128));
  EXPECT_EQ(suggest_orders(testing::softmax(n(12), n(63))).size(), 0U);
  EXPECT_EQ(suggest_orders(testing::layer_norm(n(128), n(768))).size(), 2U);
  EXPECT_EQ(suggest_orders(testing::matmul(n(128), n(768), n(768))).size(), 0U);
  EXPECT_EQ(suggest_orders(testing::attention(128, 12, 64)).size(), 2U);
}

TEST(SuggestOrders, EverySuggestionIsLegal) {
  for (const Program& p : {testing::softmax(n(12), n(1000)), testing::layer_norm(n(128), n(768)),
                           testing::attention(128, 12, 64)}) {
    Options options;
    options.orders = suggest_orders(p);
    EXPECT_NO_THROW(formulate(p, options));
  }
}

}  // namespace
}  // namespace hallmark::formulation
