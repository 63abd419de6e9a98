// A column times a row, added to a matrix.
// expect outer_product: proved
// expect outer_product ptx: proved
// expect outer_product_swapped: refuted bounds
// expect outer_product_replaced: refuted value
template <int fault>
__device__ void body(const float* u, const float* v, float* A, int M, int N) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (r >= M || c >= N) return;
  size_t at = (size_t)r * N + c;
  float p = fault == 1 ? u[c] * v[r] : u[r] * v[c];
  A[at] = fault == 2 ? p : A[at] + p;
}
__global__ void outer_product(const float* u, const float* v, float* A, int M, int N) { body<0>(u, v, A, M, N); }
__global__ void outer_product_swapped(const float* u, const float* v, float* A, int M, int N) { body<1>(u, v, A, M, N); }
__global__ void outer_product_replaced(const float* u, const float* v, float* A, int M, int N) { body<2>(u, v, A, M, N); }
