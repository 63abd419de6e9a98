// Every second row from row `first` on.
// expect slice_rows: proved
// expect slice_rows ptx: proved
// expect slice_rows_step: refuted bounds value
// expect slice_rows_first: refuted value
template <int fault>
__device__ void body(const float* x, float* y, unsigned rows, unsigned cols, unsigned first) {
  unsigned i = blockIdx.x * 128 + threadIdx.x;
  if (i >= rows * cols) return;
  unsigned r = i / cols, c = i % cols;
  y[i] = x[(size_t)((fault == 2 ? 0 : first) + (fault == 1 ? 3 : 2) * r) * cols + c];
}
__global__ void slice_rows(const float* x, float* y, unsigned rows, unsigned cols, unsigned first) { body<0>(x, y, rows, cols, first); }
__global__ void slice_rows_step(const float* x, float* y, unsigned rows, unsigned cols, unsigned first) { body<1>(x, y, rows, cols, first); }
__global__ void slice_rows_first(const float* x, float* y, unsigned rows, unsigned cols, unsigned first) { body<2>(x, y, rows, cols, first); }
