#include "base/error.h"
#include "smt/node.h"

namespace hallmark::smt {
namespace {

Term unary(Op op, Term x) {
  return x.arena().make(op, {x});
}
Term binary(Op op, Term x, Term y) {
  return x.arena().make(op, {x, y});
}
Term literal(Term like, long value) {
  return like.sort().is_real() ? like.arena().real(value) : like.arena().integer(value);
}
void need_positive(Term divisor) {
  ensure(!divisor.is_constant() || divisor.value() > 0, "floor_div and floor_mod need a positive divisor");
}

}  // namespace

Term Arena::conjunction(std::vector<Term> args) {
  return args.empty() ? boolean(true) : make(Op::conjunction, std::move(args));
}
Term Arena::disjunction(std::vector<Term> args) {
  return args.empty() ? boolean(false) : make(Op::disjunction, std::move(args));
}
Term Arena::distinct(std::vector<Term> args) {
  return args.empty() ? boolean(true) : make(Op::distinct, std::move(args));
}
Term Arena::sum(std::vector<Term> args) {
  return make(Op::add, std::move(args));
}
Term Arena::product(std::vector<Term> args) {
  return make(Op::multiply, std::move(args));
}

Term negation(Term x) {
  return unary(Op::negation, x);
}
Term conjunction(Term x, Term y) {
  return binary(Op::conjunction, x, y);
}
Term disjunction(Term x, Term y) {
  return binary(Op::disjunction, x, y);
}
Term implication(Term x, Term y) {
  return binary(Op::implication, x, y);
}
Term ite(Term condition, Term yes, Term no) {
  return condition.arena().make(Op::ite, {condition, yes, no});
}
Term equal(Term x, Term y) {
  return binary(Op::equal, x, y);
}
Term not_equal(Term x, Term y) {
  return negation(equal(x, y));
}

Term add(Term x, Term y) {
  return binary(Op::add, x, y);
}
Term subtract(Term x, Term y) {
  return add(x, negate(y));
}
Term negate(Term x) {
  return unary(Op::negate, x);
}
Term multiply(Term x, Term y) {
  return binary(Op::multiply, x, y);
}
Term divide(Term x, Term y) {
  return binary(Op::divide, x, y);
}
Term less(Term x, Term y) {
  return binary(Op::less, x, y);
}
Term less_equal(Term x, Term y) {
  return binary(Op::less_equal, x, y);
}
Term greater(Term x, Term y) {
  return less(y, x);
}
Term greater_equal(Term x, Term y) {
  return less_equal(y, x);
}
Term to_real(Term x) {
  return unary(Op::to_real, x);
}
Term to_integer(Term x) {
  return unary(Op::to_integer, x);
}
Term div(Term x, Term y) {
  return binary(Op::div, x, y);
}
Term mod(Term x, Term y) {
  return binary(Op::mod, x, y);
}
Term floor_div(Term x, Term y) {
  need_positive(y);
  return div(x, y);
}
Term floor_mod(Term x, Term y) {
  need_positive(y);
  return mod(x, y);
}
// Euclid and floor agree for y > 0. For y < 0, floor(x / y) = floor(-x / -y), whose divisor is positive.
Term total_floor_div(Term x, Term y) {
  const Term zero = literal(y, 0);
  return ite(less(zero, y), div(x, y), ite(equal(y, zero), zero, div(negate(x), negate(y))));
}
Term total_floor_mod(Term x, Term y) {
  return subtract(x, multiply(y, total_floor_div(x, y)));
}

Term add(Term x, long y) {
  return add(x, literal(x, y));
}
Term multiply(long x, Term y) {
  return multiply(literal(y, x), y);
}
Term equal(Term x, long y) {
  return equal(x, literal(x, y));
}
Term less(Term x, long y) {
  return less(x, literal(x, y));
}
Term less_equal(Term x, long y) {
  return less_equal(x, literal(x, y));
}
Term greater_equal(Term x, long y) {
  return less_equal(literal(x, y), x);
}
Term in_range(Term x, Term low, Term high) {
  return conjunction(less_equal(low, x), less(x, high));
}

Term bv(Op op, Term x) {
  return unary(op, x);
}
Term bv(Op op, Term x, Term y) {
  return binary(op, x, y);
}
Term bv_subtract(Term x, Term y) {
  return bv(Op::bv_add, x, bv(Op::bv_negate, y));
}
Term bv_extract(Term x, unsigned high, unsigned low) {
  return x.arena().make(Op::bv_extract, {x}, high, low);
}
Term bv_extend(Term x, unsigned added, bool is_signed) {
  return x.arena().make(is_signed ? Op::bv_sign_extend : Op::bv_zero_extend, {x}, added);
}
Term integer_to_bv(Term x, unsigned width) {
  return x.arena().make(Op::integer_to_bv, {x}, width);
}

}  // namespace hallmark::smt
