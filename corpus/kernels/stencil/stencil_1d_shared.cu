// A mean of three through shared memory, each thread one place.
// expect stencil_1d_shared: proved
// expect stencil_1d_shared ptx: proved
// expect stencil_1d_shared_halo: refuted init
// expect stencil_1d_shared_barrier: refuted race
template <int fault>
__device__ void body(const float* x, float* y, int n) {
  __shared__ float s[66];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  if (i < n) s[t + 1] = x[i + 1];
  if (fault != 1 && t == 0) s[0] = x[i];
  if (t == 63 || i == n - 1) s[t + 2] = i < n ? x[i + 2] : 0.0f;
  if (fault != 2) __syncthreads();
  if (i < n) y[i] = 0.25f * s[t] + 0.5f * s[t + 1] + 0.25f * s[t + 2];
}
__global__ void stencil_1d_shared(const float* x, float* y, int n) { body<0>(x, y, n); }
__global__ void stencil_1d_shared_halo(const float* x, float* y, int n) { body<1>(x, y, n); }
__global__ void stencil_1d_shared_barrier(const float* x, float* y, int n) { body<2>(x, y, n); }
