// Which strength a rule is proved at, and that what is said to hold bit for bit does: such rules are executed
// in f32 with NaN, infinities, -0 and the ends of the format in their tensors.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <sstream>

#include "base/error.h"
#include "base/files.h"
#include "evaluator/evaluator.h"
#include "in_format.h"
#include "rules/prove_rule.h"
#include "rules/rule_text.h"

namespace hallmark::rules {
namespace {

using namespace calculus;
using evaluator::Tensor;

class Executed {
 public:
  explicit Executed(const Rule& rule) : rule_(rule), random_(7) {}

  // Instances compared; `difference` says where one differed, if any did.
  int run(int wanted) {
    int compared = 0;
    for (int attempt = 0; attempt < 20 * wanted && compared < wanted && difference.empty(); ++attempt)
      if (one()) ++compared;
    return compared;
  }
  std::string difference;

 private:
  std::uint64_t special() {
    static const double all[] = {
        0.0,   -0.0,  1.0, -1.0, NAN,  INFINITY,   -INFINITY,     3.4028234663852886e38,
        -3e38, 1e-45, 3.0, 2.5,  -7.0, 16777216.0, 1.0 + 0x1p-23, 0.1f};
    return evaluator::encode(Format::f32,
                             evaluator::round_to(Format::f32, all[random_() % 16], Rounding::nearest));
  }

  Tensor contents(const Declaration& t, const std::vector<std::int64_t>& extents) {
    auto data = std::make_shared<TensorData>();
    data->format = t.format;
    data->extents = extents;
    std::size_t count = 1;
    for (std::int64_t e : extents) count *= static_cast<std::size_t>(e);
    const unsigned bits = storage_bits(t.format);
    data->bytes.resize(count * bits / 8);
    // Every third instance has numbers alone: one NaN hides what else differs.
    const bool plain = instance_ % 3 == 0;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t value = random_() % 5;
      if (is_float(t.format)) {
        double number = evaluator::decode(Format::f32, special());
        while (plain && !std::isfinite(number)) number = evaluator::decode(Format::f32, special());
        value = evaluator::encode(t.format, evaluator::round_to(t.format, number, Rounding::nearest));
      } else if (t.format == Format::boolean) {
        value %= 2;
      }
      evaluator::write_bits(data->bytes.data(), bits, static_cast<std::int64_t>(i), value);
    }
    return Tensor(Tensor::Encoded(data));
  }

  bool extents_of(const Declaration& t, const evaluator::Symbols& symbols, std::vector<std::int64_t>& out) {
    std::int64_t count = 1;
    for (Term e : t.extents) {
      out.push_back(evaluator::evaluate_index(e, symbols));
      if (out.back() < 0) return false;
      count *= out.back();
    }
    return count <= 200;
  }

  bool one() {
    ++instance_;
    evaluator::Symbols symbols;
    for (const SymbolRange& s : rule_.symbols) {
      const long low = s.low.get_si(), high = s.high ? s.high->get_si() : low + 3;
      symbols[s.name] = low + static_cast<long>(random_() % static_cast<unsigned long>(high - low + 1));
    }
    for (Term r : rule_.requirements)
      if (evaluator::with_symbols(r, symbols) != truth(true)) return false;
    evaluator::Tensors inputs;
    std::map<std::string, Format> formats;
    for (const Declaration& t : rule_.tensors) {
      std::vector<std::int64_t> extents;
      if (!extents_of(t, symbols, extents)) return false;
      inputs[t.name] = contents(t, extents);
      formats[t.name] = t.format;
    }
    for (const Given& given : rule_.givens) {
      Definition all;
      all.declaration = {"given", Format::boolean, given.extents};
      all.body = InFormat(formats).read(given.body, Format::f32);
      const Tensor held = evaluator::evaluate(all, {}, symbols, inputs);
      for (std::int64_t i = 0; i < held.element_count(); ++i)
        if (held.integer(i) == 0) return false;
    }
    for (const Definition& d : rule_.left) {
      std::vector<std::int64_t> extents;
      if (!extents_of(d.declaration, symbols, extents)) return false;
    }
    try {
      const Tensor left = result(rule_.left, symbols, inputs, formats),
                   right = result(rule_.right, symbols, inputs, formats);
      for (std::int64_t i = 0; i < left.element_count() && difference.empty(); ++i) {
        const bool nan = is_float(left.format()) && std::isnan(left.number(i)) && std::isnan(right.number(i));
        if (!nan && left.bits(i) != right.bits(i))
          difference = "element " + std::to_string(i) + ": bits " + std::to_string(left.bits(i)) + " and " +
                       std::to_string(right.bits(i));
      }
    } catch (const Refusal&) {
      return false;  // an elementary function without a float of its own
    } catch (const std::runtime_error&) {
      return false;
    }
    return true;
  }

  static Tensor result(const std::vector<Definition>& side, const evaluator::Symbols& symbols,
                       evaluator::Tensors tensors, std::map<std::string, Format> formats) {
    for (const Definition& d : side) {
      Definition rounded = d;
      const Format format = d.declaration.format;
      rounded.body = InFormat(formats).read(d.body, is_float(format) ? format : Format::f32);
      tensors[d.declaration.name] = evaluator::evaluate(rounded, {}, symbols, tensors);
      formats[d.declaration.name] = format;
    }
    return tensors.at(side.back().declaration.name);
  }

  const Rule& rule_;
  std::mt19937 random_;
  int instance_ = 0;
};

struct Expected {
  std::string verdict;
  bool differs = false;
};

std::map<std::string, Expected> expectations(const std::string& text) {
  std::map<std::string, Expected> out;
  std::istringstream in(text);
  Expected expected;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("# expected: ", 0) == 0) {
      const std::size_t comma = line.find(',');
      expected.differs = comma != std::string::npos;
      expected.verdict = line.substr(12, expected.differs ? comma - 12 : std::string::npos);
    }
    if (line.rfind("rule ", 0) == 0) out[line.substr(5)] = expected;
  }
  return out;
}

TEST(Strengths, AreThoseThatTheTextsNameAndF32Agrees) {
  const std::string file = HALLMARK_SOURCE_DIR "/tests/rules/strengths.hm";
  smt::Portfolio portfolio;
  const auto expected = expectations(read_file(file));
  for (const RuleFamily& family : load_rules({file})) {
    const Obligation o = prove_family(family, portfolio);
    EXPECT_EQ(std::string(name(o.outcome.state)) + " " + o.strength, expected.at(family.name).verdict)
        << family.name << ": " << o.outcome.detail;
    Executed executed(family.instances.back());
    EXPECT_GT(executed.run(300), 0) << family.name;
    EXPECT_EQ(executed.difference.empty(), !expected.at(family.name).differs)
        << family.name << ": " << executed.difference;
  }
}

// No shipped rule is said to hold bit for bit that f32 refutes.
TEST(Strengths, OfTheShippedRulesAgreeWithF32) {
#ifdef HALLMARK_WHOLE_LIBRARY
  const auto families = load_library({HALLMARK_SOURCE_DIR "/corpus/rules"});
#else
  const auto families = load_rules({HALLMARK_SOURCE_DIR "/corpus/rules"});
#endif
  smt::Portfolio portfolio;
  std::size_t bits = 0;
  for (const RuleFamily& family : families) {
    const Obligation o = prove_family(family, portfolio);
    if (o.strength != "any-type" && o.strength != "ieee") continue;
    ++bits;
    for (const Rule& instance : family.instances) {
      Executed executed(instance);
      executed.run(60);
      EXPECT_EQ(executed.difference, "") << instance.name << " is " << o.strength;
    }
  }
  EXPECT_GT(bits, families.size() / 5);
}

}  // namespace
}  // namespace hallmark::rules
