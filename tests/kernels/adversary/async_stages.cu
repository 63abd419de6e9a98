// A ring of tiles, copied ahead by cp.async: the tile that is read has landed, and the one that is overwritten
// has been read by all.
// expect async_stages: proved
// expect async_stages ptx: proved
// expect async_two_stages: proved
// expect async_two_stages ptx: proved
// expect async_stages_short_wait: refuted race init value
// expect async_stages_short_wait ptx: refuted race init value
// expect async_stages_no_barrier: refuted race
// expect async_stages_no_barrier ptx: refuted race
// expect async_stages_early_issue: refuted race
// expect async_stages_early_issue ptx: refuted race
// expect async_stages_commit_forgotten: refuted race
// expect async_stages_commit_forgotten ptx: refuted race
__device__ void copy16(float* to, const float* from) {
  unsigned address = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int n>
__device__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory");
}
enum Fault { none, short_wait, no_barrier, early_issue, commit_forgotten };
template <int stages, Fault fault>
__device__ void ring(const float* x, float* y, int tiles) {
  __shared__ __align__(16) float s[stages][128];
  const int lane = threadIdx.x;
  for (int t = 0; t < stages - 1; ++t) {
    if (t < tiles) copy16(&s[t][lane * 4], x + t * 128 + lane * 4);
    commit();
  }
#pragma unroll 1
  for (int t = 0; t < tiles; ++t) {
    const int next = t + stages - 1;
    if (fault == early_issue) {
      if (next < tiles) copy16(&s[next % stages][lane * 4], x + next * 128 + lane * 4);
      commit();
      wait<stages - 1>();
      __syncthreads();
    } else {
      wait<fault == short_wait ? stages - 1 : stages - 2>();
      if (fault != no_barrier) __syncthreads();
      if (next < tiles) copy16(&s[next % stages][lane * 4], x + next * 128 + lane * 4);
      if (fault != commit_forgotten) commit();
    }
    for (int k = 0; k < 4; ++k) y[t * 128 + k * 32 + lane] = s[t % stages][127 - (k * 32 + lane)];
  }
}
__global__ void async_stages(const float* x, float* y, int tiles) { ring<3, none>(x, y, tiles); }
__global__ void async_two_stages(const float* x, float* y, int tiles) { ring<2, none>(x, y, tiles); }
__global__ void async_stages_short_wait(const float* x, float* y, int tiles) { ring<3, short_wait>(x, y, tiles); }
__global__ void async_stages_no_barrier(const float* x, float* y, int tiles) { ring<3, no_barrier>(x, y, tiles); }
__global__ void async_stages_early_issue(const float* x, float* y, int tiles) { ring<3, early_issue>(x, y, tiles); }
__global__ void async_stages_commit_forgotten(const float* x, float* y, int tiles) {
  ring<3, commit_forgotten>(x, y, tiles);
}
