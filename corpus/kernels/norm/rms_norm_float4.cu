// Root mean square normalisation of a row by a block, four elements at a time, warps joined in shared memory.
// expect rms_norm_float4: proved
// expect rms_norm_float4 ptx: proved
// expect rms_norm_float4_count: refuted value
// expect rms_norm_float4_barrier: refuted race
// expect rms_norm_float4_lane: refuted value
template <int fault>
__device__ void body(const float4* x, const float4* w, float4* y, int quads, float eps) {
  __shared__ float part[4];
  __shared__ float inv;
  int t = threadIdx.x;
  const float4* row = x + (size_t)blockIdx.x * quads;
  float s = 0.0f;
  for (int i = t; i < quads; i += 128) {
    float4 v = row[i];
    s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
  if ((t & 31) == 0) part[t >> 5] = s;
  if (fault != 2) __syncthreads();
  if (t == 0) inv = rsqrtf((part[0] + part[1] + part[2] + part[3]) / (fault == 1 ? quads : 4 * quads) + eps);
  __syncthreads();
  for (int i = t; i < quads; i += 128) {
    float4 v = row[i], g = w[i];
    float last = fault == 3 ? g.x : g.w;
    y[(size_t)blockIdx.x * quads + i] =
        make_float4(v.x * inv * g.x, v.y * inv * g.y, v.z * inv * g.z, v.w * inv * last);
  }
}
#define ENTRY(NAME, FAULT)                                                                          \
  __global__ void NAME(const float4* x, const float4* w, float4* y, int quads, float eps) {         \
    body<FAULT>(x, w, y, quads, eps);                                                               \
  }
ENTRY(rms_norm_float4, 0)
ENTRY(rms_norm_float4_count, 1)
ENTRY(rms_norm_float4_barrier, 2)
ENTRY(rms_norm_float4_lane, 3)
