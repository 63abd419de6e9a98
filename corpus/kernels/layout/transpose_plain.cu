// Transpose, one element a thread, straight through global memory.
// expect transpose_plain: proved
// expect transpose_plain ptx: proved
// expect transpose_plain_same: refuted value
// expect transpose_plain_guard: refuted bounds
template <int fault>
__device__ void body(const float* in, float* out, unsigned M, unsigned N) {
  unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= N || (fault != 2 && y >= M)) return;
  out[fault == 1 ? (size_t)y * N + x : (size_t)x * M + y] = in[(size_t)y * N + x];
}
__global__ void transpose_plain(const float* in, float* out, unsigned M, unsigned N) { body<0>(in, out, M, N); }
__global__ void transpose_plain_same(const float* in, float* out, unsigned M, unsigned N) { body<1>(in, out, M, N); }
__global__ void transpose_plain_guard(const float* in, float* out, unsigned M, unsigned N) { body<2>(in, out, M, N); }
