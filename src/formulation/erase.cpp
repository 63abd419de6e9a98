#include "formulation/erase.h"

#include <map>
#include <unordered_map>

#include "base/error.h"
#include "formulation/functions.h"
#include "formulation/lane_order.h"
#include "formulation/round_constant.h"

namespace hallmark::formulation {
namespace {

using namespace calculus;

class Eraser {
 public:
  Eraser(std::string definition, const std::vector<RoundedConstant>& constants)
      : definition_(std::move(definition)) {
    for (const RoundedConstant& constant : constants) {
      if (constant.definition != definition_) continue;
      const auto [at, inserted] = exact_.emplace(std::pair(constant.format, constant.bits), constant.exact);
      // Two exact values behind one encoding cannot be told apart; the encoding's own value stands for both.
      if (!inserted && at->second != constant.exact)
        at->second = formulation::exact_value(constant.bits, constant.format).value();
    }
  }

  Term run(Term a) {
    if (const auto found = memo_.find(a); found != memo_.end()) return found->second;
    const Term result = node(a);
    memo_.emplace(a, result);
    return result;
  }

 private:
  std::vector<Term> all(const std::vector<Term>& terms) {
    std::vector<Term> out;
    for (Term t : terms) out.push_back(run(t));
    return out;
  }
  static Sort exact(Sort sort) { return sort.kind == Sort::Kind::floating ? Sort::real() : sort; }

  [[noreturn]] void refuse(const std::string& message) const {
    throw Refusal("E7004", message, {.node = definition_});
  }

  Term constant(Term a) const {
    const Format format = a->sort.format;
    if (const auto found = exact_.find({format, a->bits}); found != exact_.end())
      return real_constant(found->second);
    if (const auto value = formulation::exact_value(a->bits, format); value) return real_constant(*value);
    for (const int sign : {-1, 1})
      if (format != Format::f8e4m3 && a->bits == infinity_bits(sign, format)) return extreme(sign);
    refuse("a NaN has no exact value");
  }

  Term node(Term a) {
    const bool floating = a->sort.kind == Sort::Kind::floating;
    switch (a->kind) {
      case Kind::constant:
        return floating ? constant(a) : a;
      case Kind::load:
        return load(a->name, all(a->children), exact(a->sort));
      case Kind::from_index:
        return from_index(run(a->children[0]), exact(a->sort));
      case Kind::is_nan:
        return truth(false);
      case Kind::cast: {
        const Sort from = a->children[0]->sort;
        const Term child = run(a->children[0]);
        // Between two formats: storage. Within one: an authored rounding, which is a step function.
        if (floating && from.kind == Sort::Kind::floating && from != a->sort) return child;
        return calculus::cast(child, exact(a->sort), a->format);
      }
      case Kind::operation:
        return operate(a);
      case Kind::fold:
        return erase_fold(a);
      default:
        return a->children.empty() ? a : rebuild(a, all(a->children));
    }
  }

  Term operate(Term a) {
    const std::vector<Term> c = all(a->children);
    const Sort sort = exact(a->sort);
    if (a->op == Op::custom) {
      const ElementaryFunction* known = find_elementary_function(a->name);
      if (known == nullptr || known->exact == nullptr)
        refuse("the operation '" + a->name + "' has no exact meaning");
      return known->exact(c);
    }
    if (sort.kind != Sort::Kind::real) return rebuild(a, c);
    switch (a->op) {
      case Op::fma:
        return apply(Op::add, {apply(Op::mul, {c[0], c[1]}), c[2]});
      case Op::maxnum:
      case Op::maximum:
        return apply(Op::max, c);
      case Op::minnum:
      case Op::minimum:
        return apply(Op::min, c);
      case Op::reciprocal:
        return apply(Op::div, {real_constant(1), c[0]});
      default:
        return operation(a->op, c, sort);
    }
  }

  Term erase_fold(Term a) {
    FoldParts parts = calculus::open(a);
    // Lanes that are put together by anything else than what the steps do would be another function.
    if (parts.order->kind != Order::Kind::any && may_combine(parts)) {
      const Op op = step_operation(parts);
      if (parts.states.size() != 1 || op == Op::none || !is_neutral_start(op, parts.init[0]) ||
          !combines_by(parts, 0, op))
        refuse("the order " + to_string(*parts.order) + " needs a proved law for this fold's combine");
    }
    FoldParts out;
    out.variable = parts.variable;
    out.extent = run(parts.extent);
    out.init = all(parts.init);
    for (std::size_t j = 0; j < parts.states.size(); ++j) {
      out.states.push_back(fresh_variable("s", out.init[j]->sort));
      memo_.emplace(parts.states[j], out.states.back());
    }
    out.guard = run(parts.guard);
    out.step = all(parts.step);
    out.order = any_order();
    return calculus::fold(out, a->which);
  }

  std::string definition_;
  std::map<std::pair<Format, std::uint64_t>, Rational> exact_;
  std::unordered_map<Term, Term> memo_;
};

bool same_declaration(const Declaration& a, const Declaration& b) {
  return a.name == b.name && is_float(a.format) == is_float(b.format) &&
         (is_float(a.format) || a.format == b.format) && a.extents == b.extents;
}

}  // namespace

Program erase(const Program& program, const std::vector<RoundedConstant>& constants) {
  Program result = program;
  result.functions.clear();
  for (Definition& definition : result.definitions)
    definition.body = Eraser(definition.declaration.name, constants).run(definition.body);
  return result;
}

bool same_program(const Program& a, const Program& b) {
  if (a.outputs != b.outputs || a.definitions.size() != b.definitions.size()) return false;
  for (std::size_t i = 0; i < a.definitions.size(); ++i)
    if (a.definitions[i].body != b.definitions[i].body ||
        !same_declaration(a.definitions[i].declaration, b.definitions[i].declaration))
      return false;
  return true;
}

}  // namespace hallmark::formulation
