#include "term_evaluator.h"

#include <bit>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <unordered_map>

namespace hallmark::testing {

using namespace calculus;

namespace {

using Bits = std::uint64_t;
constexpr Bits canonical_nan_32 = 0x7fc00000u, canonical_nan_64 = 0x7ff8000000000000u;

double to_double(Bits bits, Format format) {
  return format == Format::f32 ? std::bit_cast<float>(static_cast<std::uint32_t>(bits))
                               : std::bit_cast<double>(bits);
}

template <typename T>
Bits from_value(T value) {
  if constexpr (sizeof(T) == 4)
    return std::isnan(value) ? canonical_nan_32 : std::bit_cast<std::uint32_t>(value);
  else
    return std::isnan(value) ? canonical_nan_64 : std::bit_cast<std::uint64_t>(value);
}

Bits from_double(double value, Format format) {
  return format == Format::f32 ? from_value(static_cast<float>(value)) : from_value(value);
}

// Wraps an integer to its format and extends it to 64 bits.
Bits wrap(Bits value, Format format) {
  const unsigned width = storage_bits(format);
  if (width == 64) return value;
  const Bits low = value & ((Bits{1} << width) - 1);
  return is_signed(format) && (low >> (width - 1) & 1) != 0 ? low | ~((Bits{1} << width) - 1) : low;
}

template <typename T>
T number_wins(T a, T b, bool maximum) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) == maximum ? b : a;  // +0 above -0
  return (a > b) == maximum ? a : b;
}

template <typename T>
T float_operation(Op op, const std::vector<T>& c) {
  switch (op) {
    case Op::add:
      return c[0] + c[1];
    case Op::sub:
      return c[0] - c[1];
    case Op::mul:
      return c[0] * c[1];
    case Op::div:
      return c[0] / c[1];
    case Op::fma:
      return std::fma(c[0], c[1], c[2]);
    case Op::sqrt:
      return std::sqrt(c[0]);
    case Op::neg:
      return -c[0];
    case Op::abs:
      return std::fabs(c[0]);
    case Op::floor:
      return std::floor(c[0]);
    case Op::ceil:
      return std::ceil(c[0]);
    case Op::trunc:
      return std::trunc(c[0]);
    case Op::round_even:
      return std::nearbyint(c[0]);
    case Op::maxnum:
      return number_wins(c[0], c[1], true);
    case Op::minnum:
      return number_wins(c[0], c[1], false);
    default:
      throw std::runtime_error("the test evaluator lacks the float operation " + std::string(name(op)));
  }
}

Bits integer_operation(Op op, const std::vector<Bits>& c, Format format) {
  const bool sign = is_signed(format);
  const auto a = static_cast<std::int64_t>(c[0]), b = static_cast<std::int64_t>(c.size() > 1 ? c[1] : 0);
  const auto less = [&] { return sign ? a < b : c[0] < c[1]; };
  switch (op) {
    case Op::add:
      return wrap(c[0] + c[1], format);
    case Op::sub:
      return wrap(c[0] - c[1], format);
    case Op::mul:
      return wrap(c[0] * c[1], format);
    case Op::neg:
      return wrap(0 - c[0], format);
    case Op::abs:
      return sign && a < 0 ? wrap(0 - c[0], format) : c[0];
    case Op::sign:
      return wrap(static_cast<Bits>(sign && a < 0 ? -1 : a != 0 ? 1 : 0), format);
    case Op::max:
      return less() ? c[1] : c[0];
    case Op::min:
      return less() ? c[0] : c[1];
    case Op::div:
      if (c[1] == 0) return 0;
      if (!sign) return c[0] / c[1];
      return b == -1 ? wrap(0 - c[0], format) : wrap(static_cast<Bits>(a / b), format);
    case Op::rem:
    case Op::mod: {
      if (c[1] == 0) return 0;
      if (!sign) return c[0] % c[1];
      const std::int64_t rest = b == -1 ? 0 : a % b;
      return static_cast<Bits>(op == Op::mod && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
    }
    case Op::bit_and:
      return c[0] & c[1];
    case Op::bit_or:
      return c[0] | c[1];
    case Op::bit_xor:
      return c[0] ^ c[1];
    case Op::bit_not:
      return wrap(~c[0], format);
    case Op::shift_left:
      return c[1] < storage_bits(format) ? wrap(c[0] << c[1], format) : 0;
    case Op::shift_right:
      return c[1] < storage_bits(format) ? c[0] >> c[1] : 0;
    default:
      throw std::runtime_error("the test evaluator lacks the integer operation " + std::string(name(op)));
  }
}

struct OpenedFold {
  FoldParts parts;
};

class Machine {
 public:
  Machine(const std::vector<Function>& functions, const std::map<std::string, long>& symbols,
          const Tensors& tensors)
      : functions_(functions), symbols_(symbols), tensors_(tensors) {}

  // Element variables: free ones of functions and folds.
  std::unordered_map<Term, Bits> elements;
  std::unordered_map<Term, long> indices;
  std::vector<long> axes;

  long index(Term t) {
    switch (t->kind) {
      case Kind::integer:
        return as_integer(t)->get_si();
      case Kind::symbol:
        return symbols_.at(t->name);
      case Kind::axis:
        return axes.at(static_cast<std::size_t>(t->number));
      case Kind::variable:
        return indices.at(t);
      case Kind::product: {
        long out = 1;
        for (Term c : t->children) out *= index(c);
        return out;
      }
      case Kind::polynomial: {
        long out = 0;
        for (std::size_t i = 0; i < t->children.size(); ++i)
          out += t->coefficients[i].get_si() * index(t->children[i]);
        return out;
      }
      case Kind::floor_div:
        return hallmark::floor_div(Integer(index(t->children[0])), Integer(index(t->children[1]))).get_si();
      case Kind::index_min:
      case Kind::index_max: {
        long out = index(t->children[0]);
        for (Term c : t->children)
          out = t->kind == Kind::index_min ? std::min(out, index(c)) : std::max(out, index(c));
        return out;
      }
      case Kind::index_select:
        return truth(t->children[0]) ? index(t->children[1]) : index(t->children[2]);
      case Kind::to_index:
        return static_cast<long>(element(t->children[0]));
      default:
        throw std::runtime_error("the test evaluator met an unknown index term");
    }
  }

  bool truth(Term t) {
    switch (t->kind) {
      case Kind::truth:
        return t->number != 0;
      case Kind::at_most_zero:
        return index(t->children[0]) <= 0;
      case Kind::is_zero:
        return index(t->children[0]) == 0;
      case Kind::conjunction:
        for (Term c : t->children)
          if (!truth(c)) return false;
        return true;
      case Kind::disjunction:
        for (Term c : t->children)
          if (truth(c)) return true;
        return false;
      case Kind::negation:
        return !truth(t->children[0]);
      case Kind::is_nan:
        return std::isnan(to_double(element(t->children[0]), t->children[0]->sort.format));
      case Kind::compare: {
        const Sort sort = t->children[0]->sort;
        const Bits a = element(t->children[0]), b = element(t->children[1]);
        const auto relate = [&](auto x, auto y) {
          return t->op == Op::lt ? x < y : t->op == Op::le ? x <= y : x == y;
        };
        if (sort.kind == Sort::Kind::floating)
          return relate(to_double(a, sort.format), to_double(b, sort.format));
        if (sort.kind == Sort::Kind::integer && is_signed(sort.format))
          return relate(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
        return relate(a, b);
      }
      default:
        return element(t) != 0;
    }
  }

  Bits element(Term t) {
    switch (t->kind) {
      case Kind::constant:
        if (t->sort.kind == Sort::Kind::floating) return t->bits;
        return wrap(static_cast<Bits>(mpz_get_si(t->value.get_num_mpz_t())), t->sort.format);
      case Kind::variable:
        return elements.at(t);
      case Kind::load: {
        const Values& tensor = tensors_.at(t->name);
        long flat = 0;
        for (std::size_t d = 0; d < t->children.size(); ++d) {
          const long i = index(t->children[d]);
          if (i < 0 || i >= tensor.extents.at(d)) throw std::runtime_error("a read outside of " + t->name);
          flat = flat * tensor.extents[d] + i;
        }
        return tensor.bits.at(static_cast<std::size_t>(flat));
      }
      case Kind::select:
        return truth(t->children[0]) ? element(t->children[1]) : element(t->children[2]);
      case Kind::from_index:
        if (t->sort.kind == Sort::Kind::integer)
          return wrap(static_cast<Bits>(index(t->children[0])), t->sort.format);
        if (t->sort.format == Format::f32) return from_value(static_cast<float>(index(t->children[0])));
        return from_value(static_cast<double>(index(t->children[0])));
      case Kind::cast:
        return convert(t, element(t->children[0]));
      case Kind::operation:
        return operate(t);
      case Kind::fold:
        return fold_value(t);
      default:
        if (t->sort == Sort::boolean()) return truth(t) ? 1 : 0;
        throw std::runtime_error("the test evaluator met an unknown element term");
    }
  }

 private:
  Bits convert(Term t, Bits x) const {
    const Sort from = t->children[0]->sort, to = t->sort;
    if (from == to) return x;
    if (to.kind == Sort::Kind::boolean)
      return from.kind == Sort::Kind::floating ? to_double(x, from.format) != 0 : x != 0;
    if (from.kind == Sort::Kind::floating) {
      const double value = to_double(x, from.format);
      if (to.kind == Sort::Kind::floating) return from_double(value, to.format);
      return wrap(static_cast<Bits>(static_cast<std::int64_t>(value)), to.format);
    }
    if (to.kind == Sort::Kind::integer) return wrap(x, to.format);
    const bool sign = from.kind == Sort::Kind::integer && is_signed(from.format);
    if (to.format == Format::f32)
      return sign ? from_value(static_cast<float>(static_cast<std::int64_t>(x)))
                  : from_value(static_cast<float>(x));
    return sign ? from_value(static_cast<double>(static_cast<std::int64_t>(x)))
                : from_value(static_cast<double>(x));
  }

  Bits operate(Term t) {
    std::vector<Bits> c;
    for (Term child : t->children) c.push_back(element(child));
    if (t->op == Op::custom) {
      for (const Function& function : functions_) {
        if (function.name != t->name) continue;
        std::map<Term, Bits> values;
        for (std::size_t i = 0; i < c.size(); ++i) values[function.parameters[i]] = c[i];
        Machine inner(functions_, symbols_, tensors_);
        for (const auto& [variable, bits] : values) inner.elements[variable] = bits;
        return inner.shared(function.body);
      }
      throw std::runtime_error("unknown function " + t->name);
    }
    if (t->sort.kind == Sort::Kind::integer) return integer_operation(t->op, c, t->sort.format);
    if (t->sort.kind == Sort::Kind::boolean) return c[0] ^ c[1];
    if (t->sort.format == Format::f32) {
      std::vector<float> f;
      for (Bits b : c) f.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(b)));
      return from_value(float_operation(t->op, f));
    }
    std::vector<double> f;
    for (Bits b : c) f.push_back(std::bit_cast<double>(b));
    return from_value(float_operation(t->op, f));
  }

 public:
  // With sharing: for function bodies, which have no binders and deep DAGs.
  Bits shared(Term t) {
    if (const auto found = memo_.find(t); found != memo_.end()) return found->second;
    Bits out = 0;
    if (t->kind == Kind::operation && t->op != Op::custom && t->sort.kind == Sort::Kind::floating) {
      std::unordered_map<Term, Bits> saved;
      std::vector<Bits> c;
      for (Term child : t->children) c.push_back(shared(child));
      if (t->sort.format == Format::f32) {
        std::vector<float> f;
        for (Bits b : c) f.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(b)));
        out = from_value(float_operation(t->op, f));
      } else {
        std::vector<double> f;
        for (Bits b : c) f.push_back(std::bit_cast<double>(b));
        out = from_value(float_operation(t->op, f));
      }
    } else if (t->kind == Kind::operation && t->op == Op::custom) {
      for (const Function& function : functions_)
        if (function.name == t->name) {
          Machine inner(functions_, symbols_, tensors_);
          for (std::size_t i = 0; i < t->children.size(); ++i)
            inner.elements[function.parameters[i]] = shared(t->children[i]);
          out = inner.shared(function.body);
        }
    } else if (t->kind == Kind::select) {
      out = shared_truth(t->children[0]) ? shared(t->children[1]) : shared(t->children[2]);
    } else if (t->kind == Kind::cast) {
      out = convert(t, shared(t->children[0]));
    } else {
      out = element(t);
    }
    memo_.emplace(t, out);
    return out;
  }

 private:
  bool shared_truth(Term t) {
    if (t->kind == Kind::compare) {
      const Format format = t->children[0]->sort.format;
      const double a = to_double(shared(t->children[0]), format),
                   b = to_double(shared(t->children[1]), format);
      return t->op == Op::lt ? a < b : t->op == Op::le ? a <= b : a == b;
    }
    if (t->kind == Kind::is_nan)
      return std::isnan(to_double(shared(t->children[0]), t->children[0]->sort.format));
    if (t->kind == Kind::negation) return !shared_truth(t->children[0]);
    if (t->kind == Kind::conjunction) {
      for (Term c : t->children)
        if (!shared_truth(c)) return false;
      return true;
    }
    if (t->kind == Kind::disjunction) {
      for (Term c : t->children)
        if (shared_truth(c)) return true;
      return false;
    }
    return truth(t);
  }

  const FoldParts& opened(Term t) {
    const auto found = folds_.find(t);
    if (found != folds_.end()) return found->second;
    return folds_.emplace(t, calculus::open(t)).first->second;
  }

  using Lane = std::vector<Bits>;

  void take_step(const FoldParts& parts, long k, Lane& states) {
    const auto saved = indices.find(parts.variable);
    const bool had = saved != indices.end();
    const long old = had ? saved->second : 0;
    indices[parts.variable] = k;
    if (truth(parts.guard)) {
      for (std::size_t j = 0; j < states.size(); ++j) elements[parts.states[j]] = states[j];
      Lane next;
      for (Term step : parts.step) {
        next.push_back(element(step));
        // A nested evaluation of the same fold node would have overwritten the states.
        for (std::size_t j = 0; j < states.size(); ++j) elements[parts.states[j]] = states[j];
        indices[parts.variable] = k;
      }
      states = next;
    }
    if (had) indices[parts.variable] = old;
  }

  Lane combine(const FoldParts& parts, const Lane& left, const Lane& right) {
    for (std::size_t j = 0; j < left.size(); ++j) {
      elements[parts.states[j]] = left[j];
      elements[parts.right_states[j]] = right[j];
    }
    Lane out;
    for (Term c : parts.combine) out.push_back(element(c));
    return out;
  }

  Lane combine_all(const FoldParts& parts, const Order& order, const std::vector<Lane>& leaves) {
    if (order.kind == Order::Kind::seq) {
      Lane out = leaves.at(0);
      for (std::size_t i = 1; i < leaves.size(); ++i) out = combine(parts, out, leaves[i]);
      return out;
    }
    if (order.kind == Order::Kind::tree) {
      if (leaves.size() == 1) return leaves[0];
      const std::size_t half = leaves.size() / 2;
      return combine(parts,
                     combine_all(parts, order, {leaves.begin(), leaves.begin() + static_cast<long>(half)}),
                     combine_all(parts, order, {leaves.begin() + static_cast<long>(half), leaves.end()}));
    }
    if (order.kind == Order::Kind::blocked) {
      const std::size_t size = as_integer(order.size)->get_ui();
      std::vector<Lane> results;
      for (std::size_t at = 0; at < leaves.size(); at += size)
        results.push_back(
            combine_all(parts, *order.inner,
                        {leaves.begin() + static_cast<long>(at),
                         leaves.begin() + static_cast<long>(std::min(at + size, leaves.size()))}));
      return combine_all(parts, *order.outer, results);
    }
    throw std::runtime_error("an order that the test evaluator does not know");
  }

  Bits fold_value(Term t) {
    const FoldParts parts = opened(t);
    const long extent = index(parts.extent);
    Lane init;
    for (Term i : parts.init) init.push_back(element(i));
    const std::size_t which = static_cast<std::size_t>(t->which);
    if (parts.order->kind == Order::Kind::seq) {
      for (long k = 0; k < extent; ++k) take_step(parts, k, init);
      return init[which];
    }
    if (parts.order->kind != Order::Kind::strided) throw std::runtime_error("an order that is not strided");
    const long lanes = as_integer(parts.order->size)->get_si();
    std::vector<Lane> results(static_cast<std::size_t>(lanes), init);
    for (long k = 0; k < extent; ++k) take_step(parts, k, results[static_cast<std::size_t>(k % lanes)]);
    return combine_all(parts, *parts.order->inner, results)[which];
  }

  const std::vector<Function>& functions_;
  const std::map<std::string, long>& symbols_;
  const Tensors& tensors_;
  std::unordered_map<Term, FoldParts> folds_;
  std::unordered_map<Term, Bits> memo_;
};

}  // namespace

void evaluate(const Program& formulation, const std::map<std::string, long>& symbols, Tensors& tensors) {
  for (const Definition& definition : formulation.definitions) {
    Machine machine(formulation.functions, symbols, tensors);
    Values out;
    out.format = definition.declaration.format;
    long total = 1;
    for (Term extent : definition.declaration.extents) {
      out.extents.push_back(machine.index(extent));
      total *= out.extents.back();
    }
    machine.axes.assign(out.extents.size(), 0);
    for (long flat = 0; flat < total; ++flat) {
      long rest = flat;
      for (std::size_t d = out.extents.size(); d-- > 0;) {
        machine.axes[d] = rest % out.extents[d];
        rest /= out.extents[d];
      }
      out.bits.push_back(machine.element(definition.body));
    }
    tensors[definition.declaration.name] = std::move(out);
  }
}

std::uint64_t evaluate_float(Term term, const std::map<Term, std::uint64_t>& variables) {
  static const std::vector<Function> no_functions;
  static const std::map<std::string, long> no_symbols;
  static const Tensors no_tensors;
  Machine machine(no_functions, no_symbols, no_tensors);
  for (const auto& [variable, bits] : variables) machine.elements[variable] = bits;
  return machine.shared(term);
}

}  // namespace hallmark::testing
