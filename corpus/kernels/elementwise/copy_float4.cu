// A copy in vectors of four.
// expect copy_float4: proved
// expect copy_float4 ptx: proved
// expect copy_float4_misaligned: refuted alignment
// expect copy_float4_lane: refuted value
template <int fault>
__device__ void body(const float* x, float* y, unsigned groups) {
  unsigned g = blockIdx.x * 256 + threadIdx.x;
  if (g >= groups) return;
  float4 v = *(const float4*)(x + 4 * (size_t)g);
  if (fault == 1) v = *(const float4*)(x + 4 * (size_t)g + (g == 0 ? 1 : 0));
  if (fault == 2) v.y = v.x;
  *(float4*)(y + 4 * (size_t)g) = v;
}
__global__ void copy_float4(const float* x, float* y, unsigned groups) { body<0>(x, y, groups); }
__global__ void copy_float4_misaligned(const float* x, float* y, unsigned groups) { body<1>(x, y, groups); }
__global__ void copy_float4_lane(const float* x, float* y, unsigned groups) { body<2>(x, y, groups); }
