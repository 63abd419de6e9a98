#include "numerics/adverse_sum.h"

#include <algorithm>
#include <cmath>

namespace hallmark::numerics {

using calculus::Format;
using calculus::Order;

namespace {

struct Addition {
  int left = -1, right = -1;  // parts: below `count` a term, then the additions in order; -1: 0
};

class Tree {
 public:
  explicit Tree(const AdverseSum& sum) : sum_(sum), next_(static_cast<int>(sum.count)) {}

  bool build() {
    const Order& order = *sum_.order;
    std::vector<int> parts;
    const int count = static_cast<int>(sum_.count);
    if (order.kind == Order::Kind::seq) return chain(0, count, 1) >= 0;
    if (order.kind == Order::Kind::strided) {
      const int lanes = size(order);
      if (lanes < 1) return false;
      for (int lane = 0; lane < lanes; ++lane) parts.push_back(lane < count ? chain(lane, count, lanes) : -1);
      return combine(*order.inner, parts, 0, parts.size()).first;
    }
    for (int k = 0; k < count; ++k) parts.push_back(chain(k, k + 1, 1));
    return combine(order, parts, 0, parts.size()).first;
  }
  const std::vector<Addition>& additions() const { return additions_; }

 private:
  static int size(const Order& order) {
    const Integer* value = calculus::as_integer(order.size);
    return value != nullptr && *value > 0 && *value <= 65536 ? static_cast<int>(value->get_si()) : -1;
  }
  int add(int left, int right) {
    if (left < 0 && !sum_.first_rounds) return right;
    if (right < 0) return left;
    additions_.push_back({left, right});
    return next_++;
  }
  int chain(int from, int to, int step) {
    int sum = -1;
    for (int k = from; k < to; k += step) sum = add(sum, k);
    return sum;
  }
  std::pair<bool, int> combine(const Order& order, const std::vector<int>& parts, std::size_t from,
                               std::size_t to) {
    switch (order.kind) {
      case Order::Kind::seq: {
        int sum = parts[from];
        for (std::size_t i = from + 1; i < to; ++i) sum = add(sum, parts[i]);
        return {true, sum};
      }
      case Order::Kind::tree: {
        std::vector<int> level(parts.begin() + static_cast<long>(from),
                               parts.begin() + static_cast<long>(to));
        if (level.empty() || (level.size() & (level.size() - 1)) != 0) return {false, -1};
        while (level.size() > 1) {
          std::vector<int> next;
          for (std::size_t i = 0; i < level.size(); i += 2) next.push_back(add(level[i], level[i + 1]));
          level = next;
        }
        return {true, level[0]};
      }
      case Order::Kind::blocked: {
        const int length = size(order);
        if (length < 1) return {false, -1};
        std::vector<int> blocks;
        for (std::size_t i = from; i < to; i += static_cast<std::size_t>(length)) {
          const auto [known, sum] =
              combine(*order.inner, parts, i, std::min(to, i + static_cast<std::size_t>(length)));
          if (!known) return {false, -1};
          blocks.push_back(sum);
        }
        return combine(*order.outer, blocks, 0, blocks.size());
      }
      default:
        return {false, -1};
    }
  }

  const AdverseSum& sum_;
  int next_;
  std::vector<Addition> additions_;
};

double unit_in_last_place(double x, Format format) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(1.0, std::max(exponent - 1, calculus::minimum_exponent(format)) -
                             static_cast<int>(calculus::significand_bits(format)) + 1);
}
double to_nearest(double x, Format format) {
  if (x == 0) return 0;
  const double unit = unit_in_last_place(x, format);
  return std::nearbyint(x / unit) * unit;
}

class Builder {
 public:
  explicit Builder(const AdverseSum& sum) : sum_(sum), sign_(sum.upwards ? 1 : -1) {}

  std::vector<double> run() {
    Tree tree(sum_);
    if (!tree.build()) return {};
    additions_ = tree.additions();
    const std::size_t count = sum_.count;
    double first = to_nearest(sum_.largest, sum_.term);
    if (first > sum_.largest) first -= unit_in_last_place(first, sum_.term);
    factor_.assign(count, first);
    const double small = std::max(sum_.least, to_nearest(std::ldexp(first, -sum_.smaller), sum_.term));
    for (std::size_t k = (count + 3) / 4; k < count; ++k) factor_[k] = small;
    if (sum_.first > 0) factor_[0] = sum_.first;
    for (const double factor : factor_) value_.push_back(term_of(factor));
    value_.resize(count + additions_.size(), 0);
    error_.assign(value_.size(), 0);
    last_.assign(value_.size(), 0);
    above_.assign(value_.size(), -1);
    for (std::size_t k = 0; k < count; ++k) last_[k] = k;
    for (std::size_t i = 0; i < additions_.size(); ++i) {
      const std::size_t part = count + i;
      last_[part] = last_[static_cast<std::size_t>(additions_[i].right)];
      for (const int child : {additions_[i].left, additions_[i].right})
        if (child >= 0) above_[static_cast<std::size_t>(child)] = static_cast<int>(part);
      compute(part);
      improve(part);
    }
    return factor_;
  }

 private:
  double term_of(double factor) const {
    const double product = factor * sum_.weight;
    return sum_.products_round ? to_nearest(product, sum_.sum) : product;
  }

  void compute(std::size_t part) {
    const Addition& a = additions_[part - sum_.count];
    const double x = a.left < 0 ? 0 : value_[static_cast<std::size_t>(a.left)];
    const double y = value_[static_cast<std::size_t>(a.right)];
    // Exact in double: both have at most 24 bits and are of like size, or the smaller one is lost anyway.
    const double exact = x + y;
    value_[part] = to_nearest(exact, sum_.sum);
    error_[part] = value_[part] - exact;
  }

  // The errors from a term up to `part`, in the wanted direction, after the term became x.
  double path(std::size_t term, std::size_t part, double x) {
    factor_[term] = x;
    value_[term] = term_of(x);
    double total = 0;
    for (std::size_t at = term; at != part;) {
      at = static_cast<std::size_t>(above_[at]);
      compute(at);
      total += sign_ * error_[at];
    }
    return total;
  }

  // Moves the last term of the right operand a little so that this addition errs the right way too.
  void improve(std::size_t part) {
    const std::size_t term = last_[part];
    if (term == 0 && sum_.first > 0) return;
    const double before = factor_[term];
    const double unit = unit_in_last_place(value_[part], sum_.sum) / sum_.weight,
                 fine = unit_in_last_place(before, sum_.term);
    double best = path(term, part, before), best_at = before;
    const auto consider = [&](double wanted) {
      const double x = to_nearest(wanted, sum_.term);
      if (x > sum_.largest || x < sum_.least || x <= 0) return;
      const double now = path(term, part, x);
      if (now <= best) return;
      best = now;
      best_at = x;
    };
    for (int coarse = 0; coarse >= -6; --coarse)
      for (int part_of = -2; part_of <= 2; ++part_of) consider(before + coarse * unit / 4 + part_of * fine);
    // Closer to the middle of two values.
    if (fine * 32 < unit) {
      const double around = best_at;
      for (int step = -8; step <= 8; ++step) consider(around + step * unit / 32);
    }
    // A coarse format: its own values one by one.
    if (fine * 8 > unit)
      for (int step = 3; step <= 12; ++step) consider(before - step * fine);
    path(term, part, best_at);
  }

  const AdverseSum& sum_;
  double sign_;
  std::vector<Addition> additions_;
  std::vector<double> factor_, value_, error_;
  std::vector<std::size_t> last_;
  std::vector<int> above_;
};

}  // namespace

std::vector<double> adverse_terms(const AdverseSum& sum) {
  const bool narrow = calculus::significand_bits(sum.sum) <= 24 && calculus::significand_bits(sum.term) <= 24;
  if (sum.order == nullptr || sum.count == 0 || sum.count > 65536 || !narrow || !(sum.largest > 0) ||
      !(sum.weight > 0))
    return {};
  return Builder(sum).run();
}

}  // namespace hallmark::numerics
