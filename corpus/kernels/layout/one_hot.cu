// A row of zeros with a one where the label says.
// expect one_hot: proved
// expect one_hot ptx: proved
// expect one_hot_shifted: refuted value
// expect one_hot_sparse: refuted coverage
template <int fault>
__device__ void body(const int* label, float* y, unsigned rows, unsigned classes) {
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  if (i >= rows * classes) return;
  unsigned r = i / classes, c = i % classes;
  bool hit = (unsigned)label[r] == (fault == 1 ? c + 1 : c);
  if (fault != 2 || hit) y[i] = hit ? 1.0f : 0.0f;
}
__global__ void one_hot(const int* label, float* y, unsigned rows, unsigned classes) { body<0>(label, y, rows, classes); }
__global__ void one_hot_shifted(const int* label, float* y, unsigned rows, unsigned classes) { body<1>(label, y, rows, classes); }
__global__ void one_hot_sparse(const int* label, float* y, unsigned rows, unsigned classes) { body<2>(label, y, rows, classes); }
