// expect launch_limits: proved
// expect launch_limits ptx: proved
// expect launch_limits_of_itself: refuted launch
// expect launch_limits_of_itself ptx: refuted launch
// expect launch_limits_shared: refuted launch

// The grid may be empty: nothing is launched then, which the verdict names as an assumption.
__global__ void launch_limits(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) y[i] = x[i];
}
__global__ void __launch_bounds__(64) launch_limits_of_itself(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) y[i] = x[i];
}
__global__ void launch_limits_shared(const unsigned* x, unsigned* y, int n) {
  __shared__ unsigned s[1 << 14];
  const int i = blockIdx.x * 128 + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  if (i < n) y[i] = s[threadIdx.x];
}
