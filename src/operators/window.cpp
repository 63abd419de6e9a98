#include "operators/window.h"

#include "base/error.h"

namespace hallmark::operators {

using namespace calculus;

Term Window::span() const {
  return add(multiply(subtract(kernel, integer(1)), dilation), integer(1));
}

Term Window::position(Term o, Term k) const {
  return add(subtract(multiply(o, stride), before), multiply(k, dilation));
}

Range Window::guarded_range(Term o) const {
  Range k = range("k", kernel);
  std::vector<Term> inside;
  if (leaves_start) inside.push_back(at_most(integer(0), position(o, k.variable)));
  if (leaves_end) inside.push_back(less(position(o, k.variable), input));
  if (!inside.empty()) k.guard = conjunction(inside);
  return k;
}

std::vector<std::int64_t> per_axis(NodeContext& context, const char* attribute, std::size_t axes,
                                   std::int64_t otherwise) {
  if (!context.has(attribute)) return std::vector<std::int64_t>(axes, otherwise);
  std::vector<std::int64_t> out = context.integers(attribute);
  if (out.size() != axes)
    context.invalid(std::string(attribute) + " should have " + std::to_string(axes) + " numbers");
  for (const std::int64_t value : out)
    if (value < 0 || value > (std::int64_t{1} << 31))
      context.invalid(std::string(attribute) + " holds the number " + std::to_string(value));
  return out;
}

std::vector<Window> windows_of(NodeContext& context, const std::vector<Term>& kernels, bool ceil_mode) {
  const std::size_t spatial = kernels.size();
  const auto strides = per_axis(context, "strides", spatial, 1);
  const auto dilations = per_axis(context, "dilations", spatial, 1);
  const auto pads = per_axis(context, "pads", 2 * spatial, 0);
  const std::string mode = context.string("auto_pad", "NOTSET");
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (!same && mode != "NOTSET" && mode != "VALID") context.invalid("auto_pad should not be '" + mode + "'");
  if (mode != "NOTSET" && context.has("pads"))
    for (const std::int64_t pad : pads)
      if (pad != 0) context.invalid("auto_pad and pads together");
  if (same && ceil_mode) context.refuse("auto_pad together with ceil_mode");

  std::vector<Window> out;
  for (std::size_t d = 0; d < spatial; ++d) {
    Window w;
    if (strides[d] == 0 || dilations[d] == 0) context.invalid("a stride or dilation of 0");
    w.input = context.extent(0, d + 2);
    w.kernel = kernels[d];
    w.stride = integer(from_i64(strides[d]));
    w.dilation = integer(from_i64(dilations[d]));
    w.before = integer(from_i64(pads[d]));
    w.after = integer(from_i64(pads[spatial + d]));
    context.require_at_most(integer(1), w.kernel, "an empty kernel");
    const Term one = integer(1);
    if (same) {
      w.output = ceil_div(w.input, w.stride);
      const Term needed = add(multiply(subtract(w.output, one), w.stride), w.span());
      Term total = subtract(needed, w.input);
      if (is_at_most(integer(0), total, context.ranges()) != Decision::yes)
        total = simplify(index_max(total, integer(0)), context.ranges());
      const Term half = floor_div(total, integer(2));
      w.before = mode == "SAME_UPPER" ? half : subtract(total, half);
      w.after = subtract(total, w.before);
    } else {
      const Term room = subtract(add(w.input, add(w.before, w.after)), w.span());
      // Rounded up, one window may reach beyond the padding.
      const Term least = ceil_mode ? subtract(one, w.stride) : integer(0);
      context.require_at_most(least, room, "a window larger than its padded input");
      w.output = add(ceil_mode ? ceil_div(room, w.stride) : floor_div(room, w.stride), one);
    }
    const auto holds = [&](Term a, Term b) { return is_at_most(a, b, context.ranges()) == Decision::yes; };
    w.leaves_start = !holds(w.before, integer(0));
    const Term end = add(subtract(multiply(subtract(w.output, one), w.stride), w.before), w.span());
    w.leaves_end = !holds(end, w.input);
    // Without padding and in floor mode every window fits by construction, whatever the symbols are.
    if (!same && !ceil_mode && w.after == integer(0)) w.leaves_end = false;
    out.push_back(w);
  }
  return out;
}

}  // namespace hallmark::operators
