// Five points of a plane, borders kept.
// expect stencil: proved
// expect stencil ptx: proved
// expect stencil_border: refuted bounds
// expect stencil_in_row: refuted value
#define STENCIL(LOW, UP)                                                                              \
  unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;                       \
  if (x >= LOW && x + 1 < W && y >= 1 && y + 1 < H) {                                                 \
    size_t i = (size_t)y * W + x;                                                                     \
    out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - UP] + in[i + W]);                \
  }
__global__ void stencil(const float* in, float* out, unsigned H, unsigned W) { STENCIL(1, W) }
__global__ void stencil_border(const float* in, float* out, unsigned H, unsigned W) { STENCIL(1, 2 * W) }
__global__ void stencil_in_row(const float* in, float* out, unsigned H, unsigned W) { STENCIL(1, 1) }
