// expect own_lane: proved
// expect own_lane_segment: refuted value
// expect own_lane_end: refuted value
// expect own_lane_counted: refuted value

// Any lane's value of a shuffle: segments end where their width says, the last lanes keep their own, and a running
// value of a loop is the other lane's, not the own one at another place.
template <int fault>
__device__ void body(const unsigned* x, unsigned* y) {
  unsigned t = threadIdx.x, v = x[blockIdx.x * 64 + t];
  if (fault == 3) {
    v = 0;
    for (unsigned i = 0; i <= t % 4; ++i) v += x[blockIdx.x * 64 + t] * i;
  }
  unsigned u = __shfl_down_sync(0xffffffffu, v, 2, fault == 1 ? 16 : 32);
  y[blockIdx.x * 64 + t] = fault == 2 || t % 32 < 30 ? u : 0;
}
__global__ void own_lane(const unsigned* x, unsigned* y) { body<0>(x, y); }
__global__ void own_lane_segment(const unsigned* x, unsigned* y) { body<1>(x, y); }
__global__ void own_lane_end(const unsigned* x, unsigned* y) { body<2>(x, y); }
__global__ void own_lane_counted(const unsigned* x, unsigned* y) { body<3>(x, y); }
