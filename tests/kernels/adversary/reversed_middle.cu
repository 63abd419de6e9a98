// The element in the middle of an odd number stays where it is: its content is its value, though nothing writes it.
// expect reversed_middle: proved
// expect reversed_middle ptx: proved
// expect reversed_middle_short: refuted value
// expect reversed_middle_short ptx: refuted value
// expect reversed_middle_raised: refuted value
__global__ void reversed_middle(unsigned* x, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n / 2) { unsigned a = x[i], b = x[n - 1 - i]; x[i] = b; x[n - 1 - i] = a; }
}
__global__ void reversed_middle_short(unsigned* x, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n / 2 - 1) { unsigned a = x[i], b = x[n - 1 - i]; x[i] = b; x[n - 1 - i] = a; }
}
__global__ void reversed_middle_raised(unsigned* x, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n / 2) { unsigned a = x[i], b = x[n - 1 - i]; x[i] = b; x[n - 1 - i] = a + 1; }
}
