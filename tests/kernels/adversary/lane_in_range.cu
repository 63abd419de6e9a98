// The second result of a shuffle says whether the source lane is in the segment: of an exclusive or beyond the
// segment it is not.
// expect lane_in_range: proved
// expect lane_in_range ptx: proved
// expect lane_in_range_beyond: refuted value
// expect lane_in_range_beyond ptx: refuted value
__global__ void lane_in_range(const int* x, int* y) {
  int i = blockIdx.x * 32 + threadIdx.x, v, p;
  asm volatile("{ .reg .pred q; shfl.sync.bfly.b32 %0|q, %2, 8, 0x101f, 0xffffffff; selp.b32 %1, 1, 0, q; }"
               : "=r"(v), "=r"(p)
               : "r"(x[i]));
  y[i] = p;
}
__global__ void lane_in_range_beyond(const int* x, int* y) {
  int i = blockIdx.x * 32 + threadIdx.x, v, p;
  asm volatile("{ .reg .pred q; shfl.sync.bfly.b32 %0|q, %2, 16, 0x101f, 0xffffffff; selp.b32 %1, 1, 0, q; }"
               : "=r"(v), "=r"(p)
               : "r"(x[i]));
  y[i] = p;
}
