// Every shipped rule on random small instances: sizes and contents drawn here, both sides evaluated
// definition by definition by the reference evaluator, every element compared. It shares no code with the
// search for witnesses.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/error.h"
#include "evaluator/evaluator.h"
#include "rules/rule_text.h"

namespace hallmark::rules {
namespace {

using namespace calculus;
using evaluator::Tensor;

class Instances {
 public:
  Instances(const Rule& rule, unsigned seed) : rule_(rule), random_(seed) {
    for (const auto* side : {&rule.left, &rule.right})
      for (const Definition& d : *side)
        for_each_node(d.body, [&](Term n) {
          irrational_ = irrational_ ||
                        (n->kind == Kind::operation && n->op >= Op::pow && n->op <= Op::rsqrt) ||
                        (n->kind == Kind::operation && n->op >= Op::exp && n->op <= Op::erf);
        });
  }

  // Runs up to `wanted` instances; returns how many were compared.
  int run(int wanted) {
    int compared = 0;
    constexpr int attempts = HALLMARK_RANDOM_INSTANCES < 1000 ? 60 : 400;
    for (int attempt = 0; attempt < attempts * wanted && compared < wanted; ++attempt)
      if (one()) ++compared;
    return compared;
  }

 private:
  long draw(long low, long high) { return std::uniform_int_distribution<long>(low, high)(random_); }

  bool one() {
    evaluator::Symbols symbols;
    for (const SymbolRange& s : rule_.symbols) {
      const long low = s.low.get_si();
      symbols[s.name] = draw(low, s.high ? std::min<long>(low + 4, s.high->get_si()) : low + 4);
    }
    for (Term r : rule_.requirements)
      if (evaluator::with_symbols(r, symbols) != truth(true)) return false;
    // Extents of everything on the left exist, or the rule says nothing.
    evaluator::Tensors inputs;
    for (const Declaration& t : rule_.tensors) {
      std::vector<std::int64_t> extents;
      if (!sizes(t, symbols, extents)) return false;
      inputs[t.name] = contents(t, extents);
    }
    for (const Definition& d : rule_.left) {
      std::vector<std::int64_t> extents;
      if (!sizes(d.declaration, symbols, extents)) return false;
    }
    if (!givens_hold(symbols, inputs)) return false;
    try {
      const Tensor left = result(rule_.left, symbols, inputs), right = result(rule_.right, symbols, inputs);
      compare(left, right, symbols);
    } catch (const Refusal&) {
      return false;  // a maximum over nothing and the like have no value that could be compared
    } catch (const UserError& error) {
      ADD_FAILURE() << rule_.name << ": " << error.render();
    }
    return true;
  }

  static bool sizes(const Declaration& t, const evaluator::Symbols& symbols, std::vector<std::int64_t>& out) {
    std::int64_t count = 1;
    for (Term e : t.extents) {
      out.push_back(evaluator::evaluate_index(e, symbols));
      if (out.back() < 0) return false;
      count *= out.back();
    }
    return count <= 1500;
  }

  Tensor contents(const Declaration& t, const std::vector<std::int64_t>& extents) {
    std::size_t count = 1;
    for (std::int64_t e : extents) count *= static_cast<std::size_t>(e);
    std::vector<long> values(count);
    // Conditions on contents are mostly about signs.
    const long low = rule_.givens.empty() ? -3 : draw(-1, 1);
    for (long& v : values) v = draw(low, 3);
    if (is_float(t.format)) {
      if (irrational_) return Tensor(t.format, extents, std::vector<double>(values.begin(), values.end()));
      return Tensor(t.format, extents, std::vector<Rational>(values.begin(), values.end()));
    }
    auto data = std::make_shared<TensorData>();
    data->format = t.format;
    data->extents = extents;
    const unsigned bits = storage_bits(t.format);
    data->bytes.resize(count * bits / 8);
    for (std::size_t i = 0; i < count; ++i)
      evaluator::write_bits(
          data->bytes.data(), bits, static_cast<std::int64_t>(i),
          static_cast<std::uint64_t>(t.format == Format::boolean ? (values[i] > 0 ? 1 : 0) : values[i]));
    return Tensor(Tensor::Encoded(data));
  }

  bool givens_hold(const evaluator::Symbols& symbols, const evaluator::Tensors& inputs) const {
    for (const Given& given : rule_.givens) {
      Definition all;
      all.declaration = {"given", Format::boolean, given.extents};
      all.body = given.body;
      const Tensor held = evaluator::evaluate(all, {}, symbols, inputs, options());
      for (std::int64_t i = 0; i < held.element_count(); ++i)
        if (held.integer(i) == 0) return false;
    }
    return true;
  }

  Tensor result(const std::vector<Definition>& side, const evaluator::Symbols& symbols,
                evaluator::Tensors tensors) const {
    for (const Definition& d : side)
      tensors[d.declaration.name] = evaluator::evaluate(d, {}, symbols, tensors, options());
    return tensors.at(side.back().declaration.name);
  }

  evaluator::Options options() const {
    evaluator::Options out;
    out.reals = irrational_ ? evaluator::Reals::in_double : evaluator::Reals::exact;
    out.compile = false;
    return out;
  }

  void compare(const Tensor& left, const Tensor& right, const evaluator::Symbols& symbols) const {
    ASSERT_EQ(left.extents(), right.extents()) << rule_.name;
    for (std::int64_t i = 0; i < left.element_count(); ++i) {
      bool same = false;
      if (!is_float(left.format())) {
        same = left.integer(i) == right.integer(i);
      } else if (!irrational_) {
        same = left.exact(i) == right.exact(i);
      } else {
        const double a = left.number(i), b = right.number(i);
        // Where doubles leave the finite numbers they are no picture of the total model.
        same = !std::isfinite(a) || !std::isfinite(b) ||
               std::fabs(a - b) <= 1e-6 * std::max({1.0, std::fabs(a), std::fabs(b)});
      }
      std::string sizes;
      for (const auto& [name, value] : symbols) sizes += name + "=" + std::to_string(value) + " ";
      ASSERT_TRUE(same) << rule_.name << " element " << i << " " << sizes;
    }
  }

  const Rule& rule_;
  std::mt19937 random_;
  bool irrational_ = false;
};

TEST(RandomInstances, BothSidesOfEveryShippedRuleAreEqual) {
  long all = 0, rules = 0;
  for (const RuleFamily& family : load_library({HALLMARK_SOURCE_DIR "/corpus/rules"})) {
    // Convolutions in four dimensions take long; they are for the long test.
    if (HALLMARK_RANDOM_INSTANCES < 1000 && family.name.rfind("taso/", 0) == 0) continue;
    int compared = 0;
    for (std::size_t i = 0; i < family.instances.size(); ++i) {
      // Instances up to rank 2 share the rule's trials.
      bool small = true;
      for (int r : family.ranks[i]) small = small && r <= 2;
      if (!small) continue;
      compared += Instances(family.instances[i], static_cast<unsigned>(i) + 1).run(HALLMARK_RANDOM_INSTANCES);
      if (compared >= HALLMARK_RANDOM_INSTANCES && i >= 3) break;
    }
    // The short test is content with fewer where few contents meet what a rule demands.
    EXPECT_GE(compared, HALLMARK_RANDOM_INSTANCES < 1000 ? HALLMARK_RANDOM_INSTANCES / 4 : 1000) << family.name;
    all += compared;
    ++rules;
  }
  RecordProperty("instances", static_cast<int>(all));
  std::printf("%ld instances of %ld rules compared\n", all, rules);
}

}  // namespace
}  // namespace hallmark::rules
