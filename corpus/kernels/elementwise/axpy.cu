// A scalar parameter of a float format stands in the specification by its name.
// expect axpy: proved
// expect axpy ptx: proved
// expect axpy_operands: refuted value
// expect axpy_last: refuted coverage
template <typename T>
struct Axpy {
  __device__ static T apply(T a, T x, T y) { return a * x + y; }
};
__global__ void axpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = Axpy<float>::apply(a, x[i], y[i]);
}
__global__ void axpy_operands(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = Axpy<float>::apply(a, y[i], x[i]);
}
__global__ void axpy_last(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) y[i] = Axpy<float>::apply(a, x[i], y[i]);
}
