// Fourth step: the first addition happens while loading; a tail is guarded.
// expect reduce_first_add: proved
// expect reduce_first_add ptx: proved
// expect reduce_first_add_tail: refuted bounds
// expect reduce_first_add_half: refuted value
template <int fault>
__device__ void body(const float* x, float* y, unsigned n) {
  __shared__ float s[128];
  unsigned t = threadIdx.x;
  size_t i = (size_t)blockIdx.x * 256 + t;
  float a = i < n ? x[i] : 0.0f;
  if (fault == 1 ? i < n : i + 128 < n) a += x[i + (fault == 2 ? 0 : 128)];
  s[t] = a;
  __syncthreads();
#pragma unroll
  for (unsigned o = 64; o > 0; o >>= 1) {
    if (t < o) s[t] += s[t + o];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}
__global__ void reduce_first_add(const float* x, float* y, unsigned n) { body<0>(x, y, n); }
__global__ void reduce_first_add_tail(const float* x, float* y, unsigned n) { body<1>(x, y, n); }
__global__ void reduce_first_add_half(const float* x, float* y, unsigned n) { body<2>(x, y, n); }
