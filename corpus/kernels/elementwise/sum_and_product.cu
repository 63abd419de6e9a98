// Two outputs of one pass.
// expect sum_and_product: proved
// expect sum_and_product ptx: proved
// expect sum_and_product_swapped: refuted value
// expect sum_and_product_one: refuted coverage
template <int fault>
__device__ void body(const float* a, const float* b, float* s, float* p, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  float u = a[i], v = b[i];
  s[i] = fault == 1 ? u * v : u + v;
  if (fault != 2 || i > 0) p[i] = fault == 1 ? u + v : u * v;
}
__global__ void sum_and_product(const float* a, const float* b, float* s, float* p, int n) { body<0>(a, b, s, p, n); }
__global__ void sum_and_product_swapped(const float* a, const float* b, float* s, float* p, int n) { body<1>(a, b, s, p, n); }
__global__ void sum_and_product_one(const float* a, const float* b, float* s, float* p, int n) { body<2>(a, b, s, p, n); }
