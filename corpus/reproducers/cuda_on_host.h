// CUDA kernels on a processor without a GPU: each thread is a fiber that runs until its next barrier or shuffle, in a stated
// order of threads. Buffers lie alone in memory, so that an address sanitizer sees what leaves them. For programs that show
// what a refuted obligation says; not a simulator of anything else (no memory model, no timing).
//
//   g++ -std=c++17 -O0 -g -ffp-contract=off -fsanitize=address reproduce.cpp && ./a.out [forward|reverse|warps]
#pragma once
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

namespace on_host {

enum class State { ready, barrier, shuffle, exited };

struct Thread {
  dim3 thread, block;
  unsigned number = 0;  // within the block
  State state = State::ready;
  uint64_t value = 0;               // what it brings to a shuffle
  const uint64_t* others = nullptr;  // what its warp brought
  ucontext_t context;
  std::unique_ptr<char[]> stack;
};

inline Thread* self = nullptr;
inline ucontext_t scheduler;
inline dim3 block_dim, grid_dim;
inline std::function<void()> body;
inline std::string schedule = "forward";
inline std::vector<char> dynamic_shared;

inline void wait(State state) {
  self->state = state;
  swapcontext(&self->context, &scheduler);
}
inline void start() {
  body();
  self->state = State::exited;
  swapcontext(&self->context, &scheduler);
}
[[noreturn]] inline void stop(const char* why) {
  fprintf(stderr, "%s\n", why);
  exit(2);
}

// Threads of one block in the order of the schedule.
inline std::vector<unsigned> order(unsigned n) {
  std::vector<unsigned> out;
  for (unsigned i = 0; i < n; ++i) {
    const unsigned warps = (n + 31) / 32, at = n - 1 - i;
    if (schedule == "reverse") out.push_back(at);
    if (schedule == "forward") out.push_back(i);
    if (schedule == "warps") {
      const unsigned warp = warps - 1 - i / 32;
      if (i % 32 == 0)
        for (unsigned lane = 0; lane < 32 && warp * 32 + lane < n; ++lane) out.push_back(warp * 32 + lane);
    }
  }
  return out;
}

inline void run_block(dim3 block) {
  const unsigned n = block_dim.x * block_dim.y * block_dim.z;
  std::vector<std::unique_ptr<Thread>> threads;
  for (unsigned i = 0; i < n; ++i) {
    auto t = std::make_unique<Thread>();
    t->number = i;
    t->thread = dim3(i % block_dim.x, i / block_dim.x % block_dim.y, i / (block_dim.x * block_dim.y));
    t->block = block;
    t->stack.reset(new char[64 << 10]);
    getcontext(&t->context);
    t->context.uc_stack.ss_sp = t->stack.get();
    t->context.uc_stack.ss_size = 64 << 10;
    t->context.uc_link = &scheduler;
    makecontext(&t->context, start, 0);
    threads.push_back(std::move(t));
  }
  std::vector<std::vector<uint64_t>> warps((n + 31) / 32, std::vector<uint64_t>(32));
  while (true) {
    bool moved = false;
    for (const unsigned i : order(n))
      if (threads[i]->state == State::ready) {
        self = threads[i].get();
        swapcontext(&scheduler, &self->context);
        moved = true;
      }
    if (moved) continue;
    // Nobody can go on alone: warps whose lanes all wait in a shuffle, then the barrier.
    size_t exited = 0, at_barrier = 0;
    for (auto& t : threads) {
      exited += t->state == State::exited;
      at_barrier += t->state == State::barrier;
    }
    if (exited == n) return;
    bool released = false;
    for (size_t w = 0; w < warps.size(); ++w) {
      bool all = true, any = false;
      for (unsigned i = 32 * w; i < n && i < 32 * (w + 1); ++i) {
        any = any || threads[i]->state == State::shuffle;
        all = all && (threads[i]->state == State::shuffle || threads[i]->state == State::exited);
      }
      if (!any || !all) continue;
      for (unsigned i = 32 * w; i < n && i < 32 * (w + 1); ++i) {
        warps[w][i % 32] = threads[i]->value;
        threads[i]->others = warps[w].data();
        if (threads[i]->state == State::shuffle) threads[i]->state = State::ready;
      }
      released = true;
    }
    if (released) continue;
    if (at_barrier + exited != n) stop("the threads wait for each other for ever: a barrier or shuffle that diverges");
    for (auto& t : threads)
      if (t->state == State::barrier) t->state = State::ready;
  }
}

template <typename Body>
void launch(dim3 grid, dim3 block, unsigned shared_bytes, Body kernel) {
  grid_dim = grid;
  block_dim = block;
  dynamic_shared.assign(shared_bytes + 1, 0);
  body = kernel;
  std::vector<dim3> blocks;
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) blocks.push_back(dim3(x, y, z));
  for (size_t i = 0; i < blocks.size(); ++i)
    run_block(blocks[schedule == "reverse" ? blocks.size() - 1 - i : i]);
}

template <typename To, typename From>
To bits(From from) {
  To to{};
  memcpy(&to, &from, sizeof(To) < sizeof(From) ? sizeof(To) : sizeof(From));
  return to;
}
template <typename T>
T exchange(T value, unsigned lane) {
  self->value = bits<uint64_t>(value);
  wait(State::shuffle);
  return bits<T>(self->others[lane & 31]);
}
inline unsigned lane() { return self->number % 32; }

}  // namespace on_host

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __shared__ static
#define __constant__ static const
#define __launch_bounds__(...)
#define threadIdx (on_host::self->thread)
#define blockIdx (on_host::self->block)
#define blockDim (on_host::block_dim)
#define gridDim (on_host::grid_dim)
#define warpSize 32

inline void __syncthreads() { on_host::wait(on_host::State::barrier); }
template <typename T>
T __shfl_sync(unsigned, T v, int lane) { return on_host::exchange(v, unsigned(lane)); }
template <typename T>
T __shfl_xor_sync(unsigned, T v, int mask) { return on_host::exchange(v, on_host::lane() ^ unsigned(mask)); }
template <typename T>
T __shfl_down_sync(unsigned, T v, unsigned by) {
  const unsigned from = on_host::lane() + by;
  const T other = on_host::exchange(v, from);
  return from < 32 ? other : v;
}
template <typename T>
T __shfl_up_sync(unsigned, T v, unsigned by) {
  const unsigned lane = on_host::lane();
  const T other = on_host::exchange(v, lane - by);
  return lane >= by ? other : v;
}
template <typename T>
T __ldg(const T* p) { return *p; }
template <typename T>
T atomicAdd(T* p, T v) { const T old = *p; *p = old + v; return old; }

inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fsqrt_rn(float a) { return sqrtf(a); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double a) { return sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline float __uint_as_float(unsigned a) { return on_host::bits<float>(a); }
inline float __int_as_float(int a) { return on_host::bits<float>(a); }
inline unsigned __float_as_uint(float a) { return on_host::bits<unsigned>(a); }
inline int __float_as_int(float a) { return on_host::bits<int>(a); }
inline double __longlong_as_double(long long a) { return on_host::bits<double>(a); }
inline long long __double_as_longlong(double a) { return on_host::bits<long long>(a); }
template <typename T>
T min(T a, T b) { return b < a ? b : a; }
template <typename T>
T max(T a, T b) { return a < b ? b : a; }
