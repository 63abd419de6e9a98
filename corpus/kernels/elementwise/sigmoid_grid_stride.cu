// 1 / (1 + exp(-x)) in a loop over the grid.
// expect sigmoid_grid_stride: proved
// expect sigmoid_grid_stride ptx: proved
// expect sigmoid_stride: refuted coverage
// expect sigmoid_overlap: refuted race
template <int fault>
__device__ void body(const float* x, float* y, size_t n) {
  size_t stride = (size_t)blockDim.x * gridDim.x;
  for (size_t i = (size_t)blockIdx.x * (fault == 2 ? 64 : blockDim.x) + threadIdx.x; i < n;
       i += fault == 1 ? stride + 1 : stride)
    y[i] = 1.0f / (1.0f + expf(-x[i]));
}
__global__ void sigmoid_grid_stride(const float* x, float* y, size_t n) { body<0>(x, y, n); }
__global__ void sigmoid_stride(const float* x, float* y, size_t n) { body<1>(x, y, n); }
__global__ void sigmoid_overlap(const float* x, float* y, size_t n) { body<2>(x, y, n); }
