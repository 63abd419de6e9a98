// A B^T of halves with sums in halves: 16 bytes a thread into shared memory, ldmatrix, mma.sync, and the tile
// back through shared memory.
// expect hgemm_half_sums: proved
// expect hgemm_half_sums ptx: proved
// expect hgemm_half_sums_sync: refuted race
// expect hgemm_half_sums_sync ptx: refuted race
// expect hgemm_half_sums_swap: refuted value
// expect hgemm_half_sums_swap ptx: refuted value
// expect hgemm_half_sums_late: refuted race
// expect hgemm_half_sums_late ptx: refuted race
#include <cuda_fp16.h>
#include <cstdint>
#define LDMATRIX_X2(R0, R1, addr) asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0, %1}, [%2];\n" : "=r"(R0), "=r"(R1) : "r"(addr))
#define LDMATRIX_X4(R0, R1, R2, R3, addr) asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n" : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3) : "r"(addr))
#define HMMA16816(RD0, RD1, RA0, RA1, RA2, RA3, RB0, RB1, RC0, RC1) asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};\n" : "=r"(RD0), "=r"(RD1) : "r"(RA0), "r"(RA1), "r"(RA2), "r"(RA3), "r"(RB0), "r"(RB1), "r"(RC0), "r"(RC1))
template <int fault>
__device__ void body(const half* A, const half* B, half* C, size_t M, size_t N, size_t K) {
  const size_t K_tiles = K / 16;
  const size_t warp_row = blockIdx.y * 16, warp_col = blockIdx.x * 8;
  __shared__ __align__(16) half A_smem[16][16];
  __shared__ __align__(16) half B_smem[8][16];
  __shared__ __align__(16) half C_smem[16][8];
  const size_t lane_id = threadIdx.x % 32;
  uint32_t RC[2] = {0, 0};
#pragma unroll 1
  for (size_t i = 0; i < K_tiles; ++i) {
    *((int4*)(&A_smem[lane_id / 2][0]) + lane_id % 2) = *((const int4*)(&A[(warp_row + lane_id / 2) * K + i * 16]) + lane_id % 2);
    if (lane_id < 8 * 2) *((int4*)(&B_smem[lane_id / 2][0]) + lane_id % 2) = *((const int4*)(&B[i * 16 + (warp_col + lane_id / 2) * K]) + lane_id % 2);
    if (fault != 1) __syncthreads();
    uint32_t RA[4], RB[2];
    uint32_t a = (uint32_t)__cvta_generic_to_shared(&A_smem[lane_id % 16][(lane_id / 16) * 8]);
    LDMATRIX_X4(RA[0], RA[1], RA[2], RA[3], a);
    uint32_t b = (uint32_t)__cvta_generic_to_shared(&B_smem[lane_id % 8][((lane_id / 8) % 2) * 8]);
    LDMATRIX_X2(RB[0], RB[1], b);
    if (fault == 2) { HMMA16816(RC[0], RC[1], RA[0], RA[2], RA[1], RA[3], RB[0], RB[1], RC[0], RC[1]); }
    else { HMMA16816(RC[0], RC[1], RA[0], RA[1], RA[2], RA[3], RB[0], RB[1], RC[0], RC[1]); }
    if (fault != 3) __syncthreads();
  }
  *((uint32_t*)(&C_smem[lane_id / 4][0]) + lane_id % 4) = RC[0];
  *((uint32_t*)(&C_smem[lane_id / 4 + 8][0]) + lane_id % 4) = RC[1];
  __syncthreads();
  if (lane_id < 16) *((int4*)(&C[(warp_row + lane_id) * N + warp_col])) = *((int4*)(&C_smem[lane_id][0]));
}
__global__ void hgemm_half_sums(const half* A, const half* B, half* C, size_t M, size_t N, size_t K) { body<0>(A, B, C, M, N, K); }
__global__ void hgemm_half_sums_sync(const half* A, const half* B, half* C, size_t M, size_t N, size_t K) { body<1>(A, B, C, M, N, K); }
__global__ void hgemm_half_sums_swap(const half* A, const half* B, half* C, size_t M, size_t N, size_t K) { body<2>(A, B, C, M, N, K); }
__global__ void hgemm_half_sums_late(const half* A, const half* B, half* C, size_t M, size_t N, size_t K) { body<3>(A, B, C, M, N, K); }
