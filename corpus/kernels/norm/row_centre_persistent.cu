// Each row less its first element; as many blocks as the device holds at once take the rows in turn.
// expect row_centre_persistent: proved
// expect row_centre_persistent_barrier: refuted race
// expect row_centre_persistent_step: refuted race
// expect row_centre_persistent_once: refuted coverage
template <int fault>
__device__ void body(const unsigned* x, unsigned* y, int rows, int cols) {
  __shared__ unsigned first;
  for (int r = blockIdx.x; r < rows; r += fault == 2 ? 1 : gridDim.x) {
    if (threadIdx.x == 0) first = x[(size_t)r * cols];
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += 64) y[(size_t)r * cols + c] = x[(size_t)r * cols + c] - first;
    if (fault != 1) __syncthreads();
    if (fault == 3) break;
  }
}
__global__ void row_centre_persistent(const unsigned* x, unsigned* y, int rows, int cols) {
  body<0>(x, y, rows, cols);
}
__global__ void row_centre_persistent_barrier(const unsigned* x, unsigned* y, int rows, int cols) {
  body<1>(x, y, rows, cols);
}
__global__ void row_centre_persistent_step(const unsigned* x, unsigned* y, int rows, int cols) {
  body<2>(x, y, rows, cols);
}
__global__ void row_centre_persistent_once(const unsigned* x, unsigned* y, int rows, int cols) {
  body<3>(x, y, rows, cols);
}
