#include "numerics/tensor_core.h"

#include <toml++/toml.h>

#include <algorithm>

#include "base/error.h"
#include "base/sha256.h"
#include "contract/format_values.h"
#include "numerics/accuracy_data.h"
#include "numerics/describe.h"
#include "numerics/fold_steps.h"
#include "numerics/transfer.h"

namespace hallmark::numerics {

using namespace calculus;

std::string table_digest(const std::string& text) {
  return sha256_hex(text).substr(0, 8);
}

const std::vector<TensorCore>& tensor_cores() {
  static const std::vector<TensorCore>* const all = [] {
    auto* out = new std::vector<TensorCore>;
    const std::string text = tensor_cores_toml();
    const toml::table root = toml::parse(text, std::string_view("corpus/accuracy/tensor_cores.toml"));
    for (const auto& [key, node] : root) {
      const toml::table* row = node.as_table();
      if (row == nullptr) continue;
      TensorCore model;
      model.name = std::string(key.str());
      const std::string format = model.name.substr(model.name.rfind('-') + 1);
      // Both eight-bit formats have few enough bits for the one model.
      const auto known = format_of(format == "f8" ? "f8e4m3" : format);
      const auto products = (*row)["products"].value<std::int64_t>(),
                 extra = (*row)["extra_bits"].value<std::int64_t>();
      ensure(known && products && extra && *products > 0 &&
                 (*row)["rounding"].value<std::string>() == "toward-zero",
             "a row of tensor_cores.toml: " + model.name);
      model.operands = *known;
      model.products = static_cast<long>(*products);
      model.extra_bits = static_cast<long>(*extra);
      model.assumption = "tensor-core:" + model.name + ":" + table_digest(text);
      out->push_back(model);
    }
    return out;
  }();
  return *all;
}

const TensorCore* find_tensor_core(std::string_view name) {
  const auto& all = tensor_cores();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const TensorCore& m) { return m.name == name; });
  return found != all.end() ? &*found : nullptr;
}

std::optional<TensorCoreError> tensor_core_error(const TensorCore& model, const Integer& steps,
                                                 const Interval& product) {
  const Integer blocks = floor_div(Integer(steps + model.products - 1), Integer(model.products));
  if (blocks < 0 || blocks > 1'000'000) return std::nullopt;
  const Interval cut = Interval::power_of_two(-23 - model.extra_bits) * Rational(model.products + 1),
                 last = Interval::power_of_two(-23), least = Interval::power_of_two(-149);
  const Interval added = (product.from_zero() * Rational(model.products)).from_zero();
  TensorCoreError out;
  for (Integer block = 0; block < blocks; ++block) {
    const Interval largest = greater_high(product.from_zero(), out.magnitude);
    // The least of f32 covers what the conversion cuts off below the normal range.
    const Interval own = (cut * largest + least).from_zero();
    const Interval sum = (out.magnitude + added + own).from_zero();
    out.absolute = (out.absolute + own + last * sum + least).from_zero();
    out.magnitude = sum;
  }
  // One sign: no term, and no partial sum, is above the whole sum.
  const Interval one = (cut + last).from_zero();
  if (!blocks.fits_ulong_p()) return std::nullopt;
  const Interval grown = power(one + Rational(1), blocks.get_ui());
  out.relative = (grown + Rational(-1)).from_zero();
  out.rest = (grown * least * Rational(2) * Interval(Rational(blocks))).from_zero();
  return out;
}

// The sum of a fold in the order mma(MODEL).
Value TermAnalysis::tensor_core_sum(const Steps& s, const Value& init, const Value& term,
                                    const Integer& low) {
  const TensorCore* model = find_tensor_core(s.orders[0]->model);
  if (model == nullptr)
    fail(Failure::Kind::unsupported, "no accumulation model is known for " + to_string(*s.orders[0]));
  if (s.orders.size() != 1 || s.model.format != Format::f32)
    fail(Failure::Kind::unsupported, "a tensor core accumulates one reduction, in f32");
  if (!init.exact.is_zero() || !init.rounded.is_zero())
    fail(Failure::Kind::unsupported, "a tensor core's accumulator that starts from a value other than 0");
  std::vector<Term> factors = s.term;
  if (!s.fused && factors[0]->kind == Kind::operation && factors[0]->op == Op::mul)
    factors = factors[0]->children;
  if (factors.size() != 2) fail(Failure::Kind::unsupported, "a tensor core adds products only");
  for (Term factor : factors) {
    const Value v = value(factor);
    const RoundingModel operands{model->operands};
    if (v.significant == 0 || v.significant > operands.precision() || v.grid == Value::no_grid)
      fail(Failure::Kind::unsupported,
           "an operand of " + model->name + " that is not known to be of its format: " + describe(factor));
  }
  const auto error = tensor_core_error(*model, s.high, term.rounded.magnitude());
  if (!error) fail(Failure::Kind::unbounded, "a reduction over more than a million blocks");
  if (!high_at_most(error->magnitude, Interval(contract::largest_value(Format::f32))))
    fail(Failure::Kind::overflow, "the accumulator of " + model->name + " may overflow");
  assumptions_.insert(model->assumption);
  theorems_.insert("tensor-core");
  Value v = transfer_add(init, transfer_repeat(term, low, s.high));
  const bool one_sign = (term.exact.is_nonnegative() && term.rounded.is_nonnegative()) ||
                        (term.exact.is_nonpositive() && term.rounded.is_nonpositive());
  v.rounded = v.rounded + error->absolute.symmetric();
  if (one_sign && term.rounded.is_nonnegative()) v.rounded = max(v.rounded, Interval());
  if (v.bounded) {
    const Interval own =
        one_sign ? smaller_high(error->absolute,
                                (error->relative * v.rounded.magnitude() + error->rest).from_zero())
                 : error->absolute;
    v.absolute = (v.absolute + own).from_zero();
    if (one_sign) {
      v.rest = (v.rest * (error->relative + Rational(1)) + error->rest).from_zero();
      v.relative = (v.relative + error->relative * (v.relative + Rational(1))).from_zero();
    } else {
      v.rest = v.absolute;
      v.relative = Interval();
    }
    add_share(v, "sum of " + s.high.get_str() + " on " + model->name, own);
  }
  v.grid = Value::no_grid;
  v.significant = static_cast<long>(significand_bits(Format::f32));
  settle(v);
  return v;
}

}  // namespace hallmark::numerics
