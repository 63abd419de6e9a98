#include "numerics/expression/search.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace hallmark::numerics {

namespace {

struct Open {
  double bound;
  int node;
  std::vector<Span> box;
  int blamed;
  int depth;
  std::vector<double> gain;  // by dimension: how much a split there lowered the bound above, if it was tried
  bool operator<(const Open& o) const { return bound != o.bound ? bound < o.bound : node > o.node; }
};

double middle(Span s) {
  return s.low + (s.high - s.low) / 2;
}
// Between the magnitudes of the ends, for a side over many binades of one sign.
double middle_magnitude(Span s) {
  const double at = std::copysign(std::sqrt(std::fabs(s.low)) * std::sqrt(std::fabs(s.high)), s.low);
  return s.low < at && at < s.high ? at : middle(s);
}

class Search {
 public:
  Search(const Expression& e, const ExpressionModel& model, const BoundOptions& options, const Goal& goal)
      : e_(e), sweep_(e, model), options_(options), goal_(goal) {
    if (goal.difference) difference_.emplace(goal.difference->expression, model, true);
  }

  BoundResult run() {
    for (const ExpressionNode& node : e_.nodes) calls_ = calls_ || is_call(node.operation);
    for (const ExpressionInput& input : e_.inputs) {
      const Interval box(input.low, input.high, 53);
      whole_.push_back({mpfr_get_d(box.low(), MPFR_RNDD), mpfr_get_d(box.high(), MPFR_RNDU)});
    }
    out_.partition.nodes.push_back({});
    add(0, whole_, evaluate(whole_), 0, {});
    // Long expressions (loops are unrolled) cost more for each box, and so does the check of each.
    const std::size_t nodes = std::max<std::size_t>(1, e_.nodes.size());
    constexpr std::size_t long_ones = 300;
    most_ = 5 * options_.evaluations;
    if (nodes > long_ones) most_ = most_ * long_ones / nodes * long_ones / nodes;
    most_ = std::max<std::size_t>(64, most_);
    std::size_t budget = std::min(most_, options_.evaluations);
    while (!queue_.empty() && !done()) {
      if (out_.evaluations >= budget && !extended(budget)) {
        out_.exhausted = true;
        break;
      }
      const Open worst = queue_.top();
      queue_.pop();
      if (!split(worst)) {
        stuck_.push_back(worst);
        // Nothing can be improved below the greatest of what cannot be split.
        break;
      }
    }
    finish();
    return std::move(out_);
  }

 private:
  // More of the budget while it helps.
  bool extended(std::size_t& budget) {
    if (!options_.extend || budget >= most_) return false;
    const double now = queue_.top().bound;
    // The last percents to the value at a point come slowly where functions are called: twice the budget for
    // them, whatever it brings.
    const bool near = now <= 1.05 * out_.at_points,
               last = near && calls_ && budget < 2 * options_.evaluations;
    if (!std::isfinite(now) || !(last || now <= (near ? 0.985 : 0.997) * before_)) return false;
    before_ = now;
    budget = std::min(most_, budget + std::max<std::size_t>(1, options_.evaluations / 2));
    return true;
  }

  bool done() const {
    if (goal_.tolerance && queue_.top().bound <= 1 + 0x1p-38) return true;
    return std::isfinite(queue_.top().bound) && queue_.top().bound <= out_.at_points * (1 + options_.gap);
  }

  Sweep::Result evaluate(const std::vector<Span>& box) {
    ++out_.evaluations;
    return measured(box);
  }

  // The bound that the goal asks for.
  Sweep::Result measured(const std::vector<Span>& box) {
    Sweep::Result out = sweep_.run(box);
    if (out.excluded || !std::isfinite(out.bound)) return out;
    Span exact = sweep_.ranges()[static_cast<std::size_t>(e_.root)];
    if (difference_) {
      const Sweep::Result whole = difference_->run(box);
      const Span specified = difference_->ranges()[static_cast<std::size_t>(goal_.difference->specification)];
      if (goal_.identical) {
        if (!specified.defined()) return {false, std::numeric_limits<double>::infinity(), -1};
        exact = {std::max(exact.low, specified.low), std::min(exact.high, specified.high)};
        if (goal_.tolerance) out.bound = as_multiple(out.bound, absolute(exact).low);
        return out;
      }
      exact = specified;
      const std::size_t root = static_cast<std::size_t>(goal_.difference->expression.root);
      if (!specified.defined() || !difference_->ranges()[root].defined())
        return {false, std::numeric_limits<double>::infinity(), -1};
      const double direct = difference_->ranges()[root].magnitude();
      // |d(middle)| + sum |slope| * half width
      double moved = 0;
      std::vector<Span> center = box;
      for (std::size_t i = 0; i < goal_.difference->expression.nodes.size(); ++i) {
        const ExpressionNode& node = goal_.difference->expression.nodes[i];
        if (node.operation != Operation::variable) continue;
        const Span side = box[static_cast<std::size_t>(node.variable)];
        const double at = middle(side);
        center[static_cast<std::size_t>(node.variable)] = {at, at};
        const double reach = std::max(add_up(side.high, -at), add_up(at, -side.low));
        const double slope = difference_->derivatives()[i].magnitude();
        if (slope > 0) moved = add_up(moved, multiply_up(slope, reach));
      }
      const bool jumps = difference_->may_jump();
      const Sweep::Result point = difference_->run(center);
      const double at_center = difference_->ranges()[root].magnitude();
      // Slopes say nothing about a jump.
      const double by_slope = whole.bound == 0 && std::isfinite(point.bound) && !jumps
                                  ? add_up(at_center, moved)
                                  : std::numeric_limits<double>::infinity();
      out.bound = add_up(out.bound, std::min(direct, by_slope));
    }
    if (goal_.tolerance) out.bound = as_multiple(out.bound, absolute(exact).low);
    return out;
  }

  double as_multiple(double bound, double least) const {
    const contract::Tolerance& t = *goal_.tolerance;
    double allowed = t.absolute ? t.absolute->get_d() : 0;
    if (t.relative) allowed += t.relative->get_d() * least;
    if (t.ulp) {
      int exponent = 0;
      std::frexp(least, &exponent);
      const int lowest = calculus::minimum_exponent(goal_.format);
      allowed += t.ulp->get_d() *
                 std::ldexp(1.0, (least > 0 ? std::max(exponent - 1, lowest) : lowest) -
                                     static_cast<int>(calculus::significand_bits(goal_.format)) + 1);
    }
    if (bound == 0) return 0;
    // The checker computes this anew with outward rounding; here a little more covers the rounding.
    return allowed > 0 ? bound / allowed * (1 + 0x1p-40) : std::numeric_limits<double>::infinity();
  }

  void add(int node, const std::vector<Span>& box, const Sweep::Result& result, int depth,
           const std::vector<double>& gain) {
    if (result.excluded) {
      out_.partition.nodes[static_cast<std::size_t>(node)].excluded = true;
      return;
    }
    queue_.push({result.bound, node, box, result.blamed, depth, gain});
    std::vector<Span> point = box;
    for (Span& s : point) s = {middle(s), middle(s)};
    sample(point);
    // Corners, while the boxes are few.
    for (std::size_t i = 0; i < 2 && e_.inputs.size() > 0 && out_.evaluations < 3000; ++i) {
      for (std::size_t d = 0; d < box.size(); ++d)
        point[d] = (i == 0) == (box[d].low + box[d].high > 0) ? Span{box[d].high, box[d].high}
                                                              : Span{box[d].low, box[d].low};
      sample(point);
    }
  }

  void sample(const std::vector<Span>& point) {
    const Sweep::Result at = measured(point);
    if (!at.excluded && std::isfinite(at.bound) && e_.demands.empty())
      out_.at_points = std::max(out_.at_points, at.bound);
  }

  // Whether a split of this dimension is worth a try: all of them in every third generation, between them the
  // two that helped most.
  static bool promising(const Open& box, std::size_t d) {
    if (box.gain.size() <= 2 || box.depth % 3 == 0) return true;
    const double own = box.gain[d];
    const auto better = [&](std::size_t other) {
      return box.gain[other] > own || (box.gain[other] == own && other < d);
    };
    std::size_t above = 0;
    for (std::size_t other = 0; other < box.gain.size(); ++other) above += better(other) ? 1 : 0;
    return above < 2;
  }

  // The dimension without whose width the bound would be least; nothing where it would be the same.
  std::optional<int> costliest(const Open& worst) {
    std::optional<int> out;
    double least = worst.bound;
    for (std::size_t d = 0; d < worst.box.size(); ++d) {
      const double at = middle(worst.box[d]);
      if (!(worst.box[d].low < at && at < worst.box[d].high)) continue;
      std::vector<Span> thin = worst.box;
      thin[d] = {at, at};
      const double bound = evaluate(thin).bound;
      if (!(bound < least)) continue;
      least = bound;
      out = static_cast<int>(d);
    }
    return out;
  }

  // Where a side is divided: one over many binades between its magnitudes. What grows with 1 / x has its
  // greatest errors in the lowest of them, and a tolerance that grows with the value is met binade by binade.
  static double cut(Span side) {
    const bool one_sign = side.low > 0 || side.high < 0;
    const double least = std::min(std::fabs(side.low), std::fabs(side.high));
    return one_sign && side.magnitude() > 64 * least ? middle_magnitude(side) : middle(side);
  }

  bool split(const Open& worst) {
    std::vector<double> gain = worst.gain;
    gain.resize(worst.box.size(), 0);
    double best = std::numeric_limits<double>::infinity(), best_sum = best;
    int chosen = -1;
    Sweep::Result chosen_below, chosen_above;
    double widest = 0;
    int widest_dimension = -1;
    for (std::size_t d = 0; d < worst.box.size(); ++d) {
      const Span side = worst.box[d];
      const double at = cut(side);
      if (!(side.low < at && at < side.high)) continue;
      // Against the whole box: against the magnitude, a side that touches 0 would stay the widest for ever.
      const double width = (side.high - side.low) / (whole_[d].high - whole_[d].low);
      if (width > widest) {
        widest = width;
        widest_dimension = static_cast<int>(d);
      }
      if (!promising(worst, d)) continue;
      std::vector<Span> half = worst.box;
      half[d] = {side.low, at};
      const Sweep::Result below = evaluate(half);
      half[d] = {at, side.high};
      const Sweep::Result above = evaluate(half);
      gain[d] = worst.bound < std::numeric_limits<double>::infinity()
                    ? (2 * worst.bound - below.bound - above.bound) / worst.bound
                    : 0;
      const double greater = std::max(below.bound, above.bound), sum = below.bound + above.bound;
      if (greater < best || (greater == best && sum < best_sum)) {
        best = greater;
        best_sum = sum;
        chosen = static_cast<int>(d);
        chosen_below = below;
        chosen_above = above;
      }
    }
    if (widest_dimension < 0) return false;
    if (chosen < 0 || !(best < 0.997 * worst.bound)) {
      // No single split helps at once, or so little that it would be taken again and again: the side whose
      // width costs the most goes first, or else the widest.
      chosen = costliest(worst).value_or(widest_dimension);
      std::vector<Span> half = worst.box;
      const Span side = half[static_cast<std::size_t>(chosen)];
      half[static_cast<std::size_t>(chosen)] = {side.low, cut(side)};
      chosen_below = evaluate(half);
      half[static_cast<std::size_t>(chosen)] = {cut(side), side.high};
      chosen_above = evaluate(half);
    }
    const std::size_t d = static_cast<std::size_t>(chosen);
    const double at = cut(worst.box[d]);
    gain[d] /= 2;
    auto& nodes = out_.partition.nodes;
    const int first = static_cast<int>(nodes.size());
    nodes.push_back({});
    nodes.push_back({});
    Partition::Node& parent = nodes[static_cast<std::size_t>(worst.node)];
    parent.variable = chosen;
    parent.at = at;
    parent.below = first;
    parent.above = first + 1;
    std::vector<Span> half = worst.box;
    half[d] = {worst.box[d].low, at};
    add(first, half, chosen_below, worst.depth + 1, gain);
    half[d] = {at, worst.box[d].high};
    add(first + 1, half, chosen_above, worst.depth + 1, gain);
    return true;
  }

  void finish() {
    std::vector<Open> rest = stuck_;
    while (!queue_.empty()) {
      rest.push_back(queue_.top());
      queue_.pop();
    }
    std::sort(rest.begin(), rest.end(), [](const Open& a, const Open& b) { return b < a; });
    out_.leaves = rest.size();
    if (rest.empty()) return;
    out_.bound = rest.front().bound;
    out_.blamed = rest.front().blamed;
    for (std::size_t i = 0; i < rest.size() && i < 24; ++i) out_.worst.push_back(rest[i].box);
    sweep_.run(rest.front().box);
    out_.contributions = sweep_.contributions();
  }

  const Expression& e_;
  Sweep sweep_;
  std::optional<Sweep> difference_;
  BoundOptions options_;
  std::vector<Span> whole_;
  const Goal& goal_;
  BoundResult out_;
  bool calls_ = false;                                       // library functions
  std::size_t most_ = 0;                                     // evaluations, however often extended
  double before_ = std::numeric_limits<double>::infinity();  // when the budget was extended last
  std::priority_queue<Open> queue_;
  std::vector<Open> stuck_;
};

}  // namespace

BoundResult search_bound(const Expression& expression, const ExpressionModel& model,
                         const BoundOptions& options, const Goal& goal) {
  return Search(expression, model, options, goal).run();
}

}  // namespace hallmark::numerics
