// Four channels become the four pixels of a square.
// expect pixel_shuffle: proved
// expect pixel_shuffle ptx: proved
// expect pixel_shuffle_channel: refuted value
// expect pixel_shuffle_guard: refuted bounds
template <int fault>
__device__ void body(const float* x, float* y, unsigned H, unsigned W) {
  unsigned c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if ((fault != 2 && r >= 2 * H) || c >= 2 * W) return;
  unsigned channel = fault == 1 ? c % 2 * 2 + r % 2 : r % 2 * 2 + c % 2;
  y[(size_t)r * (2 * W) + c] = x[((size_t)channel * H + r / 2) * W + c / 2];
}
__global__ void pixel_shuffle(const float* x, float* y, unsigned H, unsigned W) { body<0>(x, y, H, W); }
__global__ void pixel_shuffle_channel(const float* x, float* y, unsigned H, unsigned W) { body<1>(x, y, H, W); }
__global__ void pixel_shuffle_guard(const float* x, float* y, unsigned H, unsigned W) { body<2>(x, y, H, W); }
