// expect optional_bias: proved
// expect optional_bias ptx: proved
// expect optional_bias_where_none: refuted value
// expect optional_bias_where_none ptx: refuted value
// expect optional_bias_next: open value
// expect optional_bias_next ptx: open value

// A buffer that the specification names is there (an assumption that the verdict names). An address that is
// not the start of one may be 0 for all that is known.
__global__ void optional_bias(const float* x, const float* bias, float* y, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = x[i] + (bias != nullptr ? bias[i] : 0.0f);
}
__global__ void optional_bias_where_none(const float* x, const float* bias, float* y, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = x[i] + (bias == nullptr ? bias[i] : 0.0f);
}
__global__ void optional_bias_next(const float* x, const float* bias, float* y, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = x[i] + ((unsigned long long)bias - 256ull * n != 0 ? bias[i] : 0.0f);
}
