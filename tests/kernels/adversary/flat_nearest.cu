// Digits of a flat index that are halved.
// expect flat_nearest: proved
// expect flat_nearest ptx: proved
// expect flat_nearest_rounded: refuted value
// expect flat_nearest_rounded ptx: refuted value
// expect flat_nearest_unhalved: refuted bounds
// expect flat_nearest_unhalved ptx: refuted bounds
__global__ void flat_nearest(const float* x, float* y, int C, int H, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < C * (2 * H) * (2 * W)) {
    int ow = i % (2 * W), oh = i / (2 * W) % (2 * H), c = i / (2 * W) / (2 * H);
    y[i] = x[(c * H + oh / 2) * W + ow / 2];
  }
}
__global__ void flat_nearest_rounded(const float* x, float* y, int C, int H, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < C * (2 * H) * (2 * W)) {
    int ow = i % (2 * W), oh = i / (2 * W) % (2 * H), c = i / (2 * W) / (2 * H);
    y[i] = x[(c * H + (oh + 1) / 2 % H) * W + ow / 2];
  }
}
__global__ void flat_nearest_unhalved(const float* x, float* y, int C, int H, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < C * (2 * H) * (2 * W)) {
    int ow = i % (2 * W), oh = i / (2 * W) % (2 * H), c = i / (2 * W) / (2 * H);
    y[i] = x[(c * H + oh / 2) * W + ow];
  }
}
