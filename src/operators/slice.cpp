// Slice, Split and Concat.
#include "operators/families.h"
#include "operators/terms.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

// Exporters write "to the end" as the largest value of the index type.
const Integer& largest_i32() {
  static const Integer value = power_of_two(31) - 1;
  return value;
}

// One end of a slice on an axis of extent n, clamped to [low, high].
Term clamped_end(NodeContext& context, Term end, Term n, Term low, Term high) {
  const Integer* number = as_integer(end);
  if (number != nullptr && *number >= largest_i32()) {
    context.require_at_most(n, end, "an axis that is longer than the end of its slice");
    return high;
  }
  if (number != nullptr && *number <= -largest_i32()) {
    context.require_at_most(add(n, integer(1)), scale(-1, end),
                            "an axis that is longer than the end of its slice");
    return low;
  }
  const Decision natural = is_at_most(integer(0), end, context.ranges());
  if (natural == Decision::unknown) context.refuse("the sign of " + text(end) + " is open", "E6304");
  if (natural == Decision::no) end = add(end, n);
  // A comparison that the ranges decide leaves no minimum or maximum in the extents.
  const auto at_most_known = [&](Term a, Term b) {
    return is_at_most(a, b, context.ranges()) == Decision::yes;
  };
  if (at_most_known(end, low)) return low;
  if (at_most_known(high, end)) return high;
  Term out = at_most_known(low, end) ? end : index_max(end, low);
  return at_most_known(end, high) ? out : index_min(out, high);
}

void slice(NodeContext& context) {
  const Extents& from = context.extents(0);
  std::vector<Term> starts, ends;
  std::vector<std::int64_t> named, steps;
  if (context.opset() < 10) {
    for (const std::int64_t s : context.integers("starts")) starts.push_back(integer(from_i64(s)));
    for (const std::int64_t e : context.integers("ends")) ends.push_back(integer(from_i64(e)));
    named = context.integers("axes");
  } else {
    starts = context.known_indices(1);
    ends = context.known_indices(2);
    if (context.has_input(3)) named = context.known_integers(3);
    if (context.has_input(4)) steps = context.known_integers(4);
  }
  if (named.empty())
    for (std::size_t d = 0; d < starts.size(); ++d) named.push_back(static_cast<std::int64_t>(d));
  if (steps.empty()) steps.assign(starts.size(), 1);
  if (ends.size() != starts.size() || named.size() != starts.size() || steps.size() != starts.size())
    context.invalid("starts, ends, axes and steps have different lengths");
  const std::vector<std::size_t> sliced = context.axes_of(named, from.size());
  Extents to = from;
  Indices indices = axes(from.size());
  for (std::size_t j = 0; j < sliced.size(); ++j) {
    const Term n = from[sliced[j]], zero = integer(0), last = subtract(n, integer(1));
    const Term step = integer(from_i64(steps[j]));
    if (steps[j] == 0) context.invalid("a step of 0");
    const bool forward = steps[j] > 0;
    // numpy and ONNX's text differ on a start before the axis when stepping backwards.
    if (const Integer* number = as_integer(starts[j]); !forward && number != nullptr && *number < 0)
      if (is_at_most(scale(-1, starts[j]), n, context.ranges()) != Decision::yes)
        context.refuse("a backward slice that starts before its axis");
    const Term start = clamped_end(context, starts[j], n, zero, forward ? n : last);
    const Term end = clamped_end(context, ends[j], n, forward ? zero : integer(-1), forward ? n : last);
    const Term count =
        ceil_div(forward ? subtract(end, start) : subtract(start, end), forward ? step : scale(-1, step));
    to[sliced[j]] =
        is_at_most(zero, count, context.ranges()) == Decision::yes ? count : index_max(zero, count);
    indices[sliced[j]] = add(start, multiply(step, indices[sliced[j]]));
  }
  context.define(0, context.format(0), to, context.masked_element(0, indices));
}

void split(NodeContext& context) {
  const Extents& from = context.extents(0);
  const std::size_t axis = context.axis_of(context.integer("axis", 0), from.size());
  const std::size_t parts = context.output_count();
  std::vector<Term> lengths;
  if (context.opset() < 13)
    for (const std::int64_t s : context.integers("split")) lengths.push_back(integer(from_i64(s)));
  else if (context.has_input(1))
    lengths = context.known_indices(1);
  if (lengths.empty()) {
    const Term each = floor_div(from[axis], integer(static_cast<long>(parts)));
    context.require_equal(scale(static_cast<long>(parts), each), from[axis],
                          "the axis does not split evenly");
    lengths.assign(parts, each);
  }
  if (lengths.size() != parts) context.invalid("the number of lengths and of outputs differ");
  for (Term length : lengths) context.require_at_most(integer(0), length, "a negative length");
  context.require_equal(add(lengths), from[axis], "the lengths do not add up to the axis");
  Term start = integer(0);
  for (std::size_t j = 0; j < parts; ++j) {
    Extents to = from;
    to[axis] = lengths[j];
    Indices indices = axes(from.size());
    indices[axis] = add(start, indices[axis]);
    context.define(j, context.format(0), to, context.element(0, indices));
    start = add(start, lengths[j]);
  }
}

void concat(NodeContext& context) {
  const std::size_t rank = context.rank(0);
  const std::size_t axis = context.axis_of(context.integer("axis"), rank);
  Extents to = context.extents(0);
  to[axis] = integer(0);
  std::vector<Term> starts, parts;
  for (std::size_t i = 0; i < context.input_count(); ++i) {
    const Extents& from = context.extents(i);
    if (from.size() != rank) context.invalid("its inputs have different ranks");
    if (context.format(i) != context.format(0)) context.invalid("its inputs have different element types");
    for (std::size_t d = 0; d < rank; ++d)
      if (d != axis) context.require_equal(from[d], to[d], "extents beside the joined axis differ");
    Indices indices = axes(rank);
    indices[axis] = subtract(indices[axis], to[axis]);
    if (from[axis] != integer(0)) {  // an empty part is never read
      starts.push_back(to[axis]);
      parts.push_back(context.element(i, indices));
    }
    to[axis] = add(to[axis], from[axis]);
  }
  const Term body = parts.empty() ? zero_of(context.sort(0))
                                  : choose_interval(calculus::axis(static_cast<int>(axis)), starts, parts);
  context.define(0, context.format(0), to, body);
}

}  // namespace

void add_slices(Table& table) {
  table.push_back({"Slice", "", 1, 17, slice});
  table.push_back({"Split", "", 2, 17, split});
  table.push_back({"Concat", "", 4, 17, concat});
}

}  // namespace hallmark::operators
