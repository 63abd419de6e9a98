// Channels from the front to the back.
// expect nchw_to_nhwc: proved
// expect nchw_to_nhwc ptx: proved
// expect nchw_to_nhwc_plain: refuted value
// expect nchw_to_nhwc_stride: refuted bounds
template <int fault>
__device__ void body(const float* x, float* y, unsigned C, unsigned HW) {
  unsigned p = blockIdx.x * 64 + threadIdx.x, c = blockIdx.y, n = blockIdx.z;
  if (p >= HW) return;
  float v = x[((size_t)n * C + c) * HW + p];
  if (fault == 1)
    y[((size_t)n * C + c) * HW + p] = v;
  else
    y[((size_t)n * HW + p) * (fault == 2 ? HW : C) + c] = v;
}
__global__ void nchw_to_nhwc(const float* x, float* y, unsigned C, unsigned HW) { body<0>(x, y, C, HW); }
__global__ void nchw_to_nhwc_plain(const float* x, float* y, unsigned C, unsigned HW) { body<1>(x, y, C, HW); }
__global__ void nchw_to_nhwc_stride(const float* x, float* y, unsigned C, unsigned HW) { body<2>(x, y, C, HW); }
