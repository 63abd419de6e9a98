// A row a block: two sums by a tree over 128 threads, the second over differences from the first.
extern "C" __global__ void layer_norm(const float* x, const float* g, const float* b, float* y, int n) {
  int row = blockIdx.x, t = threadIdx.x;
  __shared__ float red[128];
  float s = 0.0f;
  for (int i = t; i < n; i += 128) s += x[row * n + i];
  red[t] = s; __syncthreads();
  for (int o = 64; o > 0; o >>= 1) { if (t < o) red[t] += red[t + o]; __syncthreads(); }
  float mean = red[0] / n;
  __syncthreads();
  s = 0.0f;
  for (int i = t; i < n; i += 128) { float d = x[row * n + i] - mean; s += d * d; }
  red[t] = s; __syncthreads();
  for (int o = 64; o > 0; o >>= 1) { if (t < o) red[t] += red[t + o]; __syncthreads(); }
  float inv = rsqrtf(red[0] / n + 1e-5f);
  for (int i = t; i < n; i += 128) y[row * n + i] = (x[row * n + i] - mean) * inv * g[i] + b[i];
}

// Divides the variance by n - 1.
extern "C" __global__ void layer_norm_wrong_count(const float* x, const float* g, const float* b, float* y, int n) {
  int row = blockIdx.x, t = threadIdx.x;
  __shared__ float red[128];
  float s = 0.0f;
  for (int i = t; i < n; i += 128) s += x[row * n + i];
  red[t] = s; __syncthreads();
  for (int o = 64; o > 0; o >>= 1) { if (t < o) red[t] += red[t + o]; __syncthreads(); }
  float mean = red[0] / n;
  __syncthreads();
  s = 0.0f;
  for (int i = t; i < n; i += 128) { float d = x[row * n + i] - mean; s += d * d; }
  red[t] = s; __syncthreads();
  for (int o = 64; o > 0; o >>= 1) { if (t < o) red[t] += red[t + o]; __syncthreads(); }
  float inv = rsqrtf(red[0] / (n - 1) + 1e-5f);
  for (int i = t; i < n; i += 128) y[row * n + i] = (x[row * n + i] - mean) * inv * g[i] + b[i];
}

// Adds up half of the second sum.
extern "C" __global__ void layer_norm_half_the_lanes(const float* x, const float* g, const float* b, float* y, int n) {
  int row = blockIdx.x, t = threadIdx.x;
  __shared__ float red[128];
  float s = 0.0f;
  for (int i = t; i < n; i += 128) s += x[row * n + i];
  red[t] = s; __syncthreads();
  for (int o = 32; o > 0; o >>= 1) { if (t < o) red[t] += red[t + o]; __syncthreads(); }
  float mean = red[0] / n;
  __syncthreads();
  s = 0.0f;
  for (int i = t; i < n; i += 128) { float d = x[row * n + i] - mean; s += d * d; }
  red[t] = s; __syncthreads();
  for (int o = 64; o > 0; o >>= 1) { if (t < o) red[t] += red[t + o]; __syncthreads(); }
  float inv = rsqrtf(red[0] / n + 1e-5f);
  for (int i = t; i < n; i += 128) y[row * n + i] = (x[row * n + i] - mean) * inv * g[i] + b[i];
}
