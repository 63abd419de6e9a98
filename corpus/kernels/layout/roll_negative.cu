// A circular shift to the right: the remainder of a negative number is brought back into the row.
// expect roll_negative: proved
// expect roll_negative ptx: proved
// expect roll_negative_plain: refuted bounds
// expect roll_negative_left: refuted value
template <int fault>
__device__ void body(const unsigned* x, unsigned* y, int n, int k) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  int shift = fault == 2 ? -k : k;
  y[i] = fault == 1 ? x[(i - k) % n] : x[((i - shift) % n + n) % n];
}
__global__ void roll_negative(const unsigned* x, unsigned* y, int n, int k) { body<0>(x, y, n, k); }
__global__ void roll_negative_plain(const unsigned* x, unsigned* y, int n, int k) { body<1>(x, y, n, k); }
__global__ void roll_negative_left(const unsigned* x, unsigned* y, int n, int k) { body<2>(x, y, n, k); }
