// The sum of two tensors, scaled, in place.
// expect residual_add: proved
// expect residual_add ptx: proved
// expect residual_add_twice: refuted value
// expect residual_add_neighbour: refuted race bounds
template <int fault>
__device__ void body(float* x, const float* r, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  x[i] = x[fault == 2 ? i + 1 : i] + (fault == 1 ? 0.25f : 0.5f) * r[i];
}
__global__ void residual_add(float* x, const float* r, int n) { body<0>(x, r, n); }
__global__ void residual_add_twice(float* x, const float* r, int n) { body<1>(x, r, n); }
__global__ void residual_add_neighbour(float* x, const float* r, int n) { body<2>(x, r, n); }
