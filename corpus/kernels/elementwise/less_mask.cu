// Which elements are less than those of another tensor, as bytes of 0 and 1. A comparison with NaN is false.
// expect less_mask: proved
// expect less_mask ptx: proved
// expect less_mask_greater: refuted value
// expect less_mask_not_greater: refuted value
template <int fault>
__device__ void body(const float* a, const float* b, unsigned char* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  if (fault == 0) y[i] = a[i] < b[i] ? 1 : 0;
  if (fault == 1) y[i] = a[i] > b[i] ? 1 : 0;
  if (fault == 2) y[i] = !(a[i] >= b[i]) ? 1 : 0;
}
__global__ void less_mask(const float* a, const float* b, unsigned char* y, int n) { body<0>(a, b, y, n); }
__global__ void less_mask_greater(const float* a, const float* b, unsigned char* y, int n) { body<1>(a, b, y, n); }
__global__ void less_mask_not_greater(const float* a, const float* b, unsigned char* y, int n) { body<2>(a, b, y, n); }
