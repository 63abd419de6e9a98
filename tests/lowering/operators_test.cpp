// Terms of every kind through one thread an element: what ONNX operators are made of.
#include <gtest/gtest.h>

#include "base/error.h"
#include "check.h"

namespace hallmark::testing {
namespace {

using namespace calculus;

Term less_than(Term a, Term b) {
  return compare(Op::lt, a, b);
}

Program one(const std::vector<Declaration>& inputs, const Definition& definition) {
  Program p;
  p.inputs = inputs;
  p.definitions = {definition};
  p.outputs = {definition.declaration.name};
  return p;
}

Declaration typed(const std::string& name, Format format, const std::vector<Term>& extents) {
  return {name, format, extents};
}

// Conv with groups, stride, dilation and padding on all sides; the padding is a guard, not a zero.
Term convolution(long channels, long groups, long outputs, long height, long width, long kernel, long stride,
                 long dilation, long pad) {
  const Term c = fresh_variable("c"), r = fresh_variable("r"), s = fresh_variable("s");
  const long per_group = channels / groups, out_per_group = outputs / groups;
  const Term y = add(add(scale(stride, i(2)), scale(dilation, r)), n(-pad));
  const Term x = add(add(scale(stride, i(3)), scale(dilation, s)), n(-pad));
  const Term channel = add(multiply(floor_div(i(1), n(out_per_group)), n(per_group)), c);
  const Term product = apply(Op::mul, {real("X", {i(0), channel, y, x}), real("W", {i(1), c, r, s})});
  // One chain of additions over c, r, s: the inner folds start from the outer state.
  const Term outer = fresh_variable("a", Sort::real()), middle = fresh_variable("b", Sort::real()),
             inner = fresh_variable("c", Sort::real());
  const auto chain = [](Term variable, Term extent, Term state, Term init, Term step, Term guard = nullptr) {
    FoldParts parts;
    parts.variable = variable;
    parts.extent = extent;
    parts.guard = guard;
    parts.states = {state};
    parts.init = {init};
    parts.step = {step};
    return fold(parts);
  };
  const Term over_s =
      chain(s, n(kernel), inner, middle, apply(Op::add, {inner, product}), in_range(x, n(width)));
  const Term over_r = chain(r, n(kernel), middle, outer, over_s, in_range(y, n(height)));
  return chain(c, n(per_group), outer, real("b", {i(1)}), over_r);
}

TEST(Operators, Convolution) {
  struct Shape {
    long channels, groups, outputs, kernel, stride, dilation, pad;
  };
  for (const Shape& s : {Shape{3, 1, 4, 3, 1, 1, 1}, Shape{4, 2, 6, 3, 2, 1, 1}, Shape{2, 1, 2, 3, 1, 2, 2},
                         Shape{4, 4, 4, 3, 1, 1, 0}, Shape{3, 1, 5, 1, 1, 1, 0}}) {
    const long height = 7, width = 9;
    const auto extent = [&](long size) {
      return (size + 2 * s.pad - s.dilation * (s.kernel - 1) - 1) / s.stride + 1;
    };
    const Program p = one({f32("X", {n(2), n(s.channels), n(height), n(width)}),
                           f32("W", {n(s.outputs), n(s.channels / s.groups), n(s.kernel), n(s.kernel)}),
                           f32("b", {n(s.outputs)})},
                          define("Y", {n(2), n(s.outputs), n(extent(height)), n(extent(width))},
                                 convolution(s.channels, s.groups, s.outputs, height, width, s.kernel,
                                             s.stride, s.dilation, s.pad),
                                 "Conv_0 (Conv)"));
    expect_kernels_match(p);
    if (s.groups == 2) expect_texts_compile(lowering::lower(formulation::formulate(p).program));
  }
}

TEST(Operators, Pools) {
  const Term r = fresh_variable("r"), s = fresh_variable("s");
  const Term y = add(add(scale(2, i(1)), r), n(-1)), x = add(add(scale(2, i(2)), s), n(-1));
  const Term inside = both(in_range(y, n(6)), in_range(x, n(7)));
  const Term row = reduce(Op::max, extreme(-1), s, n(3), real("X", {i(0), y, x}), inside);
  const Program maximum =
      one({f32("X", {n(3), n(6), n(7)})},
          define("Y", {n(3), n(3), n(4)}, reduce(Op::max, extreme(-1), r, n(3), row), "Pool (MaxPool)"));
  expect_kernels_match(maximum);
  // Average without the padding: divided by the number of cells inside.
  const Term q = fresh_variable("q"), t = fresh_variable("t");
  const Term y2 = add(add(scale(2, i(1)), q), n(-1)), x2 = add(add(scale(2, i(2)), t), n(-1));
  const Term total =
      sum(q, n(3), sum(t, n(3), real("X", {i(0), y2, x2}), both(in_range(y2, n(6)), in_range(x2, n(7)))));
  const auto cells = [](Term at, long size) {
    return subtract(index_min(add(scale(2, at), n(2)), n(size)), index_max(add(scale(2, at), n(-1)), n(0)));
  };
  const Term count = multiply(cells(i(1), 6), cells(i(2), 7));
  const Program average =
      one({f32("X", {n(3), n(6), n(7)})},
          define("Y", {n(3), n(3), n(4)}, apply(Op::div, {total, from_index(count, Sort::real())}),
                 "Pool (AveragePool)"));
  expect_kernels_match(average);
  for (const Program& p : {maximum, average})
    expect_texts_compile(lowering::lower(formulation::formulate(p).program));
}

// argmax as a fold of two components; first of equals.
TEST(Operators, ArgMax) {
  const Sort i64 = Sort::integer(Format::i64);
  const Term k = fresh_variable("k"), best = fresh_variable("b", Sort::real()), at = fresh_variable("a", i64);
  const Term x = real("X", {i(0), k});
  const Term better = either(less_than(best, x), equal(k, n(0)));
  FoldParts parts;
  parts.variable = k;
  parts.extent = n(11);
  parts.states = {best, at};
  parts.init = {real_constant(0), int_constant(Format::i64, 0)};
  parts.step = {calculus::select(better, x, best), calculus::select(better, from_index(k, i64), at)};
  const Program p =
      one({f32("X", {n(5), n(11)})}, define("Y", {n(5)}, fold(parts, 1), "ArgMax_0 (ArgMax)", Format::i64));
  expect_kernels_match(p);
  expect_texts_compile(lowering::lower(formulation::formulate(p).program));
}

TEST(Operators, GatherWithNegativeIndices) {
  const Sort i64 = Sort::integer(Format::i64);
  const Term raw = to_index(load("idx", {i(0)}, i64));
  const Term row = index_select(less(raw, n(0)), add(raw, n(6)), raw);
  const Program p = one({f32("X", {n(6), n(5)}), typed("idx", Format::i64, {n(7)})},
                        define("Y", {n(7), n(5)}, real("X", {row, i(1)}), "Gather_0 (Gather)"));
  Tensors inputs;
  inputs["idx"] = {
      Format::i64, {7}, {0, 5, static_cast<std::uint64_t>(-1), static_cast<std::uint64_t>(-6), 3, 2, 1}};
  expect_kernels_match(p, {}, {}, {}, inputs);
  expect_texts_compile(lowering::lower(formulation::formulate(p).program));
}

TEST(Operators, DataMovement) {
  // Concat, Pad reflect, Slice with a negative step, Tile, Expand, DepthToSpace.
  const Term concat =
      calculus::select(less(i(1), n(3)), real("A", {i(0), i(1)}), real("B", {i(0), subtract(i(1), n(3))}));
  expect_kernels_match(
      one({f32("A", {n(4), n(3)}), f32("B", {n(4), n(5)})}, define("Y", {n(4), n(8)}, concat)));
  const Term from = subtract(i(0), n(2));
  const Term reflected = index_select(less(from, n(0)), scale(-1, from),
                                      index_select(less(n(4), from), subtract(n(8), from), from));
  expect_kernels_match(one({f32("A", {n(5)})}, define("Y", {n(9)}, real("A", {reflected}))));
  expect_kernels_match(
      one({f32("A", {n(9)})}, define("Y", {n(4)}, real("A", {subtract(n(8), scale(2, i(0)))}))));
  expect_kernels_match(one({f32("A", {n(5), n(3)})},
                           define("Y", {n(10), n(9)}, real("A", {mod(i(0), n(5)), mod(i(1), n(3))}))));
  expect_kernels_match(one({f32("A", {n(1), n(3)})}, define("Y", {n(4), n(3)}, real("A", {n(0), i(1)}))));
  const Term c = add(multiply(add(multiply(mod(i(1), n(2)), n(2)), mod(i(2), n(2))), n(3)), i(0));
  expect_kernels_match(
      one({f32("A", {n(12), n(2), n(2)})},
          define("Y", {n(3), n(4), n(4)}, real("A", {c, floor_div(i(1), n(2)), floor_div(i(2), n(2))}))));
  // Padding with floor divisions that start below zero: upsampling with an offset.
  const Term offset = floor_div(subtract(i(0), n(3)), n(2));
  expect_kernels_match(
      one({f32("A", {n(5)})},
          define("Y", {n(10)},
                 calculus::select(in_range(offset, n(5)), real("A", {offset}), real_constant(-1)))));
}

// ConvTranspose: output cells that a stride of two reaches, found by a remainder in the guard.
TEST(Operators, TransposedConvolution) {
  const Term r = fresh_variable("r");
  const Term shifted = subtract(add(i(0), n(1)), r);
  const Term at = floor_div(shifted, n(2));
  const Term guard = both(equal(mod(shifted, n(2)), n(0)), in_range(at, n(5)));
  const Program p =
      one({f32("X", {n(5)}), f32("W", {n(3)})},
          define("Y", {n(9)}, sum(r, n(3), apply(Op::mul, {real("X", {at}), real("W", {r})}), guard)));
  expect_kernels_match(p);
}

TEST(Operators, IntegersWrap) {
  for (const Format format : {Format::i8, Format::i16, Format::i32, Format::i64, Format::u8, Format::u16,
                              Format::u32, Format::u64}) {
    const Sort sort = Sort::integer(format);
    const Term a = load("A", {i(0)}, sort), b = load("B", {i(0)}, sort);
    const auto op = [&](Op o, std::vector<Term> c) { return operation(o, c, sort); };
    std::vector<Term> bodies{op(Op::add, {a, b}),    op(Op::sub, {a, b}),     op(Op::mul, {a, b}),
                             op(Op::neg, {a}),       op(Op::abs, {a}),        op(Op::sign, {a}),
                             op(Op::max, {a, b}),    op(Op::min, {a, b}),     op(Op::div, {a, b}),
                             op(Op::mod, {a, b}),    op(Op::rem, {a, b}),     op(Op::bit_and, {a, b}),
                             op(Op::bit_or, {a, b}), op(Op::bit_xor, {a, b}), op(Op::bit_not, {a})};
    if (!is_signed(format)) {
      bodies.push_back(op(Op::shift_left, {a, b}));
      bodies.push_back(op(Op::shift_right, {a, b}));
    }
    Program p;
    p.inputs = {typed("A", format, {n(36)}), typed("B", format, {n(36)})};
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      p.definitions.push_back(define("Y" + std::to_string(k), {n(36)}, bodies[k], {}, format));
      p.outputs.push_back("Y" + std::to_string(k));
    }
    // Extremes against extremes.
    const unsigned width = storage_bits(format);
    const std::uint64_t top = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    const std::uint64_t least = is_signed(format) ? ~(top >> 1) : 0,
                        most = is_signed(format) ? top >> 1 : top;
    const std::vector<std::uint64_t> ends{least, most, 0, 1, is_signed(format) ? ~std::uint64_t{0} : top - 1,
                                          7};
    Tensors inputs;
    inputs["A"] = {format, {36}, {}};
    inputs["B"] = {format, {36}, {}};
    for (std::uint64_t x : ends)
      for (std::uint64_t y : ends) {
        inputs["A"].bits.push_back(x);
        inputs["B"].bits.push_back(y);
      }
    lowering::Schedule one_kernel_each;
    expect_kernels_match(p, {}, one_kernel_each, {}, inputs);
    if (format == Format::i8 || format == Format::u64)
      expect_texts_compile(lowering::lower(formulation::formulate(p).program));
  }
}

TEST(Operators, CastsAndLogic) {
  const Sort i32 = Sort::integer(Format::i32);
  const Term x = real("X", {i(0)}), flag = load("F", {i(0)}, Sort::boolean());
  Program p;
  p.inputs = {f32("X", {n(20)}), typed("F", Format::boolean, {n(20)}), typed("D", Format::f64, {n(20)})};
  p.definitions = {
      define("whole", {n(20)}, cast(x, i32, Format::i32), {}, Format::i32),
      define("back", {n(20)}, cast(load("whole", {i(0)}, i32), Sort::real(), Format::f32)),
      define("not", {n(20)}, negation(flag), {}, Format::boolean),
      define("both", {n(20)}, both(flag, less_than(x, real_constant(1))), {}, Format::boolean),
      define("either", {n(20)}, either(flag, compare(Op::le, real_constant(1), x)), {}, Format::boolean),
      define("where", {n(20)}, calculus::select(flag, x, operation(Op::neg, {x}, Sort::real()))),
      define("number", {n(20)}, cast(flag, Sort::real(), Format::f32)),
      define("truth", {n(20)}, cast(x, Sort::boolean(), Format::boolean), {}, Format::boolean),
      define("wide", {n(20)}, apply(Op::mul, {real("D", {i(0)}), x}), {}, Format::f64),
      define(
          "rounded", {n(20)},
          apply(Op::add, {operation(Op::floor, {x}, Sort::real()),
                          apply(Op::mul, {operation(Op::ceil, {x}, Sort::real()),
                                          apply(Op::sub, {operation(Op::trunc, {x}, Sort::real()),
                                                          operation(Op::round_even, {x}, Sort::real())})})})),
  };
  for (const Definition& d : p.definitions) p.outputs.push_back(d.declaration.name);
  Tensors inputs;
  inputs["F"] = random_values(Format::boolean, {20}, 5, 2);
  expect_kernels_match(p, {}, {}, {}, inputs);
  expect_texts_compile(lowering::lower(formulation::formulate(p).program));
}

TEST(Operators, NamesThatAreNoIdentifiers) {
  Program p;
  p.inputs = {f32("/block.0/int", {n(3)}), f32("float", {n(3)}), f32("i0", {n(3)}),
              f32("block_0_int", {n(3)})};
  p.definitions = {
      define("out put", {n(3)},
             apply(Op::add, {apply(Op::sub, {real("/block.0/int", {i(0)}), real("float", {i(0)})}),
                             apply(Op::mul, {real("i0", {i(0)}), real("block_0_int", {i(0)})})}))};
  p.outputs = {"out put"};
  expect_kernels_match(p);
  expect_texts_compile(lowering::lower(formulation::formulate(p).program));
}

// Names come from files that other people wrote: none may leave its comment.
TEST(Operators, HostileNamesStayInComments) {
  Program p = relu(3);
  p.definitions[0].origin = "a\\\n#error escaped\n*/ \xe2\x80\xa8 (Relu)";
  p.inputs[0].name = "x\\";
  p.definitions[0].body = apply(Op::max, {real("x\\", {i(0)}), real_constant(0)});
  expect_kernels_match(p);
  const lowering::Artifact artifact = lowering::lower(formulation::formulate(p).program);
  expect_texts_compile(artifact);
  EXPECT_EQ(artifact.kernels.at(0).text.find('\\'), std::string::npos);
}

TEST(Operators, EmptyTensorsLaunchNothing) {
  const Program p = one({f32("X", {n(0), n(4)})}, define("Y", {n(0), n(4)}, real("X", {i(0), i(1)})));
  const lowering::Artifact artifact = lowering::lower(formulation::formulate(p).program);
  EXPECT_EQ(artifact.plan.launches.at(0).grid[0], n(0));
  expect_kernels_match(p);
}

TEST(Operators, LargeTensorsUse64Bits) {
  const Program p =
      one({f32("X", {n(70000), n(70000)})}, define("Y", {n(70000), n(70000)}, real("X", {i(1), i(0)})));
  const lowering::Artifact artifact = lowering::lower(formulation::formulate(p).program);
  const std::string& text = artifact.kernels.at(0).text;
  EXPECT_NE(text.find("const size_t g = (size_t)blockIdx.x * 256u + threadIdx.x;"), std::string::npos)
      << text;
  EXPECT_NE(text.find("X[(size_t)i1 * 70000u + i0]"), std::string::npos) << text;
  EXPECT_NE(text.find("g < 4900000000ull"), std::string::npos) << text;
}

TEST(Operators, WhatIsNotLoweredIsRefused) {
  const auto refusal = [](const Program& p, const formulation::Options& options = {}) -> std::string {
    try {
      lowering::lower(formulation::formulate(p, options).program);
    } catch (const Refusal& refused) {
      return refused.code();
    }
    return "none";
  };
  formulation::Options half;
  half.storage["Y"] = Format::f8e4m3;
  EXPECT_EQ(refusal(relu(5), half), "E7201");
  Program passed;
  passed.inputs = {f32("X", {n(3)})};
  passed.outputs = {"X"};
  EXPECT_EQ(refusal(passed), "E7205");
}

}  // namespace
}  // namespace hallmark::testing
