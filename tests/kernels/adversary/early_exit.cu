// A loop that a value in memory may end early goes on no longer than its counter says: where it reads and
// writes is known, how often it goes round is not.
// expect early_exit: unrun coverage termination
// expect early_exit ptx: unrun coverage termination
// expect early_exit_while: unrun coverage termination
// expect early_exit_while ptx: unrun coverage termination
// expect early_exit_past: refuted bounds
// expect early_exit_past ptx: refuted bounds
// expect early_exit_after: refuted bounds
// expect early_exit_after ptx: refuted bounds
__global__ void early_exit(const float* x, float* y, int n, int m) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
#pragma unroll 1
  for (int k = 0; k < m; ++k) {
    y[k * n + i] = 1.0f;
    if (x[k * n + i] < 0.0f) break;
  }
}
__global__ void early_exit_while(const float* x, float* y, int n, int m) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  int k = 0;
#pragma unroll 1
  while (k < m && x[k * n + i] > 0.0f) {
    y[k * n + i] = 1.0f;
    ++k;
  }
}
__global__ void early_exit_past(const float* x, float* y, int n, int m) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
#pragma unroll 1
  for (int k = 0; k <= m; ++k) {
    y[k * n + i] = 1.0f;
    if (x[k * n + i] > 1.0e30f) break;
  }
}
__global__ void early_exit_after(const float* x, float* y, int n, int m) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  int k = 0;
#pragma unroll 1
  while (k < m && x[k * n + i] < 1.0e30f) ++k;
  y[k * n + i] = 1.0f;
}
