// Vector accesses, constant and dynamic shared memory, local arrays with computed indices, structures by value,
// atomics, votes, halves, a switch. The PTX beside it (../ptx/mixed.ptx) is nvcc's.
#include <cuda_fp16.h>

struct Shape {
  float scale;
  int shift;
  double bias;
};

__constant__ float table[4] = {1.0f, 2.0f, 4.0f, 8.0f};
extern __shared__ float scratch[];

__global__ void __launch_bounds__(64) mixed(const float4* __restrict__ x, float4* y, Shape shape, __half* h, int* counter, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  scratch[threadIdx.x] = 0.0f;
  __syncthreads();
  if (i < n) {
    float4 v = x[i];
    v.x = __fmaf_rn(v.x, shape.scale, table[i & 3]);
    v.y = fmaxf(v.y, __ldg(&x[0].y));
    v.z = sqrtf(fabsf(v.z)) / (1.0f + v.w * v.w);
    int history[4];
    for (int k = 0; k < 4; ++k) history[k] = k * shape.shift + i;
    v.w = (float)history[n & 3] + (float)(shape.bias / 3.0);
    y[i] = v;
    scratch[threadIdx.x] = v.x;
    h[i] = __hadd_rn(h[i], __float2half(v.y));
    atomicAdd(counter, 1);
    switch (i) {
      case 0: y[i].x = 1.0f; break;
      case 1: y[i].y = 2.0f; break;
      case 2: y[i].z = 3.0f; break;
      case 5: y[i].w = 4.0f; break;
      case 9: y[i].x = 5.0f; break;
      default: break;
    }
  }
  if (__any_sync(0xffffffffu, i == 3)) atomicMax(counter + 1, __popc(__ballot_sync(0xffffffffu, i & 1)));
  __syncthreads();
  if (i < n) y[i].x = __fadd_rn(y[i].x, scratch[threadIdx.x ^ 1]);
}
