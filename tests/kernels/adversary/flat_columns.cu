// A flat index of a grid-stride loop, and guards that a compiler joins into one test of a sign.
// expect flat_columns: proved
// expect flat_columns ptx: proved
// expect flat_columns_guard: refuted value
// expect flat_columns_stride: refuted bounds value
__global__ void flat_columns(const float* x, float* col, int C, int H, int W) {
  int n = C * H * W;
  for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < n; index += blockDim.x * gridDim.x) {
    int w_out = index % W, h_index = index / W, h_out = h_index % H, ch = h_index / H;
    float* p = col + ((size_t)ch * 9 * H + h_out) * W + w_out;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        int h = h_out - 1 + i, w = w_out - 1 + j;
        *p = (h >= 0 && w >= 0 && h < H && w < W) ? x[((size_t)ch * H + h) * W + w] : 0;
        p += H * W;
      }
  }
}
__global__ void flat_columns_guard(const float* x, float* col, int C, int H, int W) {
  int n = C * H * W;
  for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < n; index += blockDim.x * gridDim.x) {
    int w_out = index % W, h_index = index / W, h_out = h_index % H, ch = h_index / H;
    float* p = col + ((size_t)ch * 9 * H + h_out) * W + w_out;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        int h = h_out - 1 + i, w = w_out - 1 + j;
        *p = (h >= 0 && w >= -1 && h < H && w < W) ? x[((size_t)ch * H + h) * W + w] : 0;
        p += H * W;
      }
  }
}
__global__ void flat_columns_stride(const float* x, float* col, int C, int H, int W) {
  int n = C * H * W;
  for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < n; index += blockDim.x * gridDim.x) {
    int w_out = index % W, h_index = index / W, h_out = h_index % H, ch = h_index / H;
    float* p = col + ((size_t)ch * 9 * H + h_out) * W + w_out;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        int h = h_out - 1 + i, w = w_out - 1 + j;
        *p = (h >= 0 && w >= 0 && h < H && w < W) ? x[((size_t)ch * H + h) * W + w] : 0;
        p += H * H;
      }
  }
}
