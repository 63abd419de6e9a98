// Cooperative groups: the block, tiles of a warp, and collectives of both. CUDA C++ Programming Guide 13.0,
// section 11. Grid synchronisation and group reductions are declared and known to no reader: a kernel that
// uses them is refused by name.
#pragma once
#pragma clang system_header
#include "hallmark_cuda.h"

extern "C" __device__ void __hallmark_grid_synchronisation();

namespace cooperative_groups {

static inline __device__ unsigned int __hallmark_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

struct thread_block {
  __device__ void sync() const { __syncthreads(); }
  __device__ unsigned int thread_rank() const { return __hallmark_rank(); }
  __device__ unsigned int size() const { return blockDim.x * blockDim.y * blockDim.z; }
  __device__ unsigned int num_threads() const { return size(); }
  __device__ dim3 group_index() const { return blockIdx; }
  __device__ dim3 thread_index() const { return threadIdx; }
  __device__ dim3 group_dim() const { return blockDim; }
};
static inline __device__ thread_block this_thread_block() { return {}; }

struct grid_group {
  __device__ void sync() const { __hallmark_grid_synchronisation(); }
  __device__ unsigned long long thread_rank() const {
    return (unsigned long long)(blockIdx.x + gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z)) *
               (blockDim.x * blockDim.y * blockDim.z) +
           __hallmark_rank();
  }
  __device__ unsigned long long size() const {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * (blockDim.x * blockDim.y * blockDim.z);
  }
  __device__ unsigned long long num_threads() const { return size(); }
};
static inline __device__ grid_group this_grid() { return {}; }

template <unsigned int N>
struct __hallmark_tile {
  static_assert(N >= 1 && N <= 32 && (N & (N - 1)) == 0, "a tile has a power of two of lanes, at most a warp");
  __device__ static unsigned int __hallmark_mask() {
    if (N == 32) return 0xffffffffu;
    return ((1u << (N & 31u)) - 1u) << (__hallmark_rank() & 31u & ~(N - 1u));
  }
  __device__ void sync() const { __syncwarp(__hallmark_mask()); }
  __device__ unsigned int thread_rank() const { return __hallmark_rank() & (N - 1u); }
  __device__ static constexpr unsigned int size() { return N; }
  __device__ static constexpr unsigned int num_threads() { return N; }
  __device__ unsigned int meta_group_rank() const { return __hallmark_rank() / N; }
  __device__ unsigned int meta_group_size() const {
    return (blockDim.x * blockDim.y * blockDim.z + N - 1u) / N;
  }
  template <class T> __device__ T shfl(T v, int lane) const { return __shfl_sync(__hallmark_mask(), v, lane, (int)N); }
  template <class T> __device__ T shfl_up(T v, unsigned int d) const {
    return __shfl_up_sync(__hallmark_mask(), v, d, (int)N);
  }
  template <class T> __device__ T shfl_down(T v, unsigned int d) const {
    return __shfl_down_sync(__hallmark_mask(), v, d, (int)N);
  }
  template <class T> __device__ T shfl_xor(T v, int m) const { return __shfl_xor_sync(__hallmark_mask(), v, m, (int)N); }
  __device__ int any(int p) const { return __any_sync(__hallmark_mask(), p); }
  __device__ int all(int p) const { return __all_sync(__hallmark_mask(), p); }
  __device__ unsigned int ballot(int p) const {
    return (__ballot_sync(__hallmark_mask(), p) & __hallmark_mask()) >> (__hallmark_rank() & 31u & ~(N - 1u));
  }
};

template <unsigned int N, class Parent = void>
struct thread_block_tile : __hallmark_tile<N> {};
// A tile whose parent is not named: every tile of its size can be one.
template <unsigned int N>
struct thread_block_tile<N, void> : __hallmark_tile<N> {
  thread_block_tile() = default;
  template <class Parent> __device__ thread_block_tile(const thread_block_tile<N, Parent>&) {}
};

template <unsigned int N, class Group>
static inline __device__ thread_block_tile<N, Group> tiled_partition(const Group&) {
  return {};
}
template <class Group>
static inline __device__ void sync(const Group& group) {
  group.sync();
}
template <class Group>
static inline __device__ auto thread_rank(const Group& group) {
  return group.thread_rank();
}

template <class T> struct plus {};
template <class T> struct less {};
template <class T> struct greater {};
// Its order of combination is not documented, so that its result has no bits to speak of.
template <class Group, class T, class Operation>
__device__ T reduce(const Group& group, T value, Operation operation);

}  // namespace cooperative_groups
