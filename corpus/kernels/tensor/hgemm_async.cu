// A B^T of halves by cp.async, ldmatrix and mma.sync: a ring of three tiles in shared memory, two of them under
// way while one is multiplied.
// expect hgemm_async: proved
// expect hgemm_async ptx: unrun value
// expect hgemm_async_short_wait: refuted race init value
// expect hgemm_async_short_wait ptx: refuted race init value
// expect hgemm_async_same_slot: refuted race init value
// expect hgemm_async_same_slot ptx: refuted race init value
// expect hgemm_async_last_tile: refuted value
// expect hgemm_async_last_tile ptx: refuted value
#include <cuda_fp16.h>
#include <cstdint>
enum Fault { none, short_wait, same_slot, last_tile };
__device__ inline uint32_t shared_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ inline void copy16(half* to, const half* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(shared_address(to)), "l"(from) : "memory");
}
__device__ inline void commit() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
template <int groups>
__device__ inline void wait() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(groups) : "memory");
}
template <Fault fault>
__device__ void body(const half* A, const half* B, float* C, unsigned M, unsigned N, unsigned K) {
  constexpr unsigned stages = 3;
  __shared__ __align__(16) half As[stages][16][16];
  __shared__ __align__(16) half Bs[stages][8][16];
  const unsigned row = blockIdx.y * 16, col = blockIdx.x * 8, lane = threadIdx.x;
  const unsigned tiles = K / 16 - (fault == last_tile ? 1 : 0);
  const auto fetch = [&](unsigned tile, unsigned slot) {
    copy16(&As[slot][lane / 2][lane % 2 * 8], &A[(size_t)(row + lane / 2) * K + tile * 16 + lane % 2 * 8]);
    if (lane < 16) copy16(&Bs[slot][lane / 2][lane % 2 * 8], &B[(size_t)(col + lane / 2) * K + tile * 16 + lane % 2 * 8]);
  };
  for (unsigned t = 0; t < stages - 1; ++t) {
    if (t < tiles) fetch(t, t);
    commit();
  }
  float acc[4] = {0, 0, 0, 0};
#pragma unroll 1
  for (unsigned t = 0; t < tiles; ++t) {
    wait<fault == short_wait ? stages - 1 : stages - 2>();
    __syncthreads();
    const unsigned next = t + stages - 1, slot = t % stages;
    if (next < tiles) fetch(next, fault == same_slot ? slot : next % stages);
    commit();
    uint32_t a[4], b[2];
    asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(shared_address(&As[slot][lane % 16][lane / 16 * 8])));
    asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0, %1}, [%2];\n"
                 : "=r"(b[0]), "=r"(b[1])
                 : "r"(shared_address(&Bs[slot][lane % 8][lane / 8 % 2 * 8])));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
        : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  const unsigned g = lane / 4, s = lane % 4;
  *(float2*)&C[(size_t)(row + g) * N + col + s * 2] = make_float2(acc[0], acc[1]);
  *(float2*)&C[(size_t)(row + g + 8) * N + col + s * 2] = make_float2(acc[2], acc[3]);
}
__global__ void hgemm_async(const half* A, const half* B, float* C, unsigned M, unsigned N, unsigned K) {
  body<none>(A, B, C, M, N, K);
}
__global__ void hgemm_async_short_wait(const half* A, const half* B, float* C, unsigned M, unsigned N, unsigned K) {
  body<short_wait>(A, B, C, M, N, K);
}
__global__ void hgemm_async_same_slot(const half* A, const half* B, float* C, unsigned M, unsigned N, unsigned K) {
  body<same_slot>(A, B, C, M, N, K);
}
__global__ void hgemm_async_last_tile(const half* A, const half* B, float* C, unsigned M, unsigned N, unsigned K) {
  body<last_tile>(A, B, C, M, N, K);
}
