// A blend of two tensors, four elements a thread in strides of the block.
// expect lerp_four: proved
// expect lerp_four ptx: proved
// expect lerp_four_three: refuted coverage
// expect lerp_four_offset: refuted race
template <int fault>
__device__ void body(const float* a, const float* b, float* y, unsigned n) {
  unsigned start = blockIdx.x * 512 + threadIdx.x;
#pragma unroll
  for (int j = 0; j < (fault == 1 ? 3 : 4); ++j) {
    unsigned i = start + j * (fault == 2 ? 64 : 128);
    if (i < n) y[i] = a[i] + 0.25f * (b[i] - a[i]);
  }
}
__global__ void lerp_four(const float* a, const float* b, float* y, unsigned n) { body<0>(a, b, y, n); }
__global__ void lerp_four_three(const float* a, const float* b, float* y, unsigned n) { body<1>(a, b, y, n); }
__global__ void lerp_four_offset(const float* a, const float* b, float* y, unsigned n) { body<2>(a, b, y, n); }
