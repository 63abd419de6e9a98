// A flat index over extents that are sums.
// expect flat_padded: proved
// expect flat_padded ptx: proved
// expect flat_padded_past: refuted value
// expect flat_padded_past ptx: refuted value
// expect flat_padded_narrow: refuted value
// expect flat_padded_narrow ptx: refuted value
__global__ void flat_padded(const float* x, float* y, int C, int H, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, PH = H + 2, PW = W + 2;
  if (i < C * PH * PW) {
    int pw = i % PW - 1, ph = i / PW % PH - 1, c = i / (PW * PH);
    y[i] = (pw >= 0 && pw < W && ph >= 0 && ph < H) ? x[(c * H + ph) * W + pw] : 0.f;
  }
}
__global__ void flat_padded_past(const float* x, float* y, int C, int H, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, PH = H + 2, PW = W + 2;
  if (i < C * PH * PW) {
    int pw = i % PW - 1, ph = i / PW % PH - 1, c = i / (PW * PH);
    y[i] = (pw >= 0 && pw <= W && ph >= 0 && ph <= H) ? x[(c * H + ph) * W + pw] : 0.f;
  }
}
__global__ void flat_padded_narrow(const float* x, float* y, int C, int H, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, PH = H + 2, PW = W + 1;
  if (i < C * PH * PW) {
    int pw = i % PW - 1, ph = i / PW % PH - 1, c = i / (PW * PH);
    y[i] = (pw >= 0 && pw < W && ph >= 0 && ph < H) ? x[(c * H + ph) * W + pw] : 0.f;
  }
}
