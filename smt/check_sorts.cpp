#include <fmt/format.h>

#include "base/error.h"
#include "smt/node.h"

namespace hallmark::smt {
namespace {

void need(bool holds, Op op) {
  if (!holds) throw InternalError(fmt::format("an ill-sorted SMT term (operation {})", static_cast<int>(op)));
}

Sort same_sort(Op op, const std::vector<Term>& args) {
  for (const Term t : args) need(t.sort() == args[0].sort(), op);
  return args[0].sort();
}

bool is_arithmetic(Sort s) {
  return s.is_integer() || s.is_real();
}

}  // namespace

Sort check_sorts(Op op, const std::vector<Term>& args, unsigned first, unsigned second) {
  need(!args.empty(), op);
  for (const Term t : args) need(static_cast<bool>(t), op);
  const auto count = [&](std::size_t n) { need(args.size() == n, op); };
  const auto all = [&](Sort sort) {
    for (const Term t : args) need(t.sort() == sort, op);
  };
  switch (op) {
    case Op::negation:
      count(1), all(Sort::boolean());
      return Sort::boolean();
    case Op::conjunction:
    case Op::disjunction:
      all(Sort::boolean());
      return Sort::boolean();
    case Op::implication:
      count(2), all(Sort::boolean());
      return Sort::boolean();
    case Op::ite:
      count(3), need(args[0].sort().is_boolean() && args[1].sort() == args[2].sort(), op);
      return args[1].sort();
    case Op::equal:
      count(2), same_sort(op, args);
      return Sort::boolean();
    case Op::distinct:
      same_sort(op, args);
      return Sort::boolean();
    case Op::add:
    case Op::multiply:
      need(is_arithmetic(same_sort(op, args)), op);
      return args[0].sort();
    case Op::negate:
      count(1), need(is_arithmetic(args[0].sort()), op);
      return args[0].sort();
    case Op::divide:
      count(2), all(Sort::real());
      return Sort::real();
    case Op::div:
    case Op::mod:
      count(2), all(Sort::integer());
      return Sort::integer();
    case Op::less:
    case Op::less_equal:
      count(2), need(is_arithmetic(same_sort(op, args)), op);
      return Sort::boolean();
    case Op::to_real:
      count(1), all(Sort::integer());
      return Sort::real();
    case Op::to_integer:
      count(1), all(Sort::real());
      return Sort::integer();
    case Op::bv_add:
    case Op::bv_multiply:
    case Op::bv_and:
    case Op::bv_or:
    case Op::bv_xor:
    case Op::bv_shift_left:
    case Op::bv_shift_right:
    case Op::bv_shift_right_arithmetic:
    case Op::bv_unsigned_divide:
    case Op::bv_unsigned_remainder:
      count(2), need(same_sort(op, args).is_bit_vector(), op);
      return args[0].sort();
    case Op::bv_negate:
    case Op::bv_not:
      count(1), need(args[0].sort().is_bit_vector(), op);
      return args[0].sort();
    case Op::bv_unsigned_less:
    case Op::bv_unsigned_less_equal:
    case Op::bv_signed_less:
    case Op::bv_signed_less_equal:
      count(2), need(same_sort(op, args).is_bit_vector(), op);
      return Sort::boolean();
    case Op::bv_concat:
      count(2), need(args[0].sort().is_bit_vector() && args[1].sort().is_bit_vector(), op);
      return Sort::bit_vector(args[0].sort().width() + args[1].sort().width());
    case Op::bv_extract:
      count(1), need(first >= second && first < args[0].sort().width(), op);
      return Sort::bit_vector(first - second + 1);
    case Op::bv_zero_extend:
    case Op::bv_sign_extend:
      count(1), need(args[0].sort().is_bit_vector(), op);
      return Sort::bit_vector(args[0].sort().width() + first);
    case Op::bv_to_natural:
      count(1), need(args[0].sort().is_bit_vector(), op);
      return Sort::integer();
    case Op::integer_to_bv:
      count(1), all(Sort::integer());
      return Sort::bit_vector(first);
    case Op::constant:
    case Op::apply:
      break;
  }
  throw InternalError("constants and applications are not made from an operation");
}

}  // namespace hallmark::smt
