// What the constructors simplify: constants, neutral and absorbing elements, duplicates. Nothing that needs
// an argument about the operands.
#include <unordered_set>

#include "base/error.h"
#include "smt/node.h"
#include "smt/operation.h"

namespace hallmark::smt {
namespace {

// Flattens nested conjunctions (or disjunctions), drops neutral and repeated members; true when a member
// absorbs all.
bool collect(Op op, const std::vector<Term>& args, std::vector<Term>& into) {
  const bool conjunction = op == Op::conjunction;
  std::unordered_set<Term> seen(into.begin(), into.end());
  for (const Term t : args) {
    if (t.op() == op) {
      for (const Term inner : t.args())
        if (seen.insert(inner).second) into.push_back(inner);
      continue;
    }
    if (conjunction ? t.is_false() : t.is_true()) return true;
    if (conjunction ? t.is_true() : t.is_false()) continue;
    if (seen.insert(t).second) into.push_back(t);
  }
  return false;
}

}  // namespace

Term Arena::fold_constants(Op op, const std::vector<Term>& args, unsigned first, unsigned second) {
  std::vector<Value> values;
  for (const Term t : args) {
    if (!t.is_constant()) return {};
    values.push_back({t.sort(), t.value()});
  }
  const Sort sort = check_sorts(op, args, first, second);
  const std::optional<Rational> result = operate(op, sort, values, first, second);
  return result ? constant(*this, {sort, *result}) : Term();
}

Term Arena::simplify(Op op, std::vector<Term>& args, unsigned first, unsigned) {
  switch (op) {
    case Op::negation:
      return args[0].op() == Op::negation ? args[0].args()[0] : Term();
    case Op::conjunction:
    case Op::disjunction: {
      std::vector<Term> members;
      if (collect(op, args, members)) return boolean(op == Op::disjunction);
      if (members.empty()) return boolean(op == Op::conjunction);
      if (members.size() == 1) return members[0];
      args = std::move(members);
      return {};
    }
    case Op::implication:
      if (args[0].is_true()) return args[1];
      if (args[0].is_false() || args[1].is_true() || args[0] == args[1]) return boolean(true);
      if (args[1].is_false()) return make(Op::negation, {args[0]});
      return {};
    case Op::ite:
      if (args[0].is_true() || args[1] == args[2]) return args[1];
      return args[0].is_false() ? args[2] : Term();
    case Op::equal:
      if (args[0] == args[1]) return boolean(true);
      if (args[0].is_true()) return args[1];
      return args[1].is_true() ? args[0] : Term();
    case Op::distinct:
      return args.size() == 1 ? boolean(true) : Term();
    case Op::add:
    case Op::multiply: {
      // Constants are gathered in front; the other operands keep their order.
      Rational gathered = op == Op::add ? 0 : 1;
      std::vector<Term> rest;
      for (const Term t : args) {
        if (!t.is_constant())
          rest.push_back(t);
        else if (op == Op::add)
          gathered += t.value();
        else
          gathered *= t.value();
      }
      const Sort sort = args[0].sort();
      if (op == Op::multiply && gathered == 0) return constant(*this, {sort, 0});
      if (gathered != (op == Op::add ? 0 : 1)) rest.insert(rest.begin(), constant(*this, {sort, gathered}));
      if (rest.size() == 1) return rest[0];
      args = std::move(rest);
      return {};
    }
    case Op::negate:
      return args[0].op() == Op::negate ? args[0].args()[0] : Term();
    case Op::divide:
    case Op::div:
      return args[1].is_constant() && args[1].value() == 1 ? args[0] : Term();
    case Op::mod:
      return args[1].is_constant() && args[1].value() == 1 ? integer(0) : Term();
    case Op::less:
      return args[0] == args[1] ? boolean(false) : Term();
    case Op::less_equal:
      return args[0] == args[1] ? boolean(true) : Term();
    case Op::bv_zero_extend:
    case Op::bv_sign_extend:
      return first == 0 ? args[0] : Term();
    default:
      return {};
  }
}

Term constant(Arena& arena, const Value& value) {
  switch (value.sort.kind()) {
    case SortKind::boolean:
      return arena.boolean(value.is_true());
    case SortKind::integer:
      ensure(value.number.get_den() == 1, "an Int value that is not whole");
      return arena.integer(value.number.get_num());
    case SortKind::real:
      return arena.real(value.number);
    case SortKind::bit_vector:
      return arena.bit_vector(value.number.get_num(), value.sort.width());
    case SortKind::uninterpreted:
      break;
  }
  throw InternalError("a constant of an uninterpreted sort");
}

}  // namespace hallmark::smt
