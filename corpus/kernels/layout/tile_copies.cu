// A vector, repeated as the rows of a matrix.
// expect tile_copies: proved
// expect tile_copies ptx: proved
// expect tile_copies_column: refuted bounds
// expect tile_copies_grid: refuted coverage
template <int fault>
__device__ void body(const float* x, float* y, unsigned rows, unsigned n) {
  size_t total = (size_t)rows * n;
  for (size_t i = (size_t)blockIdx.x * 256 + threadIdx.x; i < (fault == 2 ? total - 1 : total); i += (size_t)gridDim.x * 256)
    y[i] = x[fault == 1 ? i / n : i % n];
}
__global__ void tile_copies(const float* x, float* y, unsigned rows, unsigned n) { body<0>(x, y, rows, n); }
__global__ void tile_copies_column(const float* x, float* y, unsigned rows, unsigned n) { body<1>(x, y, rows, n); }
__global__ void tile_copies_grid(const float* x, float* y, unsigned rows, unsigned n) { body<2>(x, y, rows, n); }
