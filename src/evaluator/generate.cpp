#include "evaluator/generate.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "evaluator/value.h"

namespace hallmark::evaluator {

using namespace calculus;
using Code_ = Instruction::Kind;

namespace {

RegisterType type_of(Sort sort) {
  if (sort == Sort::boolean()) return RegisterType::truth;
  const bool number = sort.kind == Sort::Kind::real || sort.kind == Sort::Kind::floating;
  return number ? RegisterType::number : RegisterType::integer;
}

// A select whose sides cost less than this, and cannot fault, computes both.
constexpr std::size_t blend_cost = 24;

struct NotCompiled {};

class Generator {
 public:
  Generator(const Tensors& tensors, const std::vector<std::int64_t>& extents)
      : builder_(tensors, extents, choose_lane_axis(extents)) {
    code_.extents = extents;
    code_.lane_axis = builder_.lane();
    code_.axis_registers.assign(extents.size(), -1);
    code_.outer.resize(extents.empty() ? 0 : extents.size() - 1);
  }

  Code run(Term body) {
    const Expression* root = builder_.build(body);
    push(Scope::Kind::start, {}, &code_.start);
    std::size_t outer = 0;
    for (std::size_t d = 0; d < code_.extents.size(); ++d) {
      const int axis = static_cast<int>(d);
      if (axis == code_.lane_axis) continue;
      push(Scope::Kind::axis, {ExpressionBuilder::axis_code(axis)}, &code_.outer[outer++]);
    }
    push(Scope::Kind::axis, {ExpressionBuilder::axis_code(code_.lane_axis)}, &code_.block);
    code_.result = emit_value(root);
    return std::move(code_);
  }

 private:
  struct Entry {
    int reg = -1;
    int fault = -1;     // the fault register that its reads note in
    bool whole = true;  // the fault register notes the reads of this node and no others
  };
  struct Scope {
    enum class Kind { start, axis, fold, branch } kind = Kind::start;
    std::vector<int> binds;  // codes of ExpressionBuilder
    Region* region = nullptr;
    std::map<const Expression*, Entry> values;
    std::map<const Fold*, std::vector<int>> folds;
    std::map<const Fold*, int> fold_faults;
    std::set<int> checked;  // fault registers
  };

  void push(Scope::Kind kind, std::vector<int> binds, Region* region) {
    path_.emplace_back();
    path_.back().kind = kind;
    path_.back().binds = std::move(binds);
    path_.back().region = region;
  }

  int new_register(RegisterType type, bool varies) {
    code_.registers.push_back({type, varies});
    return static_cast<int>(code_.registers.size()) - 1;
  }

  Instruction& emit(Code_ kind, int result, std::vector<int> operands = {}) {
    std::vector<Instruction>& code = path_.back().region->code;
    code.emplace_back();
    code.back().kind = kind;
    code.back().result = result;
    code.back().operands = std::move(operands);
    return code.back();
  }

  // --- places ---

  // The scope in which the node belongs: outside every loop that does not change it, but not outside a
  // condition without need.
  std::size_t place_of(const Expression& e) const {
    std::size_t binding = 0;
    for (std::size_t i = path_.size(); i-- > 0 && binding == 0;)
      for (const int code : path_[i].binds)
        if (std::binary_search(e.depends.begin(), e.depends.end(), code)) binding = i;
    for (std::size_t i = binding + 1; i < path_.size(); ++i)
      if (path_[i].kind == Scope::Kind::axis || path_[i].kind == Scope::Kind::fold) return i - 1;
    return path_.size() - 1;
  }

  // Whether what is computed in `place` might not be computed here.
  bool speculative(std::size_t place) const {
    for (std::size_t i = place + 1; i < path_.size(); ++i)
      if (path_[i].kind == Scope::Kind::fold || path_[i].kind == Scope::Kind::branch) return true;
    return false;
  }

  // The register that holds the node's value at the end of the current region.
  int emit_value(const Expression* e) {
    for (std::size_t i = path_.size(); i-- > 0;) {
      const auto found = path_[i].values.find(e);
      if (found == path_[i].values.end()) continue;
      const Entry& entry = found->second;
      if (entry.fault == -1 || entry.fault == fault_) return entry.reg;
      if (!entry.whole) continue;  // noted together with other reads: computed again
      check(entry.fault);
      return entry.reg;
    }
    const std::size_t place = place_of(*e);
    const bool hoisted = place + 1 < path_.size();
    // A read inside a speculation notes in a register that is cleared where it stands, so an outer one
    // needs its own.
    // So does a read that is done once for all lanes inside a speculation for each lane.
    const bool once = fault_ != -1 && !e->varies && code_.registers[static_cast<std::size_t>(fault_)].varies;
    const bool noted = e->can_fault && (once || (hoisted && (fault_ != -1 || speculative(place))));
    const int outer_fault = fault_;
    int fault = fault_;
    std::vector<Scope> inner;
    if (hoisted) {
      inner.insert(inner.end(), std::make_move_iterator(path_.begin() + static_cast<long>(place) + 1),
                   std::make_move_iterator(path_.end()));
      path_.resize(place + 1);
    }
    if (noted) {
      fault = new_register(RegisterType::truth, e->varies);
      emit(Code_::clear_fault, fault);
      fault_ = fault;
    }
    const int reg = compute(*e);
    const bool may_note = fault_ != -1 && e->can_fault;
    path_.back().values[e] = {reg, may_note ? fault_ : -1, noted};
    fault_ = outer_fault;
    path_.insert(path_.end(), std::make_move_iterator(inner.begin()), std::make_move_iterator(inner.end()));
    if (noted) check(fault);
    return reg;
  }

  void check(int fault) {
    if (fault == -1 || fault == fault_) return;
    for (const Scope& scope : path_)
      if (fault_ == -1 && scope.checked.count(fault) != 0) return;
    emit(Code_::check_fault, fault_, {fault});
    if (fault_ == -1) path_.back().checked.insert(fault);
  }

  LaneIndex lane_index(const LaneAffine& a) { return {emit_value(a.rest), a.coefficient}; }

  // --- instructions ---

  int compute(const Expression& e) {
    const Term t = e.term;
    const RegisterType type = type_of(t->sort);
    switch (t->kind) {
      case Kind::axis:
        return axis_register(t->number);
      case Kind::bound:
      case Kind::state:
        throw InternalError("a bound variable outside its fold");
      case Kind::variable:
        throw InternalError("the variable " + t->name + " has no value");
      case Kind::load:
        return emit_load(e);
      case Kind::select:
      case Kind::index_select:
        return emit_select(e);
      case Kind::fold:
        return emit_fold(e);
      case Kind::conjunction:
      case Kind::disjunction:
        return emit_connective(e);
      case Kind::constant:
      case Kind::extreme:
      case Kind::truth:
      case Kind::integer:
        return emit_constant(e);
      case Kind::operation:
        if (t->op == Op::custom) throw Refusal("E1002", "the operation '" + t->name + "' has no definition");
        break;
      default:
        break;
    }
    std::vector<int> operands;
    for (const Expression* child : e.children) operands.push_back(emit_value(child));
    const int result = new_register(type, e.varies);
    Instruction& out = emit(kind_of(t), result, std::move(operands));
    out.term = t;
    if (t->sort == Sort::index()) {
      out.exact = fits(e);
      if (t->kind == Kind::polynomial) fill_polynomial(e, out);
    }
    return result;
  }

  static Code_ kind_of(Term t) {
    switch (t->kind) {
      case Kind::polynomial:
        return Code_::polynomial;
      case Kind::product:
        return Code_::product;
      case Kind::floor_div:
        return Code_::floor_div;
      case Kind::index_min:
        return Code_::minimum;
      case Kind::index_max:
        return Code_::maximum;
      case Kind::to_index:
        return Code_::to_index;
      case Kind::at_most_zero:
        return Code_::at_most_zero;
      case Kind::is_zero:
        return Code_::is_zero;
      case Kind::negation:
        return Code_::inverse;
      case Kind::compare:
        return Code_::compare;
      case Kind::is_nan:
        return Code_::is_nan;
      case Kind::operation:
        return Code_::operation;
      case Kind::from_index:
        return Code_::from_index;
      case Kind::cast:
        return Code_::cast;
      default:
        throw InternalError("a term without an instruction");
    }
  }

  // No partial sum or product of the node leaves 62 bits.
  static bool fits(const Expression& e) {
    const Integer limit = power_of_two(62);
    const auto small = [&](const Interval& i, const Integer& factor) {
      return i.low && i.high && std::max(abs(*i.low), abs(*i.high)) * abs(factor) <= limit;
    };
    if (e.term->kind == Kind::polynomial) {
      Integer total = 0;
      for (std::size_t i = 0; i < e.children.size(); ++i) {
        const Interval& part = e.children[i]->interval;
        if (!small(part, e.term->coefficients[i])) return false;
        total += std::max(abs(*part.low), abs(*part.high)) * abs(e.term->coefficients[i]);
      }
      return total <= limit;
    }
    if (e.term->kind == Kind::product) {
      Integer total = 1;
      for (const Expression* child : e.children) {
        if (!small(child->interval, 1)) return false;
        total *=
            std::max(Integer(std::max(abs(*child->interval.low), abs(*child->interval.high))), Integer(1));
      }
      return total <= limit;
    }
    return e.children.empty() || small(e.children[0]->interval, 1);
  }

  static void fill_polynomial(const Expression& e, Instruction& out) {
    std::vector<int> operands;
    for (std::size_t i = 0; i < e.children.size(); ++i) {
      const auto coefficient = to_i64(e.term->coefficients[i]);
      if (!coefficient) throw Refusal("E1006", "an index does not fit 64 bits");
      if (as_integer(e.children[i]->term) != nullptr) {
        out.immediate = *coefficient;
        continue;
      }
      operands.push_back(out.operands[i]);
      out.coefficients.push_back(*coefficient);
    }
    out.operands = std::move(operands);
  }

  int axis_register(int axis) {
    if (axis == code_.lane_axis) {
      const int result = new_register(RegisterType::integer, true);
      emit(Code_::lane_index, result);
      return result;
    }
    int& known = code_.axis_registers[static_cast<std::size_t>(axis)];
    if (known == -1) known = new_register(RegisterType::integer, false);
    return known;
  }

  int emit_constant(const Expression& e) {
    const Term t = e.term;
    const RegisterType type = type_of(t->sort);
    const int result = new_register(type, false);
    Instruction& out = emit(type == RegisterType::number ? Code_::number : Code_::integer, result);
    if (t->kind == Kind::integer) {
      const auto value = to_i64(t->value.get_num());
      if (!value) throw Refusal("E1006", "an index does not fit 64 bits");
      out.immediate = *value;
      return result;
    }
    const Value value = constant_value(t, Reals::in_double);
    if (const auto* whole = std::get_if<std::int64_t>(&value))
      out.immediate = *whole;
    else
      out.constant = std::get<double>(value);
    return result;
  }

  int emit_load(const Expression& e) {
    const Tensor& tensor = builder_.tensor(e.term->name);
    auto load = std::make_unique<LoadCode>();
    load->tensor = &tensor;
    load->checked = e.checked;
    load->fault = fault_;
    for (const LaneAffine& d : e.dimensions) load->dimensions.push_back(lane_index(d));
    const bool splat = tensor.encoded() != nullptr && (*tensor.encoded())->splat;
    if (e.checked) {
      std::int64_t stride = splat ? 0 : 1;
      load->strides.resize(tensor.extents().size());
      for (std::size_t d = tensor.extents().size(); d-- > 0; stride *= tensor.extents()[d])
        load->strides[d] = stride;
    }
    const int result = new_register(type_of(e.term->sort), e.varies);
    Instruction& out = emit(Code_::load, result);
    out.term = e.term;
    out.load = std::move(load);
    return result;
  }

  // Parts that read nothing guard the reads of the others, as in the walker.
  int emit_connective(const Expression& e) {
    const bool is_and = e.term->kind == Kind::conjunction;
    std::vector<const Expression*> parts;
    for (const bool reading : {false, true})
      for (const Expression* child : e.children)
        if (child->reads == reading) parts.push_back(child);
    return connect(parts, 0, is_and);
  }

  int connect(const std::vector<const Expression*>& parts, std::size_t from, bool is_and) {
    std::size_t to = from + 1;
    while (to < parts.size() && !parts[to]->can_fault) ++to;
    std::vector<int> operands;
    bool varies = false;
    for (std::size_t i = from; i < to; ++i) {
      operands.push_back(emit_value(parts[i]));
      varies = varies || code_.registers[static_cast<std::size_t>(operands.back())].varies;
    }
    int joined = operands[0];
    if (operands.size() > 1) {
      joined = new_register(RegisterType::truth, varies);
      emit(is_and ? Code_::all : Code_::any, joined, operands);
    }
    if (to == parts.size()) return joined;
    // The rest is computed only where it decides.
    auto branch = std::make_unique<BranchCode>();
    branch->guard.truth = joined;
    const int decided = new_register(RegisterType::truth, false);
    emit(Code_::integer, decided).immediate = is_and ? 0 : 1;
    branch->values[is_and ? 1 : 0] = decided;
    const int side = is_and ? 0 : 1;
    push(Scope::Kind::branch, {}, &branch->sides[side]);
    branch->values[side] = connect(parts, to, is_and);
    path_.pop_back();
    const bool result_varies = code_.registers[static_cast<std::size_t>(joined)].varies ||
                               code_.registers[static_cast<std::size_t>(branch->values[side])].varies;
    const int result = new_register(RegisterType::truth, result_varies);
    emit(Code_::branch, result).branch = std::move(branch);
    return result;
  }

  GuardCode emit_guard(const Guard& guard) {
    GuardCode out;
    for (const LaneAffine& bound : guard.bounds) out.bounds.push_back(lane_index(bound));
    if (guard.rest != nullptr) {
      push(Scope::Kind::branch, {}, &out.rest);
      out.truth = emit_value(guard.rest);
      path_.pop_back();
    }
    return out;
  }

  int emit_select(const Expression& e) {
    const Expression *a = e.children[0], *b = e.children[1];
    const bool simple = !a->can_fault && !b->can_fault && a->cost + b->cost <= blend_cost;
    const Guard& guard = *e.guard;
    const int result_type = static_cast<int>(type_of(e.term->sort));
    if (simple && guard.bounds.empty()) {
      const int condition = emit_value(guard.rest);
      const int x = emit_value(a), y = emit_value(b);
      const int result = new_register(static_cast<RegisterType>(result_type), e.varies);
      emit(Code_::blend, result, {condition, x, y});
      return result;
    }
    auto branch = std::make_unique<BranchCode>();
    branch->guard = emit_guard(guard);
    for (int side = 0; side < 2; ++side) {
      push(Scope::Kind::branch, {}, &branch->sides[side]);
      branch->values[side] = emit_value(side == 0 ? a : b);
      path_.pop_back();
    }
    const int result = new_register(static_cast<RegisterType>(result_type), e.varies);
    emit(Code_::branch, result).branch = std::move(branch);
    return result;
  }

  int emit_fold(const Expression& e) {
    const Fold& f = *e.fold;
    const auto which = static_cast<std::size_t>(e.which);
    // Another component may have been computed here already.
    for (std::size_t i = path_.size(); i-- > 0;) {
      const auto known = path_[i].folds.find(&f);
      if (known == path_[i].folds.end()) continue;
      const auto fault = path_[i].fold_faults.find(&f);
      if (fault == path_[i].fold_faults.end() || fault->second == fault_) return known->second.at(which);
    }
    const bool any_count = f.order->kind == Order::Kind::any || f.order->kind == Order::Kind::seq ||
                           f.order->kind == Order::Kind::strided;
    if (!any_count && (f.extent.coefficient != 0 || f.extent.rest->varies)) throw NotCompiled{};
    auto loop = std::make_unique<LoopCode>();
    loop->order = f.order;
    loop->extent = lane_index(f.extent);
    for (const Expression* init : f.init) loop->init.push_back(emit_value(init));
    loop->variable = new_register(RegisterType::integer, false);
    for (const Expression* init : f.init) {
      loop->states.push_back(new_register(type_of(init->term->sort), f.varies));
      if (!f.combine.empty()) loop->right.push_back(new_register(type_of(init->term->sort), f.varies));
    }
    const std::vector<int> binds{ExpressionBuilder::variable_code(f), ExpressionBuilder::state_code(f)};
    push(Scope::Kind::fold, binds, &loop->before);
    bind(f, *loop);
    loop->guard = emit_guard(f.guard);
    path_.back().region = &loop->step;
    for (const Expression* step : f.step) loop->stepped.push_back(emit_value(step));
    keep_apart(*loop, loop->stepped, &loop->step);
    path_.pop_back();
    if (!f.combine.empty()) {
      push(Scope::Kind::fold, binds, &loop->combine);
      bind(f, *loop);
      for (const Expression* part : f.combine) loop->combined.push_back(emit_value(part));
      keep_apart(*loop, loop->combined, &loop->combine);
      path_.pop_back();
    }
    const std::vector<int> states = loop->states;
    path_.back().folds[&f] = states;
    if (fault_ != -1 && e.can_fault) path_.back().fold_faults[&f] = fault_;
    emit(Code_::loop, -1).loop = std::move(loop);
    return states.at(which);
  }

  // The fold's variable and states as values of the scope on top.
  void bind(const Fold& f, const LoopCode& loop) {
    const auto see = [&](const Expression* part, const auto& self) -> void {
      if (part == nullptr || !seen_.insert(part).second) return;
      if (part->term->kind == Kind::bound && part->fold == &f)
        path_.back().values[part] = {loop.variable, -1, true};
      if (part->term->kind == Kind::state && part->fold == &f) {
        const auto which = static_cast<std::size_t>(part->which);
        path_.back().values[part] = {which < f.size ? loop.states[which] : loop.right.at(which - f.size), -1,
                                     true};
      }
      for_each_part(*part, [&](const Expression* child) { self(child, self); });
    };
    seen_.clear();
    for_each_guard_part(f.guard, [&](const Expression* part) { see(part, see); });
    for (const auto* list : {&f.step, &f.combine})
      for (const Expression* part : *list) see(part, see);
  }

  template <typename Visit>
  static void for_each_guard_part(const Guard& guard, Visit visit) {
    for (const LaneAffine& bound : guard.bounds) visit(bound.rest);
    if (guard.rest != nullptr) visit(guard.rest);
  }

  template <typename Visit>
  static void for_each_part(const Expression& e, Visit visit) {
    for (const Expression* child : e.children) visit(child);
    for (const LaneAffine& d : e.dimensions) visit(d.rest);
    if (e.guard != nullptr) for_each_guard_part(*e.guard, visit);
    if (e.term->kind != Kind::fold) return;
    visit(e.fold->extent.rest);
    for_each_guard_part(e.fold->guard, visit);
    for (const auto* list : {&e.fold->init, &e.fold->step, &e.fold->combine})
      for (const Expression* part : *list) visit(part);
  }

  // States change one after the other: a new value that is another state's register is copied first.
  void keep_apart(const LoopCode& loop, std::vector<int>& values, Region* region) {
    path_.back().region = region;
    for (std::size_t j = 0; j < values.size(); ++j) {
      const auto same = std::find(loop.states.begin(), loop.states.end(), values[j]);
      if (same == loop.states.end() || same == loop.states.begin() + static_cast<long>(j)) continue;
      const RegisterInfo info = code_.registers[static_cast<std::size_t>(values[j])];
      const int copy = new_register(info.type, info.varies);
      emit(Code_::copy, copy, {values[j]});
      values[j] = copy;
    }
  }

  ExpressionBuilder builder_;
  Code code_;
  std::vector<Scope> path_;
  int fault_ = -1;
  std::set<const Expression*> seen_;
};

}  // namespace

int choose_lane_axis(const std::vector<std::int64_t>& extents) {
  int best = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] >= 8 || extents[d] >= extents[static_cast<std::size_t>(best)]) best = static_cast<int>(d);
  }
  return best;
}

std::optional<Code> generate(Term body, const Tensors& tensors, const std::vector<std::int64_t>& extents) {
  // A scalar is one lane of an axis that nothing mentions.
  if (extents.empty()) return generate(body, tensors, {1});
  try {
    return Generator(tensors, extents).run(body);
  } catch (const NotCompiled&) {
    return std::nullopt;
  }
}

}  // namespace hallmark::evaluator
