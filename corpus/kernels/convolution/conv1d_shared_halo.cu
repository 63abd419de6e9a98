// A filter of five taps over a tile with its neighbours in shared memory.
// expect conv1d_shared_halo: proved
// expect conv1d_shared_halo ptx: proved
// expect conv1d_shared_halo_barrier: refuted race
// expect conv1d_shared_halo_missing: refuted init
template <int fault>
__device__ void body(const float* x, const float* w, float* y, unsigned n) {
  __shared__ float s[132];
  unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
  s[t] = i < n + 4 ? x[i] : 0.0f;
  if (fault != 2 && t < 4) s[128 + t] = i + 128 < n + 4 ? x[i + 128] : 0.0f;
  if (fault != 1) __syncthreads();
  if (i >= n) return;
  float acc = 0.0f;
#pragma unroll
  for (unsigned j = 0; j < 5; ++j) acc += s[t + j] * w[j];
  y[i] = acc;
}
__global__ void conv1d_shared_halo(const float* x, const float* w, float* y, unsigned n) { body<0>(x, w, y, n); }
__global__ void conv1d_shared_halo_barrier(const float* x, const float* w, float* y, unsigned n) { body<1>(x, w, y, n); }
__global__ void conv1d_shared_halo_missing(const float* x, const float* w, float* y, unsigned n) { body<2>(x, w, y, n); }
