// Partial products of a matrix and a vector: block y takes its part of k.
// expect split_k: proved
// expect split_k ptx: proved
// expect split_k_overlap: refuted value
// expect split_k_tail: refuted bounds
#define SPLIT(START, END)                                              \
  unsigned r = blockIdx.x * 64 + threadIdx.x, part = blockIdx.y;       \
  if (r >= M) return;                                                  \
  float a = 0.0f, b = 0.0f;                                            \
  for (unsigned k = START; k < END; k += 2) {                          \
    a += A[(size_t)r * 512 + k] * v[k];                                \
    b += A[(size_t)r * 512 + k + 1] * v[k + 1];                        \
  }                                                                    \
  y[(size_t)part * M + r] = a + b;
__global__ void split_k(const float* A, const float* v, float* y, unsigned M) { SPLIT(part * 128, part * 128 + 128) }
__global__ void split_k_overlap(const float* A, const float* v, float* y, unsigned M) { SPLIT(part * 126, part * 126 + 128) }
__global__ void split_k_tail(const float* A, const float* v, float* y, unsigned M) { SPLIT(part * 128, part * 128 + 130) }
