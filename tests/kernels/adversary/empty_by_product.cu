// expect gather_by_product: proved
// expect gather_by_product ptx: proved
// expect first_by_product: unrun bounds init
// expect first_by_product ptx: unrun bounds init

// The range of an index tensor's elements is promised of elements that exist: without any, the table may be
// empty (a = 33, b = 11), which no small launch shows.
__global__ void gather_by_product(const int* idx, const float* table, float* out, int n, int m, int a, int b) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= m) return;
  out[i] = i < n ? table[idx[i]] : 0.0f;
}
__global__ void first_by_product(const int* idx, const float* table, float* out, int n, int m, int a, int b) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= m) return;
  const int j = i < n ? idx[i] : 0;
  out[i] = table[j];
}
