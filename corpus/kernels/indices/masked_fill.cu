// A large negative number where the mask is set.
// expect masked_fill: proved
// expect masked_fill ptx: proved
// expect masked_fill_inverted: refuted value
// expect masked_fill_in_place: refuted coverage
template <int fault>
__device__ void body(const float* x, const unsigned char* m, float* y, size_t n) {
  for (size_t i = (size_t)blockIdx.x * 128 + threadIdx.x; i < n; i += (size_t)gridDim.x * 128) {
    bool set = (m[i] != 0) != (fault == 1);
    if (fault != 2 || set) y[i] = set ? -65536.0f : x[i];
  }
}
__global__ void masked_fill(const float* x, const unsigned char* m, float* y, size_t n) { body<0>(x, m, y, n); }
__global__ void masked_fill_inverted(const float* x, const unsigned char* m, float* y, size_t n) { body<1>(x, m, y, n); }
__global__ void masked_fill_in_place(const float* x, const unsigned char* m, float* y, size_t n) { body<2>(x, m, y, n); }
