// Abstract evaluation of one definition's body: ranges and error bounds of every node, folds in closed form.
//
// The same evaluation serves exact terms (sort Real: nothing is rounded, both ranges coincide) and
// formulations. What a loaded tensor is known to be is the caller's: with its rounded values taken as given
// the bounds are local, with its own error they are those of the whole program so far.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "calculus/program.h"
#include "contract/contract.h"
#include "numerics/facts.h"
#include "numerics/failure.h"
#include "numerics/fold_order.h"
#include "numerics/rounding.h"
#include "numerics/scope.h"
#include "numerics/value.h"

namespace hallmark::numerics {

// A place where rounding can change a discrete outcome: a comparison, a rounding to an integer, a conversion.
struct BranchPoint {
  std::string what;
  bool same = true;  // the outcome is the same on rounded and on exact operands
  bool operator<(const BranchPoint& o) const { return std::tie(what, same) < std::tie(o.what, o.same); }
};

struct TermSettings {
  const calculus::Program* program = nullptr;
  const contract::Contract* contract = nullptr;
  ConstantValues constants;                                        // of this definition
  std::function<ConstantValues(const std::string&)> constants_of;  // of any definition
  // Throws AnalysisFailure for a tensor without a result.
  std::function<Value(const std::string&)> tensor;
  // Loaded values are exact by definition: facts about them hold for rounded values only.
  bool local = false;
};

class TermAnalysis {
 public:
  TermAnalysis(TermSettings settings, const calculus::Definition& definition);

  // The value of the body. Throws AnalysisFailure.
  Value run();

  const std::set<BranchPoint>& branches() const { return branches_; }
  const std::set<std::string>& assumptions() const { return assumptions_; }
  // "sum-tree", "shifted-exponentials", ...: the closed forms that were used.
  const std::set<std::string>& theorems() const { return theorems_; }

 private:
  using Term = calculus::Term;
  using Frame = std::unordered_map<Term, Value>;
  struct Steps;

  Value value(Term a);
  Value compute(Term a);
  // In a frame of its own, under a condition that holds there.
  Value value_under(Term a, Term condition);

  Value constant(Term a);
  Value load(Term a);
  Value condition(Term a);
  Value comparison(Term a);
  Value operation(Term a);
  Value real_operation(calculus::Op op, const std::vector<Value>& c, Term a);
  Value integer_operation(Term a, const std::vector<Value>& c);
  Value custom(Term a);
  Value select(Term a);
  Value cast(Term a);
  Value from_index(Term a);
  Value round(Value v, const RoundingModel& model, SubnormalResults subnormal, const std::string& label);
  Value flushed(Value v, const RoundingModel& model) const;
  Value fit(Value v, calculus::Format format);  // integers modulo 2^w
  void narrow_by_comparison(Term condition, bool holds);

  Value fold(Term a);
  Value fold_in_steps(Term a);
  std::optional<Steps> steps(Term step, Term state, const std::vector<Term>& other_states);
  Value sum(Term a, const Steps& s, const Value& init, const calculus::FoldParts& parts);
  Value term_value(const Steps& s, Term guard);
  TreeShape shape_of(const Steps& s, bool zero_start) const;
  Value rounded_sum(const Steps& s, const Value& init, const Value& term, const Integer& low,
                    const TreeShape& shape);
  void apply_mean_shift(const Steps& s, const Value& init, const Integer& low, const TreeShape& shape,
                        Value& v);
  Value tensor_core_sum(const Steps& s, const Value& init, const Value& term, const Integer& low);
  Value extremum(Term a, const Steps& s, const calculus::FoldParts& parts);
  Value unrolled(Term a, const calculus::FoldParts& parts, const Integer& low, const Integer& high);
  Value by_induction(Term a);
  void apply_exponential_fact(Term a, Value& v);
  bool identical(Term a);

  // exponential_sum.cpp
  struct WeightedTerms {
    Interval uniform, slope, rest, average, greatest;
    Integer count;
    bool attained = false;  // one shift is 0
  };
  std::optional<WeightedTerms> shifted_exponentials(const Family& sum);
  // Whether a member of the family attains the maximum, whatever the other operands are. Throws
  // AnalysisFailure.
  bool attained_by_member(const Maximum& maximum);
  void apply_average_shift(Term a, Value& v);
  void apply_share_of_sum(Term a, const Family& sum, const Value& denominator, Value& v);
  // fold_weighted.cpp
  std::optional<Value> weighted_mean(const Steps& s, const Value& init, const calculus::FoldParts& parts,
                                     const TreeShape* shape);
  std::optional<Family> term_of_raised_sum(Term a, Term b);
  bool never_negative(Term a);
  // deviation.cpp: v is d times 1 / sqrt(q) where b is that reciprocal, d divided by b where it is the root
  void apply_deviation(Term d, Term b, bool reciprocal, Value& v);
  void apply_weighted_quotient(Term a, const Value& numerator, const Value& denominator, Value& v);
  // fold_compensated.cpp
  std::optional<Value> compensated(Term a, const calculus::FoldParts& parts, const IndexRange& count);
  // fold_running_mean.cpp
  struct RunningMean;
  std::optional<RunningMean> running_mean_of(Term a, const calculus::FoldParts& parts);
  std::optional<Value> running_mean(Term a, const calculus::FoldParts& parts, const IndexRange& count);
  // fold_rescaled.cpp
  struct Rescaling;
  std::optional<Rescaling> rescaling(Term a, const calculus::FoldParts& parts);
  std::optional<Value> rescaled(Term a, const calculus::FoldParts& parts, const IndexRange& count);

  // Declares a fold's variable; its number of steps. Notes in extents_same_ whether rounded and exact
  // operands give the same number.
  IndexRange declare_variable(Term variable, Term extent);
  IndexRange element_range(Term element);
  // Whether an index, or a condition over indices, is the same on rounded and on exact operands.
  bool same_index(Term index);
  // Whether the scope's ranges inside enclose exact values too: an element without an error bound has only
  // its rounded values there.
  bool encloses_exact(Term index);
  [[noreturn]] void fail(Failure::Kind kind, const std::string& message) const;
  void note_branch(Term a, bool same);

  TermSettings settings_;
  const calculus::Definition& definition_;
  Scope scope_;
  Facts facts_;
  std::vector<Frame> frames_;
  std::set<BranchPoint> branches_;
  std::set<std::string> assumptions_, theorems_;
  bool extents_same_ = true;  // of the folds that the one at work takes in
};

inline bool is_element(calculus::Sort sort) {
  return sort.kind == calculus::Sort::Kind::floating || sort.kind == calculus::Sort::Kind::real;
}
// The value of a tensor that lies in a box: exact, with the grid of its format.
Value boxed(const Interval& box, calculus::Format format);
// Integer range of symbols and axes. Shared by the passes.
IndexRange symbol_range(const contract::Contract& contract, const calculus::Program& program,
                        calculus::Term symbol);

}  // namespace hallmark::numerics
