// Resize and Upsample. Coordinates are exact rationals, affine in the output's index: (slope * o + offset).
#include <algorithm>

#include "base/error.h"
#include "operators/families.h"
#include "operators/rounded.h"
#include "operators/terms.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

// Where output o of one axis lies on the input's axis.
struct Coordinate {
  std::int64_t input = 0, output = 0;
  bool resized = false;
  Rational slope, offset;

  // floor(slope * o + offset + shift)
  Term floor_at(Term o, const Rational& shift) const {
    const Rational start = offset + shift;
    Integer denominator = slope.get_den() * start.get_den() / gcd(slope.get_den(), start.get_den());
    const Integer a = slope.get_num() * (denominator / slope.get_den());
    const Integer b = start.get_num() * (denominator / start.get_den());
    return floor_div(add(scale(a, o), calculus::integer(b)), calculus::integer(denominator));
  }
  Term ceil_at(Term o, const Rational& shift) const {
    const Coordinate mirrored{input, output, resized, -slope, -offset};
    return scale(-1, mirrored.floor_at(o, -shift));
  }
  Term value_at(Term o) const { return plus(times(real(slope), real_of(o)), real(offset)); }
  Term inside(Term index) const {
    return clamp(index, calculus::integer(0), calculus::integer(from_i64(input - 1)));
  }
};

Coordinate coordinate_of(NodeContext& context, const std::string& mode, std::int64_t input,
                         std::int64_t output, const Rational& scale,
                         const std::optional<std::pair<Rational, Rational>>& region) {
  Coordinate c{input, output, true, 1, 0};
  const Rational in(from_i64(input)), out(from_i64(output)), half(1, 2);
  if (mode == "half_pixel" || mode == "pytorch_half_pixel") {
    // ONNX's text and its reference differ here.
    if (mode == "pytorch_half_pixel" && output == 1) context.refuse("pytorch_half_pixel to an extent of 1");
    c.slope = 1 / scale;
    c.offset = half / scale - half;
  } else if (mode == "asymmetric") {
    c.slope = 1 / scale;
  } else if (mode == "tf_half_pixel_for_nn" && context.opset() < 13) {
    c.slope = 1 / scale;
    c.offset = half / scale;
  } else if (mode == "align_corners") {
    // ONNX's text takes the output's extent, its reference the input's extent times the scale.
    if (in * scale != out) context.refuse("align_corners with a scale that does not give a whole extent");
    c.slope = output == 1 ? Rational(0) : Rational((in - 1) / (out - 1));
  } else if (mode == "tf_crop_and_resize" && region) {
    const auto& [start, end] = *region;
    c.slope = output == 1 ? Rational(0) : Rational((end - start) * (in - 1) / (out - 1));
    c.offset = output == 1 ? Rational(half * (start + end) * (in - 1)) : Rational(start * (in - 1));
  } else {
    context.refuse("the coordinate mode '" + mode + "' has no meaning here");
  }
  return c;
}

// Implementations compute coordinates in f32. Where an exact one is off a boundary between two elements by no
// more than that rounding, they take the element on the other side, and neither is the model's meaning.
void refuse_coordinates_that_rounding_decides(NodeContext& context, const Coordinate& c,
                                              const Rational& boundary) {
  const Rational unit(1, 1 << 22);
  Rational at = c.offset - boundary;
  for (std::int64_t o = 0; o < c.output; ++o, at += c.slope) {
    const Rational above = at - Rational(floor_div(at.get_num(), at.get_den()));
    const Rational distance = above < Rational(1, 2) ? above : Rational(1 - above);
    if (distance != 0 && distance < unit * (1 + c.slope * from_i64(o + 1)))
      context.refuse("an element that the rounding of its coordinate decides");
  }
}

// Taps of one axis: positions on the input and their weights.
struct Taps {
  std::vector<Term> positions, weights;  // weights of reals; one tap without a weight: nearest
};

Taps nearest_taps(NodeContext& context, const Coordinate& c, Term o, const std::string& rounding) {
  const Rational half(1, 2);
  refuse_coordinates_that_rounding_decides(context, c,
                                           rounding == "floor" || rounding == "ceil" ? Rational(0) : half);
  Term at = nullptr;
  if (rounding == "floor")
    at = c.floor_at(o, 0);
  else if (rounding == "ceil")
    at = c.ceil_at(o, 0);
  else if (rounding == "round_prefer_ceil")
    at = c.floor_at(o, half);
  else if (rounding == "round_prefer_floor")
    at = c.ceil_at(o, -half);
  else
    context.invalid("nearest_mode should not be '" + rounding + "'");
  return {{c.inside(at)}, {}};
}

Taps linear_taps(const Coordinate& c, Term o) {
  const Term below = c.floor_at(o, 0);
  const Term part = minus(c.value_at(o), real_of(below));
  return {{c.inside(below), c.inside(add(below, calculus::integer(1)))}, {minus(real(1), part), part}};
}

// Keys' kernel with parameter a at distances 1 + t, t, 1 - t, 2 - t.
Taps cubic_taps(const Coordinate& c, Term o, const Rational& a, bool exclude_outside) {
  const Term below = c.floor_at(o, 0);
  const Term t = minus(c.value_at(o), real_of(below));
  const auto near = [&](Term d) {  // ((a + 2) d - (a + 3)) d^2 + 1
    return plus(times(minus(times(real(a + 2), d), real(a + 3)), times(d, d)), real(1));
  };
  const auto far = [&](Term d) {  // ((a d - 5 a) d + 8 a) d - 4 a
    const Term inner = plus(times(minus(times(real(a), d), real(5 * a)), d), real(8 * a));
    return minus(times(inner, d), real(4 * a));
  };
  Taps out;
  out.weights = {far(plus(real(1), t)), near(t), near(minus(real(1), t)), far(minus(real(2), t))};
  for (long j = -1; j <= 2; ++j) out.positions.push_back(add(below, calculus::integer(j)));
  if (exclude_outside) {
    Term total = real(0);
    for (std::size_t j = 0; j < 4; ++j) {
      const Term inside = in_range(out.positions[j], calculus::integer(from_i64(c.input)));
      out.weights[j] = select(inside, out.weights[j], real(0));
      total = plus(total, out.weights[j]);
    }
    for (Term& weight : out.weights) weight = quotient(weight, total);
  }
  for (Term& position : out.positions) position = c.inside(position);
  return out;
}

// The interpolated element: one axis after the other.
Term interpolated(NodeContext& context, const std::vector<Taps>& taps, Indices& at, std::size_t d) {
  if (d == taps.size()) return context.element(0, at);
  Term out = nullptr;
  for (std::size_t j = 0; j < taps[d].positions.size(); ++j) {
    at[d] = taps[d].positions[j];
    const Term inner = interpolated(context, taps, at, d + 1);
    const Term part = taps[d].weights.empty() ? inner : times(taps[d].weights[j], inner);
    out = out == nullptr ? part : plus(out, part);
  }
  return out;
}

std::vector<Rational> known_list(NodeContext& context, std::size_t i) {
  const auto known = context.known_numbers(i);
  if (!known) context.refuse("its scales depend on run-time data", "E6302");
  return *known;
}

void define_resized(NodeContext& context, const std::vector<Coordinate>& coordinates, const std::string& mode,
                    const std::string& rounding) {
  const std::size_t rank = coordinates.size();
  if (mode != "nearest") context.require_float(0);
  std::vector<Taps> taps;
  Extents to;
  std::vector<Term> inside;
  std::size_t interpolated_axes = 0;
  const bool crops = context.string("coordinate_transformation_mode", "") == "tf_crop_and_resize";
  for (std::size_t d = 0; d < rank; ++d) {
    const Coordinate& c = coordinates[d];
    const Term o = axis(static_cast<int>(d));
    if (!c.resized) {
      taps.push_back({{o}, {}});
      to.push_back(context.extent(0, d));
      continue;
    }
    to.push_back(calculus::integer(from_i64(c.output)));
    ++interpolated_axes;
    if (mode == "nearest")
      taps.push_back(nearest_taps(context, c, o, rounding));
    else if (mode == "linear")
      taps.push_back(linear_taps(c, o));
    else if (mode == "cubic")
      taps.push_back(
          cubic_taps(c, o, context.number("cubic_coeff_a", -0.75), context.flag("exclude_outside", false)));
    else
      context.refuse("the mode '" + mode + "' has no meaning here");
    if (crops) {
      inside.push_back(at_most(calculus::integer(0), c.floor_at(o, 0)));
      inside.push_back(at_most(c.ceil_at(o, 0), calculus::integer(from_i64(c.input - 1))));
    }
  }
  if (mode != "nearest" && interpolated_axes > 3) context.refuse("more than three interpolated axes");
  Indices at(rank);
  Term body = interpolated(context, taps, at, 0);
  if (crops) {
    context.require_float(0);
    body = select(conjunction(inside), body, real(context.number("extrapolation_value", 0)));
  }
  context.define(0, context.format(0), to, body);
}

void resize(NodeContext& context) {
  const std::size_t rank = context.rank(0);
  const std::string mode = context.string("mode", "nearest");
  const std::string coordinates = context.string("coordinate_transformation_mode", "half_pixel");
  std::vector<Rational> scales, region;
  std::vector<std::int64_t> sizes;
  if (context.has_input(2)) scales = known_list(context, 2);
  if (context.has_input(3)) sizes = context.known_integers(3);
  if (scales.empty() == sizes.empty()) context.invalid("either scales or sizes are expected");
  if (coordinates == "tf_half_pixel_for_nn" &&
      (mode != "nearest" || context.string("nearest_mode", "") != "floor"))
    context.refuse("tf_half_pixel_for_nn with anything but nearest and floor");
  if (coordinates == "tf_crop_and_resize") region = known_list(context, 1);
  if ((!scales.empty() && scales.size() != rank) || (!sizes.empty() && sizes.size() != rank) ||
      (!region.empty() && region.size() != 2 * rank))
    context.invalid("one scale or size per axis is expected");
  std::vector<Coordinate> all;
  for (std::size_t d = 0; d < rank; ++d) {
    if (!scales.empty() && scales[d] == 1 && region.empty()) {  // the axis may be symbolic
      all.emplace_back();
      continue;
    }
    const std::int64_t input = context.concrete(context.extent(0, d), "a resized axis");
    if (input < 1) context.invalid("an empty axis cannot be resized");
    Rational scale = scales.empty() ? Rational(from_i64(sizes[d]), from_i64(input)) : scales[d];
    scale.canonicalize();
    const Rational exact = Rational(from_i64(input)) * scale;
    const auto output = to_i64(floor_div(exact.get_num(), exact.get_den()));
    // Runtimes form the product in floats, or in doubles; where that makes another extent, none is right.
    const auto product = rounded(exact, Format::f32);
    if (!scales.empty() &&
        (!product || !output || floor_div(product->get_num(), product->get_den()) != from_i64(*output)))
      context.refuse("a scale of which it depends on a rounding what extent it gives");
    // Every coordinate mode that is read here leaves such an axis as it is.
    if (scale == 1 && (region.empty() || (region[d] == 0 && region[rank + d] == 1))) {
      all.emplace_back();
      continue;
    }
    if (scale <= 0 || !output || *output < 1) context.invalid("a scale that leaves nothing");
    std::optional<std::pair<Rational, Rational>> part;
    if (!region.empty()) part = std::pair(region[d], region[rank + d]);
    all.push_back(coordinate_of(context, coordinates, input, *output, scale, part));
  }
  define_resized(context, all, mode, context.string("nearest_mode", "round_prefer_floor"));
}

// Before opset 11 the text leaves coordinates open; for whole factors every reading repeats each element.
void repeated(NodeContext& context, const std::vector<Rational>& scales) {
  if (context.string("mode", "nearest") != "nearest")
    context.refuse("interpolation has no settled meaning before opset 11");
  const Extents& from = context.extents(0);
  if (scales.size() != from.size()) context.invalid("one scale per axis is expected");
  Extents to;
  Indices at;
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (scales[d].get_den() != 1 || scales[d] < 1)
      context.refuse("scales that are not whole have no settled meaning before opset 11");
    const Term factor = calculus::integer(scales[d].get_num());
    to.push_back(multiply(from[d], factor));
    at.push_back(floor_div(axis(static_cast<int>(d)), factor));
  }
  context.define(0, context.format(0), to, context.element(0, at));
}

void resize_by_input(NodeContext& context) {
  repeated(context, known_list(context, 1));
}

void upsample_by_attribute(NodeContext& context) {
  std::vector<Rational> scales;
  for (const float s : context.floats("scales")) scales.push_back(context.exact(s, "a scale"));
  repeated(context, scales);
}

void upsample_of_images(NodeContext& context) {
  repeated(context, {1, 1, context.number("height_scale", 0), context.number("width_scale", 0)});
}

}  // namespace

void add_resizes(Table& table) {
  table.push_back({"Resize", "", 11, 17, resize});
  table.push_back({"Resize", "", 10, 10, resize_by_input});
  table.push_back({"Upsample", "", 9, 9, resize_by_input});
  table.push_back({"Upsample", "", 7, 8, upsample_by_attribute});
  table.push_back({"Upsample", "", 6, 6, upsample_of_images});
}

}  // namespace hallmark::operators
