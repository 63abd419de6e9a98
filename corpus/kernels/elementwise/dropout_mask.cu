// Dropout by a given mask of bytes, kept elements scaled by 4/3.
// expect dropout_mask: proved
// expect dropout_mask ptx: proved
// expect dropout_inverted: refuted value
// expect dropout_unscaled: refuted value
template <int fault>
__device__ void body(const float* x, const unsigned char* keep, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  bool kept = fault == 1 ? keep[i] == 0 : keep[i] != 0;
  y[i] = kept ? x[i] * (fault == 2 ? 1.0f : 1.25f) : 0.0f;
}
__global__ void dropout_mask(const float* x, const unsigned char* keep, float* y, int n) { body<0>(x, keep, y, n); }
__global__ void dropout_inverted(const float* x, const unsigned char* keep, float* y, int n) { body<1>(x, keep, y, n); }
__global__ void dropout_unscaled(const float* x, const unsigned char* keep, float* y, int n) { body<2>(x, keep, y, n); }
