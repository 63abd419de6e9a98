#include "rules/refute.h"

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <set>

#include "base/error.h"
#include "evaluator/evaluator.h"
#include "rules/enclosure.h"
#include "rules/whole.h"

namespace hallmark::rules {
namespace {

using namespace calculus;
using evaluator::Tensor;

// Elements. Larger instances teach nothing that smaller ones do not, where there are smaller ones.
constexpr std::int64_t largest_tensor = 64, largest_of_all = 4096;
constexpr long long fine_denominator = 1LL
                                       << 30;  // of contents that a conversion to a narrower format rounds

struct Instance {
  evaluator::Symbols symbols;
  std::map<std::string, std::vector<std::int64_t>> extents;
  std::map<std::string, std::vector<long>> contents;
  long denominator = 1;  // of the contents of real tensors
};

class Runner {
 public:
  Runner(const Rule& rule, bool undefined_differs)
      : rule_(rule), stand_ins_(stand_ins(rule.operators)), undefined_differs_(undefined_differs) {
    for (const StandIn& one : stand_ins_) functions_.push_back(one.function);
    for (const auto& [side, expanded] : {std::pair(&rule.left, &left_), std::pair(&rule.right, &right_)})
      for (Definition d : *side) {
        d.body = expand_functions(d.body, functions_);
        expanded->push_back(std::move(d));
      }
    for (const auto* side : {&rule.left, &rule.right})
      for (const Definition& d : *side)
        for_each_node(d.body, [&](Term n) {
          if (n->kind != Kind::operation) return;
          transcendental_ = transcendental_ || (n->op >= Op::exp && n->op <= Op::erf) || n->op == Op::sqrt ||
                            n->op == Op::rsqrt || n->op == Op::pow;
        });
  }

  bool transcendental() const { return transcendental_; }

  // What is wrong with this instance, if anything: a sentence, and the two values.
  std::optional<Witness> difference(const Instance& instance) const {
    Witness witness;
    const auto left = run(rule_.left, instance, witness), right = run(rule_.right, instance, witness);
    if (!left || !right) {
      if (transcendental_ && !certainly_outside(left ? right_ : left_, instance)) return std::nullopt;
      witness.summary = (left ? "the right side" : "the left side") + std::string(" reads outside a tensor");
      witness.expected = left ? "values" : "a read outside a tensor";
      witness.actual = right ? "values" : "a read outside a tensor";
      return describe(witness, instance);
    }
    if (left->extents() != right->extents()) {
      witness.summary = "the sides have different shapes";
      witness.expected = fmt::format("[{}]", fmt::join(left->extents(), ", "));
      witness.actual = fmt::format("[{}]", fmt::join(right->extents(), ", "));
      return describe(witness, instance);
    }
    std::optional<Confirmation> confirmation;
    for (std::int64_t i = 0; i < left->element_count(); ++i) {
      std::string a, b;
      if (same(*left, *right, i, a, b)) continue;
      if (transcendental_) {
        if (!confirmation) confirmation.emplace(*this, instance);
        if (!confirmation->differ(left->extents(), i)) continue;
      }
      const bool valueless = transcendental_ && is_float(left->format()) &&
                             (!std::isfinite(left->number(i)) || !std::isfinite(right->number(i)));
      witness.summary = fmt::format("element [{}] {}", index_text(left->extents(), i),
                                    valueless ? "has a value on one side alone" : "differs");
      witness.expected = a;
      witness.actual = b;
      return describe(witness, instance);
    }
    return std::nullopt;
  }

  // Whether the contents are what the rule demands.
  bool givens_hold(const Instance& instance) const {
    if (rule_.givens.empty()) return true;
    evaluator::Tensors inputs;
    for (const Declaration& t : rule_.tensors) inputs[t.name] = make(t, instance);
    const evaluator::Reals reals = transcendental_ ? evaluator::Reals::in_double : evaluator::Reals::exact;
    for (const Given& given : rule_.givens) {
      std::vector<std::int64_t> extents, at;
      for (Term e : given.extents) extents.push_back(evaluator::evaluate_index(e, instance.symbols));
      std::int64_t count = 1;
      for (std::int64_t e : extents) count *= std::max<std::int64_t>(e, 0);
      for (std::int64_t i = 0; i < count; ++i) {
        at.assign(extents.size(), 0);
        for (std::size_t d = extents.size(), rest = static_cast<std::size_t>(i); d-- > 0;) {
          at[d] = static_cast<std::int64_t>(rest) % extents[d];
          rest /= static_cast<std::size_t>(extents[d]);
        }
        const Term number = to_index(expand_functions(given.body, functions_));
        try {
          if (std::get<std::int64_t>(evaluator::evaluate_term(number, instance.symbols, inputs, at, reals)) ==
              0)
            return false;
        } catch (const UserError& error) {
          // A hypothesis that reads outside its tensor says nothing of these sizes.
          if (error.code() == "E1012") return false;
          throw;
        } catch (const Refusal&) {
          return false;  // nor does one without an exact value, or with an index beyond 64 bits
        }
      }
    }
    return true;
  }

  // The left side exists for these sizes and the right side has a tensor of negative extent.
  std::optional<Witness> shapeless(const Instance& instance) const {
    Witness witness;
    witness.summary = "the right side has a tensor of negative extent";
    witness.expected = "a tensor";
    witness.actual = "a negative extent";
    return describe(witness, instance);
  }

 private:
  // The result and what nothing reads: each definition has to read elements that exist.
  static std::vector<std::string> computed_for_its_own_sake(const std::vector<Definition>& side) {
    std::set<std::string> read;
    for (const Definition& d : side)
      for_each_node(d.body, [&](Term n) {
        if (n->kind == Kind::load) read.insert(n->name);
      });
    std::vector<std::string> out;
    for (const Definition& d : side)
      if (&d == &side.back() || read.count(d.declaration.name) == 0) out.push_back(d.declaration.name);
    return out;
  }

  std::optional<Tensor> run(const std::vector<Definition>& side, const Instance& instance, Witness&) const {
    Program program;
    for (const SymbolRange& s : rule_.symbols) program.symbols.push_back(s);
    program.functions = functions_;
    program.inputs = rule_.tensors;
    program.definitions = side;
    program.outputs = computed_for_its_own_sake(side);
    evaluator::Tensors inputs;
    for (const Declaration& t : rule_.tensors) inputs[t.name] = make(t, instance);
    evaluator::Options options;
    options.reals = transcendental_ ? evaluator::Reals::in_double : evaluator::Reals::exact;
    try {
      return evaluator::evaluate(program, instance.symbols, inputs, options).at(side.back().declaration.name);
    } catch (const UserError& error) {
      if (error.code() == "E1012") return std::nullopt;
      throw;
    }
  }

  // As difference(), for a side that has no exact value on this instance (a maximum over nothing, a power
  // without a known value): then nothing can be compared and `comparable` becomes false.
 public:
  std::optional<Witness> difference(const Instance& instance, bool& comparable) const {
    try {
      return difference(instance);
    } catch (const Refusal&) {
      comparable = false;
      return std::nullopt;
    }
  }

 private:
  Tensor make(const Declaration& tensor, const Instance& instance) const {
    const std::vector<long>& values = instance.contents.at(tensor.name);
    const std::vector<std::int64_t>& extents = instance.extents.at(tensor.name);
    if (is_float(tensor.format)) {
      if (transcendental_) return Tensor(tensor.format, extents, in<double>(values, instance.denominator));
      return Tensor(tensor.format, extents, in<Rational>(values, instance.denominator));
    }
    auto data = std::make_shared<TensorData>();
    data->format = tensor.format;
    data->extents = extents;
    const unsigned bits = storage_bits(tensor.format);
    data->bytes.resize(values.size() * bits / 8);
    for (std::size_t i = 0; i < values.size(); ++i)
      evaluator::write_bits(
          data->bytes.data(), bits, static_cast<std::int64_t>(i),
          static_cast<std::uint64_t>(tensor.format == Format::boolean ? (values[i] > 0 ? 1 : 0) : values[i]));
    return Tensor(Tensor::Encoded(data));
  }

  template <class Number>
  static std::vector<Number> in(const std::vector<long>& values, long denominator) {
    std::vector<Number> out;
    for (long v : values) out.push_back(Number(v) / Number(denominator));
    return out;
  }

  // Contents as they are: "1, -3/2".
  static std::string contents_text(const Declaration& tensor, const Instance& instance) {
    std::vector<std::string> out;
    for (long v : instance.contents.at(tensor.name))
      out.push_back(is_float(tensor.format) ? Rational(Rational(v) / Rational(instance.denominator)).get_str()
                    : tensor.format == Format::boolean ? std::to_string(v > 0 ? 1 : 0)
                                                       : int_constant(tensor.format, v)->value.get_str());
    return fmt::format("{}", fmt::join(out, ", "));
  }

  bool same(const Tensor& left, const Tensor& right, std::int64_t i, std::string& a, std::string& b) const {
    if (!is_float(left.format())) {
      a = std::to_string(left.integer(i));
      b = std::to_string(right.integer(i));
      return a == b;
    }
    if (!transcendental_) {
      const Rational x = left.exact(i), y = right.exact(i);
      a = x.get_str();
      b = y.get_str();
      return x == y;
    }
    // Doubles carry rounding errors; what counts as a difference is far above them.
    const double x = left.number(i), y = right.number(i);
    a = fmt::format("{:.17g}", x);
    b = fmt::format("{:.17g}", y);
    // A value that is not finite comes from a division by 0, a root of a negative number or an overflow:
    // there doubles are no picture of the total model, and nothing is refuted by them unless that is wanted.
    if (!std::isfinite(x) || !std::isfinite(y))
      return !undefined_differs_ || std::isfinite(x) == std::isfinite(y);
    return x == y || std::fabs(x - y) <= 1e-7 * std::max(1.0, std::max(std::fabs(x), std::fabs(y)));
  }

  static std::vector<std::int64_t> index_of(const std::vector<std::int64_t>& extents, std::int64_t at) {
    std::vector<std::int64_t> index(extents.size());
    for (std::size_t d = extents.size(); d-- > 0;) {
      index[d] = at % extents[d];
      at /= extents[d];
    }
    return index;
  }
  static std::string index_text(const std::vector<std::int64_t>& extents, std::int64_t at) {
    return fmt::format("{}", fmt::join(index_of(extents, at), ", "));
  }

  evaluator::Tensors inputs_of(const Instance& instance) const {
    evaluator::Tensors inputs;
    for (const Declaration& t : rule_.tensors) inputs[t.name] = make(t, instance);
    return inputs;
  }

  // What doubles show is a difference only where enclosures show it, too: of 1 + x - x with a great x doubles
  // show anything. So with what the rule demands of the contents.
  class Confirmation {
   public:
    Confirmation(const Runner& runner, const Instance& instance)
        : runner_(runner),
          inputs_(runner.inputs_of(instance)),
          left_(runner.left_, instance.symbols, inputs_),
          right_(runner.right_, instance.symbols, inputs_),
          demanded_(runner.certainly_given(instance, left_)) {}

    bool differ(const std::vector<std::int64_t>& extents, std::int64_t i) {
      if (!demanded_) return false;
      const std::vector<std::int64_t> at = index_of(extents, i);
      const Enclosed a = left_.element(runner_.left_.back().declaration.name, at),
                     b = right_.element(runner_.right_.back().declaration.name, at);
      const auto undefined = [](const Enclosed& x) { return x.kind == Enclosed::Kind::undefined; };
      return certainly_differ(a, b) || (runner_.undefined_differs_ &&
                                        ((undefined(a) && b.has_value()) || (a.has_value() && undefined(b))));
    }

   private:
    const Runner& runner_;
    evaluator::Tensors inputs_;
    Enclosure left_, right_;
    bool demanded_;
  };

  bool certainly_outside(const std::vector<Definition>& side, const Instance& instance) const {
    const evaluator::Tensors inputs = inputs_of(instance);
    Enclosure enclosure(side, instance.symbols, inputs);
    if (!certainly_given(instance, enclosure)) return false;
    for (const Definition& d : side) {
      std::vector<std::int64_t> extents;
      std::int64_t count = 1;
      for (Term e : d.declaration.extents) {
        extents.push_back(evaluator::evaluate_index(e, instance.symbols));
        count *= std::max<std::int64_t>(extents.back(), 0);
      }
      for (std::int64_t i = 0; i < count && !enclosure.read_outside(); ++i)
        enclosure.element(d.declaration.name, index_of(extents, i));
    }
    return enclosure.read_outside();
  }

  bool certainly_given(const Instance& instance, Enclosure& enclosure) const {
    for (const Given& given : rule_.givens) {
      std::vector<std::int64_t> extents;
      std::int64_t count = 1;
      for (Term e : given.extents) {
        extents.push_back(evaluator::evaluate_index(e, instance.symbols));
        count *= std::max<std::int64_t>(extents.back(), 0);
      }
      const Term body = expand_functions(given.body, functions_);
      for (std::int64_t i = 0; i < count; ++i) {
        const Enclosed holds = enclosure.value(body, index_of(extents, i));
        if (holds.kind != Enclosed::Kind::whole || holds.whole == 0) return false;
      }
    }
    return true;
  }

  Witness describe(Witness witness, const Instance& instance) const {
    for (const auto& [name, value] : instance.symbols)
      witness.bindings.push_back({name, std::to_string(value)});
    for (const Declaration& t : rule_.tensors)
      witness.bindings.push_back(
          {t.name, fmt::format("shape [{}], contents [{}]", fmt::join(instance.extents.at(t.name), ", "),
                               contents_text(t, instance))});
    for (const StandIn& one : stand_ins_) witness.bindings.push_back({one.function.name, one.text});
    witness.executed_by = "evaluator";
    return witness;
  }

  const Rule& rule_;
  std::vector<StandIn> stand_ins_;
  std::vector<Function> functions_;
  std::vector<Definition> left_, right_;  // without custom operations
  bool undefined_differs_;
  bool transcendental_ = false;
};

// All assignments of the symbols with a given sum above their least values that meet the requirements, in
// lexicographic order. A requirement is looked at as soon as its last symbol has a value: of fourteen sizes
// of which four are at least 1, few assignments are worth completing.
class Assignments {
 public:
  explicit Assignments(const Rule& rule) : rule_(rule), decided_(rule.symbols.size()) {
    for (const SymbolRange& s : rule.symbols) symbols_.push_back(symbol(s.name));
    for (Term requirement : rule.requirements) {
      std::size_t last = 0;
      bool any = false;
      for_each_node(requirement, [&](Term n) {
        const auto at = std::find(symbols_.begin(), symbols_.end(), n);
        if (at == symbols_.end()) return;
        last = std::max(last, static_cast<std::size_t>(at - symbols_.begin()));
        any = true;
      });
      if (any)
        decided_[last].push_back(requirement);
      else
        closed_ = closed_ && requirement == truth(true);
    }
  }

  // `visit` returns false to stop.
  void run(long sum, const std::function<bool(const Substitution&)>& visit) {
    bool stop = !closed_;
    values_.clear();
    assign(0, sum, visit, stop);
  }

 private:
  void assign(std::size_t at, long left, const std::function<bool(const Substitution&)>& visit, bool& stop) {
    if (stop) return;
    if (at == symbols_.size()) {
      if (left == 0) stop = !visit(values_);
      return;
    }
    const SymbolRange& s = rule_.symbols[at];
    // The last one takes what is left.
    for (long step = at + 1 == symbols_.size() ? left : 0; step <= left && !stop; ++step) {
      const Integer value = s.low + step;
      if (s.high && value > *s.high) break;
      values_[symbols_[at]] = integer(value);
      if (std::all_of(decided_[at].begin(), decided_[at].end(),
                      [&](Term requirement) { return substitute(requirement, values_) == truth(true); }))
        assign(at + 1, left - step, visit, stop);
    }
    values_.erase(symbols_[at]);
  }

  const Rule& rule_;
  std::vector<Term> symbols_;
  std::vector<std::vector<Term>> decided_;  // requirements, by the last of their symbols
  bool closed_ = true;                      // those without symbols hold
  Substitution values_;
};

enum class Extents { fit, too_large, negative };

Extents extents_of(const Rule& rule, const Substitution& values, std::int64_t largest, Instance& instance) {
  for (const Declaration& t : rule.tensors) {
    std::int64_t count = 1;
    std::vector<std::int64_t> extents;
    for (Term extent : t.extents) {
      const Integer* value = as_integer(substitute(extent, values));
      if (value == nullptr || *value < 0) return Extents::negative;
      if (*value > largest) return Extents::too_large;
      extents.push_back(value->get_si());
      count *= extents.back();
    }
    if (count > largest) return Extents::too_large;
    instance.extents[t.name] = extents;
    instance.contents[t.name].assign(static_cast<std::size_t>(count), 0);
  }
  return Extents::fit;
}

// Whether executing the sides stays small: no tensor and no reduction of more than a few thousand elements,
// whatever numbers a rule is written with.
struct Work {
  std::vector<Term> extents, reductions;  // of one definition
};

std::vector<Work> work_of(const Rule& rule) {
  std::vector<Work> out;
  for (const auto* side : {&rule.left, &rule.right})
    for (const Definition& d : *side) {
      Work& work = out.emplace_back();
      work.extents = d.declaration.extents;
      for_each_node(d.body, [&](Term n) {
        if (n->kind == Kind::fold) work.reductions.push_back(open(n).extent);
      });
    }
  return out;
}

bool is_small(const std::vector<Work>& all, const Substitution& values) {
  constexpr long most = 4096;
  const auto count = [&](Term extent) -> Integer {
    const Integer* value = as_integer(substitute(extent, values));
    return value == nullptr || *value < 1 ? Integer(1) : *value;
  };
  for (const Work& work : all) {
    Integer steps = 1;
    for (Term extent : work.extents) steps *= count(extent);
    if (steps > most) return false;
    for (Term extent : work.reductions) {
      const Integer length = count(extent);
      steps *= length;
      if (length > most || steps > 256 * most) return false;
    }
  }
  return true;
}

// Whether some tensor of a side would have a negative extent: then the side means nothing for these sizes.
bool has_negative_extent(const std::vector<Definition>& side, const Substitution& values) {
  for (const Definition& d : side)
    for (Term extent : d.declaration.extents) {
      const Integer* value = as_integer(substitute(extent, values));
      if (value != nullptr && *value < 0) return true;
    }
  return false;
}

// Small instances are cheap, and at rank 0 there is only one: they get more contents.
// Where the result has no element there is nothing to tell apart.
int fillings_for(const Instance& instance, const Rule& rule, const Substitution& values,
                 const RefuteLimits& limits) {
  std::size_t elements = 0;
  bool empty = false;
  for (Term extent : rule.left.back().declaration.extents)
    empty = empty || substitute(extent, values) == integer(Integer(0));
  for (const auto& [name, contents] : instance.contents) {
    elements += contents.size();
    empty = empty || contents.empty();
  }
  if (empty) return 1;
  return elements <= 4 ? 12 * limits.fillings : elements <= 12 ? 3 * limits.fillings : limits.fillings;
}

// Values at and near the ends of an integer format, where it wraps.
long extreme_value(Format format, std::uint32_t choice) {
  const unsigned bits = std::min(storage_bits(format) - (is_signed(format) ? 1 : 0), 63U);
  const long high = static_cast<long>((std::uint64_t{1} << bits) - 1),
             low = is_signed(format) ? -high - 1 : 0;
  const long values[] = {low, high, high / 2 + 1, low + 1, high - 1, 2};
  return values[choice % 6];
}

// What the text of a rule says about which contents could tell its sides apart.
struct Hints {
  std::vector<long> numbers;       // whole numbers in it, and their neighbours
  bool rounds = false;             // it converts to a float format
  std::set<std::string> demanded;  // tensors of whose contents it demands something
};

Hints hints_of(const Rule& rule) {
  Hints out;
  std::set<long> numbers;
  for (const auto* side : {&rule.left, &rule.right})
    for (const Definition& d : *side)
      for_each_node(d.body, [&](Term n) {
        out.rounds = out.rounds || (n->kind == Kind::cast && is_float(n->format));
        // The first integers that a float format has not.
        if (n->kind == Kind::cast && is_float(n->format) && n->format != Format::f64 &&
            n->children[0]->sort.kind == Sort::Kind::integer)
          for (long by : {-1L, 1L, 3L}) numbers.insert((1L << significand_bits(n->format)) + by);
        // What the halves and the whole of a narrow format hold.
        if (n->kind == Kind::cast && is_integer(n->format) && storage_bits(n->format) <= 16)
          for (unsigned bits : {storage_bits(n->format) / 2, storage_bits(n->format) - 1})
            for (long by : {-1L, 0L, 1L}) numbers.insert((1L << bits) + by);
        const bool number = n->kind == Kind::constant && n->sort.kind != Sort::Kind::floating;
        if (!number || n->value.get_den() != 1 || abs(n->value) > 100000) return;
        for (long by : {-1L, 0L, 1L}) numbers.insert(n->value.get_num().get_si() + by);
      });
  for (const Given& given : rule.givens)
    for_each_node(given.body, [&](Term n) {
      if (n->kind == Kind::load) out.demanded.insert(n->name);
    });
  // Numbers from -2 to 2 are drawn anyway.
  for (long n : numbers)
    if (std::abs(n) > 2) out.numbers.push_back(n);
  return out;
}

// Numbers between those of the narrow formats: halfway, and a little above and below that, so that one
// rounding tells from two; and some that are subnormal or 0 in one format alone.
long rounded_value(std::uint32_t choice) {
  static const long long halfway[] = {0,         1LL << 19,    1LL << 22, 3LL << 19, 1LL << 6,
                                      1LL << 26, 2048LL << 30, 12345,     1LL << 27};
  if (choice % 11 == 0) return static_cast<long>(choice / 11 % 99);
  const long long part = halfway[choice % 9], step = static_cast<long long>(choice / 9 % 3) - 1;
  return static_cast<long>((choice / 27 % 2 == 0 ? 1 : -1) * (fine_denominator + part + step));
}

// Small whole numbers; every sixth filling has halves and quarters instead, every sixth integers at the ends
// of their formats, by turns one for all and each its own, every fourth numbers of the rule's text where it
// has some.
void fill(Instance& instance, const Rule& rule, const Hints& hints, int round, std::mt19937& random) {
  const bool fine = hints.rounds && round % 3 == 1;
  instance.denominator = fine             ? static_cast<long>(fine_denominator)
                         : round % 6 == 5 ? (round % 4 == 1 ? 4 : 2)
                                          : 1;
  for (const Declaration& tensor : rule.tensors)
    for (long& value : instance.contents.at(tensor.name)) {
      if (fine && is_float(tensor.format)) {
        value = rounded_value(random());
        continue;
      }
      if (!hints.numbers.empty() && round % 4 == 3 && random() % 2 == 0 && tensor.format != Format::boolean) {
        value = hints.numbers[random() % hints.numbers.size()] *
                (is_float(tensor.format) ? instance.denominator : 1);
        continue;
      }
      value = round == 0 ? 1 : static_cast<long>(random() % 5) - 2;
      if (round % 6 == 5) value = 3 * value + static_cast<long>(random() % 3) - 1;
      const bool whole = !is_float(tensor.format) && tensor.format != Format::boolean;
      // Products and sums of equal extremes leave a wider format than others do.
      if (round % 6 == 4 && whole)
        value = extreme_value(tensor.format,
                              round % 12 == 10 ? static_cast<std::uint32_t>(round / 12) : random());
      // Demands on contents are mostly about signs: two fillings of three have none in the tensors they are
      // about.
      const bool givens = hints.demanded.count(tensor.name) != 0;
      if (givens && round % 3 == 1) value = value < 0 ? -(value + 1) : value;
      if (givens && round % 3 == 2) value = std::abs(value) + 1;
    }
}

// Sets elements to 0, then to 1, as long as the sides still differ.
Witness minimal(Instance instance, const Runner& runner, Witness witness) {
  std::size_t elements = 0;
  for (const auto& [name, contents] : instance.contents) elements += contents.size();
  if (elements > 4 * largest_tensor) return witness;  // nobody reads so many, and each costs an execution
  for (auto& [name, contents] : instance.contents)
    for (long& value : contents)
      for (long simpler : {0L, instance.denominator}) {
        if (value == simpler) break;
        const long before = value;
        value = simpler;
        bool comparable = true;
        const auto still =
            runner.givens_hold(instance) ? runner.difference(instance, comparable) : std::nullopt;
        if (still) {
          witness = *still;
          break;
        }
        value = before;
      }
  return witness;
}

}  // namespace

Trials try_instances(const Rule& rule, const RefuteLimits& limits) {
  if (rule.unbounded) return try_instances(over_whole_numbers(rule), limits);
  const Runner runner(rule, limits.undefined_differs);
  Trials out;
  out.arithmetic = runner.transcendental() ? "double" : "rationals";
  const std::vector<Work> work = work_of(rule);
  const Hints hints = hints_of(rule);
  std::mt19937 random(20260101);  // a fixed seed: the same trials in every run
  Assignments assignments(rule);
  bool too_large = false;
  constexpr int fillings_of_large = 12;  // so many until all integers are at the same end of their format
  const auto try_up_to = [&](std::int64_t largest, int largest_sum, long most) {
    long evaluations = 0;
    for (int sum = 0; sum <= largest_sum && !out.witness && evaluations < most; ++sum) {
      assignments.run(sum, [&](const Substitution& values) {
        Instance instance;
        const Extents extents = extents_of(rule, values, largest, instance);
        too_large = too_large || extents == Extents::too_large;
        if (extents != Extents::fit) return true;
        if (has_negative_extent(rule.left, values)) return true;
        if (!is_small(work, values)) return true;
        const bool shapeless = has_negative_extent(rule.right, values);
        for (const auto& [name, value] : values) instance.symbols[name->name] = as_integer(value)->get_si();
        const int fillings =
            largest > largest_tensor ? fillings_of_large : fillings_for(instance, rule, values, limits);
        for (int round = 0; round < fillings && evaluations < most; ++round) {
          fill(instance, rule, hints, round, random);
          evaluations += 2;
          if (!runner.givens_hold(instance)) continue;
          bool comparable = true;
          const auto witness =
              shapeless ? runner.shapeless(instance) : runner.difference(instance, comparable);
          if (!comparable) continue;
          if (witness && shapeless) {
            out.witness = witness;
            return false;
          }
          if (witness) {
            out.witness = minimal(instance, runner, *witness);
            return false;
          }
          ++out.instances;
        }
        return evaluations < most;
      });
    }
  };
  try_up_to(largest_tensor, limits.largest_sum, limits.evaluations);
  // A rule that is about large tensors alone is executed on some of them.
  constexpr int largest_sum_of_large = 2;
  constexpr long evaluations_of_large = 4 * fillings_of_large;
  if (out.instances == 0 && !out.witness && too_large)
    try_up_to(largest_of_all, std::min(limits.largest_sum, largest_sum_of_large),
              std::min(limits.evaluations, evaluations_of_large));
  return out;
}

}  // namespace hallmark::rules
