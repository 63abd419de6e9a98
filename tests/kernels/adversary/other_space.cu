// An address of one space is another place, or none, in another one; one that is not understood may be any place.
// expect other_space: proved
// expect other_space ptx: proved
// expect other_space_wrong: refuted bounds
// expect other_space_wrong ptx: refuted bounds
// expect other_space_generic: refuted bounds
// expect other_space_generic ptx: refuted bounds
// expect other_space_window: refuted bounds
// expect other_space_window ptx: refuted bounds
// expect global_as_shared: refuted bounds
// expect global_as_shared ptx: refuted bounds
// expect any_place: refuted race
// expect any_place ptx: refuted race
__global__ void other_space(float* y) {
  __shared__ float s[32];
  int t = threadIdx.x;
  asm volatile("st.f32 [%0], %1;" ::"l"(s + t), "f"(1.0f) : "memory");
  __syncthreads();
  y[t] = s[31 - t];
}
__global__ void other_space_wrong(float* y) {
  __shared__ float s[32];
  int t = threadIdx.x;
  asm volatile("{ .reg .u64 a; cvt.u64.u32 a, %0; st.global.f32 [a], %1; }" ::"r"(
                   (unsigned)__cvta_generic_to_shared(&s[t])),
               "f"(1.0f)
               : "memory");
  y[t] = 1.0f;
}
__global__ void other_space_generic(float* y) {
  __shared__ float s[32];
  int t = threadIdx.x;
  asm volatile("{ .reg .u64 a; cvt.u64.u32 a, %0; st.f32 [a], %1; }" ::"r"(
                   (unsigned)__cvta_generic_to_shared(&s[t])),
               "f"(1.0f)
               : "memory");
  y[t] = 1.0f;
}
__global__ void other_space_window(float* y) {
  __shared__ float s[32];
  int t = threadIdx.x;
  asm volatile("st.global.f32 [%0], %1;" ::"l"(s + t), "f"(1.0f) : "memory");
  y[t] = 1.0f;
}
__global__ void global_as_shared(float* y) {
  int t = threadIdx.x;
  asm volatile("st.shared.f32 [%0], %1;" ::"l"(y + t), "f"(1.0f) : "memory");
}
__global__ void any_place(float* y) {
  int t = threadIdx.x;
  const float* p = (const float*)((unsigned long long)y ^ 8ull);
  y[t + 1] = *p;
}
