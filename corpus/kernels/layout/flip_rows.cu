// Each row from its end to its start.
// expect flip_rows: proved
// expect flip_rows ptx: proved
// expect flip_rows_by_one: refuted bounds
// expect flip_rows_not: refuted value
template <int fault>
__device__ void body(const float* x, float* y, int n) {
  int c = blockIdx.x * 128 + threadIdx.x, r = blockIdx.y;
  if (c >= n) return;
  y[(size_t)r * n + c] = x[(size_t)r * n + (fault == 1 ? n - c : fault == 2 ? c : n - 1 - c)];
}
__global__ void flip_rows(const float* x, float* y, int n) { body<0>(x, y, n); }
__global__ void flip_rows_by_one(const float* x, float* y, int n) { body<1>(x, y, n); }
__global__ void flip_rows_not(const float* x, float* y, int n) { body<2>(x, y, n); }
