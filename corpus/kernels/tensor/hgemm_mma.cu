// A B^T of halves by mma.sync, one warp a tile of 16 x 8, fragments straight from global memory.
// expect hgemm_mma: proved
// expect hgemm_mma ptx: proved
// expect hgemm_mma_half: refuted value
// expect hgemm_mma_half ptx: refuted value
// expect hgemm_mma_rows: refuted value
// expect hgemm_mma_rows ptx: refuted value
__device__ inline void mma16816(float* d, const unsigned* a, const unsigned* b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ inline unsigned pack(const unsigned short* p) { return (unsigned)p[0] | (unsigned)p[1] << 16; }
template <int fault>
__device__ void body(const unsigned short* A, const unsigned short* B, float* C, unsigned M, unsigned N, unsigned K) {
  unsigned lane = threadIdx.x, g = lane / 4u, s = lane % 4u;
  unsigned row = blockIdx.y * 16u, col = blockIdx.x * 8u;
  float acc[4] = {0.f, 0.f, 0.f, 0.f};
  for (unsigned k = 0; k < K; k += 16u) {
    unsigned a[4], b[2];
    const unsigned short* pa = A + (size_t)(row + g) * K + k + s * 2u;
    const unsigned short* pb = B + (size_t)(col + g) * K + k + s * 2u;
    a[0] = pack(pa);
    a[1] = pack(pa + (size_t)8 * K);
    a[2] = pack(pa + (fault == 1 ? 4 : 8));
    a[3] = pack(pa + (size_t)8 * K + 8);
    b[0] = pack(pb);
    b[1] = pack(pb + 8);
    mma16816(acc, a, b);
  }
  size_t at = (size_t)(row + g) * N + col + s * 2u;
  C[at] = acc[0];
  C[at + 1] = acc[fault == 2 ? 2 : 1];
  C[at + (size_t)8 * N] = acc[fault == 2 ? 1 : 2];
  C[at + (size_t)8 * N + 1] = acc[3];
}
__global__ void hgemm_mma(const unsigned short* A, const unsigned short* B, float* C, unsigned M, unsigned N, unsigned K) { body<0>(A, B, C, M, N, K); }
__global__ void hgemm_mma_half(const unsigned short* A, const unsigned short* B, float* C, unsigned M, unsigned N, unsigned K) { body<1>(A, B, C, M, N, K); }
__global__ void hgemm_mma_rows(const unsigned short* A, const unsigned short* B, float* C, unsigned M, unsigned N, unsigned K) { body<2>(A, B, C, M, N, K); }
