// Pairs of models as compilers make them, right and wrong: the verdict on each, and how strongly it holds.
#include "pairs.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hallmark::compare {
namespace {

const std::string bn_head = "(float[N, 1, 4, 4] x) => (float[N, 2, H, W] y) {\n";
const std::string bn_first = bn_head + R"(
  w = Constant <value = float[2, 1, 2, 2] {1, -2, 3, 0.5, 2, 1, -1, 0.25}> ()
  s = Constant <value = float[2] {1.5, -0.75}> ()
  b = Constant <value = float[2] {0.5, 1}> ()
  m = Constant <value = float[2] {0.25, -1}> ()
  v = Constant <value = float[2] {3, 0.7}> ()
  c = Conv <kernel_shape = [2, 2], pads = [1, 1, 1, 1]> (x, w)
  y = BatchNormalization <epsilon = 1e-5> (c, s, b, m, v)
})";
std::string bn_second(const std::string& bias) {
  return bn_head + R"(
  w = Constant <value = float[2, 1, 2, 2] {0.866023958, -1.73204792, 2.59807181, 0.433011979, -1.79283011, -0.896415055, 0.896415055, -0.224103764}> ()
  b = Constant <value = float[2] {)" +
         bias + R"(}> ()
  y = Conv <kernel_shape = [2, 2], pads = [1, 1, 1, 1]> (x, w, b)
})";
}

const std::string gelu_head =
    "(float[B, D] x) => (float[B, D] y) {\n half = Constant <value_float = 0.5> ()\n"
    " one = Constant <value_float = 1.0> ()\n";
const std::string gelu_first = gelu_head + R"(
  r = Constant <value_float = 1.41421354> ()
  d = Div(x, r)  e = Erf(d)  f = Add(e, one)  g = Mul(x, f)  y = Mul(g, half)
})";
std::string gelu_second(const std::string& factor) {
  return gelu_head + "r = Constant <value_float = " + factor + R"(> ()
  d = Mul(x, r)  e = Erf(d)  f = Add(one, e)  h = Mul(half, x)  y = Mul(h, f)
})";
}

const std::string norm_first = R"((float[B, 6] x, float[6] s, float[6] b) => (float[B, 6] y) {
  y = LayerNormalization <axis = -1, epsilon = 1e-5> (x, s, b)
})";
std::string norm_second(const std::string& epsilon) {
  return "(float[B, 6] x, float[6] s, float[6] b) => (float[B, 6] y) {\n e = Constant <value_float = " +
         epsilon +
         R"(> ()
  m = ReduceMean <axes = [-1]> (x)  d = Sub(x, m)  q = Mul(d, d)  v = ReduceMean <axes = [-1]> (q)
  w = Add(v, e)  r = Sqrt(w)  n = Div(d, r)  g = Mul(n, s)  y = Add(g, b)
})";
}

const std::string qkv_first = R"((float[S, 3] x) => (float[S, 2] q, float[S, 2] k, float[S, 2] v) {
  wq = Constant <value = float[3, 2] {1, 2, 3, 4, 5, 6}> ()
  wk = Constant <value = float[3, 2] {-1, 0, 2, 1, 0.5, 3}> ()
  wv = Constant <value = float[3, 2] {2, 2, 1, -3, 0, 1}> ()
  q = MatMul(x, wq)  k = MatMul(x, wk)  v = MatMul(x, wv)
})";
std::string qkv_second(const std::string& outputs) {
  return R"((float[S, 3] x) => (float[S, 2] q, float[S, 2] k, float[S, 2] v) {
  w = Constant <value = float[3, 6] {1, 2, -1, 0, 2, 2, 3, 4, 2, 1, 1, -3, 5, 6, 0.5, 3, 0, 1}> ()
  all = MatMul(x, w)
  )" + outputs +
         " = Split <axis = 1> (all)\n}";
}

const std::string shared_first =
    R"((float[B, 3] x, float[3] s, float[3, 2] w, float[3, 4] u) => (float[B, 2] y, float[B, 4] z) {
  t = Mul(x, s)  y = MatMul(t, w)  z = MatMul(t, u)
})";

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"normalisation_into_convolution", bn_first, bn_second("0.283493996, 0.103584938"), State::proved,
       "reals"},
      {"normalisation_without_mean", bn_first, bn_second("0.5, 1"), State::refuted, ""},
      // Ties: of equal elements the first, or the last.
      {"first_maximum_and_last",
       "(float[N, 5] x) => (int64[N] y) { y = ArgMax <axis = 1, keepdims = 0> (x) }",
       "(float[N, 5] x) => (int64[N] y) { y = ArgMax <axis = 1, keepdims = 0, select_last_index = 1> (x) }",
       State::refuted, ""},
      {"first_maximum_as_first_minimum_of_negated",
       "(float[N, 5] x) => (int64[N] y) { y = ArgMax <axis = 1, keepdims = 0> (x) }",
       "(float[N, 5] x) => (int64[N] y) { n = Neg(x) y = ArgMin <axis = 1, keepdims = 0> (n) }",
       State::proved, "reals"},
      // 2^30 doubled is -2^31.
      {"integers_doubled_and_halved",
       "(int32[N] x) => (int32[N] y) { c = Constant <value = int32 {2}> () t = Mul(x, c) y = Div(t, c) }",
       "(int32[N] x) => (int32[N] y) { y = Identity(x) }", State::refuted, ""},
      {"remainder_of_the_other_sign",
       "(int32[N] x) => (int32[N] y) { c = Constant <value = int32 {3}> () y = Mod(x, c) }",
       "(int32[N] x) => (int32[N] y) { c = Constant <value = int32 {3}> () q = Div(x, c) t = Mul(q, c) y = "
       "Sub(x, t) }",
       State::refuted, ""},
      {"conversion_to_integers_left_out",
       "(float[N] x) => (float[N] y) { t = Cast <to = 6> (x) y = Cast <to = 1> (t) }",
       "(float[N] x) => (float[N] y) { y = Identity(x) }", State::refuted, ""},
      {"conversion_to_half_precision_left_out",
       "(float[N] x) => (float[N] y) { t = Cast <to = 10> (x) y = Cast <to = 1> (t) }",
       "(float[N] x) => (float[N] y) { y = Identity(x) }", State::refuted, ""},
      {"exclusive_running_sum_as_difference",
       "(float[N, 5] x) => (float[N, 5] y) { a = Constant <value_int = 1> () c = CumSum(x, a) y = Sub(c, x) "
       "}",
       "(float[N, 5] x) => (float[N, 5] y) { a = Constant <value_int = 1> () y = CumSum <exclusive = 1> (x, "
       "a) "
       "}",
       State::proved, "reals"},
      {"reverse_running_sum_exclusive",
       "(float[N, 5] x) => (float[N, 5] y) { a = Constant <value_int = 1> () y = CumSum <reverse = 1> (x, a) "
       "}",
       "(float[N, 5] x) => (float[N, 5] y) { a = Constant <value_int = 1> () y = CumSum <reverse = 1, "
       "exclusive = 1> (x, a) }",
       State::refuted, ""},
      {"choice_by_the_negated_condition",
       "(bool[N] c, float[N] a, float[N] b) => (float[N] y) { y = Where(c, a, b) }",
       "(bool[N] c, float[N] a, float[N] b) => (float[N] y) { n = Not(c) y = Where(n, b, a) }", State::proved,
       "ieee"},
      {"choice_by_the_negated_condition_alone",
       "(bool[N] c, float[N] a, float[N] b) => (float[N] y) { y = Where(c, a, b) }",
       "(bool[N] c, float[N] a, float[N] b) => (float[N] y) { n = Not(c) y = Where(n, a, b) }",
       State::refuted, ""},
      {"bias_of_columns_added_by_rows",
       "(float[4, 3] x, float[4, 3] w, float[4] c) => (float[4, 4] y) { y = Gemm <transB = 1> (x, w, c) }",
       "(float[4, 3] x, float[4, 3] w, float[4] c) => (float[4, 4] y) { t = Transpose <perm = [1, 0]> (w) m "
       "= "
       "MatMul(x, t) a = Constant <value = int64[1] {1}> () u = Unsqueeze(c, a) y = Add(m, u) }",
       State::refuted, ""},
      {"dilated_window_as_dense",
       "(float[1, 1, 8, 8] x) => (float[1, 1, 4, 4] y) { y = MaxPool <kernel_shape = [3, 3], dilations = [2, "
       "2]> (x) }",
       "(float[1, 1, 8, 8] x) => (float[1, 1, 4, 4] y) { y = MaxPool <kernel_shape = [5, 5]> (x) }",
       State::refuted, ""},
      {"transposes_merged",
       "(float[L, M, N] x) => (float[P, Q, R] y) { t = Transpose <perm = [1, 0, 2]> (x)\n y = Transpose "
       "<perm = [0, 2, 1]> (t) }",
       "(float[L, M, N] x) => (float[P, Q, R] y) { y = Transpose <perm = [1, 2, 0]> (x) }", State::proved,
       "bits"},
      // onnx/onnx issue 2446: the permutations composed the other way round.
      {"transposes_merged_wrongly",
       "(float[L, M, N] x) => (float[P, Q, R] y) { t = Transpose <perm = [1, 0, 2]> (x)\n y = Transpose "
       "<perm = [0, 2, 1]> (t) }",
       "(float[L, M, N] x) => (float[P, Q, R] y) { y = Transpose <perm = [2, 0, 1]> (x) }", State::refuted,
       ""},
      {"added_constants_folded", R"((float[B, 3] x) => (float[B, 3] y) {
         c = Constant <value = float[3] {1, 2, 3}> ()  d = Constant <value = float[3] {4, -1, 0.5}> ()
         t = Add(x, c)  y = Add(t, d) })",
       R"((float[B, 3] x) => (float[B, 3] y) { c = Constant <value = float[3] {5, 1, 3.5}> ()  y = Add(x, c) })",
       State::proved, "reals"},
      {"added_constants_folded_wrongly", R"((float[B, 3] x) => (float[B, 3] y) {
         c = Constant <value = float[3] {1, 2, 3}> ()  d = Constant <value = float[3] {4, -1, 0.5}> ()
         t = Add(x, c)  y = Add(t, d) })",
       R"((float[B, 3] x) => (float[B, 3] y) { c = Constant <value = float[3] {5, 1, 3.25}> ()  y = Add(x, c) })",
       State::refuted, ""},
      {"transposed_weight_folded", R"((float[B, 3] x) => (float[B, 2] y) {
         w = Constant <value = float[2, 3] {1, 2, 3, 4, 5, 6}> ()  t = Transpose(w)  y = MatMul(x, t) })",
       R"((float[B, 3] x) => (float[B, 2] y) { w = Constant <value = float[3, 2] {1, 4, 2, 5, 3, 6}> ()  y = MatMul(x, w) })",
       State::proved, "bits"},
      // onnxsim issue 290: padding of a pool stands for minus infinity, not for 0.
      {"pad_into_max_pool", R"((float[1, 1, 5, 5] x) => (float[1, 1, 5, 5] y) {
         p = Constant <value_ints = [0, 0, 1, 1, 0, 0, 1, 1]> ()  t = Pad(x, p)  y = MaxPool <kernel_shape = [3, 3]> (t) })",
       "(float[1, 1, 5, 5] x) => (float[1, 1, 5, 5] y) { y = MaxPool <kernel_shape = [3, 3], pads = [1, 1, "
       "1, 1]> (x) }",
       State::refuted, ""},
      {"pad_into_average_pool", R"((float[1, 1, 5, 5] x) => (float[1, 1, 5, 5] y) {
         p = Constant <value_ints = [0, 0, 1, 1, 0, 0, 1, 1]> ()  t = Pad(x, p)  y = AveragePool <kernel_shape = [3, 3]> (t) })",
       "(float[1, 1, 5, 5] x) => (float[1, 1, 5, 5] y) { y = AveragePool <kernel_shape = [3, 3], pads = [1, "
       "1, 1, 1], count_include_pad = 1> (x) }",
       State::proved, "reals"},
      {"pad_into_average_pool_that_counts_none", R"((float[1, 1, 5, 5] x) => (float[1, 1, 5, 5] y) {
         p = Constant <value_ints = [0, 0, 1, 1, 0, 0, 1, 1]> ()  t = Pad(x, p)  y = AveragePool <kernel_shape = [3, 3]> (t) })",
       "(float[1, 1, 5, 5] x) => (float[1, 1, 5, 5] y) { y = AveragePool <kernel_shape = [3, 3], pads = [1, "
       "1, 1, 1]> (x) }",
       State::refuted, ""},
      {"pad_into_convolution", R"((float[N, 2, 5, 5] x, float[3, 2, 3, 3] w) => (float[N, 3, 5, 5] y) {
         p = Constant <value_ints = [0, 0, 1, 1, 0, 0, 1, 1]> ()  t = Pad(x, p)  y = Conv <kernel_shape = [3, 3]> (t, w) })",
       "(float[N, 2, 5, 5] x, float[3, 2, 3, 3] w) => (float[N, 3, 5, 5] y) { y = Conv <kernel_shape = [3, "
       "3], pads = [1, 1, 1, 1]> (x, w) }",
       State::proved, "reals"},
      {"pad_on_one_side_alone", R"((float[N, 2, 5, 5] x, float[3, 2, 3, 3] w) => (float[N, 3, 5, 5] y) {
         p = Constant <value_ints = [0, 0, 2, 1, 0, 0, 0, 1]> ()  t = Pad(x, p)  y = Conv <kernel_shape = [3, 3]> (t, w) })",
       "(float[N, 2, 5, 5] x, float[3, 2, 3, 3] w) => (float[N, 3, 5, 5] y) { y = Conv <kernel_shape = [3, "
       "3], pads = [1, 1, 1, 1]> (x, w) }",
       State::refuted, ""},
      {"shared_scale_into_both_weights", shared_first,
       R"((float[B, 3] x, float[3] s, float[3, 2] w, float[3, 4] u) => (float[B, 2] y, float[B, 4] z) {
         a = Constant <value_ints = [1]> ()  c = Unsqueeze(s, a)  p = Mul(c, w)  q = Mul(c, u)  y = MatMul(x, p)  z = MatMul(x, q) })",
       State::proved, "reals"},
      {"shared_scale_into_one_weight", shared_first,
       R"((float[B, 3] x, float[3] s, float[3, 2] w, float[3, 4] u) => (float[B, 2] y, float[B, 4] z) {
         a = Constant <value_ints = [1]> ()  c = Unsqueeze(s, a)  p = Mul(c, w)  y = MatMul(x, p)  z = MatMul(x, u) })",
       State::refuted, ""},
      {"query_key_value_joined", qkv_first, qkv_second("q, k, v"), State::proved, "bits"},
      {"query_key_value_split_wrongly", qkv_first, qkv_second("q, v, k"), State::refuted, ""},
      {"gelu_with_reciprocal", gelu_first, gelu_second("0.707106769"), State::proved, "reals"},
      {"gelu_with_a_short_constant", gelu_first, gelu_second("0.7"), State::refuted, ""},
      {"product_and_sum_as_gemm",
       "(float[B, 3] x, float[3, 3] w, float[3] c) => (float[B, 3] y) { t = MatMul(x, w)\n y = Add(t, c) }",
       "(float[B, 3] x, float[3, 3] w, float[3] c) => (float[B, 3] y) { y = Gemm(x, w, c) }", State::proved,
       "bits"},
      {"product_and_sum_as_transposed_gemm",
       "(float[B, 3] x, float[3, 3] w, float[3] c) => (float[B, 3] y) { t = MatMul(x, w)\n y = Add(t, c) }",
       "(float[B, 3] x, float[3, 3] w, float[3] c) => (float[B, 3] y) { y = Gemm <transB = 1> (x, w, c) }",
       State::refuted, ""},
      {"reshapes_merged",
       R"((float[B, 4, 6] x) => (float[B, 3, 8] y) { a = Constant <value_ints = [0, 24]> ()  b = Constant <value_ints = [0, 3, 8]> ()
         t = Reshape(x, a)  y = Reshape(t, b) })",
       "(float[B, 4, 6] x) => (float[B, 3, 8] y) { b = Constant <value_ints = [0, 3, 8]> ()\n y = Reshape(x, "
       "b) }",
       State::proved, "bits"},
      {"reshape_for_transpose",
       "(float[B, 4, 6] x) => (float[B, 6, 4] y) { y = Transpose <perm = [0, 2, 1]> (x) }",
       "(float[B, 4, 6] x) => (float[B, 6, 4] y) { b = Constant <value_ints = [0, 6, 4]> ()\n y = Reshape(x, "
       "b) }",
       State::refuted, ""},
      {"softmax_written_out", "(float[M, N] x) => (float[M, N] y) { y = Softmax <axis = 1> (x) }",
       R"((float[M, N] x) => (float[M, N] y) { a = Constant <value_ints = [1]> ()  e = Exp(x)  s = ReduceSum <keepdims = 1> (e, a)  y = Div(e, s) })",
       State::proved, "reals"},
      {"softmax_over_another_axis", "(float[M, N] x) => (float[M, N] y) { y = Softmax <axis = 1> (x) }",
       "(float[M, N] x) => (float[M, N] y) { y = Softmax <axis = 0> (x) }", State::refuted, ""},
      {"layer_normalisation_written_out", norm_first, norm_second("1e-5"), State::proved, "reals"},
      {"layer_normalisation_with_another_epsilon", norm_first, norm_second("1e-6"), State::refuted, ""},
      {"difference_as_sum", "(float[B] x, float[B] z) => (float[B] y) { y = Sub(x, z) }",
       "(float[B] x, float[B] z) => (float[B] y) { n = Neg(z)\n y = Add(x, n) }", State::proved, "ieee"},
      {"quarter_as_product",
       "(float[B] x) => (float[B] y) { c = Constant <value_float = 4.0> ()\n y = Div(x, c) }",
       "(float[B] x) => (float[B] y) { c = Constant <value_float = 0.25> ()\n y = Mul(x, c) }", State::proved,
       "ieee"},
      {"third_as_product",
       "(float[B] x) => (float[B] y) { c = Constant <value_float = 3.0> ()\n y = Div(x, c) }",
       "(float[B] x) => (float[B] y) { c = Constant <value_float = 0.333333343> ()\n y = Mul(x, c) }",
       State::proved, "reals"},
      {"zero_added", "(float[B] x) => (float[B] y) { c = Constant <value_float = 0.0> ()\n y = Add(x, c) }",
       "(float[B] x) => (float[B] y) { y = Identity(x) }", State::proved, "reals"},
      {"relu_twice", "(float[B] x) => (float[B] y) { t = Relu(x)\n y = Relu(t) }",
       "(float[B] x) => (float[B] y) { y = Relu(x) }", State::proved, "ieee"},
      // A cast to a narrower format rounds; leaving it out is another program.
      {"round_trip_left_out",
       "(float[B] x) => (float[B] y) { t = Cast <to = 10> (x)\n y = Cast <to = 1> (t) }",
       "(float[B] x) => (float[B] y) { y = Identity(x) }", State::refuted, ""},
      {"join_then_part",
       R"((float[M] x, float[N] z) => (float[M] y) { t = Concat <axis = 0> (x, z)  a = Constant <value_ints = [0]> ()
         n = Shape(x)  y = Slice(t, a, n) })",
       "(float[M] x, float[N] z) => (float[M] y) { y = Identity(x) }", State::proved, "bits"},
      {"mean_as_scaled_sum", "(float[B, 8] x) => (float[B, 1] y) { y = ReduceMean <axes = [1]> (x) }",
       R"((float[B, 8] x) => (float[B, 1] y) { a = Constant <value_ints = [1]> ()  s = ReduceSum <keepdims = 1> (x, a)
         c = Constant <value_float = 0.125> ()  y = Mul(s, c) })",
       State::proved, "ieee"},
      {"largest_of_shifted", R"((float[B, 6] x) => (int64[B, 2] i) { k = Constant <value = int64[1] {2}> ()
         c = Constant <value_float = 3.0> ()
         t = Add(x, c)
         v, i = TopK <axis = 1> (t, k) })",
       R"((float[B, 6] x) => (int64[B, 2] i) { k = Constant <value = int64[1] {2}> ()
         v, i = TopK <axis = 1> (x, k) })",
       State::proved, "reals"},
      {"smallest_as_largest_of_negated",
       R"((float[B, 6] x) => (int64[B, 2] i) { k = Constant <value = int64[1] {2}> ()
         v, i = TopK <axis = 1, largest = 0> (x, k) })",
       R"((float[B, 6] x) => (int64[B, 2] i) { k = Constant <value = int64[1] {2}> ()
         t = Neg(x)
         v, i = TopK <axis = 1> (t, k) })",
       State::proved, "reals"},
      {"largest_of_negatively_scaled",
       R"((float[B, 6] x) => (float[B, 2] y) { k = Constant <value = int64[1] {2}> ()
         c = Constant <value_float = -2.0> ()
         t = Mul(x, c)
         y, i = TopK <axis = 1> (t, k) })",
       R"((float[B, 6] x) => (float[B, 2] y) { k = Constant <value = int64[1] {2}> ()
         c = Constant <value_float = -2.0> ()
         v, i = TopK <axis = 1> (x, k)
         y = Mul(v, c) })",
       State::refuted, ""},
      {"largest_as_minimum", R"((float[B, 6] x) => (float[B, 1] y) { k = Constant <value = int64[1] {1}> ()
         y, i = TopK <axis = 1> (x, k) })",
       R"((float[B, 6] x) => (float[B, 1] y) { y = ReduceMin <axes = [1]> (x) })", State::refuted, ""},
      {"index_of_largest_as_last_maximum",
       R"((float[B, 6] x) => (int64[B, 1] i) { k = Constant <value = int64[1] {1}> ()
         v, i = TopK <axis = 1> (x, k) })",
       R"((float[B, 6] x) => (int64[B, 1] i) { i = ArgMax <axis = 1, select_last_index = 1> (x) })",
       State::refuted, ""},
      {"one_hot_along_another_axis", R"((int64[4] i) => (float[4, 4] y) { d = Constant <value = int64 {4}> ()
         vals = Constant <value = float[2] {0, 1}> ()
         y = OneHot <axis = 1> (i, d, vals) })",
       R"((int64[4] i) => (float[4, 4] y) { d = Constant <value = int64 {4}> ()
         vals = Constant <value = float[2] {0, 1}> ()
         y = OneHot <axis = 0> (i, d, vals) })",
       State::refuted, ""},
      {"one_hot_transposed", R"((int64[B] i) => (float[B, 4] y) { d = Constant <value = int64 {4}> ()
         vals = Constant <value = float[2] {0, 1}> ()
         y = OneHot <axis = 1> (i, d, vals) })",
       R"((int64[B] i) => (float[B, 4] y) { d = Constant <value = int64 {4}> ()
         vals = Constant <value = float[2] {0, 1}> ()
         o = OneHot <axis = 0> (i, d, vals)
         y = Transpose(o) })",
       State::proved, "bits"},
      {"element_at_the_maximum", R"((float[B, 6] x) => (float[B, 1] y) { i = ArgMax <axis = 1> (x)
         y = GatherElements <axis = 1> (x, i) })",
       R"((float[B, 6] x) => (float[B, 1] y) { y = ReduceMax <axes = [1]> (x) })", State::proved, "reals"},
      {"one_hot_product_of_any_index",
       R"((int64[B] i, float[4, 3] w) => (float[B, 3] y) { d = Constant <value = int64 {4}> ()
         vals = Constant <value = float[2] {0, 1}> ()
         o = OneHot <axis = 1> (i, d, vals)
         y = MatMul(o, w) })",
       R"((int64[B] i, float[4, 3] w) => (float[B, 3] y) { m = Constant <value = int64 {4}> ()
         j = Mod(i, m)
         y = Gather <axis = 0> (w, j) })",
       State::refuted, ""},
      {"attention_scaled_after_the_softmax",
       R"((float[B, T, 4] q, float[B, S, 4] k, float[B, S, 4] v) => (float[B, T, 4] y) {
         kt = Transpose <perm = [0, 2, 1]> (k)
         s = MatMul(q, kt)
         c = Constant <value_float = 0.5> ()
         t = Mul(s, c)
         p = Softmax <axis = -1> (t)
         y = MatMul(p, v) })",
       R"((float[B, T, 4] q, float[B, S, 4] k, float[B, S, 4] v) => (float[B, T, 4] y) {
         c = Constant <value_float = 0.5> ()
         kt = Transpose <perm = [0, 2, 1]> (k)
         s = MatMul(q, kt)
         p = Softmax <axis = -1> (s)
         z = MatMul(p, v)
         y = Mul(z, c) })",
       State::refuted, ""},
      {"attention_scale_in_both_factors",
       R"((float[B, T, 4] q, float[B, S, 4] k, float[B, S, 4] v) => (float[B, T, 4] y) {
         kt = Transpose <perm = [0, 2, 1]> (k)
         s = MatMul(q, kt)
         c = Constant <value_float = 0.25> ()
         t = Mul(s, c)
         p = Softmax <axis = -1> (t)
         y = MatMul(p, v) })",
       R"((float[B, T, 4] q, float[B, S, 4] k, float[B, S, 4] v) => (float[B, T, 4] y) {
         c = Constant <value_float = 0.5> ()
         qs = Mul(q, c)
         ks = Mul(k, c)
         kt = Transpose <perm = [0, 2, 1]> (ks)
         s = MatMul(qs, kt)
         p = Softmax <axis = -1> (s)
         y = MatMul(p, v) })",
       State::proved, "reals"},
      {"quantisation_left_out", R"((float[B, 4] x) => (float[B, 4] y) {
         s = Constant <value_float = 0.5> ()
         z = Constant <value = int8 {0}> ()
         a = QuantizeLinear(x, s, z)
         y = DequantizeLinear(a, s, z) })",
       R"((float[B, 4] x) => (float[B, 4] y) { y = Identity(x) })", State::refuted, ""},
      {"quantisation_with_another_zero_point", R"((float[B, 4] x) => (float[B, 4] y) {
         s = Constant <value_float = 0.5> ()
         z = Constant <value = int8 {0}> ()
         a = QuantizeLinear(x, s, z)
         y = DequantizeLinear(a, s, z) })",
       R"((float[B, 4] x) => (float[B, 4] y) {
         s = Constant <value_float = 0.5> ()
         z = Constant <value = int8 {10}> ()
         a = QuantizeLinear(x, s, z)
         y = DequantizeLinear(a, s, z) })",
       State::refuted, ""},
      {"gemm_factor_without_its_bias",
       R"((float[M, 3] a, float[3, 4] b, float[4] c) => (float[M, 4] y) { t = MatMul(a, b)
         u = Add(t, c)
         s = Constant <value_float = 0.5> ()
         y = Mul(u, s) })",
       R"((float[M, 3] a, float[3, 4] b, float[4] c) => (float[M, 4] y) { y = Gemm <alpha = 0.5> (a, b, c) })",
       State::refuted, ""},
      {"gemm_factors", R"((float[M, 3] a, float[3, 4] b, float[4] c) => (float[M, 4] y) { t = MatMul(a, b)
         u = Add(t, c)
         s = Constant <value_float = 0.5> ()
         y = Mul(u, s) })",
       R"((float[M, 3] a, float[3, 4] b, float[4] c) => (float[M, 4] y) { y = Gemm <alpha = 0.5, beta = 0.5> (a, b, c) })",
       State::proved, "reals"},
      {"normalisation_with_another_epsilon",
       R"((float[N, 2, 4, 4] x, float[2] s, float[2] b, float[2] m) => (float[N, 2, 4, 4] y) {
         v = Constant <value = float[2] {0.5, 2}> ()
         y = BatchNormalization <epsilon = 1e-3> (x, s, b, m, v) })",
       R"((float[N, 2, 4, 4] x, float[2] s, float[2] b, float[2] m) => (float[N, 2, 4, 4] y) {
         v = Constant <value = float[2] {0.5, 2}> ()
         y = BatchNormalization <epsilon = 1e-5> (x, s, b, m, v) })",
       State::refuted, ""},
      {"shift_as_product", R"((uint32[B] x) => (uint32[B] y) { c = Constant <value = uint32 {2}> ()
         y = BitShift <direction = "LEFT"> (x, c) })",
       R"((uint32[B] x) => (uint32[B] y) { c = Constant <value = uint32 {4}> ()
         y = Mul(x, c) })",
       State::proved, "bits"},
      {"mean_of_bytes_in_wide_integers", R"((uint8[B] a, uint8[B] b) => (uint8[B] y) { t = Add(a, b)
         c = Constant <value = uint8 {2}> ()
         y = Div(t, c) })",
       R"((uint8[B] a, uint8[B] b) => (uint8[B] y) { aa = Cast <to = 6> (a)
         bb = Cast <to = 6> (b)
         t = Add(aa, bb)
         c = Constant <value = int32 {2}> ()
         d = Div(t, c)
         y = Cast <to = 2> (d) })",
       State::refuted, ""},
  };
  return all;
}

class Pairs : public testing::TestWithParam<Case> {};

TEST_P(Pairs, HaveTheirVerdict) {
  expect_verdict(GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, Pairs, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

Case named(const std::string& name) {
  for (const Case& c : cases())
    if (c.name == name) return c;
  throw InternalError("no such case");
}

TEST(Strength, WhatFallsShortOfTheDemandIsUndecided) {
  Options bits;
  bits.demanded = Strength::bits;
  for (const char* name : {"zero_added", "difference_as_sum", "third_as_product", "softmax_written_out"}) {
    const Obligation o = run(named(name), bits).front();
    EXPECT_EQ(o.outcome.state, State::unrun) << name;
    EXPECT_EQ(o.outcome.reason, Reason::gap) << name;
  }
  EXPECT_EQ(run(named("transposes_merged"), bits).front().outcome.state, State::proved);
  Options ieee;
  ieee.demanded = Strength::ieee;
  EXPECT_EQ(run(named("difference_as_sum"), ieee).front().outcome.state, State::proved);
  EXPECT_EQ(run(named("zero_added"), ieee).front().outcome.state, State::unrun);
}

TEST(Strength, ARoundedConstantIsNoExactOne) {
  Options exact;
  exact.exact_constants = true;
  const Obligation o = run(named("third_as_product"), exact).front();
  EXPECT_EQ(o.outcome.state, State::refuted);
}

// A widening leaves no trace in the exact meaning, and the product is rounded in one model alone.
TEST(Strength, NothingIsClaimedBitForBitAcrossFormats) {
  const Obligation o =
      run({"wide", "(float[B] x) => (double[B] y) { t = Mul(x, x)\n y = Cast <to = 11> (t) }",
           "(float[B] x) => (double[B] y) { t = Cast <to = 11> (x)\n y = Mul(t, t) }", State::proved, ""})
          .front();
  EXPECT_EQ(o.outcome.state, State::proved) << o.outcome.detail;
  EXPECT_EQ(o.strength, "reals");
}

// 0 / x is 0 in the total model of the reals, also for x = 0; no float says so.
TEST(Strength, AValueThatTheSecondModelHasNotIsADifference) {
  const Obligation o =
      run({"undefined",
           "(float[B] x) => (float[B] y) { z = Constant <value_float = 0.0> ()\n y = Mul(x, z) }",
           "(float[B] x) => (float[B] y) { z = Constant <value_float = 0.0> ()\n y = Div(z, x) }",
           State::refuted, ""})
          .front();
  EXPECT_EQ(o.outcome.state, State::refuted) << o.outcome.detail;
}

// sqrt(|x|)^2 is |x| in the reals and seldom in doubles, whose rounding is no difference.
TEST(Strength, ARoundingOfDoublesIsNoDifference) {
  const std::string second =
      "(float[B] x) => (float[B] y) { z = Constant <value_float = 0.0> ()\n t = Mul(x, z)\n"
      " one = Constant <value_float = 1.0> ()\n y = Add(t, one) }";
  const auto first = [](const char* otherwise) {
    return "(float[B] x) => (float[B] y) { a = Abs(x)\n r = Sqrt(a)\n q = Mul(r, r)\n e = Equal(q, a)\n"
           " one = Constant <value_float = 1.0> ()\n two = Constant <value_float = " +
           std::string(otherwise) + "> ()\n y = Where(e, one, two) }";
  };
  EXPECT_NE(run({"rounded_root", first("2.0"), second, State::unrun, ""}).front().outcome.state,
            State::refuted);
  const std::string other =
      "(float[B] x) => (float[B] y) { a = Exp(x)\n two = Constant <value_float = 2.0> ()\n y = Mul(a, two) }";
  EXPECT_EQ(
      run({"doubled_exponential", "(float[B] x) => (float[B] y) { y = Exp(x) }", other, State::refuted, ""})
          .front()
          .outcome.state,
      State::refuted);
}

// The reals have one zero; a file that writes the other one is compared over the reals alone.
TEST(Strength, NothingIsClaimedBitForBitBesideANegativeZero) {
  const std::string first =
      "(float[B] x) => (float[B] y) { c = Constant <value_float = 0.0> ()\n y = Add(x, c) }";
  const std::string second =
      "(float[B] x) => (float[B] y) { c = Constant <value = float[1] {-0.0}> ()\n y = Add(x, c) }";
  const Obligation o = run({"negative_zero", first, second, State::proved, ""}).front();
  EXPECT_EQ(o.outcome.state, State::proved) << o.outcome.detail;
  EXPECT_EQ(o.strength, "reals");
}

TEST(Interface, InputsThatDoNotFitAreNoVerdict) {
  const Case c{"misfit", "(float[3] x) => (float[3] y) { y = Relu(x) }",
               "(float[4] x) => (float[4] y) { y = Relu(x) }", State::refuted, ""};
  EXPECT_THROW(run(c), UserError);
}

TEST(Interface, ASizeThatOneModelFixesNarrowsTheScope) {
  const Case c{"batch", "(float[B, 3] x) => (float[B, 3] y) { y = Relu(x) }",
               "(float[2, 3] x) => (float[2, 3] y) { y = Relu(x) }", State::proved, "bits"};
  const Obligation o = run(c).front();
  EXPECT_EQ(o.outcome.state, State::proved);
  EXPECT_NE(o.scope.find("B = 2"), std::string::npos) << o.scope;
}

TEST(Interface, TwoSizesOfOneNameNarrowTheScope) {
  const Case c{"square", "(float[M, N] x) => (float[N, M] y) { y = Transpose(x) }",
               "(float[S, S] x) => (float[S, S] y) { y = Transpose(x) }", State::proved, "bits"};
  const Obligation o = run(c).front();
  EXPECT_EQ(o.outcome.state, State::proved);
  EXPECT_NE(o.scope.find("one name"), std::string::npos) << o.scope;
}

}  // namespace
}  // namespace hallmark::compare
