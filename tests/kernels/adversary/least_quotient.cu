// The least number divided by -1 leaves the format.
// expect least_quotient: proved
// expect least_quotient_wrong: refuted overflow
// expect least_remainder_wrong: refuted overflow
__global__ void least_quotient(const int* x, int* y, int d) { y[threadIdx.x] = x[threadIdx.x] / (d - 1); }
__global__ void least_quotient_wrong(const int* x, int* y, int d) { y[threadIdx.x] = x[threadIdx.x] / d; }
__global__ void least_remainder_wrong(const int* x, int* y, int d) { y[threadIdx.x] = x[threadIdx.x] % d; }
