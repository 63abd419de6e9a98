// expect integer_extremum: proved
// expect integer_extremum_signed: refuted value
// expect integer_extremum_sum: refuted value
// expect integer_extremum_narrow: refuted value

// A running maximum stays in its format; a sum does not, and the other format's order is another.
template <int fault>
__device__ void body(const unsigned* x, unsigned* y, int n) {
  unsigned m = 0;
  for (int i = 0; i < n; ++i) {
    unsigned e = x[(size_t)blockIdx.x * n + i];
    if (fault == 0) m = max(m, e);
    if (fault == 1) m = (unsigned)max((int)m, (int)e);
    if (fault == 2) m = max(m + 1, e);
    if (fault == 3) m = max(m & 0xffffu, e);
  }
  if (threadIdx.x == 0) y[blockIdx.x] = m;
}
__global__ void integer_extremum(const unsigned* x, unsigned* y, int n) { body<0>(x, y, n); }
__global__ void integer_extremum_signed(const unsigned* x, unsigned* y, int n) { body<1>(x, y, n); }
__global__ void integer_extremum_sum(const unsigned* x, unsigned* y, int n) { body<2>(x, y, n); }
__global__ void integer_extremum_narrow(const unsigned* x, unsigned* y, int n) { body<3>(x, y, n); }
