// Evaluates one term at one point by walking its DAG: slow, and right for every sort. Whole tensors in double
// or in float formats take the compiled evaluator where it can.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "evaluator/tensor.h"
#include "evaluator/value.h"

namespace hallmark::evaluator {

// What the free names of a term stand for. `tensors` must outlive the walker.
struct Scope {
  const std::map<std::string, std::int64_t>* symbols = nullptr;
  const std::map<std::string, Tensor>* tensors = nullptr;
  std::map<calculus::Term, Value> variables{};  // kind `variable`
  Reals reals = Reals::in_double;
};

class Walker {
 public:
  // The term has no custom operation (expand_functions). Throws InternalError for an unknown name.
  Walker(calculus::Term term, Scope scope);
  // The term's value with axis(d) = axes[d]. Throws UserError E1012 when an element outside a tensor is read,
  // InternalError when an index does not fit 64 bits, Refusal E1001..E1005 where there is no value.
  Value run(const std::vector<std::int64_t>& axes);

 private:
  struct Entry {
    calculus::Term term = nullptr;
    std::vector<int> children;
    int binder = 0;      // number of the innermost enclosing fold that the node depends on; 0: none
    int fold = -1;       // folds: which of folds_
    bool reads = false;  // contains a load
    const Tensor* tensor = nullptr;
    Value constant{};
    std::uint64_t stamp = 0;
    Value value{};
  };
  using States = std::vector<Value>;
  struct Fold {  // one for all components
    int number = 0;
    int binder = 0;  // as in Entry
    std::size_t size = 0;
    const calculus::Order* order = nullptr;
    std::vector<int> children;
    std::uint64_t stamp = 0;
    States result;
  };

  int add(calculus::Term term);
  const Value& value(int id);
  Value compute(const Entry& entry);
  std::int64_t index(int id) { return std::get<std::int64_t>(value(id)); }
  bool holds(int id) { return index(id) != 0; }
  std::int64_t index_value(const Entry& entry);
  std::int64_t boolean_value(const Entry& entry);
  Value load_value(const Entry& entry);
  std::int64_t symbol_value(const std::string& name) const;

  const States& run_fold(Fold& fold);
  States folded(const Fold& fold);
  void bind(const Fold& fold, std::int64_t variable, const States& states);
  void step(const Fold& fold, std::int64_t k, States& states);
  States combine(const Fold& fold, const States& left, const States& right);
  States leaves(const Fold& fold, const calculus::Order& order, const std::vector<States>& parts,
                std::size_t from, std::size_t to);
  std::int64_t order_size(calculus::Term size) const;

  Scope scope_;
  std::map<calculus::Term, int> ids_;
  std::map<calculus::Term, std::vector<int>> open_;
  std::vector<Entry> entries_;
  std::vector<Fold> folds_;
  std::map<std::vector<int>, std::vector<int>> folds_by_children_;
  int root_ = 0;
  std::vector<std::int64_t> axes_;
  // Per binder number: the running variable, the states (left, then right) and the time of the last binding.
  std::vector<std::int64_t> bound_;
  std::vector<States> states_;
  std::vector<std::uint64_t> bound_at_;
  std::uint64_t clock_ = 0;
};

}  // namespace hallmark::evaluator
