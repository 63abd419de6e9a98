// The read-only path promises that the launch does not write what is read.
// expect read_only: proved
// expect read_only ptx: proved
// expect read_only_of_written: refuted race
// expect read_only_of_written ptx: refuted race
__global__ void read_only(const float* x, float* y, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = __fadd_rn(y[i], __ldg(x + i));
}
__global__ void read_only_of_written(const float* x, float* y, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = __fadd_rn(__ldg(y + i), x[i]);
}
