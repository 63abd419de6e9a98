// A kernel as it stands in a program, with the host's part around it.
#include <cstdio>
#include <vector>
__global__ void scale(float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = a * x[i];
}
int main() {
  std::vector<float> h(1000, 1.0f);
  float* d = nullptr;
  cudaMalloc(&d, h.size() * sizeof(float));
  scale<<<4, 256>>>(d, 2.0f, 1000);
  cudaFree(d);
  std::printf("done\n");
}
