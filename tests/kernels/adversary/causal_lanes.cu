// The part of a row up to the diagonal, its greatest element in every term of its sum, bit for bit in the order
// of the lanes: what loops share is compared once, and a row's number is found in an element's flat index.
// expect causal_lanes: proved
// expect causal_lanes ptx: proved
// expect causal_lanes_before: refuted value
// expect causal_lanes_before ptx: refuted value
// expect causal_lanes_halves: refuted value
// expect causal_lanes_halves ptx: refuted value
// expect causal_lanes_row: refuted value
// expect causal_lanes_row ptx: refuted value
__global__ void causal_lanes(const float* __restrict__ s, float* __restrict__ y) {
  const unsigned t = threadIdx.x, row = blockIdx.x % 128u;
  __shared__ float maxima[2], sums[2];
  float m = __uint_as_float(0xff800000u), r = 0.0f;
  for (unsigned k = t; k < 128u; k += 64u)
    if (k <= row) m = fmaxf(m, s[blockIdx.x * 128u + k]);
  for (int d = 1; d <= 16; d *= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, d));
  if (t % 32u == 0u) maxima[t / 32u] = m;
  __syncthreads();
  m = fmaxf(maxima[0], maxima[1]);
  for (unsigned k = t; k < 128u; k += 64u)
    if (k <= row) r = __fadd_rn(r, __fsub_rn(s[blockIdx.x * 128u + k], m));
  for (int d = 1; d <= 16; d *= 2) r = __fadd_rn(r, __shfl_xor_sync(0xffffffffu, r, d));
  if (t % 32u == 0u) sums[t / 32u] = r;
  __syncthreads();
  r = __fadd_rn(sums[0], sums[1]);
  for (unsigned k = t; k < 128u; k += 64u)
    y[blockIdx.x * 128u + k] = k <= row ? __fdiv_rn(__fsub_rn(s[blockIdx.x * 128u + k], m), r) : 0.0f;
}
__global__ void causal_lanes_before(const float* __restrict__ s, float* __restrict__ y) {
  const unsigned t = threadIdx.x, row = blockIdx.x % 128u;
  __shared__ float maxima[2], sums[2];
  float m = __uint_as_float(0xff800000u), r = 0.0f;
  for (unsigned k = t; k < 128u; k += 64u)
    if (k < row || k == 0u) m = fmaxf(m, s[blockIdx.x * 128u + k]);
  for (int d = 1; d <= 16; d *= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, d));
  if (t % 32u == 0u) maxima[t / 32u] = m;
  __syncthreads();
  m = fmaxf(maxima[0], maxima[1]);
  for (unsigned k = t; k < 128u; k += 64u)
    if (k <= row) r = __fadd_rn(r, __fsub_rn(s[blockIdx.x * 128u + k], m));
  for (int d = 1; d <= 16; d *= 2) r = __fadd_rn(r, __shfl_xor_sync(0xffffffffu, r, d));
  if (t % 32u == 0u) sums[t / 32u] = r;
  __syncthreads();
  r = __fadd_rn(sums[0], sums[1]);
  for (unsigned k = t; k < 128u; k += 64u)
    y[blockIdx.x * 128u + k] = k <= row ? __fdiv_rn(__fsub_rn(s[blockIdx.x * 128u + k], m), r) : 0.0f;
}
__global__ void causal_lanes_halves(const float* __restrict__ s, float* __restrict__ y) {
  const unsigned t = threadIdx.x, row = blockIdx.x % 128u;
  __shared__ float maxima[2], sums[2];
  float m = __uint_as_float(0xff800000u), r = 0.0f;
  for (unsigned k = t; k < 128u; k += 64u)
    if (k <= row) m = fmaxf(m, s[blockIdx.x * 128u + k]);
  for (int d = 1; d <= 16; d *= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, d));
  if (t % 32u == 0u) maxima[t / 32u] = m;
  __syncthreads();
  m = fmaxf(maxima[0], maxima[1]);
  for (unsigned k = t; k < 128u; k += 64u)
    if (k <= row) r = __fadd_rn(r, __fsub_rn(s[blockIdx.x * 128u + k], m));
  for (int d = 1; d <= 8; d *= 2) r = __fadd_rn(r, __shfl_xor_sync(0xffffffffu, r, d));
  if (t % 32u == 0u) sums[t / 32u] = r;
  __syncthreads();
  r = __fadd_rn(sums[0], sums[1]);
  for (unsigned k = t; k < 128u; k += 64u)
    y[blockIdx.x * 128u + k] = k <= row ? __fdiv_rn(__fsub_rn(s[blockIdx.x * 128u + k], m), r) : 0.0f;
}
__global__ void causal_lanes_row(const float* __restrict__ s, float* __restrict__ y) {
  const unsigned t = threadIdx.x, row = blockIdx.x % 128u;
  __shared__ float maxima[2], sums[2];
  float m = __uint_as_float(0xff800000u), r = 0.0f;
  for (unsigned k = t; k < 128u; k += 64u)
    if (k <= row) m = fmaxf(m, s[blockIdx.x * 128u + k]);
  for (int d = 1; d <= 16; d *= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, d));
  if (t % 32u == 0u) maxima[t / 32u] = m;
  __syncthreads();
  m = fmaxf(maxima[0], maxima[1]);
  for (unsigned k = t; k < 128u; k += 64u)
    if (k <= row) r = __fadd_rn(r, __fsub_rn(s[blockIdx.x * 128u + k], m));
  for (int d = 1; d <= 16; d *= 2) r = __fadd_rn(r, __shfl_xor_sync(0xffffffffu, r, d));
  if (t % 32u == 0u) sums[t / 32u] = r;
  __syncthreads();
  r = __fadd_rn(sums[0], sums[1]);
  for (unsigned k = t; k < 128u; k += 64u)
    y[blockIdx.x * 128u + k] = k <= row ? __fdiv_rn(__fsub_rn(s[blockIdx.x * 128u + k], m), sums[0]) : 0.0f;
}
