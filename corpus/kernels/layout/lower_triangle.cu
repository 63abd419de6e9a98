// Elements above the diagonal become 0.
// expect lower_triangle: proved
// expect lower_triangle ptx: proved
// expect lower_triangle_strict: refuted value
// expect lower_triangle_lost: refuted coverage
template <int fault>
__device__ void body(const float* x, float* y, int n) {
  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  if (r >= n || c >= n) return;
  bool kept = fault == 1 ? c < r : c <= r;
  if (fault == 2 && !kept) return;
  y[(size_t)r * n + c] = kept ? x[(size_t)r * n + c] : 0.0f;
}
__global__ void lower_triangle(const float* x, float* y, int n) { body<0>(x, y, n); }
__global__ void lower_triangle_strict(const float* x, float* y, int n) { body<1>(x, y, n); }
__global__ void lower_triangle_lost(const float* x, float* y, int n) { body<2>(x, y, n); }
