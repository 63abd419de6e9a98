// Gate and value stand side by side in each row.
// expect swiglu: proved
// expect swiglu ptx: proved
// expect swiglu_halves: refuted value
// expect swiglu_row_stride: refuted value
template <int fault>
__device__ void body(const float* x, float* y, unsigned rows, unsigned d) {
  unsigned i = blockIdx.x * 128 + threadIdx.x;
  if (i >= rows * d) return;
  unsigned r = i / d, c = i % d;
  size_t row = (size_t)r * (fault == 2 ? d : 2 * d);
  float gate = x[row + (fault == 1 ? d + c : c)], value = x[row + (fault == 1 ? c : d + c)];
  y[i] = gate / (1.0f + expf(-gate)) * value;
}
__global__ void swiglu(const float* x, float* y, unsigned rows, unsigned d) { body<0>(x, y, rows, d); }
__global__ void swiglu_halves(const float* x, float* y, unsigned rows, unsigned d) { body<1>(x, y, rows, d); }
__global__ void swiglu_row_stride(const float* x, float* y, unsigned rows, unsigned d) { body<2>(x, y, rows, d); }
