// Integer elements as bit vectors: each operation and conversion has the value of the evaluator's, on every
// pair of numbers at and near the ends of the formats and around 0.
#include <gtest/gtest.h>

#include "base/error.h"
#include "evaluator/evaluator.h"
#include "rules/encode.h"
#include "smt/evaluate.h"

namespace hallmark::rules {
namespace {

using namespace calculus;

constexpr Format formats[] = {Format::i8,  Format::u8,  Format::i16, Format::u16,
                              Format::i32, Format::u32, Format::i64, Format::u64};

std::vector<Integer> numbers(Format format) {
  const unsigned bits = storage_bits(format);
  const Integer half = power_of_two(bits - 1), all = power_of_two(bits);
  std::vector<Integer> out;
  for (const Integer& n :
       {Integer(0), Integer(1), Integer(2), Integer(3), Integer(bits - 1), Integer(bits), Integer(half - 1),
        Integer(half), Integer(half + 1), Integer(all - 1), Integer(all - 2)})
    out.push_back(int_constant(format, n)->value.get_num());
  return out;
}

// The numbers as the contents of tensors of no axes, and as values of their bit vectors.
struct Contents {
  evaluator::Tensors tensors;
  smt::Assignment bits;

  void set(const std::string& name, Format format, const Integer& number) {
    auto data = std::make_shared<TensorData>();
    data->format = format;
    const unsigned width = storage_bits(format);
    Integer residue = number;
    if (residue < 0) residue += power_of_two(width);
    data->bytes.resize(width / 8);
    evaluator::write_bits(data->bytes.data(), width, 0, residue.get_ui());
    tensors[name] = evaluator::Tensor(evaluator::Tensor::Encoded(data));
    bits.variables["bits " + name] = {smt::Sort::bit_vector(width), residue};
  }
};

void expect_same(Term term, const Contents& contents, const std::string& what) {
  const std::int64_t expected = std::get<std::int64_t>(
      evaluator::evaluate_term(term, {}, contents.tensors, {}, evaluator::Reals::exact));
  smt::Arena arena;
  Encoder encoder(arena, Encoder::Elements::bits);
  const auto value = smt::Evaluator(contents.bits).value(encoder.encode(term));
  ASSERT_TRUE(value) << what;
  Rational number(from_i64(expected));
  if (term->sort.kind == Sort::Kind::integer && number < 0)
    number += Rational(power_of_two(storage_bits(term->sort.format)));
  EXPECT_EQ(value->number, number) << what;
  EXPECT_TRUE(encoder.axioms().empty()) << what << ": the bits say all";
}

TEST(Bits, EveryOperationHasTheValueOfTheEvaluator) {
  std::size_t operations = 0;
  for (Format format : formats) {
    const Sort sort = Sort::integer(format);
    const Term a = load("a", {}, sort), b = load("b", {}, sort);
    for (const Op op : {Op::neg, Op::abs, Op::sign, Op::reciprocal, Op::bit_not, Op::floor, Op::add, Op::sub,
                        Op::mul, Op::div, Op::rem, Op::mod, Op::max, Op::min, Op::bit_and, Op::bit_or,
                        Op::bit_xor, Op::shift_left, Op::shift_right}) {
      const bool one = op == Op::neg || op == Op::abs || op == Op::sign || op == Op::reciprocal ||
                       op == Op::bit_not || op == Op::floor;
      const Term term = operation(op, one ? std::vector<Term>{a} : std::vector<Term>{a, b}, sort);
      ++operations;
      for (const Integer& x : numbers(format))
        for (const Integer& y : one ? std::vector<Integer>{0} : numbers(format)) {
          Contents contents;
          contents.set("a", format, x);
          contents.set("b", format, y);
          expect_same(term, contents,
                      std::string(name(op)) + " in " + std::string(name(format)) + " of " + x.get_str() +
                          ", " + y.get_str());
        }
    }
    for (const Op op : {Op::lt, Op::le, Op::eq})
      for (const Integer& x : numbers(format))
        for (const Integer& y : numbers(format)) {
          Contents contents;
          contents.set("a", format, x);
          contents.set("b", format, y);
          expect_same(calculus::compare(op, a, b), contents,
                      std::string(name(op)) + " in " + std::string(name(format)) + " of " + x.get_str() +
                          ", " + y.get_str());
        }
  }
  EXPECT_GE(operations, 150u);
}

TEST(Bits, EveryConversionHasTheValueOfTheEvaluator) {
  for (Format from : formats)
    for (Format to : formats)
      for (Format by : formats) {
        const Term term = cast(load("a", {}, Sort::integer(from)), Sort::integer(to), by);
        for (const Integer& x : numbers(from)) {
          Contents contents;
          contents.set("a", from, x);
          expect_same(term, contents,
                      x.get_str() + " of " + std::string(name(from)) + " by " + std::string(name(by)) +
                          " in " + std::string(name(to)));
        }
      }
}

// What has no bits stays a name of which nothing is known.
TEST(Bits, NothingIsSaidOfRealsAndFolds) {
  smt::Arena arena;
  Encoder encoder(arena, Encoder::Elements::bits);
  EXPECT_THROW(encoder.encode(load("x", {}, Sort::real())), Refusal);
  const Sort sort = Sort::integer(Format::i8);
  const Term k = variable("k"), sum_of = sum(k, symbol("N"), load("a", {k}, sort));
  EXPECT_EQ(encoder.encode(sum_of).op(), smt::Op::apply);
  EXPECT_EQ(encoder.encode(operation(Op::pow, {load("a", {}, sort), load("b", {}, sort)}, sort)).op(),
            smt::Op::apply);
}

}  // namespace
}  // namespace hallmark::rules
