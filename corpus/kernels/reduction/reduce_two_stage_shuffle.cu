// Seventh step: many elements a thread, shuffles, one value a warp, the first warp finishes.
// expect reduce_two_stage_shuffle: proved
// expect reduce_two_stage_shuffle ptx: proved
// expect reduce_two_stage_shuffle_warps: refuted value
// expect reduce_two_stage_shuffle_barrier: refuted race
template <int fault>
__device__ void body(const float* x, float* y, unsigned n) {
  __shared__ float part[8];
  unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  float a = 0.0f;
  for (unsigned i = t; i < n; i += 256) a += x[(size_t)blockIdx.x * n + i];
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) a += __shfl_down_sync(0xffffffffu, a, o);
  if (lane == 0) part[warp] = a;
  if (fault != 2) __syncthreads();
  if (t == 0) {
    float sum = 0.0f;
#pragma unroll
    for (int w = 0; w < (fault == 1 ? 7 : 8); ++w) sum += part[w];
    y[blockIdx.x] = sum;
  }
}
__global__ void reduce_two_stage_shuffle(const float* x, float* y, unsigned n) { body<0>(x, y, n); }
__global__ void reduce_two_stage_shuffle_warps(const float* x, float* y, unsigned n) { body<1>(x, y, n); }
__global__ void reduce_two_stage_shuffle_barrier(const float* x, float* y, unsigned n) { body<2>(x, y, n); }
