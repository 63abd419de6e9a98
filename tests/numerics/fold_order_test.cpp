// Heights of the orders, against the orders carried out on trees that count their roundings.
#include "numerics/fold_order.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hallmark::numerics {
namespace {

using namespace calculus;

// The height of each partial result, as the calculus defines the orders (term.h). `first` counts the
// roundings of a lane's first step.
using Leaves = std::vector<long>;

long combine_leaves(const Order& order, Leaves leaves) {
  const auto size = [&] { return static_cast<std::size_t>(as_integer(order.size)->get_si()); };
  switch (order.kind) {
    case Order::Kind::seq: {
      long height = leaves.at(0);
      for (std::size_t i = 1; i < leaves.size(); ++i) height = std::max(height, leaves[i]) + 1;
      return height;
    }
    case Order::Kind::tree: {
      leaves.resize(size(), 0);
      while (leaves.size() > 1) {
        Leaves next;
        const std::size_t half = leaves.size() / 2;
        for (std::size_t i = 0; i < half; ++i) next.push_back(std::max(leaves[2 * i], leaves[2 * i + 1]) + 1);
        leaves = next;
      }
      return leaves[0];
    }
    case Order::Kind::strided: {
      Leaves lanes(size(), 0);
      for (std::size_t i = 0; i < leaves.size(); ++i)
        lanes[i % size()] = std::max(lanes[i % size()], leaves[i]) + 1;
      return combine_leaves(*order.inner, lanes);
    }
    case Order::Kind::blocked: {
      Leaves blocks;
      for (std::size_t i = 0; i < leaves.size(); i += size())
        blocks.push_back(combine_leaves(
            *order.inner, Leaves(leaves.begin() + static_cast<long>(i),
                                 leaves.begin() + static_cast<long>(std::min(i + size(), leaves.size())))));
      return combine_leaves(*order.outer, blocks);
    }
    default:
      return -1;
  }
}

long carried_out(const Order& order, long steps, long first) {
  const auto lane = [&](long count) { return count == 0 ? 0 : first + count - 1; };
  if (order.kind == Order::Kind::seq) return lane(steps);
  if (order.kind == Order::Kind::strided) {
    const long lanes = as_integer(order.size)->get_si();
    Leaves out;
    for (long l = 0; l < lanes; ++l) out.push_back(lane((steps - l + lanes - 1) / lanes));
    return combine_leaves(*order.inner, out);
  }
  return combine_leaves(order, Leaves(static_cast<std::size_t>(steps), first));
}

const Order* tree(long n) {
  return make_order({Order::Kind::tree, integer(n), nullptr, nullptr, {}});
}
const Order* strided(long lanes, const Order* inner) {
  return make_order({Order::Kind::strided, integer(lanes), inner, nullptr, {}});
}
const Order* blocked(long length, const Order* inner, const Order* outer) {
  return make_order({Order::Kind::blocked, integer(length), inner, outer, {}});
}

TEST(FoldOrder, HeightsAreThoseOfTheTreesThatTheOrdersMake) {
  const std::vector<const Order*> orders{seq_order(),
                                         tree(64),
                                         strided(8, seq_order()),
                                         strided(32, tree(32)),
                                         strided(64, blocked(32, tree(32), tree(2))),
                                         blocked(8, seq_order(), seq_order()),
                                         blocked(16, tree(16), seq_order())};
  for (const Order* order : orders)
    for (long steps = 1; steps <= 64; ++steps)
      for (const bool exact_first : {true, false}) {
        const auto shape = tree_shape(*order, Integer(steps), exact_first);
        ASSERT_TRUE(shape.has_value()) << to_string(*order);
        const long actual = carried_out(*order, steps, exact_first ? 0 : 1);
        EXPECT_GE(shape->height, Integer(actual)) << to_string(*order) << " of " << steps;
        // Not loose by more than the steps of one level.
        EXPECT_LE(shape->height, Integer(actual + 4)) << to_string(*order) << " of " << steps;
      }
}

TEST(FoldOrder, HeightsDoNotFallWithTheNumberOfSteps) {
  for (const Order* order :
       {seq_order(), tree(1024), strided(32, tree(32)), blocked(8, seq_order(), seq_order())}) {
    Integer before = 0;
    for (long steps = 0; steps <= 1024; ++steps) {
      const auto shape = tree_shape(*order, Integer(steps), true);
      ASSERT_TRUE(shape.has_value());
      EXPECT_GE(shape->height, before);
      before = shape->height;
    }
  }
}

TEST(FoldOrder, TheTextbookHeights) {
  EXPECT_EQ(tree_shape(*seq_order(), 1024, true)->height, 1023);
  EXPECT_EQ(tree_shape(*tree(1024), 1024, true)->height, 10);
  EXPECT_EQ(tree_shape(*strided(32, tree(32)), 1024, true)->height, 36);
}

TEST(FoldOrder, AnyOrderIsAtMostAsHighAsASequence) {
  EXPECT_EQ(tree_shape(*any_order(), 4, true)->height, 3);
  EXPECT_EQ(tree_shape(*any_order(), 4, false)->height, 4);
  EXPECT_EQ(tree_shape(*any_order(), 0, true)->height, 0);
}

TEST(FoldOrder, UnknownOrdersAndTooSmallTreesHaveNoHeight) {
  EXPECT_FALSE(
      tree_shape(*make_order({Order::Kind::mma, nullptr, nullptr, nullptr, "h100"}), 4, true).has_value());
  EXPECT_FALSE(tree_shape(*tree(8), 9, true).has_value());
}

}  // namespace
}  // namespace hallmark::numerics
