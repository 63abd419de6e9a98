// Token and position tables added.
// expect embedding_positions: proved
// expect embedding_positions ptx: proved
// expect embedding_positions_token: refuted value
// expect embedding_positions_bound: refuted bounds
template <int fault>
__device__ void body(const int* token, const float* table, const float* position, float* y, int n, int d) {
  int c = threadIdx.x + blockIdx.y * 128, i = blockIdx.x;
  if (fault == 2 ? c > d : c >= d) return;
  y[(size_t)i * d + c] = table[(size_t)token[i] * d + c] + position[(size_t)(fault == 1 ? n - 1 - i : i) * d + c];
}
__global__ void embedding_positions(const int* token, const float* table, const float* position, float* y, int n, int d) { body<0>(token, table, position, y, n, d); }
__global__ void embedding_positions_token(const int* token, const float* table, const float* position, float* y, int n, int d) { body<1>(token, table, position, y, n, d); }
__global__ void embedding_positions_bound(const int* token, const float* table, const float* position, float* y, int n, int d) { body<2>(token, table, position, y, n, d); }
