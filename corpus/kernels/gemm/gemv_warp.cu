// A matrix times a vector, one warp a row, four warps a block.
// expect gemv_warp: proved
// expect gemv_warp ptx: proved
// expect gemv_warp_step: refuted value
// expect gemv_warp_lane: refuted race
template <int fault>
__device__ void body(const float* A, const float* v, float* y, int M, int K) {
  int lane = threadIdx.x, r = blockIdx.x * 4 + threadIdx.y;
  if (r >= M) return;
  float acc = 0.0f;
  for (int k = lane; k < K; k += fault == 1 ? 64 : 32) acc += A[(size_t)r * K + k] * v[k];
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, o);
  if (fault == 2 ? lane < 2 : lane == 0) y[r] = acc;
}
__global__ void gemv_warp(const float* A, const float* v, float* y, int M, int K) { body<0>(A, v, y, M, K); }
__global__ void gemv_warp_step(const float* A, const float* v, float* y, int M, int K) { body<1>(A, v, y, M, K); }
__global__ void gemv_warp_lane(const float* A, const float* v, float* y, int M, int K) { body<2>(A, v, y, M, K); }
