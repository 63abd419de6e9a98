// Operators that keep the elements in row-major order: Reshape, Flatten, Squeeze, Unsqueeze, Identity,
// Dropout.
#include <algorithm>

#include "operators/families.h"
#include "operators/terms.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

void define_reshaped(NodeContext& context, const Extents& to) {
  context.require_equal(product(context.extents(0)), product(to), "the number of elements changes");
  const Indices indices = reshaped(context.extents(0), to, axes(to.size()));
  context.define(0, context.format(0), to, context.masked_element(0, indices));
}

// A product of extents as a number and the atoms of their monomials; sums are atoms of their own.
struct Factors {
  Integer number = 1;
  std::vector<Term> atoms;
};

Factors factors_of(const Extents& extents) {
  Factors out;
  for (Term extent : extents) {
    const std::vector<Monomial> parts = monomials(extent);
    if (parts.size() != 1) {
      if (parts.empty()) out.number = 0;
      if (!parts.empty()) out.atoms.push_back(extent);
      continue;
    }
    out.number *= parts[0].coefficient;
    const Term product = parts[0].product;
    if (product != nullptr && product->kind == Kind::product)
      out.atoms.insert(out.atoms.end(), product->children.begin(), product->children.end());
    else if (product != nullptr)
      out.atoms.push_back(product);
  }
  return out;
}

// product(a) / product(b), equal factors cancelled first so that symbols divide exactly. Where the division
// is not exact, define_reshaped's condition on the number of elements catches it.
Term divided(const Extents& a, const Extents& b) {
  Factors above = factors_of(a), below = factors_of(b);
  Extents rest;
  for (Term atom : below.atoms)
    if (const auto at = std::find(above.atoms.begin(), above.atoms.end(), atom); at != above.atoms.end())
      above.atoms.erase(at);
    else
      rest.push_back(atom);
  return floor_div(multiply(calculus::integer(above.number), product(above.atoms)),
                   multiply(calculus::integer(below.number), product(rest)));
}

void reshape(NodeContext& context) {
  if (context.rank(1) != 1) context.invalid("the shape should be a vector");
  const bool zero_is_zero = context.flag("allowzero", false);
  const Extents& from = context.extents(0);
  Extents to = context.known_indices(1), known;
  std::optional<std::size_t> inferred;
  for (std::size_t d = 0; d < to.size(); ++d) {
    const Integer* number = as_integer(to[d]);
    if (number != nullptr && *number == 0 && !zero_is_zero) {
      if (d >= from.size()) context.invalid("the shape keeps an extent that the input does not have");
      to[d] = from[d];
    } else if (number != nullptr && *number == -1) {
      if (inferred) context.invalid("the shape has two extents of -1");
      inferred = d;
      continue;
    } else {
      context.require_at_most(calculus::integer(0), to[d], "a negative extent");
    }
    known.push_back(to[d]);
  }
  if (inferred) {
    const Term rest = product(known);
    if (rest == calculus::integer(0)) context.invalid("an extent of -1 beside an extent of 0");
    to[*inferred] = divided(from, known);
  }
  define_reshaped(context, to);
}

void flatten_operator(NodeContext& context) {
  const Extents& from = context.extents(0);
  const auto rank = static_cast<std::int64_t>(from.size());
  std::int64_t axis = context.integer("axis", 1);
  if (axis < 0 && context.opset() >= 11) axis += rank;
  if (axis < 0 || axis > rank) context.invalid("axis " + std::to_string(axis) + " is outside the rank");
  const auto middle = from.begin() + axis;
  define_reshaped(context, {product(Extents(from.begin(), middle)), product(Extents(middle, from.end()))});
}

std::vector<std::int64_t> given_axes(NodeContext& context) {
  if (context.opset() < 13) return context.integers("axes");
  return context.has_input(1) ? context.known_integers(1) : std::vector<std::int64_t>{};
}

void squeeze(NodeContext& context) {
  const Extents& from = context.extents(0);
  const Term one = calculus::integer(1);
  std::vector<bool> dropped(from.size(), false);
  const bool named = context.opset() < 13 ? context.has("axes") : context.has_input(1);
  if (named && given_axes(context).empty()) context.refuse("an empty list of axes");
  if (named)
    for (const std::size_t axis : context.axes_of(given_axes(context), from.size())) {
      context.require_equal(from[axis], one, "an axis that is squeezed should have extent 1");
      dropped[axis] = true;
    }
  else
    for (std::size_t d = 0; d < from.size(); ++d) dropped[d] = context.are_equal(from[d], one);
  Extents to;
  Indices indices;
  for (std::size_t d = 0; d < from.size(); ++d) {
    indices.push_back(dropped[d] ? calculus::integer(0) : axis(static_cast<int>(to.size())));
    if (!dropped[d]) to.push_back(from[d]);
  }
  context.define(0, context.format(0), to, context.masked_element(0, indices));
}

void unsqueeze(NodeContext& context) {
  const Extents& from = context.extents(0);
  const std::vector<std::int64_t> given = given_axes(context);
  const std::size_t rank = from.size() + given.size();
  if (rank > 32) context.refuse("a rank above 32");
  std::vector<bool> added(rank, false);
  for (const std::size_t axis : context.axes_of(given, rank)) added[axis] = true;
  Extents to;
  Indices indices;
  for (std::size_t d = 0; d < rank; ++d) {
    if (!added[d]) indices.push_back(axis(static_cast<int>(d)));
    to.push_back(added[d] ? calculus::integer(1) : from[indices.size() - 1]);
  }
  context.define(0, context.format(0), to, context.masked_element(0, indices));
}

void identity(NodeContext& context) {
  const Extents& extents = context.extents(0);
  context.define(0, context.format(0), extents, context.masked_element(0, axes(extents.size())));
}

// Inference only: the input itself, and a mask that keeps everything.
void dropout(NodeContext& context) {
  if (context.opset() >= 12 && context.has_input(2)) {
    const auto training = context.known_numbers(2);
    if (!training || training->size() != 1)
      context.refuse("whether it trains depends on run-time data", "E6302");
    if (training->at(0) != 0) context.refuse("training mode has no meaning here");
  }
  identity(context);
  if (!context.wants(1)) return;
  if (context.opset() < 10) context.refuse("its mask has no meaning before opset 10");
  context.define(1, Format::boolean, context.extents(0), truth(true));
}

}  // namespace

void add_reshapes(Table& table) {
  table.push_back({"Reshape", "", 5, 17, reshape});
  table.push_back({"Flatten", "", 1, 17, flatten_operator});
  table.push_back({"Squeeze", "", 1, 17, squeeze});
  table.push_back({"Unsqueeze", "", 1, 17, unsqueeze});
  table.push_back({"Identity", "", 1, 17, identity});
  table.push_back({"Dropout", "", 7, 17, dropout});
}

}  // namespace hallmark::operators
