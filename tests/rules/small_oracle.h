// Whether a rule is wrong on some small instance, by execution alone: every choice of the sizes near their
// least values, contents of few elements in all ways over a small set and of more by a fixed pattern, both
// sides evaluated definition by definition. It shares no code with the prover or its search for witnesses.
#pragma once
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "evaluator/evaluator.h"
#include "rules/rule.h"

namespace hallmark::rules::testing {

class SmallOracle {
 public:
  SmallOracle(const Rule& rule, long evaluations) : rule_(rule), left_(8 * evaluations) {
    for (const auto* side : {&rule.left, &rule.right})
      for (const calculus::Definition& d : *side)
        calculus::for_each_node(d.body, [&](calculus::Term n) {
          irrational_ = irrational_ || (n->kind == calculus::Kind::operation &&
                                        ((n->op >= calculus::Op::pow && n->op <= calculus::Op::rsqrt) ||
                                         (n->op >= calculus::Op::exp && n->op <= calculus::Op::erf)));
        });
  }

  // What is wrong, or nothing when no instance within the budget is.
  std::optional<std::string> wrong() {
    for (long sum = 0; sum <= 2 * static_cast<long>(rule_.symbols.size()) && !found_ && left_ > 0; ++sum)
      sizes(0, sum, {});
    return found_;
  }

 private:
  using Tensor = evaluator::Tensor;
  static constexpr long values[4] = {1, 0, -1, 2};

  void sizes(std::size_t at, long rest, evaluator::Symbols symbols) {
    if (found_ || left_ <= 0) return;
    if (at == rule_.symbols.size()) {
      if (rest == 0) instance(symbols);
      return;
    }
    const calculus::SymbolRange& s = rule_.symbols[at];
    for (long step = 0; step <= std::min(rest, 2L); ++step) {
      if (s.high && s.low + step > *s.high) break;
      symbols[s.name] = s.low.get_si() + step;
      sizes(at + 1, rest - step, symbols);
    }
  }

  static bool extents_of(const calculus::Declaration& t, const evaluator::Symbols& symbols,
                         std::vector<std::int64_t>& out) {
    std::int64_t count = 1;
    for (calculus::Term e : t.extents) {
      out.push_back(evaluator::evaluate_index(e, symbols));
      if (out.back() < 0) return false;
      count *= out.back();
    }
    return count <= 200;
  }

  void instance(const evaluator::Symbols& symbols) {
    for (calculus::Term r : rule_.requirements)
      if (evaluator::with_symbols(r, symbols) != calculus::truth(true)) return;
    std::map<std::string, std::vector<std::int64_t>> shapes;
    long elements = 0;
    for (const calculus::Declaration& t : rule_.tensors) {
      if (!extents_of(t, symbols, shapes[t.name])) return;
      long count = 1;
      for (std::int64_t e : shapes[t.name]) count *= e;
      elements += count;
    }
    for (const calculus::Definition& d : rule_.left) {
      std::vector<std::int64_t> ignored;
      if (!extents_of(d.declaration, symbols, ignored)) return;
    }
    const long fillings = elements == 0 ? 1 : elements <= 4 ? 1L << (2 * elements) : 24;
    for (long filling = 0; filling < fillings && !found_ && left_ > 0; ++filling) {
      evaluator::Tensors inputs;
      long place = 0;
      for (const calculus::Declaration& t : rule_.tensors)
        inputs[t.name] = contents(t, shapes[t.name], filling, elements, place);
      one(symbols, inputs);
    }
  }

  // Element `place` of a filling: two bits of its number where there are few elements, otherwise a pattern
  // that tells neighbours apart.
  Tensor contents(const calculus::Declaration& t, const std::vector<std::int64_t>& extents, long filling,
                  long elements, long& place) const {
    std::size_t count = 1;
    for (std::int64_t e : extents) count *= static_cast<std::size_t>(e);
    std::vector<long> out(count);
    for (long& v : out) {
      const long mixed = (place * 2654435761L + filling * 40503L + (place * filling) * 97L) / 7;
      v = elements <= 4      ? values[(filling >> (2 * place)) & 3]
          : filling % 3 == 0 ? std::abs(values[mixed & 3])
          : filling % 3 == 1 ? values[mixed & 3]
                             : std::abs(values[mixed & 3]) + 1;
      ++place;
    }
    if (calculus::is_float(t.format)) {
      if (irrational_) return Tensor(t.format, extents, std::vector<double>(out.begin(), out.end()));
      return Tensor(t.format, extents, std::vector<Rational>(out.begin(), out.end()));
    }
    auto data = std::make_shared<calculus::TensorData>();
    data->format = t.format;
    data->extents = extents;
    const unsigned bits = calculus::storage_bits(t.format);
    data->bytes.resize(count * bits / 8);
    for (std::size_t i = 0; i < count; ++i)
      evaluator::write_bits(
          data->bytes.data(), bits, static_cast<std::int64_t>(i),
          static_cast<std::uint64_t>(t.format == calculus::Format::boolean ? (out[i] > 0 ? 1 : 0) : out[i]));
    return Tensor(Tensor::Encoded(data));
  }

  void one(const evaluator::Symbols& symbols, const evaluator::Tensors& inputs) {
    left_ -= 8;
    for (const Given& given : rule_.givens) {
      calculus::Definition all;
      all.declaration = {"given", calculus::Format::boolean, given.extents};
      all.body = given.body;
      const Tensor held = evaluator::evaluate(all, {}, symbols, inputs, options());
      for (std::int64_t i = 0; i < held.element_count(); ++i)
        if (held.integer(i) == 0) return;
    }
    try {
      const std::optional<Tensor> left = result(rule_.left, symbols, inputs),
                                  right = result(rule_.right, symbols, inputs);
      if (!left || !right) {
        found_ = "a read outside a tensor, or a negative extent";
      } else if (left->extents() != right->extents()) {
        found_ = "shapes differ";
      } else {
        if (left->element_count() == 0) left_ += 7;  // an empty result costs little and says little
        for (std::int64_t i = 0; i < left->element_count() && !found_; ++i)
          if (!same(*left, *right, i)) found_ = "element " + std::to_string(i) + " differs";
      }
    } catch (const Refusal&) {
      // A maximum over nothing has no value that could be compared.
    }
    if (!found_) return;
    for (const auto& [name, value] : symbols) *found_ += " " + name + "=" + std::to_string(value);
  }

  std::optional<Tensor> result(const std::vector<calculus::Definition>& side,
                               const evaluator::Symbols& symbols, evaluator::Tensors tensors) const {
    try {
      for (const calculus::Definition& d : side) {
        std::vector<std::int64_t> extents;
        if (!extents_of(d.declaration, symbols, extents)) return std::nullopt;
        tensors[d.declaration.name] = evaluator::evaluate(d, {}, symbols, tensors, options());
      }
    } catch (const UserError& error) {
      if (error.code() == "E1012") return std::nullopt;
      throw;
    }
    return tensors.at(side.back().declaration.name);
  }

  evaluator::Options options() const {
    evaluator::Options out;
    out.reals = irrational_ ? evaluator::Reals::in_double : evaluator::Reals::exact;
    out.compile = false;
    return out;
  }

  bool same(const Tensor& a, const Tensor& b, std::int64_t i) const {
    if (!calculus::is_float(a.format())) return a.integer(i) == b.integer(i);
    if (!irrational_) return a.exact(i) == b.exact(i);
    const double x = a.number(i), y = b.number(i);
    if (!std::isfinite(x) || !std::isfinite(y)) return true;
    return std::fabs(x - y) <= 1e-5 * std::max({1.0, std::fabs(x), std::fabs(y)});
  }

  const Rule& rule_;
  long left_;
  bool irrational_ = false;
  std::optional<std::string> found_;
};

}  // namespace hallmark::rules::testing
