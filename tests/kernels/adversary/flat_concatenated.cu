// A flat index whose middle extent is a sum of two.
// expect flat_concatenated: proved
// expect flat_concatenated ptx: proved
// expect flat_concatenated_late: refuted value
// expect flat_concatenated_row ptx: refuted value
__global__ void flat_concatenated(const float* a, const float* b, float* y, int N, int A, int B, int S) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, C = A + B;
  if (i < N * C * S) {
    int s = i % S, c = (i / S) % C, n = i / (S * C);
    y[i] = c < A ? a[(n * A + c) * S + s] : b[(n * B + c - A) * S + s];
  }
}
__global__ void flat_concatenated_late(const float* a, const float* b, float* y, int N, int A, int B, int S) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, C = A + B;
  if (i < N * C * S) {
    int s = i % S, c = (i / S) % C, n = i / (S * C);
    y[i] = c <= A ? a[(n * A + c) * S + s] : b[(n * B + c - A) * S + s];
  }
}
__global__ void flat_concatenated_row(const float* a, const float* b, float* y, int N, int A, int B, int S) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, C = A + B;
  if (i < N * C * S) {
    int s = i % S, c = (i / S) % C, n = i / (S * C);
    y[i] = c < A ? a[(n * A + c) * S + s] : b[(n * A + c - A) * S + s];
  }
}
