// A digit of a flat index that is taken apart again.
// expect flat_shuffled: proved
// expect flat_shuffled ptx: proved
// expect flat_shuffled_groups: refuted value
// expect flat_shuffled_groups ptx: refuted value
// expect flat_shuffled_wide: refuted race
// expect flat_shuffled_wide ptx: refuted race
__global__ void flat_shuffled(const float* x, float* y, int N, int G, int K, int S) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N * G * K * S) {
    int s = i % S, c = i / S % (G * K), n = i / S / (G * K), g = c / K, k = c % K;
    y[((n * K + k) * G + g) * S + s] = x[i];
  }
}
__global__ void flat_shuffled_groups(const float* x, float* y, int N, int G, int K, int S) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N * G * K * S) {
    int s = i % S, c = i / S % (G * K), n = i / S / (G * K), g = c % G, k = c / G;
    y[((n * K + k) * G + g) * S + s] = x[i];
  }
}
__global__ void flat_shuffled_wide(const float* x, float* y, int N, int G, int K, int S) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N * G * K * S) {
    int s = i % S, c = i / S % (G * K), n = i / S / (G * K + 1), g = c / K, k = c % K;
    y[((n * K + k) * G + g) * S + s] = x[i];
  }
}
