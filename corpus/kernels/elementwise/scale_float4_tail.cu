// Vectors of four, the rest one by one.
// expect scale_float4_tail: proved
// expect scale_float4_tail ptx: proved
// expect scale_float4_tail_lost: refuted coverage
// expect scale_float4_tail_over: refuted bounds
template <int fault>
__device__ void body(const float* x, float* y, unsigned n) {
  unsigned g = blockIdx.x * 128 + threadIdx.x;
  if (fault == 2 ? 4 * g < n : 4 * g + 3 < n) {
    float4 v = ((const float4*)x)[g];
    v.x *= 3.0f;
    v.y *= 3.0f;
    v.z *= 3.0f;
    v.w *= 3.0f;
    ((float4*)y)[g] = v;
  } else if (fault != 1) {
    for (unsigned i = 4 * g; i < n; ++i) y[i] = x[i] * 3.0f;
  }
}
__global__ void scale_float4_tail(const float* x, float* y, unsigned n) { body<0>(x, y, n); }
__global__ void scale_float4_tail_lost(const float* x, float* y, unsigned n) { body<1>(x, y, n); }
__global__ void scale_float4_tail_over(const float* x, float* y, unsigned n) { body<2>(x, y, n); }
