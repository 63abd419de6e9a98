// The position of a row's greatest integer: the running value is a signed word, of which a register shows only
// the residue. Ties, the sign of the comparison and the value to start from all matter.
// expect integer_position: proved
// expect integer_position ptx: proved
// expect integer_position_last: refuted value
// expect integer_position_last ptx: refuted value
// expect integer_position_unsigned: refuted value
// expect integer_position_unsigned ptx: refuted value
// expect integer_position_from_zero: refuted value
// expect integer_position_from_zero ptx: refuted value
// expect integer_position_difference: refuted value
__global__ void integer_position(const int* x, int* y, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= n) return;
  int best = -2147483647 - 1, at = 0;
  for (int k = 0; k < 8; ++k)
    if (x[8 * r + k] > best) {
      best = x[8 * r + k];
      at = k;
    }
  y[r] = at;
}
__global__ void integer_position_last(const int* x, int* y, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= n) return;
  int best = -2147483647 - 1, at = 0;
  for (int k = 0; k < 8; ++k)
    if (x[8 * r + k] >= best) {
      best = x[8 * r + k];
      at = k;
    }
  y[r] = at;
}
__global__ void integer_position_unsigned(const int* x, int* y, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= n) return;
  unsigned best = 0;
  int at = 0;
  for (int k = 0; k < 8; ++k)
    if ((unsigned)x[8 * r + k] > best) {
      best = (unsigned)x[8 * r + k];
      at = k;
    }
  y[r] = at;
}
__global__ void integer_position_from_zero(const int* x, int* y, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= n) return;
  int best = 0, at = 0;
  for (int k = 0; k < 8; ++k)
    if (x[8 * r + k] > best) {
      best = x[8 * r + k];
      at = k;
    }
  y[r] = at;
}
__global__ void integer_position_difference(const int* x, int* y, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= n) return;
  unsigned best = 2147483648u;
  int at = 0;
  for (int k = 0; k < 8; ++k)
    if ((int)((unsigned)x[8 * r + k] - best) > 0) {
      best = (unsigned)x[8 * r + k];
      at = k;
    }
  y[r] = at;
}
