// Two matrices side by side.
// expect concat_columns: proved
// expect concat_columns ptx: proved
// expect concat_columns_split: refuted bounds
// expect concat_columns_order: refuted bounds
template <int fault>
__device__ void body(const float* a, const float* b, float* y, unsigned rows, unsigned p, unsigned q) {
  unsigned i = blockIdx.x * 256 + threadIdx.x, w = p + q;
  if (i >= rows * w) return;
  unsigned r = i / w, c = i % w;
  if (fault == 2)
    y[i] = c < q ? b[(size_t)r * q + c] : a[(size_t)r * p + c];
  else
    y[i] = (fault == 1 ? c <= p : c < p) ? a[(size_t)r * p + c] : b[(size_t)r * q + (c - p)];
}
__global__ void concat_columns(const float* a, const float* b, float* y, unsigned rows, unsigned p, unsigned q) { body<0>(a, b, y, rows, p, q); }
__global__ void concat_columns_split(const float* a, const float* b, float* y, unsigned rows, unsigned p, unsigned q) { body<1>(a, b, y, rows, p, q); }
__global__ void concat_columns_order(const float* a, const float* b, float* y, unsigned rows, unsigned p, unsigned q) { body<2>(a, b, y, rows, p, q); }
