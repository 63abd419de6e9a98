// What nvcc writes in place of a call is read as the function over the reals.
// expect inlined_functions: proved
// expect inlined_functions ptx: proved
// expect inlined_functions_swapped: refuted value
// expect inlined_functions_swapped ptx: refuted value
// expect inlined_functions_sign: refuted value
// expect inlined_functions_sign ptx: refuted value
#define ENTRY(NAME, A, B, S)                                                                              \
  __global__ void NAME(const float* x, float* y, int n) {                                                 \
    int i = blockIdx.x * 128 + threadIdx.x;                                                               \
    if (i >= n) return;                                                                                   \
    float t = x[i];                                                                                       \
    y[i] = expf(S t) + A * logf(t) + B * tanhf(t) + 4.0f * erff(t) + 5.0f * log1pf(t) + 6.0f * expm1f(t) + \
           7.0f * __expf(-t) + 8.0f * sinhf(t) + 9.0f * coshf(t) + 11.0f * rsqrtf(t) + 12.0f * atanf(t) + \
           13.0f * __logf(t + 2.0f) + 14.0f * exp2f(t) + 15.0f * __fdividef(t, t + 3.0f);                 \
  }
ENTRY(inlined_functions, 2.0f, 3.0f, )
ENTRY(inlined_functions_swapped, 3.0f, 2.0f, )
ENTRY(inlined_functions_sign, 2.0f, 3.0f, -)
