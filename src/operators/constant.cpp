// Tensors made at import: Constant, ConstantOfShape, Shape, Size, Range, EyeLike, NonZero of a constant.
#include <cstring>

#include "operators/families.h"
#include "operators/rounded.h"
#include "operators/terms.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

template <class T>
TensorPointer tensor_of(Format format, std::vector<std::int64_t> extents, const std::vector<T>& values) {
  auto data = std::make_shared<TensorData>();
  data->format = format;
  data->extents = std::move(extents);
  data->bytes.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(data->bytes.data(), values.data(), data->bytes.size());
  return data;
}

void constant(NodeContext& context) {
  if (context.node().attributes.size() != 1) context.refuse("one attribute is expected");
  const auto& [name, value] = *context.node().attributes.begin();
  if (name == "value") {
    const auto* tensor = std::get_if<TensorPointer>(&value);
    if (tensor == nullptr) context.invalid("the attribute 'value' should be a tensor");
    return context.define_constant(0, *tensor);
  }
  if (name == "value_int")
    return context.define_constant(0, tensor_of<std::int64_t>(Format::i64, {}, {context.integer(name)}));
  if (name == "value_ints") {
    const auto values = context.integers(name);
    const auto count = static_cast<std::int64_t>(values.size());
    return context.define_constant(0, tensor_of<std::int64_t>(Format::i64, {count}, values));
  }
  if (name == "value_floats") {
    const auto values = context.floats(name);
    const auto count = static_cast<std::int64_t>(values.size());
    return context.define_constant(0, tensor_of<float>(Format::f32, {count}, values));
  }
  if (name == "value_float") {
    const auto* number = std::get_if<float>(&value);
    if (number == nullptr) context.invalid("the attribute 'value_float' should be a float");
    return context.define_constant(0, tensor_of<float>(Format::f32, {}, {*number}));
  }
  context.refuse("a constant given by '" + name + "' has no meaning here");
}

// Never materialised: a splat, or one literal when the extents are symbolic.
void constant_of_shape(NodeContext& context) {
  TensorPointer value = tensor_of<float>(Format::f32, {1}, {0.0F});
  if (context.has("value")) {
    const auto* tensor = std::get_if<TensorPointer>(&context.node().attributes.at("value"));
    if (tensor == nullptr || (**tensor).element_count() != 1)
      context.invalid("the attribute 'value' should be a tensor of one element");
    value = *tensor;
  }
  if (context.rank(0) != 1) context.invalid("the shape should be a vector");
  const Extents extents = context.known_indices(0);
  for (Term e : extents) context.require_at_most(calculus::integer(0), e, "a negative extent");
  if (const auto numbers = concrete(extents)) {
    auto splat = std::make_shared<TensorData>(*value);
    splat->extents = *numbers;
    splat->splat = true;
    return context.define_constant(0, splat);
  }
  context.define(0, value->format, extents, context.literal(*value));
}

void shape(NodeContext& context) {
  const Extents& extents = context.extents(0);
  const auto rank = static_cast<std::int64_t>(extents.size());
  const auto end_of = [&](const char* name, std::int64_t otherwise) {
    if (!context.has(name)) return otherwise;
    const std::int64_t at = context.integer(name);
    return std::min(std::max<std::int64_t>(at < 0 ? at + rank : at, 0), rank);
  };
  const std::int64_t start = end_of("start", 0), end = std::max(start, end_of("end", rank));
  const Sort sort = Sort::integer(Format::i64);
  std::vector<Term> values;
  for (std::int64_t d = start; d < end; ++d)
    values.push_back(from_index(extents[static_cast<std::size_t>(d)], sort));
  context.define(0, Format::i64, {calculus::integer(end - start)}, choose(axis(0), values, sort));
}

void size(NodeContext& context) {
  context.define(0, Format::i64, {}, from_index(product(context.extents(0)), Sort::integer(Format::i64)));
}

void range_operator(NodeContext& context) {
  const Format format = context.format(0);
  context.require_number(0);
  for (std::size_t i = 0; i < 3; ++i) {
    if (context.format(i) != format) context.invalid("its inputs have different element types");
    if (product(context.extents(i)) != calculus::integer(1)) context.invalid("its inputs should be scalars");
  }
  if (is_float(format)) {
    std::vector<Rational> ends;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto known = context.known_numbers(i);
      if (!known) context.refuse("its length depends on run-time data", "E6302");
      ends.push_back(known->at(0));
    }
    if (ends[2] == 0) context.invalid("the step is 0");
    const Rational exact = (ends[1] - ends[0]) / ends[2];
    const Integer count = -floor_div(-exact.get_num(), exact.get_den());
    // (limit - start) / step, as runtimes round it.
    for (const Format f : {format, Format::f64}) {
      const auto difference = rounded(Rational(ends[1] - ends[0]), f);
      const auto steps = difference ? rounded(Rational(*difference / ends[2]), f) : std::nullopt;
      if (!steps || -floor_div(-steps->get_num(), steps->get_den()) != count)
        context.refuse("ends of which it depends on a rounding how many elements lie between them");
    }
    const Term at = times(real_of(axis(0)), real(ends[2]));
    return context.define(0, format, {calculus::integer(count < 0 ? Integer(0) : count)},
                          plus(real(ends[0]), at));
  }
  const Term start = context.known_indices(0).at(0), limit = context.known_indices(1).at(0);
  const std::int64_t step = context.known_integers(2).at(0);
  if (step == 0) context.invalid("the step is 0");
  const Term stride = calculus::integer(from_i64(step));
  // ceil_div rounds up for positive divisors alone.
  const Term length = step > 0 ? subtract(limit, start) : subtract(start, limit);
  const Term count = index_max(calculus::integer(0), ceil_div(length, step > 0 ? stride : scale(-1, stride)));
  context.define(0, format, {count},
                 from_index(add(start, multiply(stride, axis(0))), Sort::integer(format)));
}

void eye_like(NodeContext& context) {
  if (context.rank(0) != 2) context.invalid("its input should be a matrix");
  Format format = context.format(0);
  if (context.has("dtype")) {
    const auto given = element_type(context.integer("dtype"));
    if (!given) context.refuse("a type without a meaning here", "E6303");
    format = *given;
  }
  const Term diagonal = calculus::integer(from_i64(context.integer("k", 0)));
  const Sort sort = exact_sort(format);
  context.define(0, format, context.extents(0),
                 select(equal(axis(1), add(axis(0), diagonal)), one_of(sort), zero_of(sort)));
}

void non_zero(NodeContext& context) {
  const auto shape = concrete(context.extents(0));
  const auto values = context.known_numbers(0);
  if (!shape || !values) context.refuse("the number of its results depends on run-time data", "E6302");
  std::vector<std::vector<std::int64_t>> found(shape->size());
  std::vector<std::int64_t> at(shape->size(), 0);
  std::int64_t count = 0;
  for (const Rational& value : *values) {
    if (value != 0) {
      ++count;
      for (std::size_t d = 0; d < at.size(); ++d) found[d].push_back(at[d]);
    }
    for (std::size_t d = at.size(); d-- > 0 && ++at[d] == (*shape)[d];) at[d] = 0;
  }
  std::vector<std::int64_t> rows;
  for (const auto& row : found) rows.insert(rows.end(), row.begin(), row.end());
  context.define_constant(
      0, tensor_of<std::int64_t>(Format::i64, {static_cast<std::int64_t>(shape->size()), count}, rows));
}

}  // namespace

void add_constants(Table& table) {
  table.push_back({"Constant", "", 1, 17, constant});
  table.push_back({"ConstantOfShape", "", 9, 17, constant_of_shape});
  table.push_back({"Shape", "", 1, 17, shape});
  table.push_back({"Size", "", 1, 17, size});
  table.push_back({"Range", "", 11, 17, range_operator});
  table.push_back({"EyeLike", "", 9, 17, eye_like});
  table.push_back({"NonZero", "", 9, 17, non_zero});
}

}  // namespace hallmark::operators
