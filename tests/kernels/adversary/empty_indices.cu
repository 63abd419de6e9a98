// expect padded_gather: proved
// expect padded_gather ptx: proved
// expect padded_by_first: refuted bounds
// expect padded_by_first ptx: refuted bounds

// The range of an index tensor's elements is promised of elements that exist: without any, the table may be
// empty.
__global__ void padded_gather(const int* idx, const float* table, float* out, int n, int m, int rows) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= m) return;
  out[i] = i < n ? table[idx[i]] : 0.0f;
}
__global__ void padded_by_first(const int* idx, const float* table, float* out, int n, int m, int rows) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= m) return;
  const int j = i < n ? idx[i] : 0;
  out[i] = table[j];
}
