// expect tensor_core: unrun value
// expect tensor_core ptx: unrun value
// expect tensor_core_divergent: open shuffle
// expect tensor_core_divergent ptx: open shuffle
// expect tensor_core_race: open race
// expect tensor_core_race ptx: open race

// Fragments by ldmatrix, a product by mma.sync: its bits are not specified, everything around it is decided.
__device__ void product(const unsigned short* rows, float* acc) {
  unsigned a[4], b[2];
  unsigned from = (unsigned)__cvta_generic_to_shared(rows);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"(from)
               : "memory");
  b[0] = a[0];
  b[1] = a[1];
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__global__ void tensor_core(const unsigned short* x, float* y) {
  __shared__ __align__(16) unsigned short s[256];
  int t = threadIdx.x;
  for (int k = 0; k < 8; ++k) s[k * 32 + t] = x[blockIdx.x * 256 + k * 32 + t];
  __syncthreads();
  float acc[4] = {0, 0, 0, 0};
  product(s + (t % 16) * 16 + (t / 16) * 8, acc);
  for (int k = 0; k < 4; ++k) y[blockIdx.x * 128 + k * 32 + t] = acc[k];
}
__global__ void tensor_core_divergent(const unsigned short* x, float* y) {
  __shared__ __align__(16) unsigned short s[256];
  int t = threadIdx.x;
  for (int k = 0; k < 8; ++k) s[k * 32 + t] = x[blockIdx.x * 256 + k * 32 + t];
  __syncthreads();
  float acc[4] = {0, 0, 0, 0};
  if (t < 31) product(s + (t % 16) * 16 + (t / 16) * 8, acc);
  for (int k = 0; k < 4; ++k) y[blockIdx.x * 128 + k * 32 + t] = acc[k];
}
__global__ void tensor_core_race(const unsigned short* x, float* y) {
  __shared__ __align__(16) unsigned short s[256];
  int t = threadIdx.x;
  for (int k = 0; k < 8; ++k) s[k * 32 + t] = x[blockIdx.x * 256 + k * 32 + t];
  float acc[4] = {0, 0, 0, 0};
  product(s + (t % 16) * 16 + (t / 16) * 8, acc);
  for (int k = 0; k < 4; ++k) y[blockIdx.x * 128 + k * 32 + t] = acc[k];
}
