// A barrier orders those who come to it: threads that pass it by read before the others have written.
// expect barrier_for_all: proved
// expect barrier_passed_by: refuted race init
// expect barrier_passed_by ptx: refuted race init
__global__ void barrier_for_all(int* y) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t < 16) s[t] = 1;
  __syncthreads();
  y[t] = s[t & 15];
}
__global__ void barrier_passed_by(int* y) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t < 16) {
    s[t] = 1;
    __syncthreads();
  }
  y[t] = s[t & 15];
}
