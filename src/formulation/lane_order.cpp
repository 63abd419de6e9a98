#include "formulation/lane_order.h"

#include <algorithm>

#include "formulation/round_constant.h"

namespace hallmark::formulation {

using namespace calculus;

Op step_operation(const FoldParts& parts, std::size_t which) {
  const Term step = parts.step[which], state = parts.states[which];
  if (step->kind != Kind::operation) return Op::none;
  const auto is_state = [&](Term t) { return t == state; };
  const bool fused = step->op == Op::fma && step->children[2] == state;
  const bool plain = step->children.size() == 2 &&
                     std::count_if(step->children.begin(), step->children.end(), is_state) == 1;
  if (!fused && !plain) return Op::none;
  bool hidden = false;
  for (std::size_t i = 0; i < step->children.size(); ++i) {
    if (is_state(step->children[i]) && (!fused || i == 2)) continue;
    for_each_node(step->children[i], [&](Term node) {
      hidden = hidden || std::find(parts.states.begin(), parts.states.end(), node) != parts.states.end();
    });
  }
  if (hidden) return Op::none;
  return fused ? Op::add : step->op;
}

bool is_neutral_start(Op op, Term init) {
  if (init->kind == Kind::extreme)
    return op == Op::max ? init->number < 0 : op == Op::min && init->number > 0;
  if (init->kind != Kind::constant) return false;
  const bool floating = init->sort.kind == Sort::Kind::floating;
  const auto infinite = [&](int sign) {
    return floating && init->sort.format != Format::f8e4m3 &&
           init->bits == infinity_bits(sign, init->sort.format);
  };
  switch (op) {
    case Op::add:
      return init->bits == 0 && init->value == 0;
    case Op::mul:
      return floating ? init->bits == *round_to_nearest(1, init->sort.format) : init->value == 1;
    case Op::maxnum:
    case Op::maximum:
      return infinite(-1);
    case Op::minnum:
    case Op::minimum:
      return infinite(1);
    default:
      return false;
  }
}

bool combines_by(const FoldParts& parts, std::size_t which, Op op) {
  if (parts.combine.size() <= which) return false;
  const Term joined = parts.combine[which], left = parts.states[which], right = parts.right_states[which];
  return joined->kind == Kind::operation && joined->op == op && joined->children.size() == 2 &&
         ((joined->children[0] == left && joined->children[1] == right) ||
          (joined->children[0] == right && joined->children[1] == left));
}

bool may_combine(const FoldParts& parts) {
  if (parts.order == nullptr || parts.order->kind == Order::Kind::any) return !parts.combine.empty();
  return parts.order->kind != Order::Kind::seq;
}

}  // namespace hallmark::formulation
