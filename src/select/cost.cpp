#include "select/cost.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "base/error.h"

namespace hallmark::select {
namespace {

using namespace calculus;

class Counter {
 public:
  Counter(const std::map<std::string, Declaration>& tensors, const Sizes& sizes, const CostModel& model)
      : tensors_(tensors), model_(model) {
    for (const auto& [name, value] : sizes) values_[symbol(name)] = integer(value);
  }

  Integer size(Term extent) const {
    const Term value = substitute(extent, values_);
    if (const Integer* number = as_integer(value); number != nullptr)
      return *number > 0 ? *number : Integer(0);
    // An extent that depends on an outer index (a triangular loop): its largest value is not known here; half
    // of the symbols' product would be a guess, so the index is taken at 0 and the extent at least 1.
    Substitution at_zero;
    for_each_node(value, [&](Term n) {
      if (n->children.empty() && n->sort == Sort::index() && n->kind != Kind::integer)
        at_zero[n] = integer(Integer(0));
    });
    const Integer* number = as_integer(substitute(value, at_zero));
    ensure(number != nullptr, "a symbol without a size in the cost model");
    return *number > 1 ? *number : Integer(1);
  }

  // Operations and loads for one element.
  struct Count {
    Rational operations;
    std::map<std::string, Rational> loads;
  };

  // A value that is used many times is computed once; what does not depend on a loop's variable or state is
  // computed before it.
  Count total(Term root) {
    total_ = {};
    closed_.clear();
    std::unordered_set<Term> seen;
    visit(root, 1, seen);
    return total_;
  }

  // From here on, folds that mention only the first axes count once a row of the tensor.
  void hoist(const Declaration& declaration, int row_axes) {
    row_axes_ = row_axes;
    Integer inner = 1;
    for (std::size_t d = static_cast<std::size_t>(row_axes); d < declaration.extents.size(); ++d)
      inner *= size(declaration.extents[d]);
    row_share_ = inner > 0 ? Rational(Integer(1), inner) : Rational(1);
    row_share_.canonicalize();
  }

  Integer elements(const Declaration& declaration) const {
    Integer n = 1;
    for (Term extent : declaration.extents) n *= size(extent);
    return n;
  }

  Integer bytes(const Declaration& declaration) const {
    return elements(declaration) * (storage_bits(declaration.format) / 8);
  }

  const Declaration& tensor(const std::string& name) const {
    const auto found = tensors_.find(name);
    ensure(found != tensors_.end(), "the cost model does not know the tensor " + name);
    return found->second;
  }

 private:
  void visit(Term a, Rational times, std::unordered_set<Term>& scope) {
    if (!a->open) times = once_a_row(a) ? row_share_ : Rational(1);
    if (!(a->open ? scope : closed_).insert(a).second) return;
    if (a->kind == Kind::operation || a->kind == Kind::cast) total_.operations += times * weight(a);
    if (a->kind == Kind::load) total_.loads[a->name] += times;
    if (a->kind != Kind::fold) {
      for (Term child : a->children) visit(child, times, scope);
      return;
    }
    const std::size_t states = static_cast<std::size_t>(a->size);
    for (std::size_t j = 0; j < states; ++j) visit(a->children[2 + j], times, scope);
    std::unordered_set<Term> inside;
    const Rational each = times * Rational(size(a->children[0]));
    visit(a->children[1], each, inside);
    for (std::size_t j = 0; j < states; ++j) visit(a->children[2 + states + j], each, inside);
  }

  // Such a fold is evaluated by the block once, wherever its value is used.
  bool once_a_row(Term a) const {
    if (row_axes_ < 0 || a->kind != Kind::fold || a->open) return false;
    bool inner = false;
    for_each_node(a, [&](Term n) { inner = inner || (n->kind == Kind::axis && n->number >= row_axes_); });
    return !inner;
  }

  const Rational& weight(Term a) const {
    if (a->kind == Kind::cast) return model_.conversion;
    switch (a->op) {
      case Op::fma:
        return model_.fma;
      case Op::div:
      case Op::sqrt:
      case Op::rsqrt:
      case Op::reciprocal:
        return model_.division;
      case Op::exp:
      case Op::log:
      case Op::tanh:
      case Op::erf:
      case Op::pow:
      case Op::sin:
      case Op::cos:
      case Op::custom:
        return model_.elementary;
      default:
        return model_.plain;
    }
  }

  const std::map<std::string, Declaration>& tensors_;
  const CostModel& model_;
  Substitution values_;
  std::unordered_set<Term> closed_;
  Count total_;
  int row_axes_ = -1;
  Rational row_share_ = 1;
};

}  // namespace

Work work_of(Term body, const Declaration& declaration, const std::map<std::string, Declaration>& tensors,
             const Sizes& sizes, const Pricing& pricing, int row_axes) {
  const Target& target = pricing.target;
  Counter counter(tensors, sizes, pricing.model);
  if (row_axes >= 0) counter.hoist(declaration, row_axes);
  const Counter::Count one = counter.total(body);
  Work out;
  out.threads = counter.elements(declaration);
  const Rational elements(out.threads);
  out.operations = one.operations * elements;
  out.bytes = Rational(counter.bytes(declaration));
  for (const auto& [name, loads] : one.loads) {
    const Declaration& tensor = counter.tensor(name);
    const Rational once(counter.bytes(tensor));
    const Rational all = loads * elements * static_cast<long>(storage_bits(tensor.format) / 8);
    // What does not fit into L2 is fetched again by each wave of blocks; one wave is as many threads as the
    // machine holds.
    Rational waves = 1;
    if (once > Rational(target.l2_bytes))
      waves = Rational(elements / Rational(target.sm_count * target.threads_per_sm));
    if (waves < 1) waves = 1;
    const Rational fetched = once * waves;
    out.bytes += std::min(all, fetched);
  }
  return out;
}

std::string_view name(Metric metric) {
  return metric == Metric::latency ? "latency" : "throughput";
}

Price price_of(const Work& work, const Pricing& pricing) {
  const Target& target = pricing.target;
  Price out;
  out.work = work;
  const Rational machine(target.sm_count * target.threads_per_sm);
  Rational utilisation = Rational(work.threads) / machine;
  if (utilisation > 1) utilisation = 1;
  if (utilisation <= 0) utilisation = 1;  // nothing to do: only the launch counts
  const Rational compute = work.operations / (target.fp32_flops * pricing.model.compute_efficiency),
                 traffic = work.bytes / (target.memory_bytes_per_second * pricing.model.memory_efficiency);
  const Rational launch = target.launch_seconds * pricing.model.launch_factor,
                 busy = std::max(compute, traffic) / utilisation;
  out.seconds = pricing.metric == Metric::latency ? Rational(launch + busy) : std::max(launch, busy);
  return out;
}

Rational lower_bound(const Program& program, const Sizes& sizes, const Pricing& pricing) {
  const std::map<std::string, Declaration> none;
  const Counter counter(none, sizes, pricing.model);
  Work least;
  for (const std::string& output : program.outputs)
    for (const Definition& d : program.definitions)
      if (d.declaration.name == output) least.bytes += Rational(counter.bytes(d.declaration));
  least.threads = pricing.target.sm_count * pricing.target.threads_per_sm;  // the whole machine
  return price_of(least, pricing).seconds;
}

Price price_program(const Program& program, const Sizes& sizes, const Pricing& pricing) {
  std::map<std::string, Declaration> tensors;
  for (const Declaration& d : program.inputs) tensors[d.name] = d;
  for (const Constant& c : program.constants) tensors[c.declaration.name] = c.declaration;
  Price out;
  for (const Definition& d : program.definitions) {
    const Price one = price_of(work_of(d.body, d.declaration, tensors, sizes, pricing), pricing);
    tensors[d.declaration.name] = d.declaration;
    out.seconds += one.seconds;
    out.work.operations += one.work.operations;
    out.work.bytes += one.work.bytes;
    out.work.threads += one.work.threads;
  }
  return out;
}

Sizes default_sizes(const Program& program) {
  Sizes out;
  for (const SymbolRange& s : program.symbols)
    out[s.name] = s.high ? *s.high : std::max(s.low, Integer(1024));
  return out;
}

}  // namespace hallmark::select
