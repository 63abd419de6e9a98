// A border of one zero around each image.
// expect pad_zero: proved
// expect pad_zero ptx: proved
// expect pad_zero_edge: refuted value
// expect pad_zero_unguarded: refuted bounds
template <int fault>
__device__ void body(const float* x, float* y, int H, int W) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (r >= H + 2 || c >= W + 2) return;
  bool inside = r >= 1 && r <= H && (fault == 2 || c >= 1) && c <= (fault == 1 ? W - 1 : W);
  y[(size_t)r * (W + 2) + c] = inside ? x[(ptrdiff_t)(r - 1) * W + (c - 1)] : 0.0f;
}
__global__ void pad_zero(const float* x, float* y, int H, int W) { body<0>(x, y, H, W); }
__global__ void pad_zero_edge(const float* x, float* y, int H, int W) { body<1>(x, y, H, W); }
__global__ void pad_zero_unguarded(const float* x, float* y, int H, int W) { body<2>(x, y, H, W); }
