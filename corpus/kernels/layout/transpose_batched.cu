// A transpose of every matrix of a batch, the batch in z.
// expect transpose_batched: proved
// expect transpose_batched ptx: proved
// expect transpose_batched_offset: refuted race value
// expect transpose_batched_tile: refuted value
template <int fault>
__device__ void body(const float* in, float* out, unsigned M, unsigned N) {
  __shared__ float tile[16][17];
  unsigned tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  size_t base = (size_t)blockIdx.z * (fault == 1 ? N : (size_t)M * N);
  if (x < N && y < M) tile[ty][tx] = in[base + (size_t)y * N + x];
  __syncthreads();
  unsigned u = blockIdx.y * 16 + tx, v = blockIdx.x * 16 + ty;
  if (u < M && v < N) out[base + (size_t)v * M + u] = fault == 2 ? tile[ty][tx] : tile[tx][ty];
}
__global__ void transpose_batched(const float* in, float* out, unsigned M, unsigned N) { body<0>(in, out, M, N); }
__global__ void transpose_batched_offset(const float* in, float* out, unsigned M, unsigned N) { body<1>(in, out, M, N); }
__global__ void transpose_batched_tile(const float* in, float* out, unsigned M, unsigned N) { body<2>(in, out, M, N); }
