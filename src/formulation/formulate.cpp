#include "formulation/formulate.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/error.h"
#include "formulation/functions.h"
#include "formulation/lane_order.h"
#include "formulation/round_constant.h"

namespace hallmark::formulation {
namespace {

using namespace calculus;

// Operations that are one correctly rounded (or exact) instruction.
bool is_instruction(Op op) {
  switch (op) {
    case Op::neg:
    case Op::abs:
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::fma:
    case Op::sqrt:
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
    case Op::round_even:
      return true;
    default:
      return false;
  }
}

class DefinitionFormulator {
 public:
  DefinitionFormulator(const Definition& definition, const Program& program, const Options& options,
                       std::set<std::string>& used)
      : definition_(definition), program_(program), options_(options), used_(used) {
    compute_ = options.compute;
    const auto widen = [this](Format format) {
      if (format == Format::f64) compute_ = Format::f64;
    };
    widen(definition.declaration.format);
    for_each_node(definition.body, [&](Term node) {
      if (node->kind == Kind::load) widen(find_declaration(program, node->name)->format);
    });
    const auto order = options.orders.find(definition.declaration.name);
    order_ = order != options.orders.end() ? order->second : options.default_order;
  }

  Definition run() {
    Definition result = definition_;
    const auto storage = options_.storage.find(definition_.declaration.name);
    if (storage != options_.storage.end()) result.declaration.format = storage->second;
    result.body = convert(definition_.body);
    const Sort stored = stored_sort(result.declaration.format);
    if (stored.kind == Sort::Kind::floating && stored != result.body->sort)
      result.body = cast(result.body, stored, stored.format);
    return result;
  }

  // By value, then by encoding.
  std::vector<RoundedConstant> constants() const {
    std::vector<RoundedConstant> all;
    for (const auto& [exact, bits] : constants_)
      all.push_back({definition_.declaration.name, exact, compute_, bits});
    return all;
  }

 private:
  [[noreturn]] void refuse(const std::string& code, const std::string& message) const {
    throw Refusal(code, message, {.node = definition_.declaration.name});
  }
  Sort sort() const { return Sort::floating(compute_); }

  Term convert(Term a) {
    if (const auto found = memo_.find(a); found != memo_.end()) return found->second;
    const Term result = convert_node(a);
    memo_.emplace(a, result);
    return result;
  }

  std::vector<Term> convert_all(const std::vector<Term>& terms) {
    std::vector<Term> out;
    out.reserve(terms.size());
    for (Term t : terms) out.push_back(convert(t));
    return out;
  }

  Term convert_node(Term a) {
    const bool real = a->sort.kind == Sort::Kind::real;
    switch (a->kind) {
      case Kind::constant:
        return real ? constant(a->value) : a;
      case Kind::extreme:
        return float_constant(compute_, infinity_bits(a->number, compute_));
      case Kind::load: {
        const std::vector<Term> indices = convert_all(a->children);
        if (!real) return load(a->name, indices, a->sort);
        const Sort stored = stored_sort(stored_format(a->name));
        const Term value = load(a->name, indices, stored);
        return stored == sort() ? value : cast(value, sort(), compute_);
      }
      case Kind::operation:
        return real ? operate(a) : (a->children.empty() ? a : rebuild(a, convert_all(a->children)));
      case Kind::fold:
        return convert_fold(a);
      case Kind::from_index:
        return from_index(convert(a->children[0]), real ? sort() : a->sort);
      case Kind::cast:
        return cast(convert(a->children[0]), real ? sort() : a->sort, a->format);
      case Kind::variable:
        ensure(!real, "a free real variable in " + definition_.declaration.name);
        return a;
      default:
        return a->children.empty() ? a : rebuild(a, convert_all(a->children));
    }
  }

  Format stored_format(const std::string& tensor) const {
    const auto found = options_.storage.find(tensor);
    return found != options_.storage.end() ? found->second : find_declaration(program_, tensor)->format;
  }

  Term constant(const Rational& value) {
    const auto bits = round_to_nearest(value, compute_);
    if (!bits)
      refuse("E7003", "the constant " + value.get_str() + " is too large for " + std::string(name(compute_)));
    constants_.emplace(value, *bits);
    return float_constant(compute_, *bits);
  }

  Term operate(Term a) {
    if (a->op == Op::custom)
      refuse("E7001", "the exact program has the operation '" + a->name + "', which has no formulation");
    if (a->op == Op::pow)
      if (const Term special = power(a); special != nullptr) return special;
    const std::vector<Term> arguments = convert_all(a->children);
    if (is_instruction(a->op)) return operation(a->op, arguments, sort(), Rounding::nearest);
    if (a->op == Op::max) return operation(Op::maxnum, arguments, sort(), Rounding::nearest);
    if (a->op == Op::min) return operation(Op::minnum, arguments, sort(), Rounding::nearest);
    if (a->op == Op::reciprocal)
      return operation(Op::div, {constant(1), arguments[0]}, sort(), Rounding::nearest);
    return call(implementation(a->op, compute_), a->op, arguments);
  }

  Term call(const std::optional<std::string>& function, Op op, const std::vector<Term>& arguments) {
    if (!function)
      refuse("E7001",
             "there is no implementation of " + std::string(name(op)) + " in " + std::string(name(compute_)));
    use(*function);
    return custom_operation(*function, arguments, sort());
  }

  void use(const std::string& function) {
    if (!used_.insert(function).second) return;
    for_each_node(find_elementary_function(function)->function.body, [&](Term node) {
      if (node->kind == Kind::operation && node->op == Op::custom) use(node->name);
    });
  }

  // Powers with a constant exponent that need no logarithm.
  Term power(Term a) {
    const Term exponent = a->children[1];
    if (exponent->kind != Kind::constant) return nullptr;
    std::string function;
    if (exponent->value == 2) function = "square_";
    if (exponent->value == 3) function = "cube_";
    if (exponent->value == Rational(1, 2)) function = "square_root_";
    if (exponent->value == Rational(3, 4)) function = "power_3_4_";
    function += name(compute_);
    if (find_elementary_function(function) == nullptr) return nullptr;
    use(function);
    return custom_operation(function, {convert(a->children[0])}, sort());
  }

  Term convert_fold(Term a) {
    const bool outermost = !a->open;
    FoldParts parts = calculus::open(a);
    FoldParts out;
    out.variable = parts.variable;
    out.extent = convert(parts.extent);
    out.init = convert_all(parts.init);
    for (const auto& [from, to] :
         {std::pair(&parts.states, &out.states), std::pair(&parts.right_states, &out.right_states)})
      for (std::size_t j = 0; j < from->size(); ++j) {
        to->push_back(fresh_variable("s", out.init[j]->sort));
        memo_.emplace((*from)[j], to->back());
      }
    out.guard = convert(parts.guard);
    out.step = convert_all(parts.step);
    if (options_.fused_multiply_add)
      for (Term& step : out.step) step = fuse(step, out.states);
    out.combine = convert_all(parts.combine);
    out.order = outermost ? order_ : seq_order();
    if (out.order->kind == Order::Kind::seq || out.order->kind == Order::Kind::any) {
      out.order = seq_order();
      out.combine.clear();
      out.right_states.clear();
    } else {
      require_legal_order(out);
    }
    return calculus::fold(out, a->which);
  }

  // state + x * y as one fma, where the sum is the whole step.
  Term fuse(Term step, const std::vector<Term>& states) const {
    if (step->kind != Kind::operation || step->op != Op::add || step->sort != sort()) return step;
    for (int side = 0; side < 2; ++side) {
      const Term state = step->children[static_cast<std::size_t>(side)];
      const Term product = step->children[static_cast<std::size_t>(1 - side)];
      if (std::find(states.begin(), states.end(), state) == states.end()) continue;
      if (product->kind != Kind::operation || product->op != Op::mul) continue;
      return operation(Op::fma, {product->children[0], product->children[1], state}, sort(),
                       Rounding::nearest);
    }
    return step;
  }

  // One state, step op(state, x) with op associative and commutative over the exact values, neutral start:
  // then combine is op. Anything else needs a combine in the exact program and a proof (soundness G3).
  void require_legal_order(FoldParts& out) const {
    const std::string order = to_string(*out.order);
    if (out.states.size() != 1 || !out.combine.empty())
      refuse("E7002", "the order " + order + " needs a proved law for this fold's combine");
    const Op op = step_operation(out);
    if (op == Op::none)
      refuse("E7002", "the order " + order + " is not legal: its step is not a sum of terms");
    if (!is_neutral_start(op, out.init[0]))
      refuse("E7002", "the order " + order + " is not legal: its start value is not neutral for its step");
    const Term state = out.states[0];
    out.right_states = {fresh_variable("t", state->sort)};
    out.combine = {apply(op, {state, out.right_states[0]})};
  }

  const Definition& definition_;
  const Program& program_;
  const Options& options_;
  std::set<std::string>& used_;
  Format compute_ = Format::f32;
  const Order* order_ = nullptr;
  std::unordered_map<Term, Term> memo_;
  std::map<Rational, std::uint64_t> constants_;
};

}  // namespace

Formulation formulate(const Program& exact, const Options& options) {
  Formulation result;
  result.program = exact;
  result.program.functions.clear();
  result.program.definitions.clear();
  std::set<std::string> used;
  for (Definition definition : exact.definitions) {
    definition.body = expand_functions(definition.body, exact.functions);
    DefinitionFormulator formulator(definition, exact, options, used);
    result.program.definitions.push_back(formulator.run());
    const std::vector<RoundedConstant> constants = formulator.constants();
    result.constants.insert(result.constants.end(), constants.begin(), constants.end());
  }
  for (const ElementaryFunction& known : elementary_functions())
    if (used.count(known.function.name) != 0) result.program.functions.push_back(known.function);
  check_program(result.program);
  return result;
}

const Order* block_order(int lanes) {
  ensure(lanes >= 64 && lanes % 32 == 0 && (lanes & (lanes - 1)) == 0 && lanes <= 1024,
         "a block reduces over a power of two of lanes, 64 to 1024");
  const auto tree = [](int leaves) {
    return make_order({Order::Kind::tree, integer(static_cast<long>(leaves)), nullptr, nullptr, {}});
  };
  const Order* across = make_order({Order::Kind::blocked, integer(32L), tree(32), tree(lanes / 32), {}});
  return make_order({Order::Kind::strided, integer(static_cast<long>(lanes)), across, nullptr, {}});
}

}  // namespace hallmark::formulation
