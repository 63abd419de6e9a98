// Sliding windows: what convolutions and pools share.
#pragma once
#include <vector>

#include "operators/context.h"
#include "operators/terms.h"

namespace hallmark::operators {

// Along one spatial axis: output o reads the input at o * stride - before + k * dilation for k < kernel.
struct Window {
  Term input = nullptr, output = nullptr;  // extents
  Term kernel = nullptr, stride = nullptr, dilation = nullptr;
  Term before = nullptr, after = nullptr;         // padding
  bool leaves_start = false, leaves_end = false;  // whether a window may reach outside the input there

  Term span() const;  // (kernel - 1) * dilation + 1
  Term position(Term o, Term k) const;
  // The range of k, guarded so that the position lies inside the input.
  Range guarded_range(Term o) const;
};

// The attribute as one number per spatial axis; `otherwise` for each when it is absent.
std::vector<std::int64_t> per_axis(NodeContext& context, const char* attribute, std::size_t axes,
                                   std::int64_t otherwise);

// The windows of Conv and the pools over the spatial axes of input 0 (all but the first two), from strides,
// dilations, pads and auto_pad; `kernels` per axis. Throws when a window is larger than its padded input.
std::vector<Window> windows_of(NodeContext& context, const std::vector<Term>& kernels, bool ceil_mode);

}  // namespace hallmark::operators
