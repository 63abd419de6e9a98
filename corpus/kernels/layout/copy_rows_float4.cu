// Rows are copied by four where their length lets every row begin at a multiple of 16 bytes.
// expect copy_rows_float4: proved
// expect copy_rows_float4 ptx: proved
// expect copy_rows_float4_always: refuted alignment
// expect copy_rows_float4_over: refuted bounds
template <int fault>
__device__ void body(const float* a, float* b, int cols) {
  const float* row = a + (size_t)blockIdx.x * cols;
  float* to = b + (size_t)blockIdx.x * cols;
  if (fault == 1 || cols % 4 == 0) {
    int quarters = fault == 2 ? cols / 4 + 1 : cols / 4;
    for (int i = threadIdx.x; i < quarters; i += blockDim.x) ((float4*)to)[i] = ((const float4*)row)[i];
  } else {
    for (int i = threadIdx.x; i < cols; i += blockDim.x) to[i] = row[i];
  }
}
__global__ void copy_rows_float4(const float* a, float* b, int cols) { body<0>(a, b, cols); }
__global__ void copy_rows_float4_always(const float* a, float* b, int cols) { body<1>(a, b, cols); }
__global__ void copy_rows_float4_over(const float* a, float* b, int cols) { body<2>(a, b, cols); }
