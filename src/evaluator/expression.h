// A definition's body, without symbols, made ready for compilation: each fold a binder of its own, indices
// split into what changes along the lanes and what does not, and for each node what it depends on and which
// values its indices can take.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "evaluator/evaluator.h"

namespace hallmark::evaluator {

struct Interval {
  std::optional<Integer> low, high;
  bool within(const Integer& least, const Integer& greatest) const {
    return low && high && *low >= least && *high <= greatest;
  }
};

struct Fold;
struct Expression;

// coefficient * lane + rest. The rest is the same in every lane unless the coefficient is 0.
struct LaneAffine {
  Expression* rest = nullptr;
  std::int64_t coefficient = 0;
};

// A condition: every bound `coefficient * lane + rest <= 0`, and `rest` where there is one.
struct Guard {
  std::vector<LaneAffine> bounds;
  Expression* rest = nullptr;
  bool always() const { return bounds.empty() && rest == nullptr; }
};

struct Expression {
  calculus::Term term = nullptr;
  std::vector<Expression*> children;  // of a fold's component: none
  Fold* fold = nullptr;               // fold, bound, state
  int which = 0;                      // fold, state
  // Sorted: 2 * axis for an axis, 1 + 2 * number for the variable and 2 + 2 * number for the states of a
  // fold, the latter two above all axes.
  std::vector<int> depends;
  Interval interval;       // sort Index
  bool varies = false;     // along the lanes
  bool reads = false;      // contains a load
  bool can_fault = false;  // contains a load that may be outside its tensor
  std::size_t cost = 1;    // operations for one lane, roughly
  // Loads. Checked: one index per axis, each compared with its extent. Otherwise one offset into the tensor.
  std::vector<LaneAffine> dimensions;
  bool checked = false;
  Guard* guard = nullptr;  // selects: the condition; children: the two values
};

struct Fold {
  int number = 0;  // unique in the body
  std::size_t size = 0;
  const calculus::Order* order = nullptr;
  LaneAffine extent;  // may vary along the lanes
  Guard guard;
  std::vector<Expression*> init, step, combine;
  Interval variable;
  bool varies = false;
};

// `lane` is the axis along which lanes run.
class ExpressionBuilder {
 public:
  ExpressionBuilder(const Tensors& tensors, std::vector<std::int64_t> extents, int lane);
  Expression* build(calculus::Term body);
  const Tensor& tensor(const std::string& name) const;
  int lane() const { return lane_; }
  static int axis_code(int axis) { return 2 * axis; }
  static int variable_code(const Fold& fold) { return first_fold_code + 2 * fold.number; }
  static int state_code(const Fold& fold) { return first_fold_code + 1 + 2 * fold.number; }
  static constexpr int first_fold_code = 1000;

 private:
  struct Binder {
    Fold* fold = nullptr;
    std::unordered_map<calculus::Term, Expression*> memo;
    std::unordered_map<calculus::Term, Fold*> folds;
  };

  Expression* make(calculus::Term term);
  void finish(Expression& e);
  void finish_load(Expression& e);
  Fold* build_fold(calculus::Term term);
  Guard guard(calculus::Term condition);
  LaneAffine split(calculus::Term index, Expression* whole);
  Interval interval_of(const Expression& e);
  Interval polynomial_interval(const Expression& e);
  Binder& home(calculus::Term term);

  const Tensors& tensors_;
  std::vector<std::int64_t> extents_;
  int lane_;
  std::deque<Expression> expressions_;
  std::deque<Fold> folds_;
  std::deque<Guard> guards_;
  std::map<int, Binder> binders_;  // by the number that the term gives the binder; 0: none
  const std::vector<int>& open_numbers(calculus::Term term);
  std::unordered_map<calculus::Term, std::vector<int>> open_numbers_;
};

}  // namespace hallmark::evaluator
