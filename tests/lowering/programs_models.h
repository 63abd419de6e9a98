// Larger exact programs built by hand: what operators make of models, in small.
#pragma once
#include "programs.h"

namespace hallmark::testing {

// softmax over the last axis, as four definitions.
inline void add_softmax(calculus::Program& p, const std::string& x, const std::string& y, calculus::Term rows,
                        calculus::Term columns) {
  using namespace calculus;
  const Term k = fresh_variable("k"), q = fresh_variable("k");
  const std::string origin = "Softmax_1 (Softmax)";
  p.definitions.push_back(
      define(y + ".max", {rows}, reduce(Op::max, extreme(-1), k, columns, real(x, {i(0), k})), origin));
  p.definitions.push_back(define(
      y + ".exp", {rows, columns},
      operation(Op::exp, {apply(Op::sub, {real(x, {i(0), i(1)}), real(y + ".max", {i(0)})})}, Sort::real()),
      origin));
  p.definitions.push_back(define(y + ".sum", {rows}, sum(q, columns, real(y + ".exp", {i(0), q})), origin));
  p.definitions.push_back(define(y, {rows, columns},
                                 apply(Op::div, {real(y + ".exp", {i(0), i(1)}), real(y + ".sum", {i(0)})}),
                                 origin));
}

inline calculus::Program softmax(calculus::Term rows, calculus::Term columns) {
  calculus::Program p;
  p.inputs = {f32("X", {rows, columns})};
  add_softmax(p, "X", "Y", rows, columns);
  p.outputs = {"Y"};
  return p;
}

// Two-pass layer normalisation over the last axis with scale and bias.
inline void add_layer_norm(calculus::Program& p, const std::string& x, const std::string& y,
                           calculus::Term rows, calculus::Term columns) {
  using namespace calculus;
  const std::string origin = "LayerNorm_2 (LayerNormalization)";
  const Term k = fresh_variable("k"), q = fresh_variable("k");
  const Term size = from_index(columns, Sort::real());
  p.definitions.push_back(
      define(y + ".mean", {rows}, apply(Op::div, {sum(k, columns, real(x, {i(0), k})), size}), origin));
  const auto centred = [&](Term at) {
    return apply(Op::sub, {real(x, {i(0), at}), real(y + ".mean", {i(0)})});
  };
  p.definitions.push_back(define(
      y + ".var", {rows},
      apply(Op::div, {sum(q, columns, apply(Op::pow, {centred(q), real_constant(2)})), size}), origin));
  const Term deviation =
      operation(Op::sqrt, {apply(Op::add, {real(y + ".var", {i(0)}), real_constant(Rational(1, 100000))})},
                Sort::real());
  p.definitions.push_back(define(
      y, {rows, columns},
      apply(Op::add, {apply(Op::mul, {apply(Op::div, {centred(i(1)), deviation}), real(y + ".g", {i(1)})}),
                      real(y + ".b", {i(1)})}),
      origin));
}

inline calculus::Program layer_norm(calculus::Term rows, calculus::Term columns) {
  calculus::Program p;
  p.inputs = {f32("X", {rows, columns}), f32("Y.g", {columns}), f32("Y.b", {columns})};
  add_layer_norm(p, "X", "Y", rows, columns);
  p.outputs = {"Y"};
  return p;
}

// The same as the operator's definition writes it: statistics keep an axis of one index, and the reciprocal
// of the deviation is a tensor of its own.
inline calculus::Program layer_norm_with_kept_axes(long rows, long columns) {
  using namespace calculus;
  Program p;
  const std::string origin = "LayerNorm_2 (LayerNormalization)";
  p.inputs = {f32("X", {n(1), n(rows), n(columns)}), f32("g", {n(columns)})};
  const Term k = fresh_variable("k"), q = fresh_variable("k"), zero = integer(0L);
  const auto x = [&](Term at) { return real("X", {zero, i(1), at}); };
  const Term size = from_index(n(columns), Sort::real());
  const auto centred = [&](Term at) { return apply(Op::sub, {x(at), real("mean", {zero, i(1), zero})}); };
  const std::vector<Term> row = {n(1), n(rows), n(1)};
  p.definitions = {
      define("mean", row, apply(Op::div, {sum(k, n(columns), x(k)), size}), origin),
      define("variance", row,
             apply(Op::div, {sum(q, n(columns), apply(Op::mul, {centred(q), centred(q)})), size}), origin),
      define(
          "inverse", row,
          apply(Op::div, {real_constant(1), operation(Op::sqrt,
                                                      {apply(Op::add, {real("variance", {zero, i(1), zero}),
                                                                       real_constant(Rational(1, 100000))})},
                                                      Sort::real())}),
          origin),
      define("Y", {n(1), n(rows), n(columns)},
             apply(Op::mul,
                   {apply(Op::mul, {centred(i(2)), real("inverse", {zero, i(1), zero})}), real("g", {i(2)})}),
             origin)};
  p.outputs = {"Y"};
  return p;
}

inline calculus::Term gelu(calculus::Term x) {
  using namespace calculus;
  const Term inner =
      operation(Op::erf, {apply(Op::mul, {x, real_constant(Rational(92682, 131072))})}, Sort::real());
  return apply(Op::mul, {apply(Op::mul, {x, real_constant(Rational(1, 2))}),
                         apply(Op::add, {inner, real_constant(1)})});
}

// gelu(X W + b) + residual, as one definition an operator.
inline calculus::Program dense_gelu(long rows, long depth, long columns) {
  using namespace calculus;
  Program p;
  p.inputs = {f32("X", {n(rows), n(depth)}), f32("W", {n(depth), n(columns)}), f32("b", {n(columns)}),
              f32("R", {n(rows), n(columns)})};
  const Term k = fresh_variable("k");
  p.definitions = {define("XW", {n(rows), n(columns)},
                          sum(k, n(depth), apply(Op::mul, {real("X", {i(0), k}), real("W", {k, i(1)})})),
                          "MatMul_0 (MatMul)"),
                   define("XWb", {n(rows), n(columns)},
                          apply(Op::add, {real("XW", {i(0), i(1)}), real("b", {i(1)})}), "Add_1 (Add)"),
                   define("G", {n(rows), n(columns)}, gelu(real("XWb", {i(0), i(1)})), "Gelu_2 (Gelu)"),
                   define("Y", {n(rows), n(columns)},
                          apply(Op::add, {real("G", {i(0), i(1)}), real("R", {i(0), i(1)})}), "Add_3 (Add)")};
  p.outputs = {"Y"};
  return p;
}

// Scores and mixing of one attention layer with `heads` heads over Q, K, V of [sequence, heads * width].
inline calculus::Program attention(long sequence, long heads, long width) {
  using namespace calculus;
  Program p;
  const Term s = n(sequence), d = n(heads * width);
  p.inputs = {f32("Q", {s, d}), f32("K", {s, d}), f32("V", {s, d})};
  const Term k = fresh_variable("k"), q = fresh_variable("k"), r = fresh_variable("k"),
             m = fresh_variable("k");
  // Reshape to [sequence, heads, width] and transpose to [heads, sequence, width].
  const auto split = [&](const std::string& from, const std::string& to) {
    const Term flat = add(multiply(i(0), n(heads * width)), add(multiply(i(1), n(width)), i(2)));
    p.definitions.push_back(define(to + ".r", {s, n(heads), n(width)},
                                   real(from, {floor_div(flat, d), mod(flat, d)}), "Reshape (Reshape)"));
    p.definitions.push_back(
        define(to, {n(heads), s, n(width)}, real(to + ".r", {i(1), i(0), i(2)}), "Transpose (Transpose)"));
  };
  split("Q", "q");
  split("K", "k");
  split("V", "v");
  p.definitions.push_back(
      define("scores", {n(heads), s, s},
             sum(k, n(width), apply(Op::mul, {real("q", {i(0), i(1), k}), real("k", {i(0), i(2), k})})),
             "MatMul_0 (MatMul)"));
  p.definitions.push_back(define(
      "scaled", {n(heads), s, s},
      apply(Op::mul, {real("scores", {i(0), i(1), i(2)}), real_constant(Rational(1, 8))}), "Mul_1 (Mul)"));
  // Causal mask as a guard of the softmax.
  const Term seen = at_most(q, i(1)), counted = at_most(r, i(1));
  p.definitions.push_back(define("max", {n(heads), s},
                                 reduce(Op::max, extreme(-1), q, s, real("scaled", {i(0), i(1), q}), seen),
                                 "Softmax_2 (Softmax)"));
  const auto e = [&](Term at) {
    return operation(Op::exp, {apply(Op::sub, {real("scaled", {i(0), i(1), at}), real("max", {i(0), i(1)})})},
                     Sort::real());
  };
  p.definitions.push_back(define("sum", {n(heads), s}, sum(r, s, e(r), counted), "Softmax_2 (Softmax)"));
  p.definitions.push_back(
      define("weights", {n(heads), s, s},
             calculus::select(at_most(i(2), i(1)), apply(Op::div, {e(i(2)), real("sum", {i(0), i(1)})}),
                              real_constant(0)),
             "Softmax_2 (Softmax)"));
  p.definitions.push_back(
      define("mixed", {n(heads), s, n(width)},
             sum(m, s, apply(Op::mul, {real("weights", {i(0), i(1), m}), real("v", {i(0), m, i(2)})})),
             "MatMul_3 (MatMul)"));
  p.definitions.push_back(
      define("back", {s, n(heads), n(width)}, real("mixed", {i(1), i(0), i(2)}), "Transpose (Transpose)"));
  const Term flat = add(multiply(i(0), d), i(1));
  p.definitions.push_back(define(
      "Y", {s, d},
      real("back", {floor_div(flat, d), mod(floor_div(flat, n(width)), n(heads)), mod(flat, n(width))}),
      "Reshape (Reshape)"));
  p.outputs = {"Y"};
  return p;
}

}  // namespace hallmark::testing
