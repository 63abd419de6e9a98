// A flat index taken apart into four digits and put together in another order.
// expect flat_channels_last: proved
// expect flat_channels_last ptx: proved
// expect flat_channels_last_steps: proved
// expect flat_channels_last_steps ptx: proved
// expect flat_channels_last_swapped: refuted value
// expect flat_channels_last_swapped ptx: refuted value
// expect flat_channels_last_radix: refuted bounds value
// expect flat_channels_last_radix ptx: refuted bounds value
// expect flat_channels_last_late ptx: refuted bounds
__global__ void flat_channels_last(const float* x, float* y, int N, int C, int H, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N * C * H * W) return;
  int w = i % W, h = (i / W) % H, c = (i / (W * H)) % C, n = i / (W * H * C);
  y[((n * H + h) * W + w) * C + c] = x[i];
}
__global__ void flat_channels_last_steps(const float* x, float* y, int N, int C, int H, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N * C * H * W) return;
  int t = i, c = t % C;
  t /= C;
  int w = t % W;
  t /= W;
  y[i] = x[((t / H * C + c) * H + t % H) * W + w];
}
__global__ void flat_channels_last_swapped(const float* x, float* y, int N, int C, int H, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N * C * H * W) return;
  int h = i % H, w = (i / H) % W, c = (i / (W * H)) % C, n = i / (W * H * C);
  y[((n * H + h) * W + w) * C + c] = x[i];
}
__global__ void flat_channels_last_radix(const float* x, float* y, int N, int C, int H, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N * C * H * W) return;
  int w = i % W, h = (i / W) % W, c = (i / (W * H)) % C, n = i / (W * H * C);
  y[((n * H + h) * W + w) * C + c] = x[i];
}
__global__ void flat_channels_last_late(const float* x, float* y, int N, int C, int H, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > N * C * H * W) return;
  int w = i % W, h = (i / W) % H, c = (i / (W * H)) % C, n = i / (W * H * C);
  y[((n * H + h) * W + w) * C + c] = x[i];
}
