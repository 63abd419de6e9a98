// Random terms of every kind, the same in every run.
#pragma once
#include <random>
#include <string>
#include <vector>

#include "calculus/program.h"
#include "calculus/text/scope.h"

namespace hallmark::calculus {

class RandomTerms {
 public:
  struct Limits {
    bool transcendental = true;  // also operations without a rational value
    bool orders = true;          // also folds with orders other than any and seq
    bool custom = true;
    long coefficient = 9;
    bool inside = false;  // most reads lie inside tensors whose extents are N, most folds are short
  };

  RandomTerms(std::uint64_t seed, Limits limits) : random_(seed), limits_(limits) {
    for (const char* name : {"N", "M"}) symbols.push_back(name);
    tensors = {{"X", {Format::f32, 1}},
               {"W", {Format::f16, 2}},
               {"Q", {Format::i64, 1}},
               {"U", {Format::u8, 0}},
               {"B", {Format::boolean, 1}}};
    for (const std::string& name : symbols) indices_.push_back(symbol(name));
    for (int d = 0; d < axes; ++d) indices_.push_back(axis(d));
  }

  static constexpr int axes = 2;
  std::vector<std::string> symbols;
  std::map<std::string, text::TensorType, std::less<>> tensors;

  text::Scope scope(Sort number_sort, bool rounded) const {
    text::Scope out;
    for (const std::string& name : symbols) out.names.emplace(name, symbol(name));
    out.tensors = tensors;
    out.number_sort = number_sort;
    out.rounded = rounded;
    return out;
  }

  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

  Term index(int depth) {
    if (depth <= 0 || below(4) == 0)
      return below(3) == 0 ? integer(static_cast<long>(below(2 * 9) - 9))
                           : indices_[static_cast<std::size_t>(below(static_cast<int>(indices_.size())))];
    switch (below(9)) {
      case 0:
      case 1:
        return add(scale(coefficient(), index(depth - 1)), index(depth - 1));
      case 2:
        return multiply(index(depth - 2), index(depth - 2));
      case 3:
        return floor_div(index(depth - 1),
                         below(3) == 0 ? index(0) : integer(static_cast<long>(below(7) + 1)));
      case 4:
        return mod(index(depth - 1), below(3) == 0 ? index(0) : integer(static_cast<long>(below(7) + 1)));
      case 5:
        return index_min(index(depth - 1), index(depth - 1));
      case 6:
        return index_max(index(depth - 1), index(depth - 1));
      case 7:
        return index_select(boolean(depth - 1), index(depth - 1), index(depth - 1));
      default:
        return to_index(element(below(2) == 0 ? Sort::integer(Format::i64) : Sort::boolean(), depth - 2));
    }
  }

  Term boolean(int depth) {
    if (depth <= 0) return below(2) == 0 ? less(index(0), index(0)) : truth(below(2) == 0);
    switch (below(9)) {
      case 0:
        return less(index(depth - 1), index(depth - 1));
      case 1:
        return at_most(index(depth - 1), index(depth - 1));
      case 2:
        return equal(index(depth - 1), index(depth - 1));
      case 3:
        return both(boolean(depth - 1), boolean(depth - 1));
      case 4:
        return either(boolean(depth - 1), boolean(depth - 1));
      case 5:
        return negation(boolean(depth - 1));
      case 6: {
        const Sort sort = any_sort();
        const Op op = below(3) == 0 ? Op::eq : below(2) == 0 ? Op::lt : Op::le;
        return compare(op, element(sort, depth - 1), element(sort, depth - 1));
      }
      case 7:
        return is_nan(element(float_sort(), depth - 1));
      default:
        return element(Sort::boolean(), depth - 1);
    }
  }

  Sort float_sort() {
    constexpr Format all[] = {Format::f64,  Format::f32,    Format::tf32,  Format::f16,
                              Format::bf16, Format::f8e4m3, Format::f8e5m2};
    return Sort::floating(all[below(7)]);
  }
  Sort any_sort() {
    switch (below(4)) {
      case 0:
        return Sort::real();
      case 1:
        return Sort::integer(static_cast<Format>(static_cast<int>(Format::i8) + below(8)));
      case 2:
        return Sort::boolean();
      default:
        return float_sort();
    }
  }

  Term element(Sort sort, int depth) {
    if (depth <= 0) return leaf(sort);
    switch (below(10)) {
      case 0:
      case 1:
      case 2:
        return operate(sort, depth);
      case 3:
        return select(boolean(depth - 1), element(sort, depth - 1), element(sort, depth - 1));
      case 4:
        return fold_of(sort, depth);
      case 5:
        return sum_of(sort, depth);
      case 6:
        return sort == Sort::boolean() ? boolean(depth - 1) : from_index(index(depth - 1), sort);
      case 7:
        return cast(element(any_sort(), depth - 1), sort, cast_format(sort));
      case 8:
        return limits_.custom && below(3) == 0
                   ? custom_operation(below(2) == 0 ? "f" : "exp", {element(any_sort(), depth - 1), index(1)},
                                      sort)
                   : leaf(sort);
      default:
        return leaf(sort);
    }
  }

 private:
  long coefficient() { return below(static_cast<int>(2 * limits_.coefficient)) - limits_.coefficient; }

  Format cast_format(Sort sort) {
    if (sort.kind == Sort::Kind::real) return float_sort().format;
    if (below(3) == 0) return any_sort().format;
    return sort == Sort::boolean() ? Format::boolean : sort.format;
  }

  Term leaf(Sort sort) {
    std::vector<Term> states;
    for (Term state : states_)
      if (state->sort == sort) states.push_back(state);
    if (!states.empty() && below(2) == 0)
      return states[static_cast<std::size_t>(below(static_cast<int>(states.size())))];
    if (below(2) == 0)
      for (const auto& [name, type] : tensors) {
        if (sort != exact_sort(type.format) && sort != stored_sort(type.format)) continue;
        std::vector<Term> at;
        std::vector<Term> within;
        const int care = limits_.inside ? below(16) : 15;  // mostly: inside by construction, or by a guard
        for (std::size_t d = 0; d < type.rank; ++d) {
          at.push_back(care < 8 ? mod(index(1), symbol("N")) : index(1));
          within.push_back(in_range(at.back(), symbol("N")));
        }
        const Term read = load(name, at, sort);
        return care < 8 || care == 15 || within.empty() ? read
                                                        : select(conjunction(within), read, leaf(sort));
      }
    switch (sort.kind) {
      case Sort::Kind::real: {
        if (below(12) == 0) return extreme(below(2) == 0 ? -1 : 1);
        Rational value(below(40) - 20, 1L << below(5));
        value.canonicalize();
        return real_constant(below(4) == 0   ? Rational(value / 3)
                             : below(8) == 0 ? Rational(value / (1L << 40))
                                             : value);
      }
      case Sort::Kind::integer:
        return int_constant(sort.format, below(2) == 0 ? Integer(below(300) - 150) : from_u64(random_()));
      case Sort::Kind::boolean:
        return truth(below(2) == 0);
      default: {
        // Half of them plain numbers, half any encoding: NaNs, infinities, subnormal ones, -0.
        const unsigned width = storage_bits(sort.format);
        if (below(2) == 0)
          return float_constant(sort.format, sort.format == Format::f64 ? 0x3ff8000000000000ULL : 0);
        return float_constant(sort.format, random_() >> (64 - width));
      }
    }
  }

  Term operate(Sort sort, int depth) {
    static const std::vector<Op> real_ops{Op::neg,   Op::abs,        Op::add,  Op::sub,     Op::mul,
                                          Op::div,   Op::mod,        Op::fma,  Op::max,     Op::min,
                                          Op::floor, Op::round_even, Op::sign, Op::maximum, Op::minnum};
    static const std::vector<Op> more{Op::exp, Op::tanh,       Op::sqrt,    Op::pow,
                                      Op::erf, Op::reciprocal, Op::exponent};
    static const std::vector<Op> integer_ops{
        Op::add, Op::sub,     Op::mul,     Op::div,        Op::mod,         Op::rem,    Op::neg,
        Op::max, Op::bit_and, Op::bit_xor, Op::shift_left, Op::shift_right, Op::bit_not};
    static const std::vector<Op> boolean_ops{Op::logical_xor, Op::bit_and, Op::bit_or};
    const bool is_float = sort.kind == Sort::Kind::floating;
    const std::vector<Op>& ops = sort.kind == Sort::Kind::integer          ? integer_ops
                                 : sort.kind == Sort::Kind::boolean        ? boolean_ops
                                 : limits_.transcendental && below(3) == 0 ? more
                                                                           : real_ops;
    const Op op = ops[static_cast<std::size_t>(below(static_cast<int>(ops.size())))];
    std::vector<Term> operands;
    for (int i = 0; i < arity(op); ++i) operands.push_back(element(sort, depth - 1));
    const Rounding rounding = !is_float       ? Rounding::none
                              : below(2) == 0 ? Rounding::nearest
                                              : static_cast<Rounding>(1 + below(4));
    return operation(op, operands, sort, rounding, is_float && below(5) == 0);
  }

  static int arity(Op op) {
    switch (op) {
      case Op::neg:
      case Op::abs:
      case Op::floor:
      case Op::round_even:
      case Op::sign:
      case Op::exp:
      case Op::tanh:
      case Op::sqrt:
      case Op::erf:
      case Op::reciprocal:
      case Op::exponent:
      case Op::bit_not:
        return 1;
      case Op::fma:
        return 3;
      default:
        return 2;
    }
  }

  const Order* order(int depth) {
    if (!limits_.orders || below(3) == 0) return below(2) == 0 ? seq_order() : any_order();
    const Term size = below(4) == 0 ? symbol("N") : integer(4L << below(3));
    switch (depth <= 0 ? 0 : below(4)) {
      case 1:
        return make_order({Order::Kind::strided, size, order(depth - 1), nullptr, {}});
      case 2:
        return make_order({Order::Kind::blocked, size, order(depth - 1), order(depth - 1), {}});
      case 3:
        return make_order({Order::Kind::mma, nullptr, nullptr, nullptr, "sm90.f16"});
      default:
        return make_order({Order::Kind::tree, size, nullptr, nullptr, {}});
    }
  }

  Term fold_extent() {
    if (!limits_.inside) return index(1);
    return below(3) == 0 ? integer(static_cast<long>(below(6))) : mod(index(1), integer(6L));
  }

  // With a variable and states in scope that exist only inside.
  template <typename Make>
  Term under_binder(Make make) {
    const std::size_t indices = indices_.size(), states = states_.size();
    const Term result = make();
    indices_.resize(indices);
    states_.resize(states);
    return result;
  }

  Term sum_of(Sort sort, int depth) {
    const Term extent = fold_extent();
    const Order* o = order(1);
    const bool combines = o->kind != Order::Kind::any && o->kind != Order::Kind::seq;
    const Term init = leaf(sort);
    return under_binder([&] {
      const Term k = fresh_variable("k");
      indices_.push_back(k);
      const Term body = element(sort, depth - 1), guard = below(2) == 0 ? boolean(1) : nullptr;
      if (sort == Sort::boolean()) {
        const bool is_and = below(2) == 0;
        const Term s = fresh_variable("s", sort);
        FoldParts parts{
            k,  extent, guard,      {s}, {truth(is_and)}, {is_and ? both(s, body) : either(s, body)},
            {}, {},     any_order()};
        return fold(parts);
      }
      if (below(2) == 0 && !combines) return sum(k, extent, body, guard);
      const Term s = fresh_variable("s", sort), t = fresh_variable("t", sort);
      const Op op = below(2) == 0 ? Op::add : Op::mul;
      FoldParts parts{k, extent, guard, {s}, {init}, {apply(op, {s, body})}, {}, {}, o};
      if (combines) {
        parts.right_states = {t};
        parts.combine = {apply(op, {s, t})};
      }
      return fold(parts);
    });
  }

  Term fold_of(Sort sort, int depth) {
    FoldParts parts;
    parts.extent = fold_extent();
    parts.order = order(1);
    const Sort other = below(2) == 0 ? sort : any_sort();
    parts.init = {element(sort, depth - 1), element(other, depth - 1)};
    const Term result = under_binder([&] {
      parts.variable = fresh_variable("k");
      indices_.push_back(parts.variable);
      parts.guard = below(2) == 0 ? boolean(depth - 1) : nullptr;
      parts.states = {fresh_variable("s", sort), fresh_variable("s", other)};
      states_.insert(states_.end(), parts.states.begin(), parts.states.end());
      parts.step = {element(sort, depth - 1), element(other, depth - 1)};
      if (parts.order->kind != Order::Kind::any && parts.order->kind != Order::Kind::seq) {
        parts.right_states = {fresh_variable("t", sort), fresh_variable("t", other)};
        states_.insert(states_.end(), parts.right_states.begin(), parts.right_states.end());
        indices_.pop_back();
        parts.combine = {element(sort, depth - 1), element(other, depth - 1)};
      }
      return fold(parts);
    });
    return result;
  }

  std::mt19937_64 random_;
  Limits limits_;
  std::vector<Term> indices_, states_;
};

}  // namespace hallmark::calculus
