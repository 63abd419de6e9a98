// Sum of the rows of a table that a bag of indices names; offsets say where each bag starts.
// expect embedding_bag: proved
// expect embedding_bag ptx: proved
// expect embedding_bag_start: refuted value
// expect embedding_bag_own: refuted value
template <int fault>
__device__ void body(const float* table, const int* indices, const int* offsets, float* out, int dim) {
  int c = threadIdx.x + blockIdx.y * 64, b = blockIdx.x;
  if (c >= dim) return;
  int lo = offsets[b], hi = offsets[b + 1];
  float s = fault == 1 ? 1.0f : 0.0f;
#pragma unroll 1
  for (int k = lo; k < hi; ++k)
    s += table[(size_t)(fault == 2 ? indices[lo] : indices[k]) * dim + c];
  out[(size_t)b * dim + c] = s;
}
#define ENTRY(NAME, FAULT)                                                                                       \
  __global__ void NAME(const float* table, const int* indices, const int* offsets, float* out, int dim) {        \
    body<FAULT>(table, indices, offsets, out, dim);                                                              \
  }
ENTRY(embedding_bag, 0)
ENTRY(embedding_bag_start, 1)
ENTRY(embedding_bag_own, 2)
