// A trap ends the launch for all threads, whatever the one that comes to it has written before.
// expect trap: proved
// expect trap ptx: proved
// expect trap_by_data: refuted termination
// expect trap_by_data ptx: refuted termination
// expect trap_rarely: open termination coverage value
// expect trap_rarely ptx: open termination coverage value
// expect never_here: refuted ub
__global__ void trap(const int* x, int* y, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) __trap();
  y[i] = x[i];
}
__global__ void trap_by_data(const int* x, int* y, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  y[i] = x[i];
  if (x[i] > 5) __trap();
}
__global__ void trap_rarely(const int* x, int* y, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  y[i] = x[i];
  if (x[i] == 123456789) __trap();
}
__global__ void never_here(const int* x, int* y, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  y[i] = x[i];
  if (x[i] > 5) __builtin_unreachable();
}
