// Lets a C++ compiler build an emitted kernel text and run it thread by thread. Every thread of a block is a
// fiber; barriers and shuffles hand over to the next one. Built-ins mean what the CUDA guide says; nothing
// here comes from the lowering.
#pragma once
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#include <vector>

#define __global__
#define __device__
#define __shared__ static
#define __forceinline__ inline
#define __restrict__

struct Dimensions {
  unsigned x, y, z;
};
static Dimensions blockIdx, gridDim, blockDim, threadIdx;

namespace cpu {
struct Fiber {
  ucontext_t context;
  std::vector<char> stack;
  Dimensions index;
  bool finished = false;
};
static std::vector<Fiber>* fibers;
static unsigned current;
static ucontext_t scheduler;
static std::vector<unsigned> exchange;  // shuffle slots, one a thread
static void (*entry)(void**);
static void** arguments;

static void start() {
  entry(arguments);
  (*fibers)[current].finished = true;
  swapcontext(&(*fibers)[current].context, &scheduler);
}

static void hand_over() {
  const unsigned self = current;
  const Dimensions index = threadIdx;
  swapcontext(&(*fibers)[self].context, &scheduler);
  threadIdx = index;
}
}  // namespace cpu

static inline void __syncthreads() {
  cpu::hand_over();
}

static inline float __uint_as_float(unsigned bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}
static inline unsigned __float_as_uint(float value) {
  unsigned bits;
  memcpy(&bits, &value, 4);
  return bits;
}
static inline double __longlong_as_double(long long bits) {
  double value;
  memcpy(&value, &bits, 8);
  return value;
}

// All threads of the block put their value down, then read their partner's. The round trip is two hand-overs,
// so that nobody overwrites a slot that is still to be read.
static inline unsigned shuffle_bits(unsigned bits, unsigned source) {
  cpu::exchange[cpu::current] = bits;
  cpu::hand_over();
  const unsigned result = cpu::exchange[source];
  cpu::hand_over();
  return result;
}
static inline float __shfl_xor_sync(unsigned, float value, int lane_mask) {
  return __uint_as_float(shuffle_bits(__float_as_uint(value), cpu::current ^ (unsigned)lane_mask));
}
static inline float __shfl_down_sync(unsigned, float value, unsigned delta) {
  const unsigned lane = cpu::current & 31u;
  return __uint_as_float(
      shuffle_bits(__float_as_uint(value), lane + delta < 32u ? cpu::current + delta : cpu::current));
}

static inline float __fadd_rn(float a, float b) {
  return a + b;
}
static inline float __fsub_rn(float a, float b) {
  return a - b;
}
static inline float __fmul_rn(float a, float b) {
  return a * b;
}
static inline float __fdiv_rn(float a, float b) {
  return a / b;
}
static inline float __fmaf_rn(float a, float b, float c) {
  return fmaf(a, b, c);
}
static inline float __fsqrt_rn(float a) {
  return sqrtf(a);
}
static inline double __dadd_rn(double a, double b) {
  return a + b;
}
static inline double __dsub_rn(double a, double b) {
  return a - b;
}
static inline double __dmul_rn(double a, double b) {
  return a * b;
}
static inline double __ddiv_rn(double a, double b) {
  return a / b;
}
static inline double __fma_rn(double a, double b, double c) {
  return fma(a, b, c);
}
static inline double __dsqrt_rn(double a) {
  return sqrt(a);
}
// PTX max.f32 and min.f32: the number wins over a NaN, +0 is above -0.
static inline float ptx_max(float a, float b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return signbit(a) ? b : a;
  return a > b ? a : b;
}
static inline float ptx_min(float a, float b) {
  return -ptx_max(-a, -b);
}
#define fmaxf ptx_max
#define fminf ptx_min

// For kernels without barriers and shuffles: one call after the other, no fibers.
extern "C" void run_plainly(void (*entry)(void**), void** arguments, const unsigned* grid,
                            const unsigned* block) {
  gridDim = {grid[0], grid[1], grid[2]};
  blockDim = {block[0], block[1], block[2]};
  for (blockIdx.z = 0; blockIdx.z < grid[2]; ++blockIdx.z)
    for (blockIdx.y = 0; blockIdx.y < grid[1]; ++blockIdx.y)
      for (blockIdx.x = 0; blockIdx.x < grid[0]; ++blockIdx.x)
        for (threadIdx.z = 0; threadIdx.z < block[2]; ++threadIdx.z)
          for (threadIdx.y = 0; threadIdx.y < block[1]; ++threadIdx.y)
            for (threadIdx.x = 0; threadIdx.x < block[0]; ++threadIdx.x) entry(arguments);
}

extern "C" void run_on_cpu(void (*entry)(void**), void** arguments, const unsigned* grid,
                           const unsigned* block) {
  gridDim = {grid[0], grid[1], grid[2]};
  blockDim = {block[0], block[1], block[2]};
  const unsigned count = block[0] * block[1] * block[2];
  cpu::entry = entry;
  cpu::arguments = arguments;
  cpu::exchange.assign(count, 0);
  std::vector<cpu::Fiber> fibers(count);
  cpu::fibers = &fibers;
  for (cpu::Fiber& fiber : fibers) fiber.stack.resize(65536);
  for (unsigned bz = 0; bz < grid[2]; ++bz)
    for (unsigned by = 0; by < grid[1]; ++by)
      for (unsigned bx = 0; bx < grid[0]; ++bx) {
        blockIdx = {bx, by, bz};
        for (unsigned t = 0; t < count; ++t) {
          cpu::Fiber& fiber = fibers[t];
          fiber.index = {t % block[0], t / block[0] % block[1], t / block[0] / block[1]};
          fiber.finished = false;
          getcontext(&fiber.context);
          fiber.context.uc_stack.ss_sp = fiber.stack.data();
          fiber.context.uc_stack.ss_size = fiber.stack.size();
          fiber.context.uc_link = nullptr;
          makecontext(&fiber.context, cpu::start, 0);
        }
        for (bool alive = true; alive;) {
          alive = false;
          for (unsigned t = 0; t < count; ++t) {
            if (fibers[t].finished) continue;
            cpu::current = t;
            threadIdx = fibers[t].index;
            swapcontext(&cpu::scheduler, &fibers[t].context);
            alive = alive || !fibers[t].finished;
          }
        }
      }
}
