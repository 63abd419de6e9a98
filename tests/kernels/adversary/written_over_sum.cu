// A sum that is kept in the output: what is stored on the way is nobody's value. (Clang leaves the reads of it
// in the loop, which are not followed; nvcc takes them out.)
// expect written_over_sum: open value
// expect written_over_sum ptx: proved
// expect written_over_sum_start ptx: refuted value
// expect written_over_sum_short ptx: refuted value
__global__ void written_over_sum(const float* a, const float* b, float* c, int m, int n, int k) {
  int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  if (i >= m || j >= n) return;
  c[i * n + j] = 0.0f;
  for (int l = 0; l < k; ++l) c[i * n + j] += a[i * k + l] * b[l * n + j];
}
__global__ void written_over_sum_start(const float* a, const float* b, float* c, int m, int n, int k) {
  int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  if (i >= m || j >= n) return;
  c[i * n + j] = 1.0f;
  for (int l = 0; l < k; ++l) c[i * n + j] += a[i * k + l] * b[l * n + j];
}
__global__ void written_over_sum_short(const float* a, const float* b, float* c, int m, int n, int k) {
  int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  if (i >= m || j >= n) return;
  c[i * n + j] = 0.0f;
  for (int l = 0; l < k - 1; ++l) c[i * n + j] += a[i * k + l] * b[l * n + j];
}
