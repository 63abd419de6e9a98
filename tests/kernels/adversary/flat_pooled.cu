// A flat index over extents that are quotients.
// expect flat_pooled: proved
// expect flat_pooled ptx: proved
// expect flat_pooled_ceiling: refuted value
// expect flat_pooled_ceiling ptx: refuted value
// expect flat_pooled_overlapping: refuted value
// expect flat_pooled_overlapping ptx: refuted value
__global__ void flat_pooled(const float* x, float* y, int C, int H, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, OH = H / 2, OW = W / 2;
  if (i < C * OH * OW) {
    int ow = i % OW, oh = (i / OW) % OH, c = i / (OW * OH);
    float m = x[(c * H + oh * 2) * W + ow * 2];
    m = fmaxf(m, x[(c * H + oh * 2) * W + ow * 2 + 1]);
    m = fmaxf(m, x[(c * H + oh * 2 + 1) * W + ow * 2]);
    y[i] = fmaxf(m, x[(c * H + oh * 2 + 1) * W + ow * 2 + 1]);
  }
}
__global__ void flat_pooled_ceiling(const float* x, float* y, int C, int H, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, OH = (H + 1) / 2, OW = W / 2;
  if (i < C * (H / 2) * OW) {
    int ow = i % OW, oh = (i / OW) % OH, c = i / (OW * OH);
    float m = x[(c * H + oh * 2) * W + ow * 2];
    m = fmaxf(m, x[(c * H + oh * 2) * W + ow * 2 + 1]);
    m = fmaxf(m, x[(c * H + oh * 2 + 1) * W + ow * 2]);
    y[i] = fmaxf(m, x[(c * H + oh * 2 + 1) * W + ow * 2 + 1]);
  }
}
__global__ void flat_pooled_overlapping(const float* x, float* y, int C, int H, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, OH = H / 2, OW = W / 2;
  if (i < C * OH * OW) {
    int ow = i % OW, oh = (i / OW) % OH, c = i / (OW * OH);
    float m = x[(c * H + oh) * W + ow * 2];
    m = fmaxf(m, x[(c * H + oh) * W + ow * 2 + 1]);
    m = fmaxf(m, x[(c * H + oh + 1) * W + ow * 2]);
    y[i] = fmaxf(m, x[(c * H + oh + 1) * W + ow * 2 + 1]);
  }
}
