#include "numerics/expression/certificate.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>

#include "base/error.h"
#include "contract/format_values.h"
#include "numerics/expression/leaf_rounding.h"
#include "numerics/expression/library_function.h"
#include "numerics/expression/node_format.h"
#include "numerics/rounding.h"

namespace hallmark::numerics {

namespace {

constexpr mpfr_prec_t bits = checked_bits;

Interval number(long x) {
  return Interval(Rational(x), bits);
}

enum class Answer { no, yes, unknown };

// An expression with what is known of its nodes whatever the leaf.
struct Checked {
  const Expression& e;
  const ExpressionModel& model;
  std::vector<NodeFacts> facts;
  std::vector<std::optional<StoredConstant>> constants;
  Checked(const Expression& expression, const ExpressionModel& m)
      : e(expression), model(m), facts(node_facts(expression, m)) {
    for (std::size_t i = 0; i < e.nodes.size(); ++i)
      constants.push_back(stored_constant(e.nodes[i], facts[i]));
  }
};

// One leaf, computed from the definitions; see sweep.h for the theorems.
class Leaf {
 public:
  Leaf(const Checked& checked, const std::vector<Interval>& box)
      : checked_(checked), e_(checked.e), model_(checked.model), facts_(checked.facts), box_(box) {}

  bool is_excluded() {
    forward({});
    for (const int demand : e_.demands)
      if (holds(demand) == Answer::no) return true;
    return false;
  }

  // Nothing when an operation may leave its domain.
  MaybeInterval bound() {
    forward({});
    whole_ = range_;
    whole_chosen_ = chosen_;
    const std::vector<std::size_t> open = undecided();
    std::vector<MaybeInterval> greatest(e_.nodes.size());
    if (open.empty()) {
      // One case, and it is what was just computed.
      for (std::size_t i = 0; i < error_.size(); ++i) greatest[i] = error_[i];
      if (impossible_) return std::nullopt;
      for (const std::size_t i : roots_near_zero())
        if (!widen_root(i, total(greatest, e_.nodes[i].children[0]), greatest)) return std::nullopt;
      const MaybeInterval one = total(greatest, e_.root);
      return one && has(e_.root) ? one : std::nullopt;
    }
    const std::vector<std::size_t> near_zero = roots_near_zero();
    std::vector<Branches> possible;
    for (unsigned number = 0; number < 1U << open.size(); ++number) {
      Branches branches = branches_of(open, number);
      forward(branches);
      if (impossible_) continue;
      for (std::size_t i = 0; i < error_.size(); ++i)
        if (error_[i]) greatest[i] = greatest[i] ? greater_high(*greatest[i], *error_[i]) : *error_[i];
      possible.push_back(std::move(branches));
    }
    for (const std::size_t i : near_zero) {
      // The operand's error over all cases.
      Interval operand = number(0);
      for (const Branches& branches : possible) {
        forward(branches);
        const MaybeInterval one = total(greatest, e_.nodes[i].children[0]);
        if (!one) return std::nullopt;
        operand = greater_high(operand, *one);
      }
      range_ = whole_;
      if (!widen_root(i, operand, greatest)) return std::nullopt;
    }
    Interval out = number(0);
    std::vector<MaybeInterval> roots;
    for (const Branches& branches : possible) {
      forward(branches);
      const MaybeInterval one = total(greatest, e_.root);
      if (!one || !has(e_.root)) return std::nullopt;
      roots.push_back(range_[index(e_.root)]);
      out = greater_high(out, *one);
    }
    // Over all cases; without one nothing is claimed.
    if (possible.empty()) return std::nullopt;
    range_ = whole_;
    MaybeInterval root;
    for (const MaybeInterval& one : roots) root = root ? hull(*root, *one) : one;
    range_[index(e_.root)] = root;
    return out;
  }

  // For an expression without roundings: encloses |value| on the box, by |value(middle)| + sum |slope| * half
  // width or directly; each the greatest over the cases, one of which every point of the box is in. Between
  // the cases of an extremum the value is continuous; where it may jump, slopes say nothing about it.
  MaybeInterval distance() {
    needs_all_ = true;
    MaybeInterval direct;
    std::vector<Interval> steepest(box_.size(), number(0));
    forward({});
    bool smooth = !may_jump();
    enclose([&] {
      smooth = smooth && has(e_.root);
      if (!has(e_.root)) return;
      const Interval here = at(e_.root).magnitude();
      direct = direct ? greater_high(*direct, here) : here;
      smooth = smooth && note_slopes(steepest);
    });
    if (!has(e_.root)) return std::nullopt;
    if (!direct) direct = at(e_.root).magnitude();
    if (!smooth) return direct;
    Interval moved = number(0);
    std::vector<Interval> center;
    for (std::size_t v = 0; v < box_.size(); ++v) {
      Interval middle(bits);
      mpfi_mid(&middle.raw()->left, box_[v].raw());
      mpfr_set(&middle.raw()->right, &middle.raw()->left, MPFR_RNDN);
      center.push_back(middle);
      moved = moved + steepest[v] * (box_[v] - middle).magnitude();
    }
    Leaf point(checked_, center);
    point.forward({});
    if (!point.has(e_.root)) return direct;
    const Interval by_slope = point.at(e_.root).magnitude() + moved;
    return high_at_most(by_slope, *direct) ? by_slope : *direct;
  }
  // Looks at each possible case; afterwards the ranges are those over all of them. A node that has no value
  // in one of them has none.
  void enclose(const std::function<void()>& look = [] {}) {
    forward({});
    whole_ = range_;
    whole_chosen_ = chosen_;
    const std::vector<std::size_t> open = undecided();
    std::vector<MaybeInterval> all;
    bool first = true;
    for (unsigned number_of_case = 0; number_of_case < 1U << open.size(); ++number_of_case) {
      forward(branches_of(open, number_of_case));
      if (impossible_) continue;
      look();
      if (first) all = range_;
      for (std::size_t i = 0; i < range_.size(); ++i)
        all[i] = all[i] && range_[i] ? MaybeInterval(hull(*all[i], *range_[i])) : std::nullopt;
      first = false;
    }
    range_ = first ? whole_ : all;
  }
  // After one of the above: what is known of a node.
  const MaybeInterval& range_of(int node) const { return range_[index(node)]; }

 private:
  static std::size_t index(int node) { return static_cast<std::size_t>(node); }
  const Interval& at(int node) const { return *range_[index(node)]; }
  bool has(int node) const { return range_[index(node)].has_value(); }

  // A case: what is taken by each node that the box does not decide, and which node is at most which.
  struct Branches {
    std::map<std::size_t, bool> first;
    std::vector<std::pair<int, int>> order;
  };

  // Whether an error reaches the node, from the nodes before it.
  bool is_reached(std::size_t i, const ExpressionNode& n) const {
    bool any = !error_[i] || !error_[i]->is_zero();
    for (const int child : n.children) any = any || reached_[index(child)];
    return any || (n.operation == Operation::choose && condition_reached(n.condition));
  }
  bool condition_reached(int condition) const {
    const Condition& c = e_.conditions[index(condition)];
    bool any = c.left >= 0 && (reached_[index(c.left)] || reached_[index(c.right)]);
    for (const int child : c.children) any = any || condition_reached(child);
    return any;
  }

  std::vector<std::size_t> undecided() const {
    constexpr std::size_t most = 3;
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < e_.nodes.size() && out.size() < most; ++i) {
      const ExpressionNode& n = e_.nodes[i];
      // Of a choice each side has to exist in its own case only.
      bool all = true;
      for (const int child : n.children) all = all && has(child);
      if (!all && n.operation != Operation::choose) continue;
      bool open = false;
      if (n.operation == Operation::abs)
        open = !at(n.children[0]).is_nonnegative() && !at(n.children[0]).is_nonpositive();
      if (n.operation == Operation::min || n.operation == Operation::max)
        open = !at(n.children[0]).below(at(n.children[1])) && !at(n.children[1]).below(at(n.children[0]));
      if (n.operation == Operation::choose)
        open = chosen_[i] == Answer::unknown && !condition_reached(n.condition);
      if (open) out.push_back(i);
    }
    return out;
  }

  Branches branches_of(const std::vector<std::size_t>& open, unsigned number) const {
    Branches out;
    for (std::size_t k = 0; k < open.size(); ++k) {
      const bool first = (number >> k & 1) == 0;
      const ExpressionNode& n = e_.nodes[open[k]];
      out.first[open[k]] = first;
      if (n.operation == Operation::choose) conclude(n.condition, first, out);
      if (n.operation == Operation::max)
        out.order.emplace_back(n.children[first ? 1 : 0], n.children[first ? 0 : 1]);
      if (n.operation == Operation::min)
        out.order.emplace_back(n.children[first ? 0 : 1], n.children[first ? 1 : 0]);
    }
    return out;
  }
  void conclude(int condition, bool holds, Branches& out) const {
    const Condition& c = e_.conditions[index(condition)];
    if (c.kind == Condition::Kind::less || c.kind == Condition::Kind::at_most)
      out.order.emplace_back(holds ? c.left : c.right, holds ? c.right : c.left);
    if (c.kind == Condition::Kind::negation) conclude(c.children[0], !holds, out);
    if (c.kind == (holds ? Condition::Kind::conjunction : Condition::Kind::disjunction))
      for (const int child : c.children) conclude(child, holds, out);
  }

  // After forward() without a case: whether a choice or step may change inside of the box.
  bool may_jump() const {
    for (std::size_t i = 0; i < e_.nodes.size(); ++i) {
      const Operation o = e_.nodes[i].operation;
      if (o == Operation::choose && chosen_[i] == Answer::unknown) return true;
      if (is_step(o) && !(range_[i] && range_[i]->is_point())) return true;
    }
    return false;
  }

  // After forward(): the greatest |slope| of the root in each input. No where it jumps or has none.
  bool note_slopes(std::vector<Interval>& steepest) const {
    std::vector<Interval> slope(e_.nodes.size(), number(0));
    slope[index(e_.root)] = number(1);
    std::vector<Interval> here(steepest.size(), number(0));
    for (std::size_t i = index(e_.root) + 1; i-- > 0;) {
      const ExpressionNode& n = e_.nodes[i];
      if (n.operation == Operation::choose && chosen_[i] == Answer::unknown) return false;
      if (is_step(n.operation) && !(has(static_cast<int>(i)) && range_[i]->is_point())) return false;
      if (slope[i].is_zero()) continue;
      if (!range_[i] || !backward(i, slope)) return false;
      if (n.operation != Operation::variable) continue;
      here[index(n.variable)] = here[index(n.variable)] + slope[i].magnitude();
    }
    for (std::size_t v = 0; v < here.size(); ++v) steepest[v] = greater_high(steepest[v], here[v]);
    return true;
  }

  // The node whose value this one has in the case.
  int same(int node) const {
    const ExpressionNode& n = e_.nodes[index(node)];
    const auto found = branches_.first.find(index(node));
    const bool in_case = found != branches_.first.end();
    int taken = -1;
    if (n.operation == Operation::abs &&
        (in_case ? found->second : has(n.children[0]) && at(n.children[0]).is_nonnegative()))
      taken = 0;
    if (n.operation == Operation::min || n.operation == Operation::max) {
      const int x = n.children[n.operation == Operation::max ? 0 : 1],
                y = n.children[n.operation == Operation::max ? 1 : 0];
      if (in_case)
        taken = found->second ? 0 : 1;
      else if (has(x) && has(y) && (at(y).at_most(at(x)) || at(x).at_most(at(y))))
        taken = at(y).at_most(at(x)) ? 0 : 1;  // x is the first of a maximum, the second of a minimum
    }
    if (n.operation == Operation::choose && chosen_[index(node)] != Answer::unknown)
      taken = chosen_[index(node)] == Answer::yes ? 0 : 1;
    return taken < 0 ? node : same(n.children[static_cast<std::size_t>(taken)]);
  }

  // Narrows a range by what the case says of the node.
  void narrow(std::size_t i) {
    const auto cut = [&](const MaybeInterval& side, bool below) {
      if (!side || impossible_) return;
      const Interval& r = *range_[i];
      if (below ? mpfr_greater_p(r.low(), side->high()) != 0 : mpfr_less_p(r.high(), side->low()) != 0) {
        impossible_ = true;
        return;
      }
      if (below && mpfr_greater_p(r.high(), side->high()) != 0)
        range_[i] = Interval::ends(r.low(), side->high());
      else if (!below && mpfr_less_p(r.low(), side->low()) != 0)
        range_[i] = Interval::ends(side->low(), r.high());
    };
    const int node = static_cast<int>(i);
    for (const auto& [low, high] : branches_.order) {
      if (low == node) cut(whole_[index(high)], true);
      if (high == node) cut(whole_[index(low)], false);
    }
    for (const auto& [open, first] : branches_.first) {
      const ExpressionNode& n = e_.nodes[open];
      if (n.operation == Operation::abs && n.children[0] == node) cut(number(0), !first);
    }
  }

  // Roots (and powers between 0 and 1) of what may be 0 or nearly so and carries an error: sqrt a and a^c for
  // c in (0, 1], a >= 0. They have no slope there; |a'^c - a^c| <= |a' - a|^c. In the order of the nodes.
  std::vector<std::size_t> roots_near_zero() {
    taken_apart_.clear();
    std::vector<std::size_t> out;
    const Interval one = number(1), thin = scale2(one, -30);
    for (std::size_t i = 0; i < e_.nodes.size(); ++i) {
      const ExpressionNode& n = e_.nodes[i];
      const bool power = n.operation == Operation::pow && !facts_[i].exponent;
      if ((n.operation != Operation::sqrt && !power) || !has(static_cast<int>(i))) continue;
      const Interval& a = at(n.children[0]);
      if (!reached_[index(n.children[0])] || !a.is_nonnegative()) continue;
      if (!a.lower_end().at_most(a.upper_end() * thin)) continue;
      if (power && (!at(n.children[1]).is_positive() || one.at_most(at(n.children[1])))) continue;
      if (power && mpfr_zero_p(a.low()) == 0) continue;
      out.push_back(i);
    }
    return out;
  }
  // sup |a'^c - a^c| over the exponents c: |a' - a|^c up to 1, c max(a, a', 1)^(c - 1) |a' - a| above.
  static MaybeInterval power_of_error(const Interval& error, const Interval& a, const Interval& c) {
    const Interval one = number(1);
    const MaybeInterval below = binary(calculus::Op::pow, error, min(c, one));
    if (!below || c.at_most(one)) return below;
    const Interval most = max(c.upper_end(), one);
    const MaybeInterval slope = binary(calculus::Op::pow, max(a, one).upper_end(), most - one);
    return slope ? MaybeInterval(greater_high(*below, *slope * most * error)) : std::nullopt;
  }
  // Adds the root of the operand's error to the node's own.
  bool widen_root(std::size_t i, const MaybeInterval& operand, std::vector<MaybeInterval>& errors) {
    if (!operand || !errors[i]) return false;
    const Interval error = operand->upper_end();
    MaybeInterval root = error;
    if (!error.is_zero()) {
      const ExpressionNode& n = e_.nodes[i];
      root = n.operation == Operation::sqrt ? library_function(Operation::sqrt, error)
                                            : power_of_error(error, at(n.children[0]), at(n.children[1]));
    }
    if (!root) return false;
    errors[i] = (*errors[i] + root->upper_end()).from_zero();
    taken_apart_.insert(i);
    return true;
  }

  // The sum of slopes times errors up to a node, for the case of the last forward().
  MaybeInterval total(const std::vector<MaybeInterval>& errors, int of) {
    std::vector<Interval> slope(e_.nodes.size(), number(0));
    slope[index(of)] = number(1);
    Interval out = number(0);
    for (std::size_t i = index(of) + 1; i-- > 0;) {
      if (slope[i].is_zero()) continue;
      if (!range_[i] || !errors[i]) return std::nullopt;
      out = out + slope[i].magnitude() * *errors[i];
      if (!backward(i, slope)) return std::nullopt;
    }
    return out;
  }

  void forward(const Branches& branches) {
    branches_ = branches;
    impossible_ = false;
    const bool whole = branches.first.empty();
    if (whole) reached_.assign(e_.nodes.size(), true);
    range_.assign(e_.nodes.size(), std::nullopt);
    error_.assign(e_.nodes.size(), std::nullopt);
    chosen_.assign(e_.nodes.size(), Answer::unknown);
    for (std::size_t i = 0; i < e_.nodes.size(); ++i) {
      bool all = true;
      const ExpressionNode& n = e_.nodes[i];
      if (n.operation == Operation::choose) {
        choose(i, n);
        if (whole) reached_[i] = is_reached(i, n);
        if (range_[i]) narrow(i);
        if (impossible_) return;
        continue;
      }
      if (n.operation == Operation::constant) {
        const auto& stored = checked_.constants[i];
        if (!stored) continue;
        error_[i] = stored->error;
        range_[i] = stored->range;
        if (whole) reached_[i] = is_reached(i, n);
        narrow(i);
        if (impossible_) return;
        continue;
      }
      for (const int child : n.children) all = all && has(child);
      if (!all) continue;
      const MaybeInterval exact = operation(i, n);
      if (!exact) continue;
      const bool two = n.children.size() == 2;
      error_[i] = rounding_error(n, facts_[i], model_, *exact, two ? &at(n.children[0]) : nullptr,
                                 two ? &at(n.children[1]) : nullptr);
      if (error_[i]) range_[i] = executed_range(n, model_, *exact, *error_[i]);
      // A function within some units may overflow where the exact value does not.
      if (range_[i] && facts_[i].rounds && mpfr_cmp_d(range_[i]->magnitude().high(), facts_[i].largest) > 0)
        range_[i] = std::nullopt;
      if (range_[i] && is_step(n.operation) && reached_[index(n.children[0])])
        error_[i] = (*error_[i] + (range_[i]->upper_end() - range_[i]->lower_end())).from_zero();
      if (whole) reached_[i] = is_reached(i, n);
      if (range_[i]) narrow(i);
      if (impossible_) return;
    }
  }

  void choose(std::size_t i, const ExpressionNode& n) {
    const auto forced = branches_.first.find(i);
    if (forced != branches_.first.end())
      chosen_[i] = forced->second ? Answer::yes : Answer::no;
    else if (!branches_.first.empty() && condition_reached(n.condition))
      // Along the way to the exact value the condition may change, whatever holds in the case.
      chosen_[i] = whole_chosen_[i];
    else
      chosen_[i] = holds(n.condition);
    // What is compared has to exist.
    for (const int node : compared_nodes(e_, n.condition))
      if (!has(node)) return;
    const int a = n.children[0], b = n.children[1];
    error_[i] = number(0);
    if (chosen_[i] == Answer::yes) range_[i] = range_[index(a)];
    if (chosen_[i] == Answer::no) range_[i] = range_[index(b)];
    if (chosen_[i] != Answer::unknown || !has(a) || !has(b)) return;
    range_[i] = hull(at(a), at(b));
    error_[i] = (range_[i]->upper_end() - range_[i]->lower_end()).from_zero();
  }

  MaybeInterval operation(std::size_t i, const ExpressionNode& n) const {
    const auto c = [&](std::size_t k) -> const Interval& { return at(n.children[k]); };
    const auto product = [&] { return n.children[0] == n.children[1] ? square(c(0)) : c(0) * c(1); };
    switch (n.operation) {
      case Operation::variable:
        return box_[index(n.variable)];
      case Operation::constant:
        return std::nullopt;  // known without a leaf
      case Operation::add:
        return c(0) + c(1);
      case Operation::sub:
        return difference(n);
      case Operation::mul:
        return product();
      case Operation::fma:
        return product() + c(2);
      case Operation::div:
        return divide(c(0), c(1));
      case Operation::neg:
        return -c(0);
      case Operation::abs: {
        const auto taken = branches_.first.find(i);
        return taken == branches_.first.end() ? abs(c(0)) : taken->second ? c(0) : -c(0);
      }
      case Operation::min:
      case Operation::max: {
        const auto taken = branches_.first.find(i);
        const Interval both = n.operation == Operation::min ? min(c(0), c(1)) : max(c(0), c(1));
        // Nothing in common: no point is of this case; then any enclosure will do.
        return taken == branches_.first.end() ? both
                                              : intersect(both, c(taken->second ? 0 : 1)).value_or(both);
      }
      case Operation::floor:
      case Operation::ceil:
      case Operation::trunc:
      case Operation::round:
      case Operation::nearbyint:
        return step_function(n.operation, c(0));
      case Operation::hypot:
      case Operation::atan2:
        return library_function(n.operation, c(0), c(1));
      case Operation::cast:
        return c(0);
      case Operation::pow: {
        const std::optional<long> k = facts_[i].exponent;
        if (k && *k >= 0) return power(c(0), static_cast<unsigned long>(*k));
        if (k) return divide(number(1), power(c(0), static_cast<unsigned long>(-*k)));
        return c(0).is_nonnegative() ? binary(calculus::Op::pow, c(0), c(1)) : std::nullopt;
      }
      default:
        return library_function(n.operation, c(0));
    }
  }

  Interval difference(const ExpressionNode& n) const {
    const int x = same(n.children[0]), y = same(n.children[1]);
    if (x == y) return number(0);
    Interval out = at(n.children[0]) - at(n.children[1]);
    const auto within = [&](const Interval& limits) { out = intersect(out, limits).value_or(out); };
    const ExpressionNode& whole = e_.nodes[index(x)];
    if (is_step(whole.operation) && !whole.rounding && same(whole.children[0]) == y) {
      const Rational half(1, 2);
      if (whole.operation == Operation::floor) within(Interval(Rational(-1), Rational(0), bits));
      if (whole.operation == Operation::ceil) within(Interval(Rational(0), Rational(1), bits));
      if (whole.operation == Operation::trunc) within(Interval(Rational(-1), Rational(1), bits));
      if (whole.operation == Operation::round || whole.operation == Operation::nearbyint)
        within(Interval(Rational(-half), half, bits));
    }
    for (const auto& [low, high] : branches_.order) {
      if (same(low) == x && same(high) == y) out = min(out, number(0));
      if (same(low) == y && same(high) == x) out = max(out, number(0));
    }
    return out;
  }

  Answer holds(int condition) const {
    const Condition& c = e_.conditions[index(condition)];
    const auto answer = [](bool yes, bool no) {
      return yes ? Answer::yes : no ? Answer::no : Answer::unknown;
    };
    if (c.left >= 0 && (!has(c.left) || !has(c.right))) return Answer::unknown;
    switch (c.kind) {
      case Condition::Kind::truth:
        return c.truth ? Answer::yes : Answer::no;
      case Condition::Kind::less:
        return answer(at(c.left).below(at(c.right)), at(c.right).at_most(at(c.left)));
      case Condition::Kind::at_most:
        return answer(at(c.left).at_most(at(c.right)), at(c.right).below(at(c.left)));
      case Condition::Kind::equal: {
        const Interval &a = at(c.left), &b = at(c.right);
        return answer(a.is_point() && b.is_point() && a.contains(b), a.below(b) || b.below(a));
      }
      case Condition::Kind::negation: {
        const Answer inner = holds(c.children[0]);
        return answer(inner == Answer::no, inner == Answer::yes);
      }
      case Condition::Kind::conjunction:
      case Condition::Kind::disjunction: {
        bool all = true, some = false, none = true, fails = false;
        for (const int child : c.children) {
          const Answer inner = holds(child);
          all = all && inner == Answer::yes;
          some = some || inner == Answer::yes;
          none = none && inner == Answer::no;
          fails = fails || inner == Answer::no;
        }
        return c.kind == Condition::Kind::conjunction ? answer(all, fails) : answer(some, none);
      }
    }
    throw InternalError("a condition of no kind");
  }

  // x^y log x from x = 0 for y > 0: least at x = e^(-1 / y), where it is -1 / (e y); 1 / e < 36788 / 100000.
  static MaybeInterval slope_in_exponent(const Interval& x, const Interval& y) {
    const MaybeInterval least = divide(-Interval(Rational(36788, 100000), bits), y.lower_end());
    if (!least) return std::nullopt;
    const Interval end = x.upper_end();
    if (end.at_most(number(1))) return hull(*least, number(0));
    const MaybeInterval l = library_function(Operation::log, end), p = binary(calculus::Op::pow, end, y);
    return l && p ? MaybeInterval(hull(*least, *l * *p)) : std::nullopt;
  }

  bool backward(std::size_t i, std::vector<Interval>& slope) const {
    const ExpressionNode& n = e_.nodes[i];
    const Interval s = slope[i];
    const auto c = [&](std::size_t k) -> const Interval& { return at(n.children[k]); };
    const auto needed = [&](std::size_t k) { return needs_all_ || reached_[index(n.children[k])]; };
    bool any = false;
    for (std::size_t k = 0; k < n.children.size(); ++k) any = any || needed(k);
    if (!any) return true;
    const auto taken = branches_.first.find(i);
    const bool in_case = taken != branches_.first.end();
    const auto give = [&](std::size_t k, const MaybeInterval& d) {
      if (!needed(k)) return true;
      if (!d) return false;
      Interval& to = slope[index(n.children[k])];
      to = to + s * *d;
      return true;
    };
    const Interval one = number(1), either(Rational(0), Rational(1), bits);
    if (taken_apart_.count(i) != 0)
      return n.operation == Operation::sqrt || give(1, slope_in_exponent(c(0), c(1)));
    switch (n.operation) {
      case Operation::variable:
      case Operation::constant:
        return true;
      case Operation::add:
        return give(0, one) && give(1, one);
      case Operation::sub:
        if (same(n.children[0]) == same(n.children[1])) return true;
        return give(0, one) && give(1, -one);
      case Operation::floor:
      case Operation::ceil:
      case Operation::trunc:
      case Operation::round:
      case Operation::nearbyint:
        return true;  // constant, or its own error covers the jump
      case Operation::hypot: {
        // |x| <= hypot
        const Interval unit(Rational(-1), Rational(1), bits);
        if (!range_[i]->is_positive()) return give(0, unit) && give(1, unit);
        return give(0, divide(c(0), *range_[i])) && give(1, divide(c(1), *range_[i]));
      }
      case Operation::atan2: {
        const Interval squares = square(c(0)) + square(c(1));
        const MaybeInterval x = divide(c(0), squares);
        return x && give(0, divide(c(1), squares)) && give(1, -*x);
      }
      case Operation::mul:
      case Operation::fma: {
        const bool square = n.children[0] == n.children[1];
        const bool factors = square ? give(0, scale2(c(0), 1)) : give(0, c(1)) && give(1, c(0));
        return factors && (n.operation == Operation::mul || give(2, one));
      }
      case Operation::div: {
        const MaybeInterval q = divide(*range_[i], c(1));
        return q && give(0, divide(one, c(1))) && give(1, -*q);
      }
      case Operation::neg:
        return give(0, -one);
      case Operation::cast:
        return give(0, one);
      case Operation::abs:
        if (in_case) return give(0, taken->second ? one : -one);
        return give(0, c(0).is_nonnegative()   ? one
                       : c(0).is_nonpositive() ? -one
                                               : Interval(Rational(-1), Rational(1), bits));
      case Operation::min:
      case Operation::max: {
        if (in_case) return give(taken->second ? 0 : 1, one);
        const Interval &x = c(n.operation == Operation::min ? 0 : 1),
                       &y = c(n.operation == Operation::min ? 1 : 0);
        const Interval first = x.below(y) ? one : y.below(x) ? number(0) : either;
        const Interval second = one - first;
        // The first operand is the result where x is below y, for both.
        return give(0, first) && give(1, second);
      }
      case Operation::choose:
        // Undecided: both values lie in the node's range, and its own error covers their difference.
        if (chosen_[i] == Answer::yes) return give(0, one);
        return chosen_[i] == Answer::no ? give(1, one) : true;
      case Operation::pow: {
        const std::optional<long> k = facts_[i].exponent;
        if (k && *k > 0) return give(0, number(*k) * power(c(0), static_cast<unsigned long>(*k - 1)));
        if (k) {
          const MaybeInterval d = divide(number(*k), power(c(0), static_cast<unsigned long>(1 - *k)));
          return give(0, d);
        }
        if (!c(0).is_positive()) {
          const MaybeInterval d =
              one.below(c(1)) ? binary(calculus::Op::pow, c(0), c(1) - one) : std::nullopt;
          if (needed(0) && (!d || !give(0, c(1) * *d))) return false;
          return c(1).is_positive() && give(1, slope_in_exponent(c(0), c(1)));
        }
        const MaybeInterval l = library_function(Operation::log, c(0)), d = divide(c(1) * *range_[i], c(0));
        return l && give(0, d) && give(1, *range_[i] * *l);
      }
      default:
        return give(0, library_derivative(n.operation, c(0), *range_[i]));
    }
  }

  const Checked& checked_;
  const Expression& e_;
  const ExpressionModel& model_;
  const std::vector<NodeFacts>& facts_;
  const std::vector<Interval>& box_;
  std::vector<MaybeInterval> range_, error_;
  std::vector<Answer> chosen_;
  std::vector<bool> reached_;
  bool needs_all_ = false;
  std::set<std::size_t> taken_apart_;  // roots whose own error covers what their operand's does
  Branches branches_;
  bool impossible_ = false;
  // Without a case.
  std::vector<MaybeInterval> whole_;
  std::vector<Answer> whole_chosen_;
};

}  // namespace

namespace {

// An error as a multiple of what the goal allows at the least exact value of a part; nothing where that is 0.
MaybeInterval as_multiple(const Interval& error, const Interval& exact, const Goal& goal) {
  const contract::Tolerance& t = *goal.tolerance;
  const Rational least = exact.mignitude().exact_low();
  const Rational allowed = t.absolute.value_or(Rational(0)) + t.relative.value_or(Rational(0)) * least +
                           t.ulp.value_or(Rational(0)) * contract::spacing_at(least, goal.format);
  if (mpfr_zero_p(error.high()) != 0) return number(0);
  if (allowed <= 0) return std::nullopt;
  return divide(error.from_zero(), Interval(allowed, bits));
}

}  // namespace

CheckResult check_certificate(const Expression& e, const ExpressionModel& model, const Partition& partition,
                              const Rational& claimed, const Goal& goal) {
  CheckResult out;
  const Checked checked(e, model);
  std::optional<Checked> difference;
  if (goal.difference) difference.emplace(goal.difference->expression, model);
  const bool identical = goal.identical && goal.difference && is_identical(*goal.difference);
  struct Part {
    int node;
    std::vector<Interval> box;
  };
  std::vector<Interval> whole;
  for (const ExpressionInput& input : e.inputs) whole.emplace_back(input.low, input.high, bits);
  std::vector<Part> open{{0, whole}};
  const auto fail = [&](const std::string& why) {
    out.failure = why;
    return out;
  };
  const Interval limit(claimed, 256);
  Interval greatest = number(0);
  std::size_t visited = 0;
  while (!open.empty()) {
    const Part part = std::move(open.back());
    open.pop_back();
    if (part.node < 0 || static_cast<std::size_t>(part.node) >= partition.nodes.size() ||
        ++visited > partition.nodes.size())
      return fail("the partition is not a tree");
    const Partition::Node& node = partition.nodes[static_cast<std::size_t>(part.node)];
    if (node.variable >= 0) {
      const std::size_t v = static_cast<std::size_t>(node.variable);
      if (v >= e.inputs.size()) return fail("a split along an input that is not there");
      const Interval plane(exact_rational(node.at), bits);
      const Interval& side = part.box[v];
      // A plane outside the part would leave one side without meaning, never uncovered; it is no split.
      if (!side.contains(plane)) return fail("a split outside its part");
      Part below{node.below, part.box}, above{node.above, part.box};
      below.box[v] = Interval::ends(side.low(), plane.high());
      above.box[v] = Interval::ends(plane.low(), side.high());
      open.push_back(std::move(below));
      open.push_back(std::move(above));
      continue;
    }
    Leaf leaf(checked, part.box);
    if (node.excluded) {
      if (!leaf.is_excluded()) return fail("a part that is left out may hold an admissible input");
      ++out.excluded;
      continue;
    }
    MaybeInterval bound = leaf.bound();
    if (!bound) return fail("an operation may leave its domain or overflow");
    MaybeInterval exact = leaf.range_of(e.root);
    if (goal.difference) {
      Leaf distance(*difference, part.box);
      MaybeInterval off;
      if (identical)
        distance.enclose();
      else
        off = distance.distance();
      const MaybeInterval& specified = distance.range_of(goal.difference->specification);
      // Also of identical forms: they are equal only where both exist.
      if (!specified || (!identical && !off)) return fail("the specification may leave its domain");
      if (identical) {
        if (exact) exact = intersect(*exact, *specified);
      } else {
        exact = specified;
        bound = *bound + *off;
      }
    }
    if (goal.tolerance) {
      bound = exact ? as_multiple(*bound, *exact, goal) : std::nullopt;
      if (!bound) return fail("nothing is allowed where the exact value may be 0");
    }
    if (!high_at_most(*bound, limit))
      out.failure = fmt::format("a part has the bound {}", upper_text(*bound));
    greatest = greater_high(greatest, *bound);
    ++out.leaves;
  }
  out.holds = out.failure.empty();
  out.bound = greatest.from_zero();
  return out;
}

}  // namespace hallmark::numerics
