// A sum kept relative to a running maximum, as online softmax keeps it, has no value after a step in which nothing has been
// seen yet: exp(-inf - -inf) is a NaN, and a NaN stays. A running value that is lowered from +inf: 0 * exp(+inf).
// expect masked_start: proved
// expect masked_start ptx: proved
// expect masked_start_late: refuted value
// expect masked_start_late ptx: refuted value
// expect masked_start_lowered: refuted value
// expect masked_start_lowered ptx: refuted value
template <int fault>
__device__ void body(const float* x, float* y, int n, int w) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  float m = fault == 2 ? INFINITY : -INFINITY, l = 0.0f;
#pragma unroll 1
  for (int k = fault == 1 ? 0 : w; k < n; ++k) {
    bool in = k >= w;
    float s = in ? x[(size_t)i * n + k] : -INFINITY;
    float next = fault == 2 ? fminf(m, s) : fmaxf(m, s);
    l = l * expf(m - next) + (in ? expf(s - next) : 0.0f);
    m = next;
  }
  y[i] = l * expf(m);
}
__global__ void masked_start(const float* x, float* y, int n, int w) { body<0>(x, y, n, w); }
__global__ void masked_start_late(const float* x, float* y, int n, int w) { body<1>(x, y, n, w); }
__global__ void masked_start_lowered(const float* x, float* y, int n, int w) { body<2>(x, y, n, w); }
