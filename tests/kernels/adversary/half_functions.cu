// expect half_functions: proved
// expect half_functions ptx: proved
// expect half_functions_unordered: unrun value
// expect half_functions_unordered ptx: unrun value
// expect half_functions_swapped_twice: proved
// expect half_functions_swapped_twice ptx: proved
// expect half_functions_number_wins: refuted value
// expect half_functions_number_wins ptx: refuted value
// expect half_functions_ordered: refuted value
// expect half_functions_ordered ptx: refuted value
// expect half_functions_swapped: refuted value
// expect half_functions_swapped ptx: refuted value
// expect half_functions_floor: refuted value
#include <cuda_fp16.h>

// A maximum to which NaN spreads; comparisons that hold where an operand is NaN; halves that change places.
template <int way>
__device__ __half look(__half a, __half b) {
  if (way == 0) return __hmax_nan(a, b);
  if (way == 1) return __hgeu(a, b) ? __hmax_nan(a, b) : b;
  if (way == 2) return __low2half(__lowhigh2highlow(__lowhigh2highlow(__halves2half2(__hmax_nan(a, b), b))));
  if (way == 3) return __hmax(a, b);
  if (way == 4) return __hge(a, b) ? __hmax_nan(a, b) : b;
  if (way == 5) return __low2half(__lowhigh2highlow(__halves2half2(__hmax_nan(a, b), b)));
  return hfloor(__hmax_nan(a, b));
}
#define KERNEL(NAME, WAY)                                                      \
  __global__ void NAME(const __half* x, const __half* z, __half* y, int n) {   \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                       \
    if (i < n) y[i] = look<WAY>(x[i], z[i]);                                   \
  }
KERNEL(half_functions, 0)
KERNEL(half_functions_unordered, 1)
KERNEL(half_functions_swapped_twice, 2)
KERNEL(half_functions_number_wins, 3)
KERNEL(half_functions_ordered, 4)
KERNEL(half_functions_swapped, 5)
KERNEL(half_functions_floor, 6)
