// What one compiler writes as one operator and another as a chain of them: orders, one-hot rows,
// quantisation, normalisation with folded constants. Each kind with wrong twins.
#include "pairs.h"

namespace hallmark::compare {
namespace {

const std::vector<Case>& kinds() {
  static const std::vector<Case> all{
      {"topk1_max",
       R"((float[B, 6] x) => (float[B, 1] y) {
         k = Constant <value = int64[1] {1}> ()
         y, i = TopK <axis = 1> (x, k) })",
       R"((float[B, 6] x) => (float[B, 1] y) { y = ReduceMax <axes = [1]> (x) })", State::proved, "reals"},
      {"topk1_argmax",
       R"((float[B, 6] x) => (int64[B, 1] i) {
         k = Constant <value = int64[1] {1}> ()
         y, i = TopK <axis = 1> (x, k) })",
       R"((float[B, 6] x) => (int64[B, 1] i) { i = ArgMax <axis = 1> (x) })", State::proved, "reals"},
      {"topk1_min",
       R"((float[B, 6] x) => (float[B, 1] y) {
         k = Constant <value = int64[1] {1}> ()
         y, i = TopK <axis = 1, largest = 0> (x, k) })",
       R"((float[B, 6] x) => (float[B, 1] y) { y = ReduceMin <axes = [1]> (x) })", State::proved, "reals"},
      {"topk1_second",
       R"((float[B, 6] x) => (float[B, 1] y) {
         k = Constant <value = int64[1] {2}> ()
         z, i = TopK <axis = 1> (x, k)
         s = Constant <value_ints = [1]> ()
         e = Constant <value_ints = [2]> ()
         a = Constant <value_ints = [1]> ()
         y = Slice(z, s, e, a) })",
       R"((float[B, 6] x) => (float[B, 1] y) { y = ReduceMax <axes = [1]> (x) })", State::refuted, ""},
      {"topk_first_of_two",
       R"((float[B, 6] x) => (float[B, 1] y) {
         k = Constant <value = int64[1] {2}> ()
         z, i = TopK <axis = 1> (x, k)
         s = Constant <value_ints = [0]> ()
         e = Constant <value_ints = [1]> ()
         a = Constant <value_ints = [1]> ()
         y = Slice(z, s, e, a) })",
       R"((float[B, 6] x) => (float[B, 1] y) { y = ReduceMax <axes = [1]> (x) })", State::proved, "reals"},
      {"topk_gather",
       R"((float[B, 6] x) => (float[B, 2] y) {
         k = Constant <value = int64[1] {2}> ()
         y, i = TopK <axis = 1> (x, k) })",
       R"((float[B, 6] x) => (float[B, 2] y) {
         k = Constant <value = int64[1] {2}> ()
         v, i = TopK <axis = 1> (x, k)
         y = GatherElements <axis = 1> (x, i) })",
       State::proved, "reals"},
      {"topk_gather_wrong",
       R"((float[B, 6] x) => (float[B, 2] y) {
         k = Constant <value = int64[1] {2}> ()
         y, i = TopK <axis = 1> (x, k) })",
       R"((float[B, 6] x) => (float[B, 2] y) {
         k = Constant <value = int64[1] {2}> ()
         v, i = TopK <axis = 1, largest = 0> (x, k)
         y = GatherElements <axis = 1> (x, i) })",
       State::refuted, ""},
      {"onehot_equal_nonneg",
       R"((int64[B] k) => (float[B, 4] y) { d = Constant <value = int64 {4}> ()
         vals = Constant <value = float[2] {0, 1}> ()
         m = Constant <value = int64 {4}> ()
         i = Mod(k, m)
         y = OneHot <axis = 1> (i, d, vals) })",
       R"((int64[B] k) => (float[B, 4] y) { m = Constant <value = int64 {4}> ()
         i = Mod(k, m)
         a = Constant <value_ints = [1]> ()
         u = Unsqueeze(i, a)
         r = Constant <value = int64[4] {0,1,2,3}> ()
         e = Equal(u, r)
         y = Cast <to = 1> (e) })",
       State::proved, "reals"},
      {"onehot_matmul_gather",
       R"((int64[B] k, float[4,3] w) => (float[B, 3] y) { d = Constant <value = int64 {4}> ()
         vals = Constant <value = float[2] {0, 1}> ()
         m = Constant <value = int64 {4}> ()
         i = Mod(k, m)
         o = OneHot <axis = 1> (i, d, vals)
         y = MatMul(o, w) })",
       R"((int64[B] k, float[4,3] w) => (float[B, 3] y) { m = Constant <value = int64 {4}> ()
         i = Mod(k, m)
         y = Gather(w, i) })",
       State::proved, "reals"},
      {"onehot_argmax",
       R"((int64[B] k) => (int64[B] y) { d = Constant <value = int64 {4}> ()
         vals = Constant <value = float[2] {0, 1}> ()
         m = Constant <value = int64 {4}> ()
         i = Mod(k, m)
         o = OneHot <axis = 1> (i, d, vals)
         y = ArgMax <axis = 1, keepdims = 0> (o) })",
       R"((int64[B] k) => (int64[B] y) { m = Constant <value = int64 {4}> ()
         y = Mod(k, m) })",
       State::proved, "reals"},
      {"onehot_equal_wrong",
       R"((int64[B] i) => (float[B, 4] y) { d = Constant <value = int64 {4}> ()
         vals = Constant <value = float[2] {0, 1}> ()
         y = OneHot <axis = 1> (i, d, vals) })",
       R"((int64[B] i) => (float[B, 4] y) { a = Constant <value_ints = [1]> ()
         u = Unsqueeze(i, a)
         r = Constant <value = int64[4] {1,2,3,4}> ()
         e = Equal(u, r)
         y = Cast <to = 1> (e) })",
       State::refuted, ""},
      {"qdq_twice",
       R"((float[B, 4] x) => (float[B, 4] y) { s = Constant <value_float = 0.5> ()
         z = Constant <value = int8 {0}> ()
         a = QuantizeLinear(x, s, z)
         b = DequantizeLinear(a, s, z)
         c = QuantizeLinear(b, s, z)
         y = DequantizeLinear(c, s, z) })",
       R"((float[B, 4] x) => (float[B, 4] y) { s = Constant <value_float = 0.5> ()
         z = Constant <value = int8 {0}> ()
         a = QuantizeLinear(x, s, z)
         y = DequantizeLinear(a, s, z) })",
       State::proved, "reals"},
      {"qdq_q_of_dq",
       R"((int8[B, 4] a) => (int8[B, 4] c) { s = Constant <value_float = 0.5> ()
         z = Constant <value = int8 {0}> ()
         b = DequantizeLinear(a, s, z)
         c = QuantizeLinear(b, s, z) })",
       R"((int8[B, 4] a) => (int8[B, 4] c) { c = Identity(a) })", State::proved, "reals"},
      {"qdq_q_of_dq_other",
       R"((int8[B, 4] a) => (int8[B, 4] c) { s = Constant <value_float = 0.5> ()
         z = Constant <value = int8 {0}> ()
         t = Constant <value_float = 0.25> ()
         b = DequantizeLinear(a, s, z)
         c = QuantizeLinear(b, t, z) })",
       R"((int8[B, 4] a) => (int8[B, 4] c) { c = Identity(a) })", State::refuted, ""},
      {"qdq_relu",
       R"((int8[B, 4] a) => (float[B, 4] y) { s = Constant <value_float = 0.5> ()
         z = Constant <value = int8 {0}> ()
         b = DequantizeLinear(a, s, z)
         y = Relu(b) })",
       R"((int8[B, 4] a) => (float[B, 4] y) { s = Constant <value_float = 0.5> ()
         z = Constant <value = int8 {0}> ()
         m = Constant <value = int8 {0}> ()
         n = Max(a, m)
         y = DequantizeLinear(n, s, z) })",
       State::proved, "reals"},
      {"qdq_relu_wrong",
       R"((int8[B, 4] a) => (float[B, 4] y) { s = Constant <value_float = 0.5> ()
         z = Constant <value = int8 {3}> ()
         b = DequantizeLinear(a, s, z)
         y = Relu(b) })",
       R"((int8[B, 4] a) => (float[B, 4] y) { s = Constant <value_float = 0.5> ()
         z = Constant <value = int8 {3}> ()
         m = Constant <value = int8 {0}> ()
         n = Max(a, m)
         y = DequantizeLinear(n, s, z) })",
       State::refuted, ""},
      {"dq_as_sub_mul",
       R"((int8[B, 4] a) => (float[B, 4] y) { s = Constant <value_float = 0.5> ()
         z = Constant <value = int8 {3}> ()
         y = DequantizeLinear(a, s, z) })",
       R"((int8[B, 4] a) => (float[B, 4] y) { s = Constant <value_float = 0.5> ()
         z = Constant <value_float = 3.0> ()
         f = Cast <to = 1> (a)
         g = Sub(f, z)
         y = Mul(g, s) })",
       State::proved, "reals"},
      {"q_as_div_round_clip",
       R"((float[B, 4] x) => (int8[B, 4] y) { s = Constant <value_float = 0.5> ()
         z = Constant <value = int8 {3}> ()
         y = QuantizeLinear(x, s, z) })",
       R"((float[B, 4] x) => (int8[B, 4] y) { s = Constant <value_float = 2.0> ()
         z = Constant <value_float = 3.0> ()
         f = Mul(x, s)
         r = Round(f)
         g = Add(r, z)
         lo = Constant <value_float = -128.0> ()
         hi = Constant <value_float = 127.0> ()
         c = Clip(g, lo, hi)
         y = Cast <to = 3> (c) })",
       State::proved, "reals"},
      {"q_as_div_round_clip_wrong",
       R"((float[B, 4] x) => (int8[B, 4] y) { s = Constant <value_float = 0.5> ()
         z = Constant <value = int8 {3}> ()
         y = QuantizeLinear(x, s, z) })",
       R"((float[B, 4] x) => (int8[B, 4] y) { s = Constant <value_float = 2.0> ()
         z = Constant <value_float = 3.0> ()
         f = Mul(x, s)
         g = Add(f, z)
         r = Floor(g)
         lo = Constant <value_float = -128.0> ()
         hi = Constant <value_float = 127.0> ()
         c = Clip(r, lo, hi)
         y = Cast <to = 3> (c) })",
       State::refuted, ""},
      {"qdq_matmul_integer",
       R"((int8[B, 4] a, int8[4, 3] w) => (float[B, 3] y) { s = Constant <value_float = 0.5> ()
         z = Constant <value = int8 {0}> ()
         t = Constant <value_float = 0.25> ()
         b = DequantizeLinear(a, s, z)
         v = DequantizeLinear(w, t, z)
         y = MatMul(b, v) })",
       R"((int8[B, 4] a, int8[4, 3] w) => (float[B, 3] y) { i = MatMulInteger(a, w)
         f = Cast <to = 1> (i)
         u = Constant <value_float = 0.125> ()
         y = Mul(f, u) })",
       State::proved, "reals"},
      {"qdq_matmul_integer_wrong",
       R"((int8[B, 4] a, int8[4, 3] w) => (float[B, 3] y) { s = Constant <value_float = 0.5> ()
         z = Constant <value = int8 {0}> ()
         t = Constant <value_float = 0.25> ()
         b = DequantizeLinear(a, s, z)
         v = DequantizeLinear(w, t, z)
         y = MatMul(b, v) })",
       R"((int8[B, 4] a, int8[4, 3] w) => (float[B, 3] y) { i = MatMulInteger(a, w)
         f = Cast <to = 1> (i)
         u = Constant <value_float = 0.25> ()
         y = Mul(f, u) })",
       State::refuted, ""},
      {"bn_mul_add",
       R"((float[N, 2, H, W] x) => (float[N, 2, H, W] y) { s = Constant <value = float[2] {1.5, -0.75}> ()
         b = Constant <value = float[2] {0.5, 1}> ()
         m = Constant <value = float[2] {0.25, -1}> ()
         v = Constant <value = float[2] {3, 0.7}> ()
         y = BatchNormalization <epsilon = 1e-5> (x, s, b, m, v) })",
       R"((float[N, 2, H, W] x) => (float[N, 2, H, W] y) {
         k = Constant <value = float[2, 1, 1] {0.866023958, -0.896415055}> ()
         c = Constant <value = float[2, 1, 1] {0.283493996, 0.103584945}> ()
         t = Mul(x, k)
         y = Add(t, c) })",
       State::proved, "reals"},
      {"bn_mul_add4",
       R"((float[N, 2, H, W] x) => (float[N, 2, H, W] y) { s = Constant <value = float[2] {1.5, -0.75}> ()
         b = Constant <value = float[2] {0.5, 1}> ()
         m = Constant <value = float[2] {0.25, -1}> ()
         v = Constant <value = float[2] {3, 0.7}> ()
         y = BatchNormalization <epsilon = 1e-5> (x, s, b, m, v) })",
       R"((float[N, 2, H, W] x) => (float[N, 2, H, W] y) {
         k = Constant <value = float[1, 2, 1, 1] {0.866023958, -0.896415055}> ()
         c = Constant <value = float[1, 2, 1, 1] {0.283493996, 0.103584945}> ()
         t = Mul(x, k)
         y = Add(t, c) })",
       State::proved, "reals"},
      {"bn_sub_mul_add",
       R"((float[N, 2, H, W] x) => (float[N, 2, H, W] y) { s = Constant <value = float[2] {1.5, -0.75}> ()
         b = Constant <value = float[2] {0.5, 1}> ()
         m = Constant <value = float[2] {0.25, -1}> ()
         v = Constant <value = float[2] {3, 0.7}> ()
         y = BatchNormalization <epsilon = 1e-5> (x, s, b, m, v) })",
       R"((float[N, 2, H, W] x) => (float[N, 2, H, W] y) { mm = Constant <value = float[2, 1, 1] {0.25, -1}> ()
         k = Constant <value = float[2, 1, 1] {0.866023958, -0.896415055}> ()
         c = Constant <value = float[2, 1, 1] {0.5, 1}> ()
         d = Sub(x, mm)
         t = Mul(d, k)
         y = Add(t, c) })",
       State::proved, "reals"},
      {"bn_mul_add_wrong",
       R"((float[N, 2, H, W] x) => (float[N, 2, H, W] y) { s = Constant <value = float[2] {1.5, -0.75}> ()
         b = Constant <value = float[2] {0.5, 1}> ()
         m = Constant <value = float[2] {0.25, -1}> ()
         v = Constant <value = float[2] {3, 0.7}> ()
         y = BatchNormalization <epsilon = 1e-5> (x, s, b, m, v) })",
       R"((float[N, 2, H, W] x) => (float[N, 2, H, W] y) {
         k = Constant <value = float[2, 1, 1] {0.866023958, -0.896415055}> ()
         c = Constant <value = float[2, 1, 1] {0.5, 1}> ()
         t = Mul(x, k)
         y = Add(t, c) })",
       State::refuted, ""},
      {"bn_runtime",
       R"((float[N, 2, H, W] x, float[2] s, float[2] b, float[2] m, float[2] v) => (float[N, 2, H, W] y) { y = BatchNormalization <epsilon = 1e-5> (x, s, b, m, v) })",
       R"((float[N, 2, H, W] x, float[2] s, float[2] b, float[2] m, float[2] v) => (float[N, 2, H, W] y) { e = Constant <value_float = 1e-5> ()
         w = Add(v, e)
         r = Sqrt(w)
         k = Div(s, r)
         mk = Mul(m, k)
         c = Sub(b, mk)
         a = Constant <value_ints = [1, 2]> ()
         kk = Unsqueeze(k, a)
         cc = Unsqueeze(c, a)
         t = Mul(x, kk)
         y = Add(t, cc) })",
       State::proved, "reals"},
      {"softplus_abs", R"((float[B] x) => (float[B] y) { y = Softplus(x) })",
       R"((float[B] x) => (float[B] y) { a = Abs(x)
         n = Neg(a)
         e = Exp(n)
         one = Constant <value_float = 1.0> ()
         f = Add(e, one)
         l = Log(f)
         r = Relu(x)
         y = Add(r, l) })",
       State::proved, "bits"},
      {"softplus_abs_wrong", R"((float[B] x) => (float[B] y) { y = Softplus(x) })",
       R"((float[B] x) => (float[B] y) { a = Abs(x)
         e = Exp(a)
         one = Constant <value_float = 1.0> ()
         f = Add(e, one)
         l = Log(f)
         r = Relu(x)
         y = Add(r, l) })",
       State::refuted, ""},
      {"argmax_softmax",
       R"((float[B, 6] x) => (int64[B] y) { s = Softmax <axis = 1> (x)
         y = ArgMax <axis = 1, keepdims = 0> (s) })",
       R"((float[B, 6] x) => (int64[B] y) { y = ArgMax <axis = 1, keepdims = 0> (x) })", State::proved,
       "reals"},
      {"argmax_softmax_written",
       R"((float[B, N] x) => (int64[B] y) { a = Constant <value_ints = [1]> ()
         e = Exp(x)
         t = ReduceSum <keepdims = 1> (e, a)
         s = Div(e, t)
         y = ArgMax <axis = 1, keepdims = 0> (s) })",
       R"((float[B, N] x) => (int64[B] y) { y = ArgMax <axis = 1, keepdims = 0> (x) })", State::proved,
       "reals"},
      {"argmax_softmax_wrong",
       R"((float[B, 6] x) => (int64[B] y) { s = Softmax <axis = 0> (x)
         y = ArgMax <axis = 1, keepdims = 0> (s) })",
       R"((float[B, 6] x) => (int64[B] y) { y = ArgMax <axis = 1, keepdims = 0> (x) })", State::refuted, ""},
      {"argmax_logsoftmax",
       R"((float[B, 6] x) => (int64[B] y) { s = LogSoftmax <axis = 1> (x)
         y = ArgMax <axis = 1, keepdims = 0> (s) })",
       R"((float[B, 6] x) => (int64[B] y) { y = ArgMax <axis = 1, keepdims = 0> (x) })", State::proved,
       "reals"},
      {"argmax_sigmoid",
       R"((float[B, 6] x) => (int64[B] y) { s = Sigmoid(x)
         y = ArgMax <axis = 1, keepdims = 0> (s) })",
       R"((float[B, 6] x) => (int64[B] y) { y = ArgMax <axis = 1, keepdims = 0> (x) })", State::proved,
       "reals"},
      {"gelu_tanh_sigmoid",
       R"((float[B] x) => (float[B] y) { two = Constant <value_float = 2.0> ()
         one = Constant <value_float = 1.0> ()
         t = Tanh(x)
         u = Add(t, one)
         y = Div(u, two) })",
       R"((float[B] x) => (float[B] y) { two = Constant <value_float = 2.0> ()
         t = Mul(x, two)
         y = Sigmoid(t) })",
       State::proved, "reals"},
      {"onehot_of_any_index",
       R"((int64[B] i) => (float[B, 4] y) { d = Constant <value = int64 {4}> ()
         vals = Constant <value = float[2] {0, 1}> ()
         y = OneHot <axis = 1> (i, d, vals) })",
       R"((int64[B] i) => (float[B, 4] y) { a = Constant <value_ints = [1]> ()
         u = Unsqueeze(i, a)
         r = Constant <value = int64[4] {0,1,2,3}> ()
         e = Equal(u, r)
         y = Cast <to = 1> (e) })",
       State::refuted, ""},
      {"onehot_other_values",
       R"((int64[B] k) => (float[B, 4] y) { d = Constant <value = int64 {4}> ()
         vals = Constant <value = float[2] {0, 2}> ()
         m = Constant <value = int64 {4}> ()
         i = Mod(k, m)
         y = OneHot <axis = 1> (i, d, vals) })",
       R"((int64[B] k) => (float[B, 4] y) { m = Constant <value = int64 {4}> ()
         i = Mod(k, m)
         a = Constant <value_ints = [1]> ()
         u = Unsqueeze(i, a)
         r = Constant <value = int64[4] {0,1,2,3}> ()
         e = Equal(u, r)
         y = Cast <to = 1> (e) })",
       State::refuted, ""},
      {"onehot_product_of_next_row",
       R"((int64[B] k, float[4,3] w) => (float[B, 3] y) { d = Constant <value = int64 {4}> ()
         vals = Constant <value = float[2] {0, 1}> ()
         m = Constant <value = int64 {3}> ()
         i = Mod(k, m)
         o = OneHot <axis = 1> (i, d, vals)
         y = MatMul(o, w) })",
       R"((int64[B] k, float[4,3] w) => (float[B, 3] y) { m = Constant <value = int64 {3}> ()
         i = Mod(k, m)
         one = Constant <value = int64 {1}> ()
         j = Add(i, one)
         y = Gather(w, j) })",
       State::refuted, ""},
      {"argmax_sigmoid_negated",
       R"((float[B, 6] x) => (int64[B] y) { n = Neg(x)
         s = Sigmoid(n)
         y = ArgMax <axis = 1, keepdims = 0> (s) })",
       R"((float[B, 6] x) => (int64[B] y) { y = ArgMax <axis = 1, keepdims = 0> (x) })", State::refuted, ""},
      {"topk1_last_argmax",
       R"((float[B, 6] x) => (int64[B, 1] i) {
         k = Constant <value = int64[1] {1}> ()
         y, i = TopK <axis = 1> (x, k) })",
       R"((float[B, 6] x) => (int64[B, 1] i) { i = ArgMax <axis = 1, select_last_index = 1> (x) })",
       State::refuted, ""},
      {"topk_gather_of_another",
       R"((float[B, 6] x, float[B, 6] z) => (float[B, 2] y) {
         k = Constant <value = int64[1] {2}> ()
         y, i = TopK <axis = 1> (x, k) })",
       R"((float[B, 6] x, float[B, 6] z) => (float[B, 2] y) {
         k = Constant <value = int64[1] {2}> ()
         v, i = TopK <axis = 1> (x, k)
         y = GatherElements <axis = 1> (z, i) })",
       State::refuted, ""},
      {"topk1_payload",
       R"((float[B, 6] x, float[B, 6] z) => (float[B, 1] y) {
         k = Constant <value = int64[1] {1}> ()
         v, i = TopK <axis = 1> (x, k)
         y = GatherElements <axis = 1> (z, i) })",
       R"((float[B, 6] x, float[B, 6] z) => (float[B, 1] y) { i = ArgMax <axis = 1> (x)
         y = GatherElements <axis = 1> (z, i) })",
       State::proved, "reals"},
      {"qdq_unsigned_levels",
       R"((int8[B, 4] a) => (float[B, 4] y) { s = Constant <value_float = 0.5> ()
         z = Constant <value = int8 {0}> ()
         y = DequantizeLinear(a, s, z) })",
       R"((int8[B, 4] a) => (float[B, 4] y) { s = Constant <value_float = 0.5> ()
         u = Cast <to = 2> (a)
         z = Constant <value = uint8 {0}> ()
         y = DequantizeLinear(u, s, z) })",
       State::refuted, ""},
      {"qdq_twice_with_another_scale",
       R"((float[B, 4] x) => (float[B, 4] y) { s = Constant <value_float = 0.5> ()
         z = Constant <value = int8 {0}> ()
         t = Constant <value_float = 0.75> ()
         a = QuantizeLinear(x, s, z)
         b = DequantizeLinear(a, s, z)
         c = QuantizeLinear(b, t, z)
         y = DequantizeLinear(c, t, z) })",
       R"((float[B, 4] x) => (float[B, 4] y) { s = Constant <value_float = 0.5> ()
         z = Constant <value = int8 {0}> ()
         a = QuantizeLinear(x, s, z)
         y = DequantizeLinear(a, s, z) })",
       State::refuted, ""},
      {"bn_mul_add_mean_sign",
       R"((float[N, 2, H, W] x) => (float[N, 2, H, W] y) { s = Constant <value = float[2] {1.5, -0.75}> ()
         b = Constant <value = float[2] {0.5, 1}> ()
         m = Constant <value = float[2] {0.25, -1}> ()
         v = Constant <value = float[2] {3, 0.7}> ()
         y = BatchNormalization <epsilon = 1e-5> (x, s, b, m, v) })",
       R"((float[N, 2, H, W] x) => (float[N, 2, H, W] y) {
         k = Constant <value = float[2, 1, 1] {0.866023958, -0.896415055}> ()
         c = Constant <value = float[2, 1, 1] {0.71650599, 1.89641505}> ()
         t = Mul(x, k)
         y = Add(t, c) })",
       State::refuted, ""},
      {"bn_mul_add_other_epsilon",
       R"((float[N, 2, H, W] x) => (float[N, 2, H, W] y) { s = Constant <value = float[2] {1.5, -0.75}> ()
         b = Constant <value = float[2] {0.5, 1}> ()
         m = Constant <value = float[2] {0.25, -1}> ()
         v = Constant <value = float[2] {3, 0.7}> ()
         y = BatchNormalization <epsilon = 1e-1> (x, s, b, m, v) })",
       R"((float[N, 2, H, W] x) => (float[N, 2, H, W] y) {
         k = Constant <value = float[2, 1, 1] {0.866023958, -0.896415055}> ()
         c = Constant <value = float[2, 1, 1] {0.283493996, 0.103584945}> ()
         t = Mul(x, k)
         y = Add(t, c) })",
       State::refuted, ""},
      {"tanh_as_sigmoid_unscaled",
       R"((float[B] x) => (float[B] y) { two = Constant <value_float = 2.0> ()
         one = Constant <value_float = 1.0> ()
         t = Tanh(x)
         u = Add(t, one)
         y = Div(u, two) })",
       R"((float[B] x) => (float[B] y) { y = Sigmoid(x) })", State::refuted, ""},
      {"gelu_tanh_as_sigmoid",
       R"((float[B] x) => (float[B] y) { half = Constant <value_float = 0.5> ()
         one = Constant <value_float = 1.0> ()
         c = Constant <value_float = 0.044715> ()
         r = Constant <value_float = 0.79788458> ()
         q = Mul(x, x)
         p = Mul(q, x)
         s = Mul(p, c)
         u = Add(x, s)
         v = Mul(u, r)
         t = Tanh(v)
         w = Add(t, one)
         h = Mul(x, half)
         y = Mul(h, w) })",
       R"((float[B] x) => (float[B] y) { two = Constant <value_float = 2.0> ()
         c = Constant <value_float = 0.044715> ()
         r = Constant <value_float = 0.79788458> ()
         q = Mul(x, x)
         p = Mul(q, x)
         s = Mul(p, c)
         u = Add(x, s)
         v = Mul(u, r)
         t = Mul(v, two)
         w = Sigmoid(t)
         y = Mul(x, w) })",
       State::proved, "reals"},
      {"norm_of_scaled_rows",
       R"((float[B, 6] x, float[1] c) => (float[B, 1] y) { t = Mul(x, c)
         y = ReduceL2 <axes = [1], keepdims = 1> (t) })",
       R"((float[B, 6] x, float[1] c) => (float[B, 1] y) { n = ReduceL2 <axes = [1], keepdims = 1> (x)
         a = Abs(c)
         y = Mul(n, a) })",
       State::proved, "reals"},
      {"norm_of_scaled_rows_signed",
       R"((float[B, 6] x, float[1] c) => (float[B, 1] y) { t = Mul(x, c)
         y = ReduceL2 <axes = [1], keepdims = 1> (t) })",
       R"((float[B, 6] x, float[1] c) => (float[B, 1] y) { n = ReduceL2 <axes = [1], keepdims = 1> (x)
         y = Mul(n, c) })",
       State::refuted, ""},
      {"softplus_written", "(float[B] x) => (float[B] y) { y = Softplus(x) }",
       R"((float[B] x) => (float[B] y) { e = Exp(x)
         one = Constant <value_float = 1.0> () f = Add(e, one) y = Log(f) })",
       State::proved, "reals"},
      {"softplus_written_with_two", "(float[B] x) => (float[B] y) { y = Softplus(x) }",
       R"((float[B] x) => (float[B] y) { e = Exp(x)
         two = Constant <value_float = 2.0> () f = Add(e, two) y = Log(f) })",
       State::refuted, ""},
      {"conv_integer_dequantised", R"((int8[1, 2, 5, 5] a, int8[3, 2, 3, 3] w) => (float[1, 3, 3, 3] y) {
         s = Constant <value_float = 0.5> () z = Constant <value = int8 {0}> () t = Constant <value_float = 0.25> ()
         b = DequantizeLinear(a, s, z) v = DequantizeLinear(w, t, z) y = Conv <kernel_shape = [3, 3]> (b, v) })",
       R"((int8[1, 2, 5, 5] a, int8[3, 2, 3, 3] w) => (float[1, 3, 3, 3] y) {
         i = ConvInteger <kernel_shape = [3, 3]> (a, w) f = Cast <to = 1> (i) u = Constant <value_float = 0.125> ()
         y = Mul(f, u) })",
       State::proved, "reals"},
      {"conv_integer_dequantised_by_one_scale",
       R"((int8[1, 2, 5, 5] a, int8[3, 2, 3, 3] w) => (float[1, 3, 3, 3] y) {
         s = Constant <value_float = 0.5> () z = Constant <value = int8 {0}> () t = Constant <value_float = 0.25> ()
         b = DequantizeLinear(a, s, z) v = DequantizeLinear(w, t, z) y = Conv <kernel_shape = [3, 3]> (b, v) })",
       R"((int8[1, 2, 5, 5] a, int8[3, 2, 3, 3] w) => (float[1, 3, 3, 3] y) {
         i = ConvInteger <kernel_shape = [3, 3]> (a, w) f = Cast <to = 1> (i) u = Constant <value_float = 0.25> ()
         y = Mul(f, u) })",
       State::refuted, ""},
  };
  return all;
}

class Kinds : public testing::TestWithParam<Case> {};

TEST_P(Kinds, HaveTheirVerdict) {
  expect_verdict(GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, Kinds, testing::ValuesIn(kinds()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace hallmark::compare
