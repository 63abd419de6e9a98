// Elements chosen by index tensors: Gather, GatherElements, GatherND, ScatterElements, ScatterND,
// OneHot, Compress, TopK.
#include <algorithm>

#include "operators/families.h"
#include "operators/terms.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

void gather(NodeContext& context) {
  const Extents& data = context.extents(0);
  const Extents& positions = context.extents(1);
  const std::size_t axis = context.axis_of(context.integer("axis", 0), data.size());
  Extents to(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(axis));
  to.insert(to.end(), positions.begin(), positions.end());
  to.insert(to.end(), data.begin() + static_cast<std::ptrdiff_t>(axis) + 1, data.end());
  const Indices at = axes(to.size());
  const auto first = at.begin() + static_cast<std::ptrdiff_t>(axis);
  const auto last = first + static_cast<std::ptrdiff_t>(positions.size());
  Indices indices(at.begin(), first);
  indices.push_back(context.element_index(1, Indices(first, last), data[axis]));
  indices.insert(indices.end(), last, at.end());
  context.define(0, context.format(0), to, context.element(0, indices));
}

void gather_elements(NodeContext& context) {
  const Extents& data = context.extents(0);
  const Extents& to = context.extents(1);
  if (to.size() != data.size()) context.invalid("data and indices have different ranks");
  const std::size_t axis = context.axis_of(context.integer("axis", 0), data.size());
  for (std::size_t d = 0; d < data.size(); ++d)
    if (d != axis) context.require_at_most(to[d], data[d], "indices reach beyond the data");
  Indices indices = axes(to.size());
  indices[axis] = context.element_index(1, axes(to.size()), data[axis]);
  context.define(0, context.format(0), to, context.element(0, indices));
}

void gather_nd(NodeContext& context) {
  const Extents& data = context.extents(0);
  const Extents& positions = context.extents(1);
  if (data.empty() || positions.empty()) context.invalid("data and indices should have at least one axis");
  const std::int64_t given = context.integer("batch_dims", 0);
  const std::size_t last = positions.size() - 1;
  const std::int64_t depth = context.concrete(positions[last], "the length of an index");
  if (given < 0 || static_cast<std::size_t>(given) > last ||
      static_cast<std::size_t>(given) + static_cast<std::size_t>(std::min<std::int64_t>(depth, 64)) >
          data.size() ||
      depth < 1)
    context.invalid("indices of " + std::to_string(depth) + " numbers do not fit the data");
  const auto batch = static_cast<std::size_t>(given), length = static_cast<std::size_t>(depth);
  for (std::size_t d = 0; d < batch; ++d)
    context.require_equal(data[d], positions[d], "the batch extents differ");
  Extents to(positions.begin(), positions.end() - 1);
  to.insert(to.end(), data.begin() + static_cast<std::ptrdiff_t>(batch + length), data.end());
  const Indices at = axes(to.size());
  const Indices prefix(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(last));
  Indices indices(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(batch));
  for (std::size_t j = 0; j < length; ++j) {
    Indices position = prefix;
    position.push_back(integer(static_cast<long>(j)));
    indices.push_back(context.run_time_index(1, position, data[batch + j]));
  }
  indices.insert(indices.end(), at.begin() + static_cast<std::ptrdiff_t>(last), at.end());
  context.define(0, context.format(0), to, context.element(0, indices));
}

// What a scatter does with the element that was there: replace, add, multiply.
using Combine = std::function<Term(Term old, Term update)>;
Combine combination(NodeContext& context) {
  const std::string reduction = context.string("reduction", "none");
  if (reduction == "none") return [](Term, Term update) { return update; };
  context.require_number(0);
  if (reduction == "add") return plus;
  if (reduction == "mul") return times;
  context.refuse("the reduction '" + reduction + "' has no meaning here");
}

// Every update is tried in row-major order, so of several updates of one element the last one stays, as
// ONNX's reference does.
void scatter_elements(NodeContext& context) {
  const Extents& data = context.extents(0);
  const Extents& updates = context.extents(2);
  if (updates.size() != data.size() || context.rank(1) != data.size())
    context.invalid("data, indices and updates have different ranks");
  if (context.format(2) != context.format(0))
    context.invalid("data and updates have different element types");
  const std::size_t axis = context.axis_of(context.integer("axis", 0), data.size());
  const Combine combine = combination(context);
  Indices position = axes(data.size());
  std::vector<Term> inside;
  for (std::size_t d = 0; d < data.size(); ++d) {
    context.require_equal(context.extent(1, d), updates[d], "indices and updates have different extents");
    if (d == axis) continue;
    context.require_at_most(updates[d], data[d], "updates reach beyond the data");
    if (updates[d] != data[d]) inside.push_back(less(position[d], updates[d]));
  }
  const Term target = position[axis];
  Range k = range("k", updates[axis]);
  position[axis] = k.variable;
  const bool known = context.is_constant(1);
  inside.push_back(equal(known ? context.element_index(1, position, data[axis])
                               : context.compared_index(1, position, data[axis]),
                         target));
  // A position outside the updates must not be read, not even in a guard: the other axes are tested first.
  const Term outside = inside.size() > 1 ? conjunction({inside.begin(), inside.end() - 1}) : truth(true);
  k.guard = inside.back();
  const Term old = context.element(0, axes(data.size()));
  const Term update = context.element(2, position);
  const Term scattered = fold_over(
      {old}, {k}, [&](const auto& state) { return std::vector<Term>{combine(state[0], update)}; })[0];
  context.define(0, context.format(0), data, select(outside, scattered, old));
}

void scatter_nd(NodeContext& context) {
  const Extents& data = context.extents(0);
  const Extents& positions = context.extents(1);
  if (data.empty() || positions.empty()) context.invalid("data and indices should have at least one axis");
  if (context.format(2) != context.format(0))
    context.invalid("data and updates have different element types");
  const std::int64_t depth = context.concrete(positions.back(), "the length of an index");
  if (depth < 1 || depth > static_cast<std::int64_t>(data.size()))
    context.invalid("indices of " + std::to_string(depth) + " numbers do not fit the data");
  const auto length = static_cast<std::size_t>(depth);
  const Combine combine = combination(context);
  Extents expected(positions.begin(), positions.end() - 1);
  expected.insert(expected.end(), data.begin() + depth, data.end());
  if (context.rank(2) != expected.size()) context.invalid("the updates have another rank than expected");
  for (std::size_t d = 0; d < expected.size(); ++d)
    context.require_equal(context.extent(2, d), expected[d], "the updates have other extents than expected");
  const Indices at = axes(data.size());
  std::vector<Range> ranges;
  Indices outer;
  for (std::size_t d = 0; d + 1 < positions.size(); ++d) {
    ranges.push_back(range("k", positions[d]));
    outer.push_back(ranges.back().variable);
  }
  std::vector<Term> hits;
  for (std::size_t j = 0; j < length; ++j) {
    Indices position = outer;
    position.push_back(integer(static_cast<long>(j)));
    hits.push_back(equal(context.compared_index(1, position, data[j]), at[j]));
  }
  Indices source = outer;
  source.insert(source.end(), at.begin() + depth, at.end());
  const Term update = context.element(2, source), old = context.element(0, at);
  const Term hit = conjunction(hits);
  if (ranges.empty())
    return context.define(0, context.format(0), data, select(hit, combine(old, update), old));
  ranges.back().guard = hit;
  context.define(0, context.format(0), data, fold_over({old}, ranges, [&](const auto& state) {
                   return std::vector<Term>{combine(state[0], update)};
                 })[0]);
}

// The slices, or elements of the flattened input, whose condition is true.
void compress(NodeContext& context) {
  const auto condition = context.known_numbers(1);
  if (!condition || context.format(1) != Format::boolean || context.rank(1) != 1)
    context.refuse("the number of its results depends on run-time data", "E6302");
  std::vector<Term> chosen;
  for (std::size_t i = 0; i < condition->size(); ++i)
    if ((*condition)[i] != 0) chosen.push_back(integer(static_cast<long>(i)));
  const Extents& from = context.extents(0);
  const bool flat = !context.has("axis");
  const std::size_t axis = flat ? 0 : context.axis_of(context.integer("axis"), from.size());
  context.require_at_most(integer(static_cast<long>(condition->size())), flat ? product(from) : from[axis],
                          "more conditions than slices");
  constexpr std::size_t limit = 4096;
  if (chosen.size() > limit) context.refuse("more than 4096 chosen slices");
  Extents to = flat ? Extents{integer(0)} : from;
  to[axis] = integer(static_cast<long>(chosen.size()));
  const Term source =
      chosen.empty() ? integer(0) : choose(calculus::axis(static_cast<int>(axis)), chosen, Sort::index());
  Indices indices = axes(to.size());
  indices[axis] = source;
  context.define(0, context.format(0), to, context.element(0, flat ? unflatten(source, from) : indices));
}

// The k greatest or least elements of an axis in order, and where they stand; of equal ones the first comes
// first. An element's rank is the number of elements that come before it.
void top_k(NodeContext& context) {
  context.require_number(0);
  const Extents& from = context.extents(0);
  const std::size_t axis = context.axis_of(context.integer("axis", -1), from.size());
  const bool greatest = context.flag("largest", true);
  if (!context.flag("sorted", true)) context.refuse("an order of its results that is left open");
  std::vector<std::int64_t> given{context.opset() < 10 ? context.integer("k") : 0};
  if (context.opset() >= 10) given = context.known_integers(1);
  if (given.size() != 1 || given[0] < 0) context.invalid("k should be one number and not negative");
  const Term k = integer(from_i64(given[0]));
  context.require_at_most(k, from[axis], "k is larger than its axis");
  const Sort position = Sort::integer(Format::i64);
  const Indices at = axes(from.size());
  Range other = range("j", from[axis]);
  Indices there = at;
  there[axis] = other.variable;
  const Term mine = context.element(0, at), theirs = context.element(0, there);
  const Term better = greatest ? compare(Op::lt, mine, theirs) : compare(Op::lt, theirs, mine);
  other.guard = either(better, both(compare(Op::eq, mine, theirs), less(other.variable, at[axis])));
  const Term one = int_constant(Format::i64, 1);
  const std::string rank = context.define_helper("rank", Format::i64, from, sum_over({other}, one));
  Extents to = from;
  to[axis] = k;
  Range candidate = range("i", from[axis]);
  there[axis] = candidate.variable;
  candidate.guard = equal(to_index(load(rank, there, position)), at[axis]);
  const auto chosen = [&](Term start, Term step) {
    return fold_over({start}, {candidate}, [&](const auto&) { return std::vector<Term>{step}; })[0];
  };
  const Term value = context.element(0, there);
  context.define(0, context.format(0), to, chosen(zero_of(value->sort), value));
  context.define(1, Format::i64, to,
                 chosen(int_constant(Format::i64, 0), from_index(candidate.variable, position)));
}

// An index outside [-depth, depth) gives the off value everywhere.
void one_hot(NodeContext& context) {
  const Extents& from = context.extents(0);
  const std::int64_t given = context.integer("axis", -1);
  const std::size_t axis = context.axis_of(given, from.size() + 1);
  context.require_number(0);
  if (product(context.extents(1)) != integer(1)) context.invalid("depth should be one number");
  Term depth = nullptr;
  if (is_integer(context.format(1))) {
    depth = context.known_indices(1).at(0);
  } else {
    const auto known = context.known_numbers(1);
    if (!known || known->at(0).get_den() != 1) context.refuse("depth must be known at import", "E6302");
    depth = integer(known->at(0).get_num());
  }
  context.require_at_most(integer(0), depth, "a negative depth");
  if (context.rank(2) != 1 || context.extent(2, 0) != integer(2))
    context.invalid("values should be [off, on]");
  Extents to = from;
  to.insert(to.begin() + static_cast<std::ptrdiff_t>(axis), depth);
  Indices at = axes(to.size());
  const Term target = at[axis];
  at.erase(at.begin() + static_cast<std::ptrdiff_t>(axis));
  // "In case 'indices' is of non-integer type, the values will be casted to int64 before use."
  Term element = context.element(0, at);
  if (!is_integer(context.format(0)))
    element = calculus::cast(element, Sort::integer(Format::i64), Format::i64);
  const Term index = to_index(element);
  Term hit = equal(index, target);
  if (!is_integer(context.format(0)) || is_signed(context.format(0)))
    hit = either(hit, equal(add(index, depth), target));
  context.define(0, context.format(2), to,
                 select(hit, context.element(2, {integer(1)}), context.element(2, {integer(0)})));
}

}  // namespace

void add_gathers(Table& table) {
  table.push_back({"Gather", "", 1, 17, gather});
  table.push_back({"GatherElements", "", 11, 17, gather_elements});
  table.push_back({"GatherND", "", 11, 17, gather_nd});
  table.push_back({"ScatterElements", "", 11, 17, scatter_elements});
  table.push_back({"Scatter", "", 9, 10, scatter_elements});
  table.push_back({"Compress", "", 9, 17, compress});
  table.push_back({"TopK", "", 1, 17, top_k});
  table.push_back({"ScatterND", "", 11, 17, scatter_nd});
  table.push_back({"OneHot", "", 9, 17, one_hot});
}

}  // namespace hallmark::operators
