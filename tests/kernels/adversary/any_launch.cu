// A grid-stride loop under any grid and block. With a signed counter it wraps around near 2^31: the counterexample is a
// launch of which a few blocks are executed.
// expect any_launch: proved
// expect any_launch ptx: proved
// expect any_launch_late: refuted coverage
// expect any_launch_late ptx: refuted coverage
// expect any_launch_far: refuted coverage
// expect any_launch_far ptx: refuted coverage
// expect any_launch_wraps: refuted bounds
// expect any_launch_wraps ptx: refuted bounds
// expect any_launch_signed: refuted overflow
__global__ void any_launch(const unsigned* x, unsigned* y, int n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < (unsigned)n; i += blockDim.x * gridDim.x) y[i] = x[i] + 1;
}
__global__ void any_launch_late(const unsigned* x, unsigned* y, int n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x + 1; i < (unsigned)n; i += blockDim.x * gridDim.x) y[i] = x[i] + 1;
}
__global__ void any_launch_far(const unsigned* x, unsigned* y, int n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < (unsigned)n; i += blockDim.x * gridDim.x + 1) y[i] = x[i] + 1;
}
__global__ void any_launch_wraps(const unsigned* x, unsigned* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = x[i] + 1;
}
__global__ void any_launch_signed(const unsigned* x, unsigned* y, int n) {
  int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) y[i] = x[i] + 1;
}
