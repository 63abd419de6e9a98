#include "numerics/adverse_points.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "calculus/sizes.h"
#include "contract/format_values.h"
#include "formulation/round_constant.h"
#include "numerics/adverse_sum.h"
#include "numerics/tensor_data.h"

namespace hallmark::numerics {

using namespace calculus;

namespace {

struct Shape {
  const Order* order = nullptr;
  std::size_t count = 0;
  Format sum{};
  bool fused = false, products = false;
  bool squares = false;  // of what one factor is
  auto key() const { return std::tuple(to_string(*order), count, sum, fused, products, squares); }
};

// The sums of one definition over one range of a size that is known at the point.
std::vector<Shape> sums(const Program& program, const Point& base) {
  std::vector<Shape> out;
  std::set<decltype(std::declval<Shape>().key())> seen;
  for (const Definition& definition : program.definitions)
    for_each_node(definition.body, [&](Term node) {
      if (node->kind != Kind::fold || node->sort.kind != Sort::Kind::floating || node->size != 1) return;
      const Term extent = node->children[0], step = node->children[3];
      if (!is_over_symbols(extent) || step->kind != Kind::operation ||
          (step->op != Op::add && step->op != Op::fma))
        return;
      const auto count = to_i64(evaluate_size(extent, base));
      if (!count || *count < 2 || *count > 65536) return;
      Shape shape{
          node->order, static_cast<std::size_t>(*count), node->sort.format, step->op == Op::fma, false,
          false};
      const auto same_factors = [](Term t) { return t->children[0] == t->children[1]; };
      for (Term child : step->children) {
        const bool product = child->kind == Kind::operation && child->op == Op::mul;
        shape.products = shape.products || product;
        shape.squares = shape.squares || (product && same_factors(child));
      }
      shape.squares = shape.squares || (shape.fused && same_factors(step));
      if (seen.insert(shape.key()).second) out.push_back(shape);
    });
  return out;
}

double largest_power_below(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(1.0, exponent - 1);
}

void fill(TensorData& data, const Rational& value) {
  const auto bits = formulation::round_to_nearest(value, data.format);
  if (!bits) return;
  for (std::int64_t i = 0; i < data.element_count(); ++i) set_element_bits(data, i, *bits);
}

}  // namespace

std::vector<NamedPoint> adverse_points(const Program& formulation, const Point& base,
                                       const std::vector<std::pair<std::string, Box>>& boxes) {
  std::vector<NamedPoint> out;
  bool exponentials = false;
  for (const Definition& definition : formulation.definitions)
    for_each_node(definition.body, [&](Term node) {
      exponentials = exponentials || (node->kind == Kind::operation && node->op == Op::custom &&
                                      node->name.rfind("exp_", 0) == 0);
    });
  for (const Shape& shape : sums(formulation, base))
    for (const auto& entry : boxes) {
      const auto& name = entry.first;
      const auto& box = entry.second;
      if (!is_float(box.format)) continue;
      const std::vector<std::int64_t>& extents = base.inputs.at(name).extents;
      const auto axis = std::find(extents.rbegin(), extents.rend(), static_cast<std::int64_t>(shape.count));
      if (axis == extents.rend()) continue;
      const bool negative = abs(box.low) > abs(box.high);
      const Rational end = negative ? Rational(-box.low) : box.high;
      const Rational other_end = negative ? Rational(-box.high) : box.low;
      if (end <= 0) continue;
      Point point = base;
      double weight = 1;
      bool usable = true;
      for (const auto& [other, its_box] : boxes) {
        if (other == name || !is_float(its_box.format)) continue;
        const bool down = abs(its_box.low) > abs(its_box.high);
        const double size = Rational(down ? Rational(-its_box.low) : its_box.high).get_d();
        if (!(size > 0)) {
          usable = false;
          continue;
        }
        // A power of two keeps products exact; a format without enough digits needs an odd factor.
        double w = largest_power_below(size);
        if (significand_bits(its_box.format) < 24 && w == size) w = size / 2;
        if (significand_bits(its_box.format) < 24)
          w *= 2 - std::ldexp(1.0, 1 - static_cast<int>(significand_bits(its_box.format)));
        const Rational value = exact_rational(down ? -w : w);
        if (value < its_box.low || value > its_box.high || w > size) {
          w = largest_power_below(size);
          if (exact_rational(down ? -w : w) < its_box.low || exact_rational(down ? -w : w) > its_box.high)
            usable = false;
        }
        fill(point.inputs[other], exact_rational(down ? -w : w));
        weight = w;
      }
      if (!usable) continue;
      std::int64_t stride = 1;
      for (auto later = extents.rbegin(); later != axis; ++later) stride *= *later;
      const auto build = [&](const AdverseSum& sum, const std::string& what, const auto& input_of) {
        const std::vector<double> factors = adverse_terms(sum);
        if (factors.empty()) return;
        NamedPoint made{what + " errs " + std::string(sum.upwards ? "upwards" : "downwards") +
                            " at nearly every addition of " + to_string(*shape.order),
                        point};
        TensorData& data = made.point.inputs[name];
        for (std::int64_t i = 0; i < data.element_count(); ++i) {
          const double f = input_of(factors[static_cast<std::size_t>(i / stride % *axis)]);
          const Rational value = std::clamp(exact_rational(negative ? -f : f), box.low, box.high);
          if (const auto bits = formulation::round_to_nearest(value, box.format); bits)
            set_element_bits(data, i, *bits);
        }
        out.push_back(std::move(made));
      };
      // Factors of a coarse format: also small ones onto a large sum.
      const bool coarse = significand_bits(box.format) < significand_bits(shape.sum) && !shape.squares;
      for (const int smaller : coarse ? std::vector<int>{0, 3, 5, 8} : std::vector<int>{0})
        for (const bool upwards : {false, true}) {
          AdverseSum sum;
          sum.order = shape.order;
          sum.count = shape.count;
          sum.sum = shape.sum;
          sum.term = box.format;
          sum.first_rounds = shape.fused;
          sum.products_round = shape.products;
          sum.largest = end.get_d();
          sum.least = std::max(0.0, other_end.get_d());
          sum.weight = (shape.fused || shape.products) && !shape.squares ? weight : 1;
          sum.smaller = smaller;
          sum.upwards = upwards;
          if (shape.squares) {
            // The terms; their roots are the factors.
            sum.largest *= sum.largest;
            sum.least *= sum.least;
            sum.term = shape.sum;
            sum.first_rounds = sum.products_round = false;
          }
          build(sum, "terms whose sum", [&](double term) { return shape.squares ? std::sqrt(term) : term; });
        }
      // One exponential is 1, the others are near the least one that the box allows.
      const double range = std::min(Rational(box.high - box.low).get_d(), 80.0), least = std::exp(-range);
      if (!exponentials || !(range > 0) || negative) continue;
      for (const bool upwards : {false, true}) {
        AdverseSum sum;
        sum.order = shape.order;
        sum.count = shape.count;
        sum.sum = sum.term = shape.sum;
        sum.largest = std::min(1.0, least * 1.25);
        sum.least = least;
        sum.first = 1;
        sum.upwards = upwards;
        build(sum, "exponentials whose sum", [&](double e) { return box.high.get_d() + std::log(e); });
      }
    }
  return out;
}

}  // namespace hallmark::numerics
