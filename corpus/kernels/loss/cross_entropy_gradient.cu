// Probabilities minus one at the label.
// expect cross_entropy_gradient: proved
// expect cross_entropy_gradient ptx: proved
// expect cross_entropy_gradient_label: refuted value
// expect cross_entropy_gradient_scale: refuted value
template <int fault>
__device__ void body(const float* p, const int* label, float* g, unsigned rows, unsigned n) {
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  if (i >= rows * n) return;
  unsigned r = i / n, c = i % n;
  float one = (unsigned)label[fault == 1 ? 0 : r] == c ? 1.0f : 0.0f;
  g[i] = (p[i] - one) * (fault == 2 ? 1.0f : 0.03125f);
}
__global__ void cross_entropy_gradient(const float* p, const int* label, float* g, unsigned rows, unsigned n) { body<0>(p, label, g, rows, n); }
__global__ void cross_entropy_gradient_label(const float* p, const int* label, float* g, unsigned rows, unsigned n) { body<1>(p, label, g, rows, n); }
__global__ void cross_entropy_gradient_scale(const float* p, const int* label, float* g, unsigned rows, unsigned n) { body<2>(p, label, g, rows, n); }
