// A sum of a row is compared, in another shape than the specification's. What the path says of the kernel's
// sum holds of the specification's, and of no other sum.
// expect one_name: proved
// expect one_name_short: refuted value
// expect one_name_other_order: refuted value
// expect one_name ptx: proved
// expect one_name_short ptx: refuted value
__global__ void one_name(const float* x, float* y, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  float s = (0.0f + x[2 * i]) + x[2 * i + 1];
  if (s < __int_as_float(0x7f800000) && 0.0f < s)
    y[i] = s * 2.0f;
  else
    y[i] = s < 0.0f ? 3.0f : s;
}
__global__ void one_name_short(const float* x, float* y, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  float s = (0.0f + x[2 * i]) + x[2 * i + 1], t = 0.0f + x[2 * i];
  if (t < __int_as_float(0x7f800000) && 0.0f < t)
    y[i] = s * 2.0f;
  else
    y[i] = t < 0.0f ? 3.0f : s;
}
__global__ void one_name_other_order(const float* x, float* y, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  float s = (0.0f + x[2 * i]) + x[2 * i + 1], t = (0.5f + x[2 * i]) + (x[2 * i + 1] - 0.5f);
  if (t < __int_as_float(0x7f800000) && 0.0f < t)
    y[i] = s * 2.0f;
  else
    y[i] = t < 0.0f ? 3.0f : s;
}
