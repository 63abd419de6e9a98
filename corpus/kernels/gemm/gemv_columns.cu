// A^T times a vector: each thread owns a column, loads side by side.
// expect gemv_columns: proved
// expect gemv_columns ptx: proved
// expect gemv_columns_length: refuted value
// expect gemv_columns_stride: refuted bounds
template <int fault>
__device__ void body(const float* A, const float* v, float* y, unsigned M, unsigned N) {
  unsigned c = blockIdx.x * 128 + threadIdx.x;
  if (c >= N) return;
  float acc = 0.0f;
  for (unsigned r = fault == 1 ? 1 : 0; r < M; ++r) acc += A[(size_t)r * (fault == 2 ? N + 1 : N) + c] * v[r];
  y[c] = acc;
}
__global__ void gemv_columns(const float* A, const float* v, float* y, unsigned M, unsigned N) { body<0>(A, v, y, M, N); }
__global__ void gemv_columns_length(const float* A, const float* v, float* y, unsigned M, unsigned N) { body<1>(A, v, y, M, N); }
__global__ void gemv_columns_stride(const float* A, const float* v, float* y, unsigned M, unsigned N) { body<2>(A, v, y, M, N); }
