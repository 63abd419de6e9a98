// Two stores share the elements, one of them counting down.
// expect reversed_in_place: proved
// expect reversed_in_place_wrong: refuted race value
// expect reversed_in_place ptx: proved
// expect reversed_in_place_wrong ptx: refuted race value
__global__ void reversed_in_place(unsigned* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) {
    unsigned a = x[i], b = x[n - 1 - i];
    x[i] = b;
    x[n - 1 - i] = a;
  }
}
__global__ void reversed_in_place_wrong(unsigned* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[n - 1 - i];
}
