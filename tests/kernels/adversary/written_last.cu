// Of several stores of one thread to one place the last one counts: behind a default, in a loop, and where a
// loop ends early.
// expect written_last: proved
// expect written_last ptx: proved
// expect written_last_default: proved
// expect written_last_default ptx: proved
// expect written_last_none: refuted value
// expect written_last_none ptx: refuted value
// expect written_last_turned: refuted value
// expect written_last_turned ptx: refuted value
// expect written_last_inverse: refuted value
// expect written_last_inverse ptx: refuted value
// expect written_last_ended: open value
// expect written_last_ended ptx: open value
__global__ void written_last(const float* x, float* y, int n, int m) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n)
#pragma unroll 1
    for (int k = 0; k < m; ++k) y[i] = 3.0f < x[k * n + i] ? 3.0f : x[k * n + i];
}
__global__ void written_last_default(const float* x, float* y, int n, int m) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  float last = x[(m - 1) * n + i];
  y[i] = 3.0f;
  if (!(3.0f < last)) y[i] = last;
}
// Only what is stored where the loop goes round no more may be of no matter.
__global__ void written_last_none(const float* x, float* y, int n, int m) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n)
#pragma unroll 1
    for (int k = 0; k < m; ++k) y[i] = k == m - 1 ? 3.0f : x[k * n + i];
}
__global__ void written_last_turned(const float* x, float* y, int n, int m) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n)
#pragma unroll 1
    for (int k = m - 1; k >= 0; --k) y[i] = 3.0f < x[k * n + i] ? 3.0f : x[k * n + i];
}
__global__ void written_last_inverse(const float* x, float* y, int n, int m) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  float last = x[(m - 1) * n + i];
  y[i] = 3.0f;
  if (3.0f < last) y[i] = last;
}
// What follows the store depends on a running value, which is another one in the next round.
__global__ void written_last_ended(const float* x, float* y, int n, int m) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  float s = 0.0f;
#pragma unroll 1
  for (int k = 0; k < m; ++k) {
    y[i] = 3.0f < x[k * n + i] ? 3.0f : x[k * n + i];
    s += x[k * n + i];
    if (s > 1.0e30f) break;
  }
}
