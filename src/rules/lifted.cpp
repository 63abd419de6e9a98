#include "rules/lifted.h"

#include "rules/whole.h"

namespace hallmark::rules {

using namespace calculus;

namespace {

bool is_whole(Term t) {
  return t->sort.kind == Sort::Kind::integer;
}

WholeRange values_of(Format format) {
  const Integer all = power_of_two(storage_bits(format));
  if (is_signed(format)) return {-all / 2, all / 2 - 1};
  return {0, all - 1};
}

class Lifter {
 public:
  explicit Lifter(Sort sort) : sort_(sort) {}

  bool failed() const { return failed_; }

  Term lift(Term t) {
    // Also on the way no number may leave the sort: a maximum would notice.
    if (sort_ != Sort::real() && t->kind != Kind::variable) {
      const WholeRange all = values_of(sort_.format), here = range_of(t).range;
      failed_ = failed_ || here.low < all.low || here.high > all.high;
    }
    if (t->kind == Kind::constant) return number(t->value);
    switch (t->kind) {
      case Kind::from_index:
        return from_index(t->children[0], sort_);
      case Kind::select:
        return select(t->children[0], lift(t->children[1]), lift(t->children[2]));
      case Kind::cast:
        // A widening keeps the number; the range of the whole says that this one does.
        if (is_whole(t->children[0]) && t->format == t->sort.format) return lift(t->children[0]);
        break;
      case Kind::fold:
        return sum_of(t);
      case Kind::operation:
        switch (t->op) {
          case Op::add:
          case Op::sub:
          case Op::mul:
          case Op::neg:
          case Op::max:
          case Op::min: {
            std::vector<Term> operands;
            for (Term child : t->children) operands.push_back(lift(child));
            return operation(t->op, operands, sort_);
          }
          default:
            break;
        }
        break;
      default:
        break;
    }
    return converted(t);
  }

 private:
  Term number(const Rational& value) {
    if (sort_ == Sort::real()) return real_constant(value);
    const WholeRange all = values_of(sort_.format);
    if (value < all.low || value > all.high) failed_ = true;
    return int_constant(sort_.format, value.get_num());
  }

  // A leaf, by a conversion that keeps each of its values.
  Term converted(Term t) {
    if (t->sort == sort_) return t;
    const WholeRange range = range_of(t).range;
    if (sort_ == Sort::real()) {
      failed_ = failed_ || t->kind == Kind::variable || t->kind == Kind::state ||
                !holds_integers(Format::f64, range);
      return cast(t, sort_, Format::f64);
    }
    const WholeRange all = values_of(sort_.format);
    failed_ = failed_ || t->kind == Kind::variable || t->kind == Kind::state || range.low < all.low ||
              range.high > all.high;
    return cast(t, sort_, sort_.format);
  }

  Term sum_of(Term t) {
    if (t->size != 1 || t->order != any_order()) return converted(t);
    FoldParts parts = open(t);
    const Term step = parts.step[0], state = parts.states[0];
    const bool sum = step->kind == Kind::operation && step->op == Op::add && parts.combine.empty() &&
                     (step->children[0] == state) != (step->children[1] == state);
    if (!sum) return converted(t);
    bool used = false;
    const Term body = step->children[0] == state ? step->children[1] : step->children[0];
    for_each_node(body, [&](Term n) { used = used || n == state; });
    for_each_node(parts.guard, [&](Term n) { used = used || n == state; });
    if (used) return converted(t);
    parts.init = {lift(parts.init[0])};
    parts.states = {fresh_variable("s", sort_)};
    parts.step = {operation(Op::add, {parts.states[0], lift(body)}, sort_)};
    return fold(parts);
  }

  const Sort sort_;
  bool failed_ = false;
};

}  // namespace

std::optional<Term> lifted(Term element, Sort sort) {
  if (!is_whole(element)) return std::nullopt;
  const KnownRange known = range_of(element);
  if (known.wraps) return std::nullopt;
  Lifter lifter(sort);
  const Term out = lifter.lift(element);
  if (lifter.failed()) return std::nullopt;
  return out;
}

}  // namespace hallmark::rules
