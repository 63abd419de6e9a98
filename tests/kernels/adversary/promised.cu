// What the source promises and inlining hides: assumptions that do not hold, pointers to what is gone, accesses that are not
// aligned. nvcc may use each; the machine code of some is harmless all the same.
// expect promised: proved
// expect promised ptx: proved
// expect promised_less: open ub
// expect promised_aligned: open ub
// expect promised_four: unrun ub coverage value
// expect promised_four ptx: proved
// expect promised_gone: open ub
// expect promised_out_of_scope: open ub
// expect promised_odd: open ub
__device__ __noinline__ void put(unsigned char* p, float v) { *(float*)p = v; }
__device__ __noinline__ float get(const unsigned char* p) { return *(const float*)p; }
__device__ float* gone(float v) { float w = v; float* p = &w; return p; }
#define ENTRY(NAME, BODY)                                           \
__global__ void NAME(const float* x, float* y, int n) {             \
  int i = blockIdx.x * 64 + threadIdx.x;                            \
  if (i >= n) return;                                               \
  BODY                                                              \
}
ENTRY(promised, __builtin_assume(i < n); float v = x[i];
                float w[4]; *(float4*)w = make_float4(v, v, v, v); float* q = &v; { float u = w[1]; q = &u; *q = v; v = u; }
                y[i] = v;)
ENTRY(promised_less, __builtin_assume(i < 1000000); y[i] = x[i];)
ENTRY(promised_aligned, const float* p = (const float*)__builtin_assume_aligned(x + i, 16); y[i] = *p;)
ENTRY(promised_four, const float* p = (const float*)__builtin_assume_aligned(x + i, 4); y[i] = *p;)
ENTRY(promised_gone, y[i] = *gone(x[i]);)
ENTRY(promised_out_of_scope, float v = x[i]; float* p; { float w = v; p = &w; } y[i] = *p;)
ENTRY(promised_odd, unsigned char b[8]; put(b + 1, x[i]); y[i] = get(b + 1);)
