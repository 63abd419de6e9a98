// Where another thread's value says where to write, nothing is known of it as long as somebody races with it.
// expect decided_by_others: proved
// expect decided_by_others ptx: proved
// expect decided_by_others_raced: refuted bounds race
// expect decided_by_others_raced ptx: refuted bounds race
// expect decided_by_others_unordered: open bounds race
// expect decided_by_others_unordered ptx: open bounds race
__global__ void decided_by_others(int* y) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  y[s[t]] = 1;
}
__global__ void decided_by_others_raced(int* y) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[(t + 1) % 64] = 1000;
  s[t] = t;
  __syncthreads();
  y[s[t]] = 1;
}
__global__ void decided_by_others_unordered(int* y) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  asm volatile("bar.sync 1, 32;" ::: "memory");
  y[s[63 - t]] = 1;
}
