#include "numerics/fold_order.h"

#include <algorithm>

namespace hallmark::numerics {

using calculus::Order;

namespace {

Integer ceil_log2(const Integer& n) {
  return n <= 1 ? Integer(0)
                : Integer(static_cast<unsigned long>(mpz_sizeinbase(Integer(n - 1).get_mpz_t(), 2)));
}

Integer ceil_quotient(const Integer& a, const Integer& b) {
  return floor_div(Integer(a + b - 1), b);
}

// Height of combining `leaves` finished values.
std::optional<Integer> combining_height(const Order& order, const Integer& leaves) {
  const Integer none = 0;
  switch (order.kind) {
    case Order::Kind::seq:
      return std::max(none, Integer(leaves - 1));
    case Order::Kind::tree: {
      const Integer* size = calculus::as_integer(order.size);
      if (size == nullptr || *size < leaves) return std::nullopt;
      return ceil_log2(*size);
    }
    case Order::Kind::strided: {
      const Integer* lanes = calculus::as_integer(order.size);
      if (lanes == nullptr || *lanes < 1) return std::nullopt;
      const auto inner = combining_height(*order.inner, *lanes);
      if (!inner) return std::nullopt;
      return Integer(ceil_quotient(leaves, *lanes) + *inner);
    }
    case Order::Kind::blocked: {
      const Integer* length = calculus::as_integer(order.size);
      if (length == nullptr || *length < 1) return std::nullopt;
      const auto inner = combining_height(*order.inner, std::min(*length, std::max(leaves, none)));
      const auto outer = combining_height(*order.outer, ceil_quotient(leaves, *length));
      if (!inner || !outer) return std::nullopt;
      return Integer(*inner + *outer);
    }
    case Order::Kind::any:
    case Order::Kind::mma:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<TreeShape> tree_shape(const Order& order, const Integer& steps, bool first_is_exact) {
  const Integer none = 0, n = std::max(none, steps), saved = first_is_exact ? 1 : 0;
  switch (order.kind) {
    case Order::Kind::seq:
      return TreeShape{std::max(none, Integer(n - saved)), n, first_is_exact};
    case Order::Kind::any:
      // No tree over n terms and the start value is higher than n; a lane may begin at every term.
      return TreeShape{std::max(none, Integer(n - saved)), 2 * n, first_is_exact};
    case Order::Kind::strided: {
      const Integer* lanes = calculus::as_integer(order.size);
      if (lanes == nullptr || *lanes < 1) return std::nullopt;
      const auto inner = combining_height(*order.inner, *lanes);
      if (!inner) return std::nullopt;
      return TreeShape{std::max(none, Integer(ceil_quotient(n, *lanes) - saved)) + *inner, n + *lanes,
                       first_is_exact};
    }
    default: {
      const auto height = combining_height(order, n);
      if (!height) return std::nullopt;
      return TreeShape{*height + 1 - saved, 2 * n, first_is_exact};
    }
  }
}

// The k-th term of a lane of m, its first two alike, meets m - k + 1 additions in the lane, and in what
// follows at most what the height counts.
Integer spared_roundings(const Order& order, const Integer& steps) {
  const auto of_lane = [](const Integer& m) { return m < 2 ? Integer(0) : Integer((m - 1) * (m - 2) / 2); };
  if (order.kind == Order::Kind::seq) return of_lane(steps);
  if (order.kind != Order::Kind::strided) return 0;
  const Integer* lanes = calculus::as_integer(order.size);
  if (lanes == nullptr || *lanes < 1 || !combining_height(*order.inner, *lanes)) return 0;
  return *lanes * of_lane(floor_div(steps, *lanes));
}

}  // namespace hallmark::numerics
