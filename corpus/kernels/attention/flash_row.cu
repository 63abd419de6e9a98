// One pass over the keys with a running maximum, sum and output, one query and one value a thread.
// expect flash_row: proved
// expect flash_row ptx: proved
// expect flash_row_unscaled: refuted value
// expect flash_row_sum: refuted value
template <int fault>
__device__ void body(const float* s, const float* v, float* o, int m, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= m) return;
  float top = s[(size_t)i * n], z = 1.0f, a = v[0];
#pragma unroll 1
  for (int j = 1; j < n; ++j) {
    float x = s[(size_t)i * n + j], next = fmaxf(top, x);
    float keep = expf(top - next), w = expf(x - next);
    z = z * (fault == 2 ? 1.0f : keep) + w;
    a = a * (fault == 1 ? 1.0f : keep) + w * v[j];
    top = next;
  }
  o[i] = a / z;
}
__global__ void flash_row(const float* s, const float* v, float* o, int m, int n) { body<0>(s, v, o, m, n); }
__global__ void flash_row_unscaled(const float* s, const float* v, float* o, int m, int n) { body<1>(s, v, o, m, n); }
__global__ void flash_row_sum(const float* s, const float* v, float* o, int m, int n) { body<2>(s, v, o, m, n); }
