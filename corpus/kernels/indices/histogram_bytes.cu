// Counts of each byte by atomics in global memory.
// expect histogram_bytes: proved
// expect histogram_bytes ptx: proved
// expect histogram_bytes_plain: refuted race
// expect histogram_bytes_bin: refuted bounds
template <int fault>
__device__ void body(const unsigned char* x, unsigned* y, unsigned n) {
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  if (fault == 1)
    y[x[i]] += 1;
  else
    atomicAdd(&y[fault == 2 ? x[i] + 1 : x[i]], 1u);
}
__global__ void histogram_bytes(const unsigned char* x, unsigned* y, unsigned n) { body<0>(x, y, n); }
__global__ void histogram_bytes_plain(const unsigned char* x, unsigned* y, unsigned n) { body<1>(x, y, n); }
__global__ void histogram_bytes_bin(const unsigned char* x, unsigned* y, unsigned n) { body<2>(x, y, n); }
