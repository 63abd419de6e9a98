// What a thread reads of an output that it has written itself, with other stores before, between and behind.
// expect own_output: proved
// expect own_output ptx: proved
// expect own_output_later: proved
// expect own_output_later ptx: proved
// expect own_output_backwards: refuted value
// expect own_output_backwards ptx: refuted value
// expect own_output_zeroed: refuted value
// expect own_output_half: refuted value
// expect own_output_other: refuted race
// expect own_output_other ptx: refuted race
// expect own_output_missing: refuted init
__global__ void own_output(const float* x, float* y, int R, int C) {
  int r = blockIdx.x * 128 + threadIdx.x;
  if (r >= R) return;
  float m = x[r * C];
  for (int j = 1; j < C; ++j) m = fmaxf(m, x[r * C + j]);
  float s = 0;
  for (int j = 0; j < C; ++j) {
    y[r * C + j] = expf(x[r * C + j] - m);
    s += y[r * C + j];
  }
  for (int j = 0; j < C; ++j) y[r * C + j] /= s;
}
__global__ void own_output_later(const float* x, float* y, int R, int C) {
  int r = blockIdx.x * 128 + threadIdx.x;
  if (r >= R) return;
  float m = x[r * C];
  for (int j = 1; j < C; ++j) m = fmaxf(m, x[r * C + j]);
  for (int j = 0; j < C; ++j) y[r * C + j] = expf(x[r * C + j] - m);
  float s = 0;
  for (int j = 0; j < C; ++j) s += y[r * C + j];
  for (int j = 0; j < C; ++j) y[r * C + j] = y[r * C + j] / s;
}
__global__ void own_output_backwards(const float* x, float* y, int R, int C) {
  int r = blockIdx.x * 128 + threadIdx.x;
  if (r >= R) return;
  float m = x[r * C];
  for (int j = 1; j < C; ++j) m = fmaxf(m, x[r * C + j]);
  for (int j = 0; j < C; ++j) y[r * C + j] = expf(x[r * C + j] - m);
  float s = 0;
  for (int j = 0; j < C; ++j) s += y[r * C + j];
  for (int j = 0; j < C; ++j) y[r * C + j] = y[r * C + C - 1 - j] / s;
}
__global__ void own_output_zeroed(const float* x, float* y, int R, int C) {
  int r = blockIdx.x * 128 + threadIdx.x;
  if (r >= R) return;
  float m = x[r * C];
  for (int j = 1; j < C; ++j) m = fmaxf(m, x[r * C + j]);
  for (int j = 0; j < C; ++j) y[r * C + j] = expf(x[r * C + j] - m);
  y[r * C] = 0;
  float s = 0;
  for (int j = 0; j < C; ++j) s += y[r * C + j];
  for (int j = 0; j < C; ++j) y[r * C + j] = y[r * C + j] / s;
}
__global__ void own_output_half(const float* x, float* y, int R, int C) {
  int r = blockIdx.x * 128 + threadIdx.x;
  if (r >= R) return;
  float m = x[r * C];
  for (int j = 1; j < C; ++j) m = fmaxf(m, x[r * C + j]);
  for (int j = 0; j < C; ++j) y[r * C + j] = expf(x[r * C + j] - m);
  float s = 0;
  for (int j = 0; j < C / 2; ++j) s += y[r * C + j];
  for (int j = 0; j < C; ++j) y[r * C + j] = y[r * C + j] / s;
}
__global__ void own_output_other(const float* x, float* y, int R, int C) {
  int r = blockIdx.x * 128 + threadIdx.x;
  if (r >= R) return;
  float m = x[r * C];
  for (int j = 1; j < C; ++j) m = fmaxf(m, x[r * C + j]);
  for (int j = 0; j < C; ++j) y[r * C + j] = expf(x[r * C + j] - m);
  float s = 0;
  for (int j = 0; j < C; ++j) s += y[(r > 0 ? r - 1 : r) * C + j];
  for (int j = 0; j < C; ++j) y[r * C + j] = y[r * C + j] / s;
}
__global__ void own_output_missing(const float* x, float* y, int R, int C) {
  int r = blockIdx.x * 128 + threadIdx.x;
  if (r >= R) return;
  float m = x[r * C];
  for (int j = 1; j < C; ++j) m = fmaxf(m, x[r * C + j]);
  for (int j = 1; j < C; ++j) y[r * C + j] = expf(x[r * C + j] - m);
  float s = 0;
  for (int j = 0; j < C; ++j) s += y[r * C + j];
  for (int j = 0; j < C; ++j) y[r * C + j] = y[r * C + j] / s;
}
