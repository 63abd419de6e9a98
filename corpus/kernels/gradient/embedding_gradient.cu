// Rows of a gradient are added to the rows of the table that they came from; several may be the same.
// expect embedding_gradient: proved
// expect embedding_gradient ptx: proved
// expect embedding_gradient_plain: refuted race
// expect embedding_gradient_column: refuted value
template <int fault>
__device__ void body(const int* id, const float* g, float* table, int d) {
  int r = blockIdx.x;
  for (int c = threadIdx.x; c < d; c += blockDim.x) {
    float* to = &table[(size_t)id[r] * d + c];
    float add = g[(size_t)r * d + (fault == 2 ? d - 1 - c : c)];
    if (fault == 1)
      *to += add;
    else
      atomicAdd(to, add);
  }
}
__global__ void embedding_gradient(const int* id, const float* g, float* table, int d) { body<0>(id, g, table, d); }
__global__ void embedding_gradient_plain(const int* id, const float* g, float* table, int d) { body<1>(id, g, table, d); }
__global__ void embedding_gradient_column(const int* id, const float* g, float* table, int d) { body<2>(id, g, table, d); }
