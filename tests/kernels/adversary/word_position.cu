// Unrolled by the compiler, the running value is a word of a number that is known: no example of the facts may
// choose the one apart from the other.
// expect word_position: open value
// expect word_position ptx: proved
// expect word_position_first ptx: refuted value
__global__ void word_position(const unsigned* x, long long* y, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= n) return;
  unsigned s = 1;
  long long p = 0;
  for (int k = 0; k < 9; ++k)
    if (s <= x[9 * r + k]) {
      s = x[9 * r + k];
      p = k;
    }
  y[r] = p;
}
__global__ void word_position_first(const unsigned* x, long long* y, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= n) return;
  unsigned s = 1;
  long long p = 0;
  for (int k = 0; k < 9; ++k)
    if (s < x[9 * r + k]) {
      s = x[9 * r + k];
      p = k;
    }
  y[r] = p;
}
