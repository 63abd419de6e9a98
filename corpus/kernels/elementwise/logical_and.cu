// Both masks are set, as bytes of 0 and 1.
// expect logical_and: proved
// expect logical_and ptx: proved
// expect logical_and_or: refuted value
// expect logical_and_first: refuted value
template <int fault>
__device__ void body(const unsigned char* a, const unsigned char* b, unsigned char* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  if (fault == 0) y[i] = a[i] != 0 && b[i] != 0 ? 1 : 0;
  if (fault == 1) y[i] = a[i] != 0 || b[i] != 0 ? 1 : 0;
  if (fault == 2) y[i] = a[i] != 0 ? 1 : 0;
}
__global__ void logical_and(const unsigned char* a, const unsigned char* b, unsigned char* y, int n) { body<0>(a, b, y, n); }
__global__ void logical_and_or(const unsigned char* a, const unsigned char* b, unsigned char* y, int n) { body<1>(a, b, y, n); }
__global__ void logical_and_first(const unsigned char* a, const unsigned char* b, unsigned char* y, int n) { body<2>(a, b, y, n); }
