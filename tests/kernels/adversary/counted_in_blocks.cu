// expect counted_in_blocks: proved
// expect counted_in_blocks ptx: proved
// expect counted_in_blocks_of_system: proved
// expect counted_in_blocks_shared: refuted race
// expect counted_in_blocks_shared ptx: refuted race

// An atomic of block scope is atomic among the threads of its block only.
__global__ void counted_in_blocks(const int* x, int* y, int n) {
  int* p = NULL;
  p = y + blockIdx.x;
  atomicAdd_block(p, x[blockIdx.x * 32 + threadIdx.x] > 0 ? 1 : 0);
}
__global__ void counted_in_blocks_of_system(const int* x, int* y, int n) {
  atomicAdd_system(y + blockIdx.x, x[blockIdx.x * 32 + threadIdx.x] > 0 ? 1 : 0);
}
__global__ void counted_in_blocks_shared(const int* x, int* y, int n) {
  atomicAdd_block(y + blockIdx.x / 2, x[blockIdx.x * 32 + threadIdx.x] > 0 ? 1 : 0);
}
