// Each element taken into [-1, 1] by a grid of constant size.
// expect clamp_grid_stride: proved
// expect clamp_grid_stride ptx: proved
// expect clamp_one_sided: refuted value
// expect clamp_block_only: refuted coverage
template <int fault>
__device__ void body(const float* x, float* y, unsigned n) {
  for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * 80) {
    float v = fminf(x[i], 1.0f);
    y[i] = fault == 1 ? v : fmaxf(v, -1.0f);
    if (fault == 2) break;
  }
}
__global__ void clamp_grid_stride(const float* x, float* y, unsigned n) { body<0>(x, y, n); }
__global__ void clamp_one_sided(const float* x, float* y, unsigned n) { body<1>(x, y, n); }
__global__ void clamp_block_only(const float* x, float* y, unsigned n) { body<2>(x, y, n); }
