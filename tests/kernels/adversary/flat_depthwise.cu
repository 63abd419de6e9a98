// A flat index over extents that are differences.
// expect flat_depthwise: proved
// expect flat_depthwise ptx: proved
// expect flat_depthwise_kernel: refuted value
__global__ void flat_depthwise(const float* x, const float* k, float* y, int N, int C, int H, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, OH = H - 2, OW = W - 2;
  if (i >= N * C * OH * OW) return;
  int w = i % OW, h = (i / OW) % OH, c = (i / OW / OH) % C, n = i / OW / OH / C;
  float s = 0;
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) s += x[((n * C + c) * H + h + a) * W + w + b] * k[c * 9 + a * 3 + b];
  y[i] = s;
}
__global__ void flat_depthwise_kernel(const float* x, const float* k, float* y, int N, int C, int H, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, OH = H - 2, OW = W - 2;
  if (i >= N * C * OH * OW) return;
  int w = i % OW, h = (i / OW) % OH, c = (i / OW / OH) % C, n = i / OW / OH / C;
  float s = 0;
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) s += x[((n * C + c) * H + h + a) * W + w + b] * k[c * 9 + b * 3 + a];
  y[i] = s;
}
