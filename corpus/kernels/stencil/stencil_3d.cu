// Seven points in three dimensions.
// expect stencil_3d: proved
// expect stencil_3d ptx: proved
// expect stencil_3d_plane: refuted value
// expect stencil_3d_edge: refuted bounds
template <int fault>
__device__ void body(const float* x, float* y, int D, int H, int W) {
  int k = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 4 + threadIdx.y, i = blockIdx.z;
  if ((fault == 2 ? k > W - 2 : k >= W - 2) || j >= H - 2) return;
  size_t plane = (size_t)H * W, at = (i + 1) * plane + (size_t)(j + 1) * W + (k + 1);
  float a = x[at] * 6.0f - x[at - 1] - x[at + 1] - x[at - W] - x[at + W] - x[at - (fault == 1 ? W : plane)] - x[at + plane];
  y[((size_t)i * (H - 2) + j) * (W - 2) + k] = a;
}
__global__ void stencil_3d(const float* x, float* y, int D, int H, int W) { body<0>(x, y, D, H, W); }
__global__ void stencil_3d_plane(const float* x, float* y, int D, int H, int W) { body<1>(x, y, D, H, W); }
__global__ void stencil_3d_edge(const float* x, float* y, int D, int H, int W) { body<2>(x, y, D, H, W); }
