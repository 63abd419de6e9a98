// Rows of a table picked by an index tensor.
// expect embedding: proved
// expect embedding ptx: proved
// expect embedding_wrong_index: refuted value
// expect embedding_short_offset: refuted overflow
__global__ void embedding(const float* table, const int* id, float* out, int d, int n) {
  int i = blockIdx.x;
  for (int c = threadIdx.x; c < d; c += 128) out[(size_t)i * d + c] = table[(size_t)id[i] * d + c];
}
__global__ void embedding_wrong_index(const float* table, const int* id, float* out, int d, int n) {
  int i = blockIdx.x;
  for (int c = threadIdx.x; c < d; c += 128) out[(size_t)i * d + c] = table[(size_t)id[0] * d + c];
}
__global__ void embedding_short_offset(const float* table, const int* id, float* out, int d, int n) {
  int i = blockIdx.x;
  for (int c = threadIdx.x; c < d; c += 128) out[(size_t)i * d + c] = table[id[i] * d + c];
}
