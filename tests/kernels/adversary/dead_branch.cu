// A branch that no thread of an admissible launch takes.
// expect dead_branch: proved
// expect dead_branch_wrong: refuted value
// expect dead_branch ptx: proved
// expect dead_branch_wrong ptx: refuted value
__global__ void dead_branch(const unsigned* x, unsigned* y, int n) {
  __shared__ unsigned s[64];
  int t = threadIdx.x;
  unsigned a = 0;
  for (int k = 5; k < n - 20; ++k) a += x[k];
  s[t] = a;
  __syncthreads();
  if (n > 20) y[t] = s[63 - t] + 1;
  else y[t] = x[t];
}
__global__ void dead_branch_wrong(const unsigned* x, unsigned* y, int n) {
  __shared__ unsigned s[64];
  int t = threadIdx.x;
  unsigned a = 0;
  for (int k = 5; k < n - 20; ++k) a += x[k];
  s[t] = a;
  __syncthreads();
  if (n > 20) y[t] = s[63 - t] + 1;
  else y[t] = x[t] + 1;
}
