// A matrix of bytes with a scale a row, times a vector, a warp a row.
// expect dequantised_gemv: proved
// expect dequantised_gemv ptx: proved
// expect dequantised_gemv_scale: refuted value
// expect dequantised_gemv_lane: refuted value
template <int fault>
__device__ void body(const signed char* A, const float* scale, const float* v, float* y, int K) {
  int lane = threadIdx.x, r = blockIdx.x;
  float acc = 0.0f;
  for (int k = lane; k < K; k += 32) acc += (float)A[(size_t)r * K + k] * v[k];
#pragma unroll
  for (int o = fault == 2 ? 8 : 16; o > 0; o >>= 1) acc += __shfl_xor_sync(0xffffffffu, acc, o);
  if (lane == 0) y[r] = fault == 1 ? acc : acc * scale[r];
}
__global__ void dequantised_gemv(const signed char* A, const float* scale, const float* v, float* y, int K) { body<0>(A, scale, v, y, K); }
__global__ void dequantised_gemv_scale(const signed char* A, const float* scale, const float* v, float* y, int K) { body<1>(A, scale, v, y, K); }
__global__ void dequantised_gemv_lane(const signed char* A, const float* scale, const float* v, float* y, int K) { body<2>(A, scale, v, y, K); }
