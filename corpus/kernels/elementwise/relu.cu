// max(x, 0), one element a thread.
// expect relu: proved
// expect relu ptx: proved
// expect relu_no_guard: refuted bounds
// expect relu_shifted: refuted value
template <int fault>
__device__ void body(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (fault != 1 && i >= n) return;
  float v = x[fault == 2 ? n - 1 - i : i];
  y[i] = v > 0.0f ? v : 0.0f;
}
__global__ void relu(const float* x, float* y, int n) { body<0>(x, y, n); }
__global__ void relu_no_guard(const float* x, float* y, int n) { body<1>(x, y, n); }
__global__ void relu_shifted(const float* x, float* y, int n) { body<2>(x, y, n); }
