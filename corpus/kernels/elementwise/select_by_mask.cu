// a where the mask is set, b elsewhere.
// expect select_by_mask: proved
// expect select_by_mask ptx: proved
// expect select_by_mask_swapped: refuted value
// expect select_by_mask_bit: refuted value
template <int fault>
__device__ void body(const int* m, const float* a, const float* b, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  bool set = fault == 2 ? (m[i] & 1) != 0 : m[i] != 0;
  y[i] = set != (fault == 1) ? a[i] : b[i];
}
__global__ void select_by_mask(const int* m, const float* a, const float* b, float* y, int n) { body<0>(m, a, b, y, n); }
__global__ void select_by_mask_swapped(const int* m, const float* a, const float* b, float* y, int n) { body<1>(m, a, b, y, n); }
__global__ void select_by_mask_bit(const int* m, const float* a, const float* b, float* y, int n) { body<2>(m, a, b, y, n); }
