// Kernels of the one-thread-an-element schedule, as lowering writes them.
extern "C" __global__ void __launch_bounds__(256) relu(const float* __restrict__ x, float* __restrict__ y, unsigned n) {
  const unsigned g = blockIdx.x * 256u + threadIdx.x;
  if (g < n) y[g] = fmaxf(x[g], 0.0f);
}
extern "C" __global__ void __launch_bounds__(256) bias_add(const float* __restrict__ x, const float* __restrict__ b,
                                                           float* __restrict__ y, unsigned rows, unsigned cols) {
  const size_t g = (size_t)blockIdx.x * 256u + threadIdx.x;
  if (g < (size_t)rows * cols) {
    const unsigned i1 = (unsigned)(g % cols);
    y[g] = __fadd_rn(x[g], b[i1]);
  }
}
extern "C" __global__ void __launch_bounds__(256) stride_scale(const float* __restrict__ x, float* __restrict__ y, size_t n,
                                                               unsigned blocks) {
  for (size_t g = (size_t)blockIdx.x * 256u + threadIdx.x; g < n; g += (size_t)256u * blocks) y[g] = __fmul_rn(x[g], 0.5f);
}
extern "C" __global__ void __launch_bounds__(256) conv3x3(const float* __restrict__ x, const float* __restrict__ w,
                                                          float* __restrict__ y) {
  const unsigned g = blockIdx.x * 256u + threadIdx.x;
  if (g < 20160u) {
    const unsigned i0 = g / 840u;
    const unsigned i1 = g / 30u % 28u;
    const unsigned i2 = g % 30u;
    float s = 0.0f;
#pragma unroll 1
    for (unsigned c = 0; c < 16u; ++c)
#pragma unroll
      for (unsigned r = 0; r < 3u; ++r)
#pragma unroll
        for (unsigned t = 0; t < 3u; ++t)
          if (i1 + r >= 1u && i1 + r < 29u && i2 + t >= 1u && i2 + t < 31u)
            s = __fmaf_rn(x[(size_t)c * 840u + (size_t)(i1 + r - 1u) * 30u + (i2 + t - 1u)],
                          w[(size_t)i0 * 144u + c * 9u + r * 3u + t], s);
    y[g] = s;
  }
}
extern "C" __global__ void __launch_bounds__(256) matmul_fma(const float* __restrict__ a, const float* __restrict__ b,
                                                             float* __restrict__ c, unsigned m, unsigned n, unsigned k) {
  const size_t g = (size_t)blockIdx.x * 256u + threadIdx.x;
  if (g < (size_t)m * n) {
    const unsigned i0 = (unsigned)(g / n);
    const unsigned i1 = (unsigned)(g % n);
    float s = 0.0f;
    for (unsigned p = 0; p < k; ++p) s = __fmaf_rn(a[(size_t)i0 * k + p], b[(size_t)p * n + i1], s);
    c[g] = s;
  }
}
extern "C" __global__ void __launch_bounds__(256) matmul_mul_add(const float* __restrict__ a, const float* __restrict__ b,
                                                                 float* __restrict__ c) {
  const unsigned g = blockIdx.x * 256u + threadIdx.x;
  if (g < 3840u) {
    const unsigned i0 = g / 48u;
    const unsigned i1 = g % 48u;
    float s = 0.0f;
#pragma unroll 1
    for (unsigned p = 0; p < 100u; ++p) s = __fadd_rn(s, __fmul_rn(a[(size_t)i0 * 100u + p], b[(size_t)p * 48u + i1]));
    c[g] = s;
  }
}
extern "C" __global__ void __launch_bounds__(256) transpose(const float* __restrict__ x, float* __restrict__ y) {
  const unsigned g = blockIdx.x * 256u + threadIdx.x;
  if (g < 13824u) {
    const unsigned i0 = g / 576u;
    const unsigned i1 = g / 32u % 18u;
    const unsigned i2 = g % 32u;
    y[g] = x[(size_t)i2 * 432u + i0 * 18u + i1];
  }
}
extern "C" __global__ void __launch_bounds__(256) max_pool(const float* __restrict__ x, float* __restrict__ y) {
  const unsigned g = blockIdx.x * 256u + threadIdx.x;
  if (g < 3136u) {
    const unsigned i0 = g / 196u;
    const unsigned i1 = g / 14u % 14u;
    const unsigned i2 = g % 14u;
    float s = __uint_as_float(0xff800000u);
#pragma unroll 1
    for (unsigned r = 0; r < 3u; ++r)
#pragma unroll 1
      for (unsigned t = 0; t < 3u; ++t)
        if (2u * i1 + r >= 1u && 2u * i2 + t >= 1u)
          s = fmaxf(s, x[(size_t)i0 * 784u + (2u * i1 + r - 1u) * 28u + (2u * i2 + t - 1u)]);
    y[g] = s;
  }
}
