// Terms of reals read in a float format: each operation rounded to nearest, max and min as maximum and
// minimum of IEEE 754-2019, sums in increasing order. With this a rule that is said to hold bit for bit is
// executed, also where NaN, infinities and -0 stand, which exact arithmetic does not have.
#pragma once
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

#include "calculus/program.h"
#include "evaluator/float_format.h"

namespace hallmark::rules {

class InFormat {
 public:
  // Formats of the tensors that are read, by name.
  explicit InFormat(std::map<std::string, calculus::Format> tensors) : tensors_(std::move(tensors)) {}

  void declare(const std::string& name, calculus::Format format) { tensors_[name] = format; }

  // A Real term in `format`; what is not Real with its Real parts in `format`. Throws std::runtime_error for
  // an operation of the rule's own, which has no arithmetic.
  calculus::Term read(calculus::Term t, calculus::Format format) {
    using namespace calculus;
    if (const auto known = states_.find(t); known != states_.end()) return known->second;
    const Sort sort = Sort::floating(format);
    const bool real = t->sort == Sort::real();
    if (t->kind == Kind::load) {
      std::vector<Term> indices;
      for (Term i : t->children) indices.push_back(read(i, format));
      if (!real) return load(t->name, indices, t->sort);
      const Format stored = tensors_.at(t->name);
      const Term element = load(t->name, indices, Sort::floating(stored));
      return stored == format ? element : cast(element, sort, format);
    }
    if (t->kind == Kind::constant && real)
      return float_constant(format, evaluator::encode(format, evaluator::nearest(format, t->value)));
    if (t->kind == Kind::extreme) {
      const double infinity = t->number < 0 ? -HUGE_VAL : HUGE_VAL;
      return float_constant(format, evaluator::encode(format, infinity));
    }
    if (t->kind == Kind::cast) {
      const Term inside = read(t->children[0], Format::f32);
      return cast(inside, real ? sort : t->sort, t->format);
    }
    if (t->kind == Kind::fold) return fold_in(t, format);
    if (t->children.empty()) return t;
    std::vector<Term> children;
    for (Term child : t->children) children.push_back(read(child, format));
    if (t->kind == Kind::from_index) return from_index(children[0], real ? sort : t->sort);
    if (t->kind == Kind::select) return select(children[0], children[1], children[2]);
    if (t->kind == Kind::compare) return compare(t->op, children[0], children[1]);
    if (t->kind == Kind::operation && real) {
      if (t->op == Op::custom) throw std::runtime_error("an operation without arithmetic");
      const Op op = t->op == Op::max ? Op::maximum : t->op == Op::min ? Op::minimum : t->op;
      return operation(op, children, sort, Rounding::nearest);
    }
    return children == t->children ? t : rebuild(t, children);
  }

 private:
  calculus::Term fold_in(calculus::Term t, calculus::Format format) {
    using namespace calculus;
    FoldParts parts = open(t);
    parts.extent = read(parts.extent, format);
    parts.guard = read(parts.guard, format);
    for (Term& init : parts.init) init = read(init, format);
    for (Term& state : parts.states) {
      if (state->sort != Sort::real()) continue;
      const Term other = fresh_variable("s", Sort::floating(format));
      states_[state] = other;
      state = other;
    }
    for (Term& step : parts.step) step = read(step, format);
    parts.order = seq_order();
    return fold(parts, t->which);
  }

  std::map<std::string, calculus::Format> tensors_;
  std::map<calculus::Term, calculus::Term> states_;
};

}  // namespace hallmark::rules
