// expect masked_by_bytes: proved
// expect masked_by_bytes ptx: proved
// expect masked_by_bools: refuted ub
// expect masked_by_bools ptx: refuted value
// expect masked_by_copies: open ub
// expect masked_by_copies ptx: refuted value

// A byte that is neither 0 nor 1 is no bool: C++ leaves open what reading it as one gives.
__global__ void masked_by_bytes(const float* x, const unsigned char* mask, float* y, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = (mask[i] & 1) != 0 ? x[i] : 0.0f;
}
__global__ void masked_by_bools(const float* x, const bool* mask, float* y, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = mask[i] ? x[i] : 0.0f;
}
__global__ void masked_by_copies(const float* x, const bool* mask, float* y, int n) {
  struct Held {
    bool value;
  };
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  const Held held = *(const Held*)(mask + i);
  y[i] = held.value ? x[i] : 0.0f;
}
