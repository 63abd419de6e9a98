// expect intrinsics: proved
// expect intrinsics ptx: proved
// expect intrinsics_added_bytes: proved
// expect intrinsics_added_bytes ptx: proved
// expect intrinsics_copied: proved
// expect intrinsics_copied ptx: unrun value
// expect intrinsics_lowest_bit: refuted value
// expect intrinsics_lowest_bit ptx: refuted value
// expect intrinsics_24_bits: refuted value
// expect intrinsics_24_bits ptx: refuted value
// expect intrinsics_no_carry: refuted value
// expect intrinsics_no_carry ptx: refuted value
// expect intrinsics_saturated: refuted value
// expect intrinsics_saturated ptx: refuted value
// expect intrinsics_half_a_copy: refuted value
// expect intrinsics_half_a_copy ptx: refuted value
// expect intrinsics_copied_beyond: refuted bounds
// expect intrinsics_filled: refuted value
// expect intrinsics_filled ptx: refuted value
#include <cstring>

template <int way>
__device__ int look(const int* x, int i) {
  int v = 0;
  if (way == 0) return (int)__vadd2(x[i], 0);
  if (way == 1) return (int)__vadd4(x[i], 0);
  if (way == 2) memcpy(&v, x + i, sizeof(int));
  if (way == 3) return __ffs(x[i]);
  if (way == 4) return __mul24(x[i], 1);
  if (way == 5) return (int)(__vadd2(x[i], 0x8000) - 0x8000u);
  if (way == 6) return (int)(__vaddss2(x[i], 1) - 1u);
  if (way == 7) memcpy(&v, x + i, 2);
  if (way == 8) std::memcpy(&v, x + i + 1, sizeof(v));
  if (way == 9) {
    v = x[i];
    memset(&v, 0x80, sizeof(v));
  }
  return v;
}
#define KERNEL(NAME, WAY)                                \
  __global__ void NAME(const int* x, int* y, int n) {    \
    const int i = blockIdx.x * blockDim.x + threadIdx.x; \
    if (i < n) y[i] = look<WAY>(x, i);      \
  }
KERNEL(intrinsics, 0)
KERNEL(intrinsics_added_bytes, 1)
KERNEL(intrinsics_copied, 2)
KERNEL(intrinsics_lowest_bit, 3)
KERNEL(intrinsics_24_bits, 4)
KERNEL(intrinsics_no_carry, 5)
KERNEL(intrinsics_saturated, 6)
KERNEL(intrinsics_half_a_copy, 7)
KERNEL(intrinsics_copied_beyond, 8)
KERNEL(intrinsics_filled, 9)
