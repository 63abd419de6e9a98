// Each pixel four times.
// expect upsample_nearest: proved
// expect upsample_nearest ptx: proved
// expect upsample_nearest_rows: refuted value
// expect upsample_nearest_size: refuted coverage
template <int fault>
__device__ void body(const float* x, float* y, unsigned H, unsigned W) {
  unsigned c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 4 + threadIdx.y;
  if (r >= 2 * H || c >= (fault == 2 ? 2 * W - 1 : 2 * W)) return;
  y[(size_t)r * (2 * W) + c] = x[(size_t)(fault == 1 ? 0 : r / 2) * W + c / 2];
}
__global__ void upsample_nearest(const float* x, float* y, unsigned H, unsigned W) { body<0>(x, y, H, W); }
__global__ void upsample_nearest_rows(const float* x, float* y, unsigned H, unsigned W) { body<1>(x, y, H, W); }
__global__ void upsample_nearest_size(const float* x, float* y, unsigned H, unsigned W) { body<2>(x, y, H, W); }
