// The specification names the operator of ONNX.
// expect softmax_named: proved
// expect softmax_named ptx: proved
// expect softmax_named_first: refuted value
// expect softmax_named_rows: refuted bounds
template <int fault>
__device__ void body(const float* x, float* y, int n, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (fault == 2 ? r > rows : r >= rows) return;
  const float* in = x + (size_t)r * n;
  float* out = y + (size_t)r * n;
  float m = -INFINITY, s = 0.0f;
  for (int i = 0; i < n; ++i) m = fmaxf(m, in[i]);
  for (int i = fault == 1 ? 1 : 0; i < n; ++i) s += expf(in[i] - m);
  for (int i = 0; i < n; ++i) out[i] = expf(in[i] - m) / s;
}
__global__ void softmax_named(const float* x, float* y, int n, int rows) { body<0>(x, y, n, rows); }
__global__ void softmax_named_first(const float* x, float* y, int n, int rows) { body<1>(x, y, n, rows); }
__global__ void softmax_named_rows(const float* x, float* y, int n, int rows) { body<2>(x, y, n, rows); }
