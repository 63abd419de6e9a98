// Which lanes are active is not determined.
// expect active_lanes: proved
// expect active_lanes ptx: proved
// expect active_lanes_all: open value
// expect active_lanes_all ptx: open value
// expect active_lanes_wait: open value
// expect active_lanes_wait ptx: open value
__global__ void active_lanes(unsigned* y) {
  __activemask();
  y[threadIdx.x] = 0xffffffffu;
}
__global__ void active_lanes_all(unsigned* y) { y[threadIdx.x] = __activemask(); }
__global__ void active_lanes_wait(unsigned* y) {
  __syncwarp(__activemask());
  y[threadIdx.x] = 0xffffffffu;
}
