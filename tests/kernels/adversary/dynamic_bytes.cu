// Arrays of several types carved out of one extern __shared__ array of bytes.
// expect dynamic_bytes: proved
// expect dynamic_bytes ptx: proved
// expect dynamic_bytes_odd: refuted alignment
// expect dynamic_bytes_odd ptx: refuted alignment
// expect dynamic_bytes_overlapping: refuted race
// expect dynamic_bytes_overlapping ptx: refuted race
__global__ void dynamic_bytes(const unsigned* x, unsigned* y) {
  extern __shared__ unsigned char raw[];
  unsigned* a = (unsigned*)raw;
  unsigned short* b = (unsigned short*)(raw + 128);
  int t = threadIdx.x;
  a[t] = x[t];
  b[t] = (unsigned short)(t + 1);
  __syncthreads();
  y[t] = a[31 - t] + b[31 - t];
}
__global__ void dynamic_bytes_odd(const unsigned* x, unsigned* y) {
  extern __shared__ unsigned char raw[];
  unsigned short* b = (unsigned short*)raw;
  unsigned* a = (unsigned*)(raw + 66);
  int t = threadIdx.x;
  a[t] = x[t];
  b[t] = (unsigned short)(t + 1);
  __syncthreads();
  y[t] = a[31 - t] + b[31 - t];
}
__global__ void dynamic_bytes_overlapping(const unsigned* x, unsigned* y) {
  extern __shared__ unsigned char raw[];
  unsigned* a = (unsigned*)raw;
  unsigned short* b = (unsigned short*)(raw + 124);
  int t = threadIdx.x;
  a[t] = x[t];
  b[t] = (unsigned short)(t + 1);
  __syncthreads();
  y[t] = a[31 - t] + b[31 - t];
}
