// One test for the signs of two numbers.
// expect sign_of_two: proved
// expect sign_of_two ptx: proved
// expect sign_of_two_and: refuted value
// expect sign_of_two_and ptx: refuted value
// expect sign_of_two_xor: refuted value
// expect sign_of_two_xor ptx: refuted value
// expect sign_of_two_zero: refuted value
// expect sign_of_two_zero ptx: refuted value
// expect sign_of_two_negated: proved
// expect sign_of_two_negated ptx: proved
__global__ void sign_of_two(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int a = i - 3, b = n - 4 - i;
  y[i] = (a | b) >= 0 ? x[i] : 0.f;
}
__global__ void sign_of_two_and(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int a = i - 3, b = n - 4 - i;
  y[i] = (a & b) >= 0 ? x[i] : 0.f;
}
__global__ void sign_of_two_xor(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int a = i - 3, b = n - 4 - i;
  y[i] = (a ^ b) >= 0 ? x[i] : 0.f;
}
__global__ void sign_of_two_zero(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int a = i - 3, b = n - 4 - i;
  y[i] = (a | b) >= 1 ? x[i] : 0.f;
}
__global__ void sign_of_two_negated(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int a = i - 3, b = n - 4 - i;
  y[i] = (~a & ~b) < 0 ? x[i] : 0.f;
}
