// Sums of 32 bits whose terms are bounded: whether they stay inside depends on how many there are.
extern "C" __global__ void dot_bytes(const signed char* a, const signed char* b, int* y, int n) {
  const int r = blockIdx.x * 32 + threadIdx.x;
  if (r >= 64) return;
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) sum += a[(size_t)r * n + i] * b[(size_t)r * n + i];
  y[r] = sum;
}

// A counter that stands still now and then, and indexes an array.
extern "C" __global__ void compact_flags(const unsigned char* flags, int* y, int n) {
  const int r = blockIdx.x * 32 + threadIdx.x;
  if (r >= 64) return;
  int count = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i)
    if (flags[(size_t)r * n + i] != 0) count += 2;
  y[r] = count;
}
