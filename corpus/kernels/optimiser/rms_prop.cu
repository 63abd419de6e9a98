// Steps divided by the root of a running mean of squares.
// expect rms_prop: proved
// expect rms_prop ptx: proved
// expect rms_prop_no_root: refuted value
// expect rms_prop_half: refuted coverage
template <int fault>
__device__ void body(float* p, float* v, const float* g, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= (fault == 2 ? n / 2 : n)) return;
  float d = g[i], s = 0.9375f * v[i] + 0.0625f * d * d;
  v[i] = s;
  p[i] -= 0.25f * d / (fault == 1 ? s + 0.5f : sqrtf(s) + 0.5f);
}
__global__ void rms_prop(float* p, float* v, const float* g, int n) { body<0>(p, v, g, n); }
__global__ void rms_prop_no_root(float* p, float* v, const float* g, int n) { body<1>(p, v, g, n); }
__global__ void rms_prop_half(float* p, float* v, const float* g, int n) { body<2>(p, v, g, n); }
