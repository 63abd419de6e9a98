// Loads and stores of four columns, one row of four results a thread.
// expect sgemm_vector_loads: proved
// expect sgemm_vector_loads ptx: proved
// expect sgemm_vector_loads_lane: refuted value
// expect sgemm_vector_loads_rows: refuted bounds
template <int fault>
__device__ void body(const float* A, const float* B, float* C, unsigned M, unsigned N, unsigned K) {
  unsigned row = blockIdx.y * 8 + threadIdx.y, col = (blockIdx.x * 16 + threadIdx.x) * 4;
  if ((fault != 2 && row >= M) || col >= N) return;
  float4 acc = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  for (unsigned k = 0; k < K; ++k) {
    float a = A[(size_t)row * K + k];
    float4 b = *(const float4*)(B + (size_t)k * N + col);
    acc.x += a * b.x;
    acc.y += a * b.y;
    acc.z += a * (fault == 1 ? b.w : b.z);
    acc.w += a * b.w;
  }
  *(float4*)(C + (size_t)row * N + col) = acc;
}
#define ENTRY(NAME, FAULT) \
  __global__ void NAME(const float* A, const float* B, float* C, unsigned M, unsigned N, unsigned K) { body<FAULT>(A, B, C, M, N, K); }
ENTRY(sgemm_vector_loads, 0)
ENTRY(sgemm_vector_loads_lane, 1)
ENTRY(sgemm_vector_loads_rows, 2)
