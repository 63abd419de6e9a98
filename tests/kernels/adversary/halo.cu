// A tile with an element more at either end, each written by one thread whose condition nvcc states as the failure of
// either of two.
// expect halo: proved
// expect halo ptx: proved
// expect halo_one_more: refuted init frame
// expect halo_one_more ptx: refuted init frame
// expect halo_late: refuted init value
// expect halo_late ptx: refuted init value
__global__ void halo(const unsigned* x, unsigned* y, int n) {
  __shared__ unsigned s[130];
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) s[threadIdx.x + 1] = x[i];
  if (threadIdx.x == 0 && i > 0) s[0] = x[i - 1];
  if (threadIdx.x == 127 && i + 1 < n) s[129] = x[i + 1];
  __syncthreads();
  if (i > 0 && i + 1 < n) y[i] = s[threadIdx.x] + s[threadIdx.x + 1] + s[threadIdx.x + 2];
}
__global__ void halo_one_more(const unsigned* x, unsigned* y, int n) {
  __shared__ unsigned s[130];
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) s[threadIdx.x + 1] = x[i];
  if (threadIdx.x == 0 && i > 0) s[0] = x[i - 1];
  if (threadIdx.x == 127 && i + 1 < n) s[129] = x[i + 1];
  __syncthreads();
  if (i > 0 && i < n) y[i] = s[threadIdx.x] + s[threadIdx.x + 1] + s[threadIdx.x + 2];
}
__global__ void halo_late(const unsigned* x, unsigned* y, int n) {
  __shared__ unsigned s[130];
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) s[threadIdx.x + 1] = x[i];
  if (threadIdx.x == 0 && i > 0) s[0] = x[i - 1];
  if (threadIdx.x == 127 && i + 1 < n) s[128] = x[i + 1];
  __syncthreads();
  if (i > 0 && i + 1 < n) y[i] = s[threadIdx.x] + s[threadIdx.x + 1] + s[threadIdx.x + 2];
}
