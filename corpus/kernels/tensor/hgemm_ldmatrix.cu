// A B^T of halves by ldmatrix and mma.sync, tiles in shared memory.
// expect hgemm_ldmatrix: proved
// expect hgemm_ldmatrix ptx: proved
// expect hgemm_ldmatrix_swap: refuted value
// expect hgemm_ldmatrix_swap ptx: refuted value
// expect hgemm_ldmatrix_barrier: refuted race
// expect hgemm_ldmatrix_barrier ptx: refuted race
#include <cuda_fp16.h>
#include <cstdint>
#define LDMATRIX_X2(R0, R1, addr) asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0, %1}, [%2];\n" : "=r"(R0), "=r"(R1) : "r"(addr))
#define LDMATRIX_X2T(R0, R1, addr) asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%0, %1}, [%2];\n" : "=r"(R0), "=r"(R1) : "r"(addr))
#define LDMATRIX_X4(R0, R1, R2, R3, addr) asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n" : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3) : "r"(addr))
__device__ inline void mma16816(float* d, const uint32_t* a, const uint32_t* b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// B row-major K x N when trans.
template <int fault, bool trans>
__device__ void body(const half* A, const half* B, float* C, unsigned M, unsigned N, unsigned K) {
  const unsigned row = blockIdx.y * 16, col = blockIdx.x * 8;
  __shared__ __align__(16) half As[16][16];
  __shared__ __align__(16) half Bs[trans ? 16 : 8][trans ? 8 : 16];
  const unsigned lane = threadIdx.x;
  float acc[4] = {0, 0, 0, 0};
#pragma unroll 1
  for (unsigned k = 0; k < K; k += 16) {
    *((int4*)(&As[lane / 2][0]) + lane % 2) = *((const int4*)(&A[(size_t)(row + lane / 2) * K + k]) + lane % 2);
    if (lane < 16) {
      if (trans) *((int4*)(&Bs[lane][0])) = *((const int4*)(&B[(size_t)(k + lane) * N + col]));
      else *((int4*)(&Bs[lane / 2][0]) + lane % 2) = *((const int4*)(&B[(size_t)(col + lane / 2) * K + k]) + lane % 2);
    }
    __syncthreads();
    uint32_t a[4], b[2];
    LDMATRIX_X4(a[0], a[1], a[2], a[3], (uint32_t)__cvta_generic_to_shared(&As[lane % 16][(lane / 16) * 8]));
    if (trans) { LDMATRIX_X2T(b[0], b[1], (uint32_t)__cvta_generic_to_shared(&Bs[lane % 16][0])); }
    else { LDMATRIX_X2(b[0], b[1], (uint32_t)__cvta_generic_to_shared(&Bs[lane % 8][((lane / 8) % 2) * 8])); }
    mma16816(acc, a, b);
    if (fault != 2) __syncthreads();
  }
  unsigned g = lane / 4, s = lane % 4;
  *(float2*)&C[(size_t)(row + g) * N + col + s * 2] = make_float2(acc[0], acc[1]);
  *(float2*)&C[(size_t)(row + g + 8) * N + col + s * 2] = make_float2(acc[fault == 1 ? 3 : 2], acc[fault == 1 ? 2 : 3]);
}
__global__ void hgemm_ldmatrix(const half* A, const half* B, float* C, unsigned M, unsigned N, unsigned K) {
  body<0, false>(A, B, C, M, N, K);
}
__global__ void hgemm_ldmatrix_swap(const half* A, const half* B, float* C, unsigned M, unsigned N, unsigned K) {
  body<1, false>(A, B, C, M, N, K);
}
__global__ void hgemm_ldmatrix_barrier(const half* A, const half* B, float* C, unsigned M, unsigned N, unsigned K) {
  body<2, false>(A, B, C, M, N, K);
}
