#include "operators/context.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "evaluator/float_format.h"
#include "evaluator/tensor.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

Integer signed_or_not(const evaluator::Tensor& tensor, std::int64_t at) {
  if (tensor.format() == Format::u64) return from_u64(static_cast<std::uint64_t>(tensor.integer(at)));
  return from_i64(tensor.integer(at));
}

}  // namespace

std::string describe(const Node& node) {
  std::string name = node.name;
  for (const std::string& output : node.outputs)
    if (name.empty()) name = output;
  const std::string domain = node.domain.empty() ? "" : node.domain + ".";
  return name + " (" + domain + node.op_type + ")";
}

void NodeContext::invalid(const std::string& what) const {
  throw UserError("E6201", describe(node_) + ": " + what, {.node = describe(node_)});
}

void NodeContext::refuse(const std::string& what, const char* code) const {
  throw Refusal(code, describe(node_) + ": " + what, {.node = describe(node_)});
}

// --- Inputs ---

bool NodeContext::has_input(std::size_t i) const {
  return i < node_.inputs.size() && !node_.inputs[i].empty();
}

const Known& NodeContext::known(std::size_t i) const {
  if (!has_input(i)) invalid("input " + std::to_string(i + 1) + " is missing");
  const Known* found = scope_.find(node_.inputs[i]);
  if (found == nullptr) invalid("the input '" + node_.inputs[i] + "' is not defined before this node");
  return *found;
}

const Declaration& NodeContext::input(std::size_t i) const {
  return known(i).declaration;
}

bool NodeContext::is_computed(std::size_t i) const {
  known(i);
  return scope_.is_definition(node_.inputs[i]);
}

void NodeContext::require_float(std::size_t i) const {
  if (!is_float(format(i)))
    refuse("needs floating-point elements, and '" + node_.inputs[i] + "' has " + std::string(name(format(i))),
           "E6303");
}

void NodeContext::require_number(std::size_t i) const {
  if (format(i) == Format::boolean) refuse("is not defined for bool elements", "E6303");
}

Term NodeContext::element(std::size_t i, const Indices& indices) const {
  const Known& tensor = known(i);
  ensure(indices.size() == tensor.declaration.extents.size(), "an element needs one index per axis");
  if (tensor.kept != nullptr)
    refuse("'" + node_.inputs[i] + "' has elements of -infinity, which have a meaning as a mask alone",
           "E6305");
  if (tensor.formula != nullptr) return instantiate(tensor.formula, indices);
  if (tensor.data != nullptr) {
    if (!scope_.is_finite(node_.inputs[i]))
      refuse(
          "the constant '" + node_.inputs[i] + "' holds a NaN or an infinity, which the real meaning has not",
          "E6305");
    if (product(tensor.declaration.extents) == calculus::integer(1)) return literal(*tensor.data);
  }
  return load(node_.inputs[i], indices, exact_sort(tensor.declaration.format));
}

Term NodeContext::literal(const TensorData& tensor) const {
  const evaluator::Tensor contents(std::make_shared<const TensorData>(tensor));
  if (is_float(tensor.format)) {
    if (!std::isfinite(contents.number(0)))
      refuse("a constant is a NaN or an infinity, which the real meaning has not", "E6305");
    return real_constant(contents.exact(0));
  }
  if (tensor.format == Format::boolean) return truth(contents.integer(0) != 0);
  if (tensor.format == Format::u64)
    return int_constant(tensor.format, from_u64(static_cast<std::uint64_t>(contents.integer(0))));
  return int_constant(tensor.format, from_i64(contents.integer(0)));
}

NodeContext::Masked NodeContext::masked_element(std::size_t i, const Indices& indices) const {
  const Known& tensor = known(i);
  if (tensor.kept != nullptr)
    return {load(node_.inputs[i], indices, exact_sort(tensor.declaration.format)),
            instantiate(tensor.kept, indices)};
  if (tensor.data == nullptr || scope_.is_finite(node_.inputs[i])) return {element(i, indices), nullptr};
  if (is_infinite_constant(i, -1)) return {real_constant(0), truth(false)};
  const auto split = scope_.split_infinities(node_.inputs[i]);
  if (!split) return {element(i, indices), nullptr};  // refuses
  return {load(split->finite, indices, Sort::real()), load(split->kept, indices, Sort::boolean())};
}

NodeContext::Masked NodeContext::masked_broadcast(std::size_t i, const Indices& indices) const {
  return masked_element(i, broadcast_indices(i, indices));
}

Term NodeContext::broadcast(std::size_t i, const Indices& indices) const {
  return element(i, broadcast_indices(i, indices));
}

Indices NodeContext::broadcast_indices(std::size_t i, const Indices& indices) const {
  const Extents& shape = extents(i);
  ensure(indices.size() >= shape.size(), "broadcast() to a lower rank");
  const std::size_t skipped = indices.size() - shape.size();
  Indices own;
  for (std::size_t d = 0; d < shape.size(); ++d)
    own.push_back(shape[d] == calculus::integer(1) ? calculus::integer(0) : indices[skipped + d]);
  return own;
}

Term NodeContext::scalar(std::size_t i) const {
  for (Term e : extents(i))
    if (!are_equal(e, calculus::integer(1)))
      invalid("'" + node_.inputs[i] + "' should have one element and has extents " + text(extents(i)));
  return element(i, Indices(rank(i), calculus::integer(0)));
}

Term NodeContext::element_index(std::size_t i, const Indices& indices, Term extent) const {
  if (!is_integer(format(i))) refuse("indices of type " + std::string(name(format(i))), "E6303");
  const Known& tensor = known(i);
  const Term zero = calculus::integer(0);
  if (tensor.data != nullptr) {
    // Known indices are checked here; when none is negative the term needs no correction.
    const evaluator::Tensor contents(tensor.data);
    const std::int64_t distinct =
        tensor.data->splat ? std::min<std::int64_t>(1, contents.element_count()) : contents.element_count();
    bool negative = false;
    for (std::int64_t k = 0; k < distinct; ++k) {
      const Term value = calculus::integer(signed_or_not(contents, k));
      negative = negative || *as_integer(value) < 0;
      if (!is_less_or_equal(scale(-1, extent), value) || is_less_or_equal(extent, value))
        invalid("the index " + text(value) + " is outside an axis of extent " + text(extent));
    }
    const Term index = to_index(element(i, indices));
    if (!negative) return index;
    return simplify(index_select(less(index, zero), add(index, extent), index), ranges());
  }
  return run_time_index(i, indices, extent);
}

Term NodeContext::run_time_index(std::size_t i, const Indices& indices, Term extent) const {
  if (!is_integer(format(i))) refuse("indices of type " + std::string(name(format(i))), "E6303");
  const Term index = to_index(element(i, indices));
  if (!is_signed(format(i))) return index;
  return index_select(less(index, calculus::integer(0)), add(index, extent), index);
}

Term NodeContext::compared_index(std::size_t i, const Indices& indices, Term extent) {
  const Term index = run_time_index(i, indices, extent);
  const Sort position = Sort::integer(Format::i64);
  const std::string places =
      define_helper("places", Format::i64, {extent}, from_index(calculus::axis(0), position), false);
  return to_index(load(places, {index}, position));
}

// --- Attributes ---

const Attribute* NodeContext::attribute(const std::string& name) const {
  const auto found = node_.attributes.find(name);
  return found != node_.attributes.end() ? &found->second : nullptr;
}

template <class T>
const T& NodeContext::attribute_as(const std::string& name, const char* type) const {
  const Attribute* found = attribute(name);
  if (found == nullptr) invalid("the attribute '" + name + "' is missing");
  const T* value = std::get_if<T>(found);
  if (value == nullptr) invalid("the attribute '" + name + "' should be " + type);
  return *value;
}

std::int64_t NodeContext::integer(const std::string& attribute) const {
  return attribute_as<std::int64_t>(attribute, "an integer");
}

std::int64_t NodeContext::integer(const std::string& attribute, std::int64_t otherwise) const {
  return has(attribute) ? integer(attribute) : otherwise;
}

bool NodeContext::flag(const std::string& attribute, bool otherwise) const {
  const std::int64_t value = integer(attribute, otherwise ? 1 : 0);
  if (value != 0 && value != 1) invalid("the attribute '" + attribute + "' should be 0 or 1");
  return value == 1;
}

std::vector<std::int64_t> NodeContext::integers(const std::string& attribute) const {
  if (!has(attribute)) return {};
  return attribute_as<std::vector<std::int64_t>>(attribute, "a list of integers");
}

std::string NodeContext::string(const std::string& attribute, const std::string& otherwise) const {
  return has(attribute) ? attribute_as<std::string>(attribute, "a string") : otherwise;
}

std::vector<float> NodeContext::floats(const std::string& attribute) const {
  if (!has(attribute)) return {};
  return attribute_as<std::vector<float>>(attribute, "a list of floats");
}

bool NodeContext::is_infinite(const std::string& attribute, int sign) const {
  const float value = attribute_as<float>(attribute, "a float");
  return std::isinf(value) && std::signbit(value) == (sign < 0);
}

bool NodeContext::is_infinite_constant(std::size_t i, int sign) const {
  const Known& tensor = known(i);
  if (tensor.data == nullptr || !is_float(tensor.declaration.format)) return false;
  const evaluator::Tensor contents(tensor.data);
  if (contents.element_count() == 0) return false;
  const std::int64_t stored = tensor.data->splat ? 1 : contents.element_count();
  for (std::int64_t k = 0; k < stored; ++k)
    if (const double value = contents.number(k); !std::isinf(value) || std::signbit(value) != (sign < 0))
      return false;
  return true;
}

Rational NodeContext::exact(float value, const std::string& what) const {
  if (!std::isfinite(value)) refuse(what + " is a NaN or an infinity", "E6305");
  return exact_rational(value);
}

Rational NodeContext::number(const std::string& attribute, double otherwise) const {
  if (!has(attribute)) return exact(static_cast<float>(otherwise), attribute);
  return exact(attribute_as<float>(attribute, "a float"), "the attribute '" + attribute + "'");
}

std::size_t NodeContext::axis_of(std::int64_t axis, std::size_t rank) const {
  const auto n = static_cast<std::int64_t>(rank);
  if (axis < -n || axis >= n)
    invalid("axis " + std::to_string(axis) + " is outside a tensor of rank " + std::to_string(rank));
  return static_cast<std::size_t>(axis < 0 ? axis + n : axis);
}

std::vector<std::size_t> NodeContext::axes_of(const std::vector<std::int64_t>& axes, std::size_t rank) const {
  std::vector<std::size_t> out;
  for (std::int64_t a : axes) {
    const std::size_t axis = axis_of(a, rank);
    if (std::find(out.begin(), out.end(), axis) != out.end())
      invalid("axis " + std::to_string(a) + " is named twice");
    out.push_back(axis);
  }
  return out;
}

// --- Contents known at import ---

std::vector<Term> NodeContext::known_indices(std::size_t i) const {
  const Known& tensor = known(i);
  if (!is_integer(tensor.declaration.format)) invalid("'" + node_.inputs[i] + "' should hold integers");
  if (tensor.elements) return *tensor.elements;
  if (tensor.data == nullptr) {
    // Integers that were computed in floats, as exporters write scaled extents.
    std::vector<Term> numbers;
    if (const auto contents = scope_.contents_at_import(node_.inputs[i])) {
      for (const Rational& value : *contents) numbers.push_back(calculus::integer(value.get_num()));
      return numbers;
    }
    refuse("'" + node_.inputs[i] + "' must be known at import and depends on run-time data", "E6302");
  }
  const evaluator::Tensor contents(tensor.data);
  constexpr std::int64_t limit = 1 << 16;
  if (contents.element_count() > limit)
    refuse("'" + node_.inputs[i] + "' is too long for a shape or list of axes");
  std::vector<Term> out;
  for (std::int64_t k = 0; k < contents.element_count(); ++k)
    out.push_back(calculus::integer(signed_or_not(contents, k)));
  return out;
}

std::vector<std::int64_t> NodeContext::known_integers(std::size_t i) const {
  std::vector<std::int64_t> out;
  for (Term t : known_indices(i)) {
    const Integer* value = as_integer(t);
    const auto small = value != nullptr ? to_i64(*value) : std::nullopt;
    if (!small)
      refuse("'" + node_.inputs[i] + "' must be a list of numbers and depends on the symbolic extents",
             "E6304");
    out.push_back(*small);
  }
  return out;
}

std::optional<std::vector<Rational>> NodeContext::known_numbers(std::size_t i) const {
  known(i);
  return scope_.contents_at_import(node_.inputs[i]);
}

// --- Extents ---

bool NodeContext::are_equal(Term a, Term b) const {
  const Decision decision = is_equal(a, b, ranges());
  if (decision == Decision::unknown)
    refuse("whether " + text(a) + " equals " + text(b) + " depends on the symbolic extents", "E6304");
  return decision == Decision::yes;
}

bool NodeContext::is_less_or_equal(Term a, Term b) const {
  const Decision decision = is_at_most(a, b, ranges());
  if (decision == Decision::unknown)
    refuse("whether " + text(a) + " is at most " + text(b) + " depends on the symbolic extents", "E6304");
  return decision == Decision::yes;
}

void NodeContext::require_equal(Term a, Term b, const std::string& what) {
  const Decision decision = is_equal(a, b, ranges());
  if (decision == Decision::no) invalid(what + ": " + text(a) + " and " + text(b));
  if (decision == Decision::unknown) scope_.require(equal(a, b));
}

void NodeContext::require_at_most(Term a, Term b, const std::string& what) {
  const Decision decision = is_at_most(a, b, ranges());
  if (decision == Decision::no) invalid(what + ": " + text(a) + " and " + text(b));
  if (decision == Decision::unknown) scope_.require(at_most(a, b));
}

Extents NodeContext::broadcast_extents(const std::vector<Extents>& shapes) {
  std::size_t rank = 0;
  for (const Extents& shape : shapes) rank = std::max(rank, shape.size());
  const Term one = calculus::integer(1);
  Extents out(rank, one);
  for (const Extents& shape : shapes)
    for (std::size_t d = 0; d < shape.size(); ++d) {
      Term& extent = out[rank - shape.size() + d];
      if (shape[d] == one || shape[d] == extent) continue;
      if (extent == one) {
        extent = shape[d];
        continue;
      }
      // Neither is the literal 1. When one of them may be 1 for some value of a symbol, the output's extent
      // would not be known.
      const auto may_be_one = [&](Term e) { return is_equal(e, one, ranges()) != Decision::no; };
      if (is_equal(extent, shape[d], ranges()) != Decision::yes &&
          (may_be_one(extent) || may_be_one(shape[d])))
        refuse("broadcasting " + text(extent) + " against " + text(shape[d]) +
                   " is open while one of them may be 1; give the symbol a value or a lower bound",
               "E6304");
      require_equal(extent, shape[d], "extents that do not broadcast");
      if (as_integer(shape[d]) != nullptr) extent = shape[d];
    }
  return out;
}

std::int64_t NodeContext::concrete(Term extent, const std::string& what) const {
  const Integer* value = as_integer(extent);
  const auto small = value != nullptr ? to_i64(*value) : std::nullopt;
  if (!small) refuse(what + " is symbolic: " + text(extent), "E6304");
  return *small;
}

// --- Outputs ---

void NodeContext::define(std::size_t output, Format format, Extents extents, Term body) {
  define(output, format, std::move(extents), Masked{body, nullptr});
}

void NodeContext::define(std::size_t output, Format format, Extents extents, const Masked& body) {
  if (!wants(output)) return;
  Definition definition;
  definition.declaration = {node_.outputs[output], format, std::move(extents)};
  definition.body = body.value;
  definition.origin = describe(node_);
  scope_.define(std::move(definition), body.kept);
}

void NodeContext::define_constant(std::size_t output, TensorPointer data) {
  if (wants(output)) scope_.add_constant(node_.outputs[output], std::move(data));
}

std::string NodeContext::define_helper(const std::string& hint, Format format, Extents extents, Term body,
                                       bool may_fold) {
  std::string base;
  for (const std::string& output : node_.outputs)
    if (base.empty()) base = output;
  Definition definition;
  definition.declaration = {scope_.fresh(base, hint), format, std::move(extents)};
  definition.body = body;
  definition.origin = describe(node_);
  const std::string name = definition.declaration.name;
  scope_.define(std::move(definition), nullptr, may_fold);
  return name;
}

void define_elementwise(NodeContext& context, Format format,
                        const std::function<Term(const std::vector<Term>&)>& body) {
  std::vector<Extents> shapes;
  for (std::size_t i = 0; i < context.input_count(); ++i) shapes.push_back(context.extents(i));
  const Extents extents = context.broadcast_extents(shapes);
  const Indices at = axes(extents.size());
  std::vector<Term> elements;
  for (std::size_t i = 0; i < context.input_count(); ++i) elements.push_back(context.broadcast(i, at));
  context.define(0, format, extents, body(elements));
}

}  // namespace hallmark::operators
