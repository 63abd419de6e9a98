// Two clauses of the specification name one element with two values.
// expect two_ensures: refuted value
// expect two_ensures_other: refuted value
__global__ void two_ensures(const float* x, float* y, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = x[i];
}
__global__ void two_ensures_other(const float* x, float* y, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = i == 1000 ? 0.0f : x[i];
}
