// Barriers of two numbers wait for nobody of each other; one for a part of the block orders that part alone, and
// who only arrives waits for nobody.
// expect barrier_number: proved
// expect barrier_number ptx: proved
// expect barrier_number_by_warp: refuted barrier
// expect barrier_number_by_warp ptx: refuted barrier
// expect barrier_number_beyond: refuted barrier
// expect barrier_number_beyond ptx: refuted barrier
// expect barrier_of_a_warp: refuted race init value
// expect barrier_of_a_warp ptx: refuted race init value
// expect barrier_arrived_at: refuted race init value
// expect barrier_arrived_at ptx: refuted race init value
__global__ void barrier_number(int* y) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 1;
  asm volatile("bar.sync 3;" ::: "memory");
  y[t] = s[63 - t];
}
__global__ void barrier_number_by_warp(int* y) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 1;
  asm volatile("bar.sync %0;" ::"r"(t / 32) : "memory");
  y[t] = s[63 - t];
}
__global__ void barrier_number_beyond(int* y) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 1;
  asm volatile("bar.sync %0;" ::"r"(17) : "memory");
  y[t] = s[63 - t];
}
__global__ void barrier_of_a_warp(int* y) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 1;
  asm volatile("bar.sync 1, 32;" ::: "memory");
  y[t] = s[63 - t];
}
__global__ void barrier_arrived_at(int* y) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 1;
  asm volatile("bar.arrive 1, 64;" ::: "memory");
  y[t] = s[63 - t];
}
