// One block a row: shuffles within warps, one slot a warp in shared memory.
__device__ __forceinline__ float warp_sum(float v) {
  for (unsigned o = 1u; o < 32u; o <<= 1) v = __fadd_rn(v, __shfl_xor_sync(0xffffffffu, v, o));
  return v;
}
extern "C" __global__ void __launch_bounds__(256) row_sum(const float* __restrict__ x, float* __restrict__ y, unsigned cols) {
  __shared__ float slot[8];
  const unsigned t = threadIdx.x, lane = t % 32u, warp = t / 32u;
  float s = 0.0f;
#pragma unroll 1
  for (unsigned c = t; c < cols; c += 256u) s = __fadd_rn(s, x[(size_t)blockIdx.x * cols + c]);
  s = warp_sum(s);
  if (lane == 0u) slot[warp] = s;
  __syncthreads();
  if (t == 0u) {
    const float r = __fadd_rn(__fadd_rn(__fadd_rn(slot[0], slot[1]), __fadd_rn(slot[2], slot[3])),
                              __fadd_rn(__fadd_rn(slot[4], slot[5]), __fadd_rn(slot[6], slot[7])));
    y[blockIdx.x] = r;
  }
}
extern "C" __global__ void __launch_bounds__(256) center(const float* __restrict__ x, float* __restrict__ y, unsigned cols) {
  __shared__ float slot[8];
  const unsigned t = threadIdx.x, lane = t % 32u, warp = t / 32u;
  float s = 0.0f;
#pragma unroll 1
  for (unsigned c = t; c < cols; c += 256u) s = __fadd_rn(s, x[(size_t)blockIdx.x * cols + c]);
  s = warp_sum(s);
  if (lane == 0u) slot[warp] = s;
  __syncthreads();
  const float r = __fadd_rn(__fadd_rn(__fadd_rn(slot[0], slot[1]), __fadd_rn(slot[2], slot[3])),
                            __fadd_rn(__fadd_rn(slot[4], slot[5]), __fadd_rn(slot[6], slot[7])));
#pragma unroll 1
  for (unsigned c = t; c < cols; c += 256u) y[(size_t)blockIdx.x * cols + c] = __fsub_rn(x[(size_t)blockIdx.x * cols + c], r);
}
