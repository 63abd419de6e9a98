// Kernels that read a buffer which they write as well. "Right" ones see only what it held before the launch.
extern "C" __global__ void prefix(float* x, int n) {
  for (int i = 1; i < n; ++i) x[i] = __fadd_rn(x[i], x[i - 1]);
}
extern "C" __global__ void exchange(float* x, float* z) {
  int t = threadIdx.x;
  x[t] = __fmul_rn(x[t], 2.0f);
  __syncthreads();
  z[t] = x[63 - t];
}
extern "C" __global__ void twice(float* x, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) { x[i] = __fmul_rn(x[i], 2.0f); }
  if (i < n) { x[i] = __fmul_rn(x[i], 2.0f); }
}
extern "C" __global__ void chunk(float* x, int n) {
  int t = threadIdx.x;
  for (int i = 4 * t; i < 4 * t + 4; ++i) x[i] = __fmul_rn(x[i], 2.0f);
}
extern "C" __global__ void chunk_next(float* x, int n) {
  int t = threadIdx.x;
  for (int i = 4 * t; i < 4 * t + 3; ++i) x[i] = __fmul_rn(x[i + 1], 2.0f);
}
extern "C" __global__ void chunk_previous(float* x, int n) {
  int t = threadIdx.x;
  for (int i = 4 * t + 1; i < 4 * t + 4; ++i) x[i] = __fmul_rn(x[i - 1], 2.0f);
}
extern "C" __global__ void rownorm(float* x, int n) {
  __shared__ float red[64];
  int r = blockIdx.x, t = threadIdx.x; float s = 0.0f;
  for (int i = t; i < n; i += 64) s += x[r * n + i];
  red[t] = s; __syncthreads();
  for (int o = 32; o > 0; o >>= 1) { if (t < o) red[t] += red[t + o]; __syncthreads(); }
  float m = red[0] / n;
  for (int i = t; i < n; i += 64) x[r * n + i] -= m;
}
extern "C" __global__ void while_back(float* x, int n) {
  int i = 0; float last = 0.0f;
  while (i < n) { last = x[0]; x[i] = last + 1.0f; ++i; }
}
extern "C" __global__ void grid_stride(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int stride = gridDim.x * blockDim.x;
  for (; i < n; i += stride) x[i] = __fmul_rn(x[i], 2.0f);
}
