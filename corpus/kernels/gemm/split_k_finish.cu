// The second launch of a split product: partial sums added up.
// expect split_k_finish: proved
// expect split_k_finish ptx: proved
// expect split_k_finish_parts: refuted value
// expect split_k_finish_stride: refuted value
template <int fault>
__device__ void body(const float* part, float* C, unsigned size, unsigned parts) {
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  if (i >= size) return;
  float acc = 0.0f;
  for (unsigned p = 0; p < (fault == 1 ? parts - 1 : parts); ++p) acc += part[(size_t)p * size + (fault == 2 ? size - 1 - i : i)];
  C[i] = acc;
}
__global__ void split_k_finish(const float* part, float* C, unsigned size, unsigned parts) { body<0>(part, C, size, parts); }
__global__ void split_k_finish_parts(const float* part, float* C, unsigned size, unsigned parts) { body<1>(part, C, size, parts); }
__global__ void split_k_finish_stride(const float* part, float* C, unsigned size, unsigned parts) { body<2>(part, C, size, parts); }
