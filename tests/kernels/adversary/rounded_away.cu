// Halves go to the even integer, or away from 0; a conversion may saturate as well.
// expect rounded_away: proved
// expect rounded_away ptx: proved
// expect rounded_away_wrong: open value
// expect rounded_away_wrong ptx: open value
// expect rounded_saturated: refuted value
// expect rounded_saturated ptx: refuted value
__global__ void rounded_away(const float* x, float* y) { y[threadIdx.x] = rintf(x[threadIdx.x]); }
__global__ void rounded_away_wrong(const float* x, float* y) { y[threadIdx.x] = roundf(x[threadIdx.x]); }
__global__ void rounded_saturated(const float* x, float* y) {
  float v;
  asm("cvt.rni.sat.f32.f32 %0, %1;" : "=f"(v) : "f"(x[threadIdx.x]));
  y[threadIdx.x] = v;
}
