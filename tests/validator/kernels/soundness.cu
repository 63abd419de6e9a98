// Wrong kernels, each with a right twin: the ways in which a wrong proof could arise (design, soundness C1 to C4).
extern "C" __global__ void zero_trips_bad(float* y, unsigned trips) {
  __shared__ float slot[2];
  const unsigned t = threadIdx.x;
  slot[t] = 1.0f;
#pragma unroll 1
  for (unsigned k = 0; k < trips; ++k) __syncthreads();
  y[t] = slot[1u - t];
}
extern "C" __global__ void zero_trips_ok(float* y, unsigned trips) {
  __shared__ float slot[2];
  const unsigned t = threadIdx.x;
  slot[t] = 1.0f;
  __syncthreads();
#pragma unroll 1
  for (unsigned k = 0; k < trips; ++k) __syncthreads();
  y[t] = slot[1u - t];
}
extern "C" __global__ void lanes_in_other_iterations_bad(const unsigned* x, unsigned* y, unsigned n) {
  unsigned v = x[threadIdx.x];
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < n; i += 32u) v = __shfl_xor_sync(0xffffffffu, v, 1);
  y[threadIdx.x] = v;
}
extern "C" __global__ void lanes_in_other_iterations_ok(const unsigned* x, unsigned* y, unsigned n) {
  unsigned v = x[threadIdx.x];
#pragma unroll 1
  for (unsigned i = 0; i < n; ++i) v = __shfl_xor_sync(0xffffffffu, v, 1);
  y[threadIdx.x] = v;
}
extern "C" __global__ void missing_lanes_bad(const unsigned* x, unsigned* y) {
  y[threadIdx.x] = __shfl_down_sync(0xffffffffu, x[threadIdx.x], 1);
}
extern "C" __global__ void divergent_barrier_bad(const float* x, float* y, unsigned n) {
  __shared__ float slot[64];
  const unsigned t = threadIdx.x;
  if (t < n) {
    slot[t] = x[t];
    __syncthreads();
    y[t] = slot[t ^ 1u];
  } else {
    y[t] = 0.0f;
    __syncthreads();
  }
}
extern "C" __global__ void back_edge_bad(const float* x, float* y, unsigned n) {
  __shared__ float slot[64];
  const unsigned t = threadIdx.x;
  float s = 0.0f;
#pragma unroll 1
  for (unsigned k = 0; k < n; ++k) {
    slot[t] = x[k * 64u + t];
    __syncthreads();
    s = __fadd_rn(s, slot[63u - t]);
  }
  y[t] = s;
}
extern "C" __global__ void back_edge_ok(const float* x, float* y, unsigned n) {
  __shared__ float slot[64];
  const unsigned t = threadIdx.x;
  float s = 0.0f;
#pragma unroll 1
  for (unsigned k = 0; k < n; ++k) {
    slot[t] = x[k * 64u + t];
    __syncthreads();
    s = __fadd_rn(s, slot[63u - t]);
    __syncthreads();
  }
  y[t] = s;
}
extern "C" __global__ void carried_memory_bad(const float* x, float* y, unsigned n) {
  __shared__ float slot[64];
  const unsigned t = threadIdx.x;
  float s = 0.0f;
#pragma unroll 1
  for (unsigned k = 0; k < n; ++k) {
    if (k % 2u == 1u) slot[t] = x[k * 64u + t];
    __syncthreads();
    s = __fadd_rn(s, slot[63u - t]);
    __syncthreads();
  }
  y[t] = s;
}
extern "C" __global__ void two_views_bad(const float* x, float* y) {
  y[threadIdx.x * 3u + threadIdx.y] = x[threadIdx.y * 2u + threadIdx.x];
  y[threadIdx.y * 2u + threadIdx.x] = x[threadIdx.x * 3u + threadIdx.y];
}
