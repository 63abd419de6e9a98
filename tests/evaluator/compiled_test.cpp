// The compiled evaluator against the one that walks a term for each element: the same bits.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "base/error.h"
#include "calculus/text/text.h"
#include "evaluator/evaluator.h"
#include "tests/text/random_term.h"

namespace hallmark::evaluator {
namespace {

using namespace calculus;

std::shared_ptr<TensorData> random_data(Format format, std::vector<std::int64_t> extents,
                                        std::mt19937_64& random) {
  auto data = std::make_shared<TensorData>();
  data->format = format;
  data->extents = std::move(extents);
  data->splat = random() % 8 == 0;
  const std::int64_t count = data->splat ? 1 : data->element_count();
  const unsigned width = storage_bits(format);
  data->bytes.resize(static_cast<std::size_t>(count) * width / 8);
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    if (format == Format::f32)
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>(random() % 64) - 32) / 8);
    else if (format == Format::boolean)
      bits = random() % 2;
    else if (is_float(format))
      bits = random() >> (64 - width);
    else
      bits = random() % 7;
    write_bits(data->bytes.data(), width, i, bits);
  }
  return data;
}

std::string outcome(const Definition& definition, const Symbols& symbols, const Tensors& tensors,
                    bool compile, unsigned jobs = 1) {
  try {
    const Tensor result = evaluate(definition, {}, symbols, tensors, {.jobs = jobs, .compile = compile});
    std::string out;
    for (std::int64_t i = 0; i < result.element_count(); ++i) {
      std::uint64_t bits = 0;
      if (result.doubles() != nullptr)
        bits = std::isnan(result.number(i)) ? 0x7ff8000000000000ULL
                                            : std::bit_cast<std::uint64_t>(result.number(i));
      else
        bits = result.bits(i);
      out += std::to_string(bits) + " ";
    }
    return out;
  } catch (const Error&) {
    // A read outside, an order that does not fit, an index beyond 64 bits: which of two faults is met first
    // is not the same.
    return "error";
  }
}

struct Counts {
  int values = 0, errors = 0;
};

Counts compare(std::uint64_t first_seed, std::uint64_t last_seed) {
  Counts counts;
  for (std::uint64_t seed = first_seed; seed < last_seed; ++seed) {
    RandomTerms random(seed, {.custom = false, .coefficient = 4, .inside = true});
    std::mt19937_64 values(seed);
    const std::int64_t n = seed % 3 == 0 ? 1 : 5;
    const Symbols symbols{{"N", n}, {"M", 3}};
    Tensors tensors;
    for (const auto& [name, type] : random.tensors)
      tensors.emplace(name,
                      Tensor(random_data(type.format, std::vector<std::int64_t>(type.rank, n), values)));
    const Sort sort = random.any_sort();
    const Term body = random.element(sort, 2 + static_cast<int>(seed % 4));
    const Format format = sort == Sort::boolean()         ? Format::boolean
                          : sort.kind == Sort::Kind::real ? Format::f32
                                                          : sort.format;
    // Lanes along the second axis or the first, more than one block of them or a few.
    const std::vector<std::vector<long>> shapes{{2, 9}, {11, 3}, {1, 300}, {3, 1}};
    const std::vector<long>& shape = shapes[seed % shapes.size()];
    const Definition definition{{"Y", format, {integer(shape[0]), integer(shape[1])}}, {"i", "j"}, body, ""};
    const std::string slow = outcome(definition, symbols, tensors, false),
                      fast = outcome(definition, symbols, tensors, true);
    EXPECT_EQ(slow, fast) << seed << "\n" << text::print_term(body, random.scope(sort, false), {"i", "j"});
    if (slow != fast) break;
    ++(slow == "error" ? counts.errors : counts.values);
  }
  return counts;
}

TEST(Compiled, AgreesWithTheWalkerOnRandomTerms) {
  const Counts counts = compare(0, 1200);
  EXPECT_GT(counts.values, 600);
  EXPECT_GT(counts.errors, 10);
}

TEST(Compiled, ThreadsChangeNothing) {
  std::mt19937_64 values(3);
  const Tensors tensors{{"X", Tensor(random_data(Format::f32, {200, 300}, values))}};
  text::Scope scope;
  scope.tensors = {{"X", {Format::f32, 2}}};
  const Term body = text::parse_term(
      "exp(X[i, j] - (max(k < 300) X[i, k])) + (sum(k < 300 where k <= j) (if 1 <= i then X[i - 1, k] else "
      "2))",
      "body", scope, {"i", "j"});
  for (const auto& [rows, lanes] : {std::pair{200L, 300L}, std::pair{1L, 300L}}) {
    const Definition definition{{"Y", Format::f32, {integer(rows), integer(lanes)}}, {}, body, ""};
    const std::string alone = outcome(definition, {}, tensors, true, 1);
    EXPECT_EQ(outcome(definition, {}, tensors, true, 2), alone);
    EXPECT_EQ(outcome(definition, {}, tensors, true, 5), alone);
    if (rows == 1) {
      EXPECT_EQ(outcome(definition, {}, tensors, false), alone);
    }
  }
}

TEST(Compiled, EveryReadOutsideIsAnError) {
  std::mt19937_64 values(3);
  const Tensors tensors{{"X", Tensor(random_data(Format::f32, {40}, values))}};
  text::Scope scope;
  scope.tensors = {{"X", {Format::f32, 1}}};
  const auto result = [&](const std::string& body) {
    const Term term = text::parse_term(body, "body", scope, {"i"});
    return outcome({{"Y", Format::f32, {integer(40L)}}, {}, term, ""}, {}, tensors, true);
  };
  EXPECT_EQ(result("X[i + 1]"), "error");
  EXPECT_EQ(result("X[i - 1]"), "error");
  EXPECT_NE(result("if 1 <= i then X[i - 1] else 0"), "error");
  EXPECT_EQ(result("if 0 <= i then X[i - 1] else 0"), "error");
  // A fold without steps reads nothing, and one step is enough.
  EXPECT_NE(result("sum(k < i - 39) X[50]"), "error");
  EXPECT_EQ(result("sum(k < i - 38) X[50]"), "error");
  // What is hoisted out of a loop or shared between sides is an error only where it is needed.
  EXPECT_NE(result("(if i < 5 then X[i + 35] else 1) + (if 5 <= i then X[i - 5] else X[i + 35])"), "error");
  EXPECT_NE(result("sum(k < 3 where 1 <= i) (X[i - 1] * (if k < 2 then X[k] else X[39]))"), "error");
  EXPECT_EQ(result("sum(k < 3 where 1 <= i or 2 <= k) X[i - 1]"), "error");
}

}  // namespace
}  // namespace hallmark::evaluator
