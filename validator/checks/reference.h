// The specification's values on concrete buffers, bit for bit: what an executed launch is compared with.
#pragma once
#include <functional>
#include <map>
#include <unordered_map>

#include "plan/kernel_spec.h"

namespace hallmark::validator {

class Reference {
 public:
  // The encoding of an element before the launch; nothing where it is arbitrary. An empty Read knows none.
  using Read = std::function<std::optional<std::uint64_t>(const std::string& buffer, std::uint64_t element)>;
  Reference(const plan::KernelSpec& spec, std::map<std::string, Integer> symbols, Read read);

  Integer index(calculus::Term term);  // over symbols
  bool condition(calculus::Term term);
  // For a point of the ensure's domain: whether it is guarded in, which element it names, its encoding.
  bool holds_at(const plan::Ensure& ensure, const std::vector<Integer>& point);
  Integer target(const plan::Ensure& ensure, const std::vector<Integer>& point);
  // Throws Refusal E4020 for an operation without a concrete meaning or a read of arbitrary contents.
  std::uint64_t value(const plan::Ensure& ensure, const std::vector<Integer>& point);
  // The same for equality over the reals, where the value's sort is Real: in double, and how far a
  // computation by the same formula that rounds each operation to `unit` (relative, 2^-24 for f32) and
  // `least` (absolute, half the least positive number) may be off, to first order. `pole`: a divisor was 0 on
  // the way; then the value is that of the total model, x / 0 = 0, and a kernel may have an infinity or a NaN
  // instead. Throws Refusal E4020 as well where roundings may make a divisor 0, or take a root or a logarithm
  // out of its domain: there is no value that a kernel could be held against.
  struct Real {
    double value = 0, error = 0;
    bool pole = false;
  };
  Real real(const plan::Ensure& ensure, const std::vector<Integer>& point);
  void set_roundings(double unit, double least) {
    unit_ = unit;
    least_ = least;
  }

 private:
  struct Value {
    Integer number;          // Index, Int, Bool
    std::uint64_t bits = 0;  // Float
    double real = 0;         // Real
    double error = 0;        // Real: of a computation that rounds
    bool pole = false;       // Real: a divisor was 0
  };
  Value evaluate(calculus::Term term);
  Value compute(calculus::Term term);
  Value operation(calculus::Term term);
  Value real_operation(calculus::Term term);
  Value converted_real(calculus::Term t, const Value& v) const;
  bool real_comparison(calculus::Op op, const Value& a, const Value& b) const;
  calculus::Term prepared(const plan::Ensure& ensure);
  Value convert(calculus::Term term);
  void at(const std::vector<Integer>& point);
  const plan::KernelSpec& spec_;
  std::map<std::string, Integer> symbols_;
  Read read_;
  std::vector<Integer> point_;
  double unit_ = 0, least_ = 0;
  // Terms without free variables, by the axes that they mention: a bit each, from the 63rd on the last one.
  std::map<std::uint64_t, std::unordered_map<calculus::Term, Value>> closed_;
  std::unordered_map<calculus::Term, Value> open_;  // others, until a variable changes
  std::unordered_map<calculus::Term, std::uint64_t> axes_;
  std::uint64_t axes_of(calculus::Term term);
  std::map<calculus::Term, Value> variables_;  // iterations and states of the folds around
  std::map<calculus::Term, calculus::FoldParts> opened_;
  std::map<calculus::Term, calculus::Term> expanded_;
  std::map<const plan::Ensure*, calculus::Term> prepared_, targets_;
};

}  // namespace hallmark::validator
