// [tokens, heads * 64] to [heads, tokens, 64].
// expect split_heads: proved
// expect split_heads ptx: proved
// expect split_heads_mixed: refuted value
// expect split_heads_guard: refuted bounds
template <int fault>
__device__ void body(const float* x, float* y, unsigned tokens, unsigned heads) {
  unsigned d = threadIdx.x, t = blockIdx.x * 4 + threadIdx.y, h = blockIdx.y;
  if (fault != 2 && t >= tokens) return;
  y[((size_t)h * tokens + t) * 64 + d] = x[((size_t)t * heads + h) * 64 + (fault == 1 ? 63 - d : d)];
}
__global__ void split_heads(const float* x, float* y, unsigned tokens, unsigned heads) { body<0>(x, y, tokens, heads); }
__global__ void split_heads_mixed(const float* x, float* y, unsigned tokens, unsigned heads) { body<1>(x, y, tokens, heads); }
__global__ void split_heads_guard(const float* x, float* y, unsigned tokens, unsigned heads) { body<2>(x, y, tokens, heads); }
