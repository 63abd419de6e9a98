#include "compare/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "base/error.h"
#include "contract/contract.h"
#include "rules/enclosure.h"

namespace hallmark::compare {
namespace {

using namespace calculus;
using evaluator::Tensor;

constexpr double noise = 1e-9, rounding = 1e-3;
constexpr std::int64_t exact_elements = 2048, largest_tensor = std::int64_t{1} << 24;

bool is_transcendental(const Program& program) {
  bool found = false;
  for (const Definition& d : program.definitions)
    for_each_node(d.body, [&](Term n) {
      if (n->kind != Kind::operation) return;
      found = found || n->op == Op::pow || n->op == Op::sqrt || n->op == Op::rsqrt || n->op == Op::erf ||
              (n->op >= Op::exp && n->op <= Op::atanh) || n->op == Op::custom;
    });
  return found;
}

std::string at_text(const std::vector<std::int64_t>& extents, std::int64_t at) {
  std::vector<std::int64_t> index(extents.size());
  for (std::size_t d = extents.size(); d-- > 0;) {
    index[d] = at % extents[d];
    at /= extents[d];
  }
  return fmt::format("[{}]", fmt::join(index, ", "));
}

std::string number_text(double x) {
  return x == std::floor(x) && std::fabs(x) < 1e6 ? fmt::format("{:.0f}", x + 0.0)
                                                  : fmt::format("{:.17g}", x);
}

// Contents as a reader wants them: all of a small tensor, of a large one what is not 0.
std::string contents_text(const std::vector<std::int64_t>& extents, const std::vector<double>& values) {
  std::string out = fmt::format("shape [{}], ", fmt::join(extents, ", "));
  if (values.size() <= 64) {
    std::vector<std::string> all;
    for (double v : values) all.push_back(number_text(v));
    return out + fmt::format("contents [{}]", fmt::join(all, ", "));
  }
  std::vector<std::string> some;
  std::size_t others = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    if (some.size() < 16)
      some.push_back(at_text(extents, static_cast<std::int64_t>(i)) + " = " + number_text(values[i]));
    else
      ++others;
  }
  if (some.empty()) return out + "all 0";
  out += fmt::format("0 but for {}", fmt::join(some, ", "));
  return others == 0 ? out : out + fmt::format(" and {} more", others);
}

class Runner {
 public:
  explicit Runner(const Pair& pair) : program_(pair.program) {
    const contract::Contract usual = contract::default_contract(pair.program);
    for (const Declaration& d : program_.inputs) {
      const contract::Contract& from = pair.contract ? *pair.contract : usual;
      const auto box = from.inputs.find(d.name);
      // Without a contract floats are any numbers.
      if (box != from.inputs.end() && (pair.contract || !is_float(d.format)))
        boxes_[d.name] = {box->second.low.get_d(), box->second.high.get_d()};
    }
    transcendental_ = is_transcendental(program_);
  }

  // Calls `visit` for each instance in order until it returns false.
  void instances(int first_sum, const std::function<bool(const Inputs&, int round)>& visit, int rounds) {
    bool stop = false;
    for (int sum = first_sum; sum <= 12 && !stop; ++sum) {
      Substitution values;
      evaluator::Symbols symbols;
      sizes(
          0, sum, values, symbols, [&] { return one_size(values, symbols, visit, rounds); }, stop);
      if (program_.symbols.empty()) break;
    }
  }

  bool exact_for(const Inputs& inputs) const {
    std::int64_t all = 0;
    for (const auto& [name, contents] : inputs.contents) all += static_cast<std::int64_t>(contents.size());
    for (const Constant& c : program_.constants) all += c.data->element_count();
    return !transcendental_ && all <= exact_elements;
  }

  // The tensors of one side; nothing when a tensor is read outside.
  std::optional<evaluator::Tensors> run(const Inputs& inputs, const std::vector<std::string>& wanted,
                                        bool exact) {
    Program program = program_;
    program.outputs = wanted;
    evaluator::Options options;
    options.reals = exact ? evaluator::Reals::exact : evaluator::Reals::in_double;
    try {
      return evaluator::evaluate(program, inputs.symbols, tensors(inputs, exact), options);
    } catch (const UserError& error) {
      if (error.code() == "E1012") return std::nullopt;
      throw;
    }
  }

  const Program& program() const { return program_; }
  bool transcendental() const { return transcendental_; }

  // All that definitions may read besides each other.
  evaluator::Tensors given(const Inputs& inputs) const {
    evaluator::Tensors out = tensors(inputs, false);
    for (const Constant& c : program_.constants) out[c.declaration.name] = Tensor(Tensor::Encoded(c.data));
    return out;
  }

 private:
  bool one_size(const Substitution& values, const evaluator::Symbols& symbols,
                const std::function<bool(const Inputs&, int)>& visit, int rounds) {
    for (Term p : program_.preconditions) {
      bool reads = false;
      for_each_node(p, [&](Term n) { reads = reads || n->kind == Kind::load; });
      if (!reads && substitute(p, values) != truth(true)) return true;
    }
    for (const Definition& d : program_.definitions)
      for (Term e : d.declaration.extents) {
        const Integer* value = as_integer(substitute(e, values));
        if (value == nullptr || *value < 0) return true;
      }
    Inputs inputs;
    inputs.symbols = symbols;
    for (const Declaration& d : program_.inputs) {
      std::vector<std::int64_t> extents;
      std::int64_t count = 1;
      for (Term e : d.extents) {
        const Integer* value = as_integer(substitute(e, values));
        const auto small = value == nullptr ? std::nullopt : to_i64(*value);
        if (!small || *small < 0 || (*small != 0 && count > largest_tensor / *small)) return true;
        extents.push_back(*small);
        count *= *small;
      }
      inputs.extents[d.name] = extents;
      inputs.contents[d.name].assign(static_cast<std::size_t>(count), 0);
    }
    for (int round = 0; round < rounds; ++round) {
      fill(inputs, round);
      if (!visit(inputs, round)) return false;
    }
    return true;
  }

  void sizes(std::size_t at, long left, Substitution& values, evaluator::Symbols& symbols,
             const std::function<bool()>& visit, bool& stop) {
    if (stop) return;
    if (at == program_.symbols.size()) {
      if (left == 0) stop = !visit();
      return;
    }
    const SymbolRange& s = program_.symbols[at];
    for (long step = 0; step <= left && !stop; ++step) {
      const Integer value = s.low + step;
      if (s.high && value > *s.high) break;
      values[symbol(s.name)] = integer(value);
      symbols[s.name] = value.get_si();
      sizes(at + 1, left - step, values, symbols, visit, stop);
    }
  }

  void fill(Inputs& inputs, int round) {
    for (const Declaration& d : program_.inputs)
      for (double& value : inputs.contents.at(d.name)) value = element(d, round);
  }

  double element(const Declaration& d, int round) {
    double value = round == 0 ? 1 : static_cast<double>(random_() % 5) - 2;
    // Numbers that leave the range of a quantised format.
    if (is_float(d.format) && round % 5 == 2) value *= 96;
    if (d.format == Format::boolean) return value > 0 ? 1 : 0;
    if (is_float(d.format) && round % 4 == 3) value /= 1024;
    // All bits of a short format's neighbour in use: roundings show.
    if (is_float(d.format) && round % 5 == 4) value = static_cast<double>(static_cast<float>(value / 3));
    if (is_unsigned_integer(d.format)) value = std::fabs(value);
    const auto box = boxes_.find(d.name);
    // Where integers wrap: at the ends of what they may be.
    if (is_integer(d.format) && round % 3 == 2 && random_() % 2 == 0) {
      // Exact in a double: of 64 bits half of the greatest.
      const int bits = static_cast<int>(storage_bits(d.format)) - (is_signed(d.format) ? 1 : 0);
      const double high = bits > 60 ? std::ldexp(1, 62) : std::ldexp(1, bits) - 1;
      value = random_() % 2 == 0 ? high : is_signed(d.format) ? -std::ldexp(1, bits) : 0;
    }
    if (box == boxes_.end()) return value;
    const auto [low, high] = box->second;
    if (value >= low && value <= high) return value;
    if (!is_float(d.format)) return std::clamp(value, std::ceil(low), std::floor(high));
    // Fractions of a small box, ends included, exact in every format of at least three bits.
    const double share = static_cast<double>(random_() % 5) / 4;
    const double inside = low + (high - low) * share;
    const double short_one = std::ldexp(std::round(std::ldexp(inside, 6)), -6);
    return short_one >= low && short_one <= high ? short_one
                                                 : static_cast<double>(static_cast<float>(inside));
  }

  static bool is_unsigned_integer(Format f) { return is_integer(f) && !is_signed(f); }

  evaluator::Tensors tensors(const Inputs& inputs, bool exact) const {
    evaluator::Tensors out;
    for (const Declaration& d : program_.inputs) {
      const std::vector<double>& values = inputs.contents.at(d.name);
      const std::vector<std::int64_t>& extents = inputs.extents.at(d.name);
      if (is_float(d.format)) {
        if (exact) {
          std::vector<Rational> all;
          for (double v : values) all.push_back(exact_rational(v));
          out[d.name] = Tensor(d.format, extents, std::move(all));
        } else {
          out[d.name] = Tensor(d.format, extents, values);
        }
        continue;
      }
      auto data = std::make_shared<TensorData>();
      data->format = d.format;
      data->extents = extents;
      const unsigned bits = storage_bits(d.format);
      data->bytes.resize(values.size() * bits / 8);
      for (std::size_t i = 0; i < values.size(); ++i)
        evaluator::write_bits(data->bytes.data(), bits, static_cast<std::int64_t>(i),
                              static_cast<std::uint64_t>(static_cast<std::int64_t>(values[i])));
      out[d.name] = Tensor(Tensor::Encoded(data));
    }
    return out;
  }

  const Program& program_;
  std::map<std::string, std::pair<double, double>> boxes_;
  bool transcendental_ = false;
  std::mt19937 random_{20260101};  // a fixed seed: the same trials in every run
};

class Comparison {
 public:
  Comparison(const Pair& pair, const ExecuteOptions& options)
      : pair_(pair), options_(options), runner_(pair) {
    for (const OutputPair& o : pair.outputs) {
      left_.push_back(o.left);
      right_.push_back(o.right);
    }
  }

  Executed run() {
    runner_.instances(
        0,
        [&](const Inputs& inputs, int) {
          compare(inputs);
          return out_.instances < options_.instances && out_.witnesses.size() < pair_.outputs.size() &&
                 work_ < most_work;
        },
        runner_.program().symbols.empty() ? 12 : 5);
    return out_;
  }

 private:
  static constexpr std::int64_t most_work = std::int64_t{1} << 23;  // elements made in all

  void compare(const Inputs& inputs) {
    for (const OutputPair& o : pair_.outputs) {
      if (out_.witnesses.count(o.name) != 0) continue;
      bool comparable = true;
      const auto witness = difference(o, inputs, comparable);
      if (witness) out_.witnesses[o.name] = minimal(o, inputs, *witness);
      if (!comparable) return;
    }
    ++out_.instances;
  }

  // What differs in this output. `comparable` becomes false when a side has no value to compare.
  std::optional<Witness> difference(const OutputPair& o, const Inputs& inputs, bool& comparable) {
    const bool exact = runner_.exact_for(inputs);
    try {
      if (exact) {
        const auto found = difference(o, inputs, true, comparable);
        // Rationals are total: whether the second model has a value at all is seen in doubles.
        if (found || !comparable || !pair_.partial) return found;
        finite_only_ = true;
        const auto undefined = difference(o, inputs, false, comparable);
        finite_only_ = false;
        return undefined;
      }
    } catch (const Refusal&) {
      finite_only_ = false;  // no rational value: doubles are what is left
    }
    try {
      return difference(o, inputs, false, comparable);
    } catch (const Refusal&) {
      comparable = false;
      return std::nullopt;
    }
  }

  std::optional<Witness> difference(const OutputPair& o, const Inputs& inputs, bool exact, bool& comparable) {
    out_.arithmetic = exact ? "rationals" : "double";
    const auto left = runner_.run(inputs, {o.left}, exact);
    if (!left) {
      comparable = false;  // not an input of the first model
      return std::nullopt;
    }
    const auto right = runner_.run(inputs, {o.right}, exact);
    Witness witness;
    witness.executed_by = "evaluator";
    if (!right) {
      witness.summary = "the second model reads outside a tensor";
      witness.expected = "values";
      witness.actual = "a read outside a tensor";
      return describe(witness, inputs);
    }
    const Tensor &a = left->at(o.left), &b = right->at(o.right);
    work_ += a.element_count() + b.element_count();
    for (const auto& [name, contents] : inputs.contents) work_ += static_cast<std::int64_t>(contents.size());
    if (a.extents() != b.extents()) {
      witness.summary = "the output " + o.name + " has different shapes";
      witness.expected = fmt::format("[{}]", fmt::join(a.extents(), ", "));
      witness.actual = fmt::format("[{}]", fmt::join(b.extents(), ", "));
      return describe(witness, inputs);
    }
    std::optional<Enclosed> enclosed;
    for (std::int64_t i = 0; i < a.element_count(); ++i) {
      if (same(a, b, i, exact, witness)) continue;
      if (!exact && confirming_ && runner_.transcendental()) {
        if (!enclosed) enclosed.emplace(runner_, inputs);
        if (!enclosed->may_differ(o, a.extents(), i, !is_float(b.format()) || std::isfinite(b.number(i))))
          continue;
      }
      witness.summary = fmt::format("{}{} differs ({})", o.name, at_text(a.extents(), i), out_.arithmetic);
      return describe(witness, inputs);
    }
    return std::nullopt;
  }

  // What doubles show is a difference only where enclosures do not deny it: of sqrt(2)^2 and 2 doubles show
  // one.
  class Enclosed {
   public:
    Enclosed(const Runner& runner, const Inputs& inputs)
        : given_(runner.given(inputs)),
          symbols_(inputs.symbols),
          definitions_(runner.program().definitions),
          enclosure_(definitions_, symbols_, given_) {
      for (Definition& d : definitions_) d.body = expand_functions(d.body, runner.program().functions);
    }

    bool may_differ(const OutputPair& o, const std::vector<std::int64_t>& extents, std::int64_t flat,
                    bool finite) {
      std::vector<std::int64_t> at(extents.size());
      for (std::size_t d = extents.size(); d-- > 0;) {
        at[d] = flat % extents[d];
        flat /= extents[d];
      }
      const rules::Enclosed x = enclosure_.element(o.left, at), y = enclosure_.element(o.right, at);
      if (enclosure_.exhausted() || rules::certainly_differ(x, y)) return true;
      return !finite && !(x.has_value() && y.has_value());
    }

   private:
    evaluator::Tensors given_;
    evaluator::Symbols symbols_;
    std::vector<Definition> definitions_;
    rules::Enclosure enclosure_;
  };

  bool same(const Tensor& a, const Tensor& b, std::int64_t i, bool exact, Witness& witness) {
    if (!is_float(a.format())) {
      if (a.integer(i) == b.integer(i)) return true;
      witness.expected = std::to_string(a.integer(i));
      witness.actual = std::to_string(b.integer(i));
      return false;
    }
    const double x = a.number(i), y = b.number(i);
    if (exact) {
      const Rational p = a.exact(i), q = b.exact(i);
      if (p == q) return true;
      witness.expected = p.get_str();
      witness.actual = q.get_str();
    } else {
      // Where the first model has no finite value nothing is claimed.
      if (!std::isfinite(x) || x == y) return true;
      witness.expected = fmt::format("{:.17g}", x);
      witness.actual = fmt::format("{:.17g}", y);
      if (!std::isfinite(y)) return false;
      if (finite_only_) return true;
    }
    const double relative = std::fabs(x - y) / std::max({1.0, std::fabs(x), std::fabs(y)});
    const double small = std::fabs(x - y) / std::max({std::fabs(x), std::fabs(y), 1e-300});
    if (options_.rounded_constants) {
      if (relative > rounding) return false;
      // Small outputs of small inputs: a factor is wrong there and no constant's last place.
      if (small > 0.05 && relative > 1e-12) return false;
      out_.unexplained = std::max(out_.unexplained, relative);
      return true;
    }
    return !exact && relative <= noise && (small <= 1e-6 || relative <= 1e-14);
  }

  Witness describe(Witness witness, const Inputs& inputs) const {
    for (const auto& [name, value] : inputs.symbols)
      witness.bindings.push_back({name, std::to_string(value)});
    for (const Declaration& d : runner_.program().inputs)
      witness.bindings.push_back(
          {d.name, contents_text(inputs.extents.at(d.name), inputs.contents.at(d.name))});
    return witness;
  }

  // Sets ranges of elements, then single ones, to 0, and single ones to 1, as long as the output still
  // differs.
  Witness minimal(const OutputPair& o, Inputs inputs, Witness witness) {
    long tries = 160;
    const Witness first = witness;
    confirming_ = false;  // once, at the end
    const double kept = out_.unexplained;
    const auto attempt = [&](std::vector<double>& values, std::size_t from, std::size_t to, double by) {
      const std::vector<double> before(values.begin() + static_cast<long>(from),
                                       values.begin() + static_cast<long>(to));
      if (std::all_of(before.begin(), before.end(), [&](double v) { return v == by; }) || tries-- <= 0)
        return;
      std::fill(values.begin() + static_cast<long>(from), values.begin() + static_cast<long>(to), by);
      bool comparable = true;
      if (const auto still = difference(o, inputs, comparable))
        witness = *still;
      else
        std::copy(before.begin(), before.end(), values.begin() + static_cast<long>(from));
    };
    if (!pair_.contract)
      for (auto& [name, values] : inputs.contents) {
        for (std::size_t chunk = values.size(); chunk > 1; chunk /= 2)
          for (std::size_t at = 0; at < values.size(); at += chunk)
            attempt(values, at, std::min(values.size(), at + chunk), 0);
        for (std::size_t i = 0; i < values.size(); ++i) {
          attempt(values, i, i + 1, 0);
          if (values[i] != 0) attempt(values, i, i + 1, 1);
        }
      }
    confirming_ = true;
    bool comparable = true;
    if (runner_.transcendental()) witness = difference(o, inputs, comparable).value_or(first);
    out_.unexplained = kept;
    return witness;
  }

  const Pair& pair_;
  const ExecuteOptions& options_;
  Runner runner_;
  std::vector<std::string> left_, right_;
  bool finite_only_ = false, confirming_ = true;
  Executed out_;
  std::int64_t work_ = 0;
};

}  // namespace

Executed execute(const Pair& pair, const ExecuteOptions& options) {
  return Comparison(pair, options).run();
}

std::map<std::string, std::vector<double>> fingerprints(const Pair& pair) {
  std::map<std::string, std::vector<double>> out;
  Runner runner(pair);
  std::vector<std::string> all;
  for (const Definition& d : pair.program.definitions) all.push_back(d.declaration.name);
  int seen = 0;
  // Sizes above the least ones, so that different shapes show.
  runner.instances(
      static_cast<int>(pair.program.symbols.size()),
      [&](const Inputs& inputs, int round) {
        if (round == 0 || round == 3) return true;
        try {
          const auto values = runner.run(inputs, all, false);
          if (!values) return true;
          for (const auto& [name, tensor] : *values)
            for (std::int64_t i = 0; i < tensor.element_count(); ++i)
              out[name].push_back(is_float(tensor.format()) ? tensor.number(i)
                                                            : static_cast<double>(tensor.integer(i)));
          for (const auto& [name, contents] : inputs.contents)
            out[name].insert(out[name].end(), contents.begin(), contents.end());
          ++seen;
        } catch (const Refusal&) {
          return true;
        }
        return seen < 3;
      },
      6);
  return out;
}

}  // namespace hallmark::compare
