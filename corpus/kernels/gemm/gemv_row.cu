// A matrix times a vector, one thread a row.
// expect gemv_row: proved
// expect gemv_row ptx: proved
// expect gemv_row_vector: refuted value
// expect gemv_row_guard: refuted bounds
template <int fault>
__device__ void body(const float* A, const float* v, float* y, int M, int K) {
  int r = blockIdx.x * 128 + threadIdx.x;
  if (fault != 2 && r >= M) return;
  float acc = 0.0f;
  for (int k = 0; k < K; ++k) acc = fmaf(A[(size_t)r * K + k], v[fault == 1 ? K - 1 - k : k], acc);
  y[r] = acc;
}
__global__ void gemv_row(const float* A, const float* v, float* y, int M, int K) { body<0>(A, v, y, M, K); }
__global__ void gemv_row_vector(const float* A, const float* v, float* y, int M, int K) { body<1>(A, v, y, M, K); }
__global__ void gemv_row_guard(const float* A, const float* v, float* y, int M, int K) { body<2>(A, v, y, M, K); }
