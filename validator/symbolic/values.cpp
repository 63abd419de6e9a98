// Reading operands and joining values where paths meet.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "validator/symbolic/executor.h"

namespace hallmark::validator {

using calculus::Format;
using calculus::Kind;
using calculus::Sort;
using calculus::Term;

namespace {

Format float_format(ir::Type type) {
  switch (type) {
    case ir::Type::f16:
      return Format::f16;
    case ir::Type::bf16:
      return Format::bf16;
    case ir::Type::f64:
      return Format::f64;
    default:
      return Format::f32;
  }
}

Format bits_format(unsigned width) {
  return width == 64 ? Format::u64 : width == 16 ? Format::u16 : width == 8 ? Format::u8 : Format::u32;
}

}  // namespace

Value Executor::constant(ir::ValueId id) const {
  const ir::Value& value = kernel_.value(id);
  const unsigned width = ir::bits_of(value.type);
  if (ir::is_float(value.type))
    return {Value::Kind::element, width, calculus::float_constant(float_format(value.type), value.bits)};
  if (value.type == ir::Type::i1) return {Value::Kind::boolean, 1, calculus::truth(value.bits != 0)};
  return {Value::Kind::integer, width, Arithmetic::reduce(calculus::integer(from_u64(value.bits)), width)};
}

Value Executor::use(ir::ValueId id) {
  if (kernel_.is_constant(id)) return constant(id);
  const Value& value = values_[id];
  ensure(value.kind != Value::Kind::none, "a value is used before it was executed");
  if (value.kind != Value::Kind::arbitrary) return value;
  if (trial_depth_ == 0) trace_.undefined_uses.push_back(ir::value_name(kernel_, id) + " is used undefined");
  return unknown(kernel_.type_of(id), "undefined value");
}

Value Executor::unknown(ir::Type type, const std::string&) {
  const std::string name = fmt::format("arbitrary.{}", instance_++);
  const unsigned width = ir::bits_of(type);
  if (ir::is_float(type))
    return {Value::Kind::element, width, calculus::variable(name, Sort::floating(float_format(type)))};
  if (type == ir::Type::i1) return {Value::Kind::boolean, 1, calculus::variable(name, Sort::boolean())};
  return {Value::Kind::integer, width, calculus::variable(name)};
}

std::size_t Executor::depth_of(Term term) {
  if (const auto known = depths_.find(term); known != depths_.end()) return known->second;
  // New nodes stand on few others: what is below them was seen when it was made, in most cases.
  std::vector<std::pair<Term, std::size_t>> work{{term, 0}};
  while (!work.empty()) {
    const auto [node, next] = work.back();
    if (next < node->children.size()) {
      ++work.back().second;
      const Term child = node->children[next];
      if (depths_.count(child) == 0) work.emplace_back(child, 0);
      continue;
    }
    std::size_t depth = 0;
    for (Term child : node->children) depth = std::max(depth, depths_.at(child));
    depths_[node] = depth + 1;
    work.pop_back();
  }
  return depths_.at(term);
}

Value Executor::shallow(const ir::Instruction& instruction, ir::Type type, const Value& value) {
  constexpr std::size_t deepest = 8000;
  if (value.term == nullptr || depth_of(value.term) <= deepest) return value;
  return unsupported(instruction, type, "a value that is nested too deeply");
}

Value Executor::unsupported(const ir::Instruction& instruction, ir::Type type, const std::string& why) {
  if (trial_depth_ == 0) {
    const std::string text =
        fmt::format("line {}: {}: {}", instruction.place.line, ir::print(kernel_, instruction), why);
    if (std::find(trace_.unsupported.begin(), trace_.unsupported.end(), text) == trace_.unsupported.end())
      trace_.unsupported.push_back(text);
  }
  return unknown(type, why);
}

Term Executor::integer_of(const Value& value) {
  switch (value.kind) {
    case Value::Kind::integer:
      return value.term;
    case Value::Kind::boolean:
      return calculus::index_select(value.term, calculus::integer(1), calculus::integer(0));
    default:
      // The bits of a float as a number: equal for equal floats, otherwise not known.
      return Arithmetic::opaque("bits", {value.term}, value.width);
  }
}

Term Executor::element_of(const Value& value, Sort sort) {
  if (value.kind == Value::Kind::element && value.term->sort == sort) return value.term;
  if (value.kind == Value::Kind::element)
    return calculus::custom_operation("reinterpret", {value.term}, sort);
  Term bits = integer_of(value);
  // A literal moved into a float register by its bits.
  if (const Integer* literal = calculus::as_integer(bits);
      literal != nullptr && sort.kind == Sort::Kind::floating)
    return calculus::float_constant(
        sort.format, *to_u64(floor_mod(*literal, power_of_two(calculus::storage_bits(sort.format)))));
  bits = Arithmetic::reduce(bits, value.width);
  // The bits of a float of this format, moved through an integer register: the float.
  if (bits->kind == Kind::to_index && bits->children[0]->kind == Kind::operation &&
      bits->children[0]->name == fmt::format("bits.{}", value.width) &&
      bits->children[0]->children[0]->sort == sort)
    return bits->children[0]->children[0];
  return calculus::custom_operation(
      "from_bits", {calculus::from_index(bits, Sort::integer(bits_format(value.width)))}, sort);
}

Term Executor::boolean_of(const Value& value) {
  if (value.kind == Value::Kind::boolean) return value.term;
  throw InternalError("a condition that is not a boolean");
}

bool Executor::visible(Term term, const std::vector<Term>& more) const {
  if (!term->open) return true;
  bool ok = true;
  calculus::for_each_node(term, [&](Term node) {
    if (node->kind == Kind::variable && std::find(visible_.begin(), visible_.end(), node) == visible_.end() &&
        std::find(more.begin(), more.end(), node) == more.end())
      ok = false;
  });
  return ok;
}

Value Executor::join(Term condition, const Value& a, const Value& b, ir::Type type, const Scope& scope) {
  if (a.kind == b.kind && a.term == b.term) return a;
  if (a.kind == Value::Kind::arbitrary || b.kind == Value::Kind::arbitrary)
    return {Value::Kind::arbitrary, ir::bits_of(type), nullptr};  // one path leaves the value undefined
  const unsigned width = ir::bits_of(type);
  if (type == ir::Type::i1)
    return {Value::Kind::boolean, 1,
            calculus::either(calculus::both(condition, boolean_of(a)),
                             calculus::both(calculus::negation(condition), boolean_of(b)))};
  // An integer register may hold a float on one side and its literal bits, such as 0, on the other.
  if (a.kind == Value::Kind::element || b.kind == Value::Kind::element) {
    const Sort sort = a.kind == Value::Kind::element ? a.term->sort : b.term->sort;
    if (calculus::storage_bits(sort.format) != width) return unknown(type, "values of two widths meet");
    const Term x = element_of(a, sort), y = element_of(b, sort);
    // A loop behind its entry guard: where the guard fails it has no iteration and gives its start value.
    for (int side = 0; side < 2 && trial_depth_ == 0; ++side) {
      const Term loop = side == 0 ? x : y, other = side == 0 ? y : x;
      if (loop->kind != Kind::fold || loop->children[2 + static_cast<std::size_t>(loop->which)] != other)
        continue;
      const Term without = side == 0 ? calculus::negation(condition) : condition;
      if (prover_.rely(Context::extend(scope, without),
                       calculus::at_most(loop->children[0], calculus::integer(0))))
        return {Value::Kind::element, width, loop};
    }
    return {Value::Kind::element, width, calculus::select(condition, x, y)};
  }
  const Term p = integer_of(a), q = integer_of(b);
  if (p == q) return {Value::Kind::integer, width, p};
  if (trial_depth_ == 0) {
    // Where one side agrees with the other under its own condition, the other serves for both.
    const Term same = calculus::equal(p, q);
    if (prover_.rely(Context::extend(scope, condition), same)) return {Value::Kind::integer, width, q};
    if (prover_.rely(Context::extend(scope, calculus::negation(condition)), same))
      return {Value::Kind::integer, width, p};
  }
  return {Value::Kind::integer, width, calculus::index_select(condition, p, q)};
}

}  // namespace hallmark::validator
