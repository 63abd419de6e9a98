// `asm` statements: operands by number, registers and branches of their own, results that a guard may
// leave out; and a text that the compiler may move.
// expect assembly: proved
// expect assembly ptx: proved
// expect assembly_swapped: refuted value
// expect assembly_swapped ptx: refuted value
// expect assembly_guarded: proved
// expect assembly_guarded ptx: proved
// expect assembly_unguarded: refuted bounds
// expect assembly_unguarded ptx: refuted bounds
// expect assembly_left_out: refuted value
// expect assembly_shadowed: proved
// expect assembly_shadowed ptx: proved
// expect assembly_truth: proved
// expect assembly_truth ptx: proved
// expect assembly_divides: refuted ub init
// expect assembly_writes_input: open bounds alignment overflow ub init race barrier shuffle termination coverage frame value
// expect assembly_writes_input ptx: refuted value
// expect assembly_movable: open bounds alignment overflow ub init race barrier shuffle termination coverage frame value
__device__ float sum(float a, float b) {
  float r;
  asm("add.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
__device__ float difference(float a, float b, bool swapped) {
  float r;
  if (swapped)
    asm("sub.rn.f32 %0, %2, %1;" : "=f"(r) : "f"(a), "f"(b));
  else
    asm("sub.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
__global__ void assembly(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = difference(sum(x[i], x[i]), 1.0f, false);
}
__global__ void assembly_swapped(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = difference(sum(x[i], x[i]), 1.0f, true);
}
// A load and a store under a predicate, with a branch of the statement's own.
template <bool guarded>
__device__ void body(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0.0f;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.lt.s32 p, %2, %3;\n"
      "@p ld.global.f32 %0, [%1];\n"
      "}\n"
      : "+f"(v)
      : "l"(x + i), "r"(guarded ? i : -1), "r"(n)
      : "memory");
  asm volatile(
      "{ .reg .pred p; .reg .f32 t;\n"
      "setp.ge.s32 p, %2, %3;\n"
      "@p bra out;\n"
      "add.rn.f32 t, %0, %0;\n"
      "sub.rn.f32 t, t, 0f3F800000;\n"
      "st.global.f32 [%1], t;\n"
      "out: }\n"
      :
      : "f"(v), "l"(y + i), "r"(i), "r"(n)
      : "memory");
}
__global__ void assembly_guarded(const float* x, float* y, int n) { body<true>(x, y, n); }
__global__ void assembly_unguarded(const float* x, float* y, int n) { body<false>(x, y, n); }
// What the statement does not write is not known.
__global__ void assembly_left_out(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v;
  if (i >= n) return;
  asm("{ .reg .pred p; setp.lt.s32 p, %1, %2; @p add.rn.f32 %0, %3, %3; }" : "=f"(v) : "r"(i), "r"(n - 1), "f"(x[i]));
  y[i] = difference(v, 1.0f, false);
}
// Names of the statement's own that could be taken for operands.
__global__ void assembly_shadowed(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v;
  if (i >= n) return;
  asm("{ .reg .f32 %%operand_0, %%operand_1; add.rn.f32 %%operand_0, %1, %1; mov.f32 %%operand_1, 0f3F800000; "
      "sub.rn.f32 %0, %%operand_0, %%operand_1; }"
      : "=f"(v)
      : "f"(x[i]));
  y[i] = v;
}
// Without `volatile` and without "memory" the load may be moved above the test.
__global__ void assembly_movable(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v;
  if (i >= n) return;
  asm("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(x + i));
  y[i] = difference(sum(v, v), 1.0f, false);
}
// A truth value is 0 or 1.
__global__ void assembly_truth(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int one;
  asm("mov.b32 %0, %1;" : "=r"(one) : "n"(3 < 5));
  if (i < n) y[i] = one == 1 ? difference(sum(x[i], x[i]), 1.0f, false) : 0.0f;
}
// What a division by zero gives decides here.
__global__ void assembly_divides(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned quotient;
  asm("div.u32 %0, %1, %2;" : "=r"(quotient) : "r"(5), "r"(i / n));
  if (i >= n) return;
  if (quotient == 123) y[i] = difference(sum(x[i], x[i]), 1.0f, false);
  else y[i] = difference(sum(x[i], x[i]), 1.0f, false);
}
// What the compiler holds in the register of an input is not the statement's to change.
__global__ void assembly_writes_input(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], twice;
  asm volatile("add.rn.f32 %1, %1, %1; mov.f32 %0, %1;" : "=f"(twice) : "f"(v));
  y[i] = difference(sum(v, v), 1.0f, false);
}
