// Pad: constant, reflect, edge; a negative pad removes elements.
#include "operators/families.h"
#include "operators/terms.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

void pad(NodeContext& context) {
  const Extents& from = context.extents(0);
  const std::size_t rank = from.size();
  const std::string mode = context.string("mode", "constant");
  std::vector<Term> pads;
  if (context.opset() < 11)
    for (const std::int64_t p : context.integers("pads")) pads.push_back(integer(from_i64(p)));
  else
    pads = context.known_indices(1);
  if (pads.size() != 2 * rank) context.invalid("two pads per axis are expected");

  Extents to;
  Indices indices;
  std::vector<Term> inside;
  for (std::size_t d = 0; d < rank; ++d) {
    const Term before = pads[d], after = pads[rank + d], n = from[d];
    const Term padded = add(n, add(before, after));
    context.require_at_most(integer(0), padded, "a negative pad that is larger than its axis");
    to.push_back(padded);
    const Term at = subtract(axis(static_cast<int>(d)), before);
    if (before == integer(0) && after == integer(0)) {
      indices.push_back(at);
    } else if (mode == "constant") {
      indices.push_back(at);
      inside.push_back(in_range(at, n));
    } else if (mode == "edge") {
      context.require_at_most(integer(1), n, "an empty axis has no edge");
      indices.push_back(clamp(at, integer(0), subtract(n, integer(1))));
    } else if (mode == "reflect") {
      // One reflection at each end.
      const Term last = subtract(n, integer(1));
      context.require_at_most(index_max(before, after), last, "a reflection longer than its axis");
      const Term from_start = index_max(at, scale(-1, at));
      indices.push_back(subtract(last, index_max(subtract(last, from_start), subtract(from_start, last))));
    } else {
      context.refuse("the mode '" + mode + "' has no meaning here");
    }
  }
  Term body = context.element(0, indices);
  if (!inside.empty()) {
    Term value = zero_of(body->sort);
    if (context.opset() < 11) {
      context.require_float(0);
      value = real(context.number("value", 0));
    } else if (context.has_input(2)) {
      if (context.format(2) != context.format(0)) context.invalid("the value has another element type");
      value = context.scalar(2);
    }
    body = select(conjunction(inside), body, value);
  }
  context.define(0, context.format(0), to, body);
}

}  // namespace

void add_pads(Table& table) {
  table.push_back({"Pad", "", 2, 17, pad});
}

}  // namespace hallmark::operators
