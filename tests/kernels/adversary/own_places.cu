// A place that its thread, or another one, writes several times: which store the thread's own read sees.
// expect own_places: proved
// expect own_places ptx: proved
// expect own_places_before: proved
// expect own_places_before ptx: proved
// expect own_places_reversed: refuted value
// expect own_places_reversed ptx: refuted value
// expect own_places_carried: refuted value
// expect own_places_carried ptx: refuted value
// expect own_places_after: refuted value
// expect own_places_after ptx: refuted value
// expect own_places_outer: refuted value
// expect own_places_outer ptx: refuted value
__global__ void own_places(const float* x, float* y, float* z) {
  int i = threadIdx.x;
  y[i] = x[i];
  z[i] = y[i];
  y[i] = 7.f;
}
__global__ void own_places_before(const float* x, float* y, float* z) {
  int i = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < 3; ++k) y[i] = 5.f;
  y[i] = x[i];
  __syncthreads();
  z[i] = y[i];
  y[i] = 7.f;
}
__global__ void own_places_reversed(const float* x, float* y, float* z) {
  int i = threadIdx.x;
  y[i] = x[i];
  __syncthreads();
  y[127 - i] = 7.f;
  __syncthreads();
  z[i] = y[i];
}
__global__ void own_places_carried(const float* x, float* y, float* z) {
  int i = threadIdx.x;
  float s = 0;
  y[i] = x[i];
#pragma unroll 1
  for (int k = 0; k < 2; ++k) {
    s = y[i];
    y[i] = 7.f;
  }
  z[i] = s;
}
__global__ void own_places_after(const float* x, float* y, float* z) {
  int i = threadIdx.x;
  y[i] = x[i];
#pragma unroll 1
  for (int k = 0; k < 3; ++k) y[i] = 7.f;
  z[i] = y[i];
}
__global__ void own_places_outer(const float* x, float* y, float* z) {
  int i = threadIdx.x;
  float s = 0;
#pragma unroll 1
  for (int r = 0; r < 3; ++r) {
    if (r == 0) y[i] = x[i];
    s = y[i];
    if (r == 1) y[i] = 7.f;
  }
  z[i] = s;
}
