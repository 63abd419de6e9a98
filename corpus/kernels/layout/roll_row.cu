// Each row turned by `shift` places.
// expect roll_row: proved
// expect roll_row ptx: proved
// expect roll_row_unwrapped: refuted bounds
// expect roll_row_back: refuted value
template <int fault>
__device__ void body(const float* x, float* y, int n, int shift) {
  int c = blockIdx.x * 128 + threadIdx.x, r = blockIdx.y;
  if (c >= n) return;
  int from = fault == 2 ? c - shift : c + shift;
  if (fault == 2) { if (from < 0) from += n; }
  else if (fault != 1 && from >= n) from -= n;
  y[(size_t)r * n + c] = x[(size_t)r * n + from];
}
__global__ void roll_row(const float* x, float* y, int n, int shift) { body<0>(x, y, n, shift); }
__global__ void roll_row_unwrapped(const float* x, float* y, int n, int shift) { body<1>(x, y, n, shift); }
__global__ void roll_row_back(const float* x, float* y, int n, int shift) { body<2>(x, y, n, shift); }
