// Numbers in even steps, from the index alone.
// expect linspace: proved
// expect linspace ptx: proved
// expect linspace_step: refuted value
// expect linspace_all: refuted bounds
template <int fault>
__device__ void body(float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (fault == 2 ? i <= n : i < n) y[i] = (float)i * (fault == 1 ? 0.5f : 0.25f);
}
__global__ void linspace(float* y, int n) { body<0>(y, n); }
__global__ void linspace_step(float* y, int n) { body<1>(y, n); }
__global__ void linspace_all(float* y, int n) { body<2>(y, n); }
