#include "lowering/shape.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "formulation/formulate.h"
#include "plan/launch_plan.h"

namespace hallmark::lowering {

using namespace calculus;

std::set<int> axes_of(Term term) {
  std::set<int> out;
  for_each_node(term, [&](Term node) {
    if (node->kind == Kind::axis) out.insert(node->number);
  });
  return out;
}

bool is_unit(Term extent) {
  const Integer* value = as_integer(extent);
  return value != nullptr && *value == 1;
}

bool has_strided_fold(Term term) {
  bool found = false;
  for_each_node(term, [&](Term node) {
    found = found || (node->kind == Kind::fold && node->order->kind != Order::Kind::seq);
  });
  return found;
}

std::optional<RowShape> row_shape(Term term, std::size_t rank) {
  RowShape shape;
  std::set<Term> seen;
  std::set<int> rows;
  bool fits = true;
  for_each_node(term, [&](Term node) {
    if (node->kind != Kind::fold || node->order->kind == Order::Kind::seq) return;
    if (node->order->kind != Order::Kind::strided || node->open || node->size != 1) {
      fits = false;
      return;
    }
    const Integer* lanes = as_integer(node->order->size);
    const bool known = lanes != nullptr && *lanes >= 64 && *lanes <= 1024 &&
                       node->order == formulation::block_order(static_cast<int>(lanes->get_si()));
    if (!known || (shape.lanes != 0 && shape.lanes != lanes->get_si())) {
      fits = false;
      return;
    }
    shape.lanes = lanes->get_si();
    const std::set<int> axes = axes_of(node);
    rows.insert(axes.begin(), axes.end());
    if (seen.insert(node).second) shape.folds.push_back(node);
  });
  if (!fits || shape.folds.empty()) return std::nullopt;
  for (int d = 0; d < static_cast<int>(rank); ++d)
    (rows.count(d) != 0 ? shape.rows : shape.columns).push_back(d);
  return shape;
}

std::optional<MatmulShape> matmul_shape(Term term, const std::vector<Term>& extents) {
  std::set<Term> folds;
  for_each_node(term, [&](Term node) {
    if (node->kind == Kind::fold) folds.insert(node);
  });
  if (folds.size() != 1) return std::nullopt;
  const Term fold = *folds.begin();
  if (fold->open || fold->size != 1 || fold->order->kind != Order::Kind::seq) return std::nullopt;
  // Every thread takes part in the tile loads, so the fold may not stand in an arm that only some threads
  // choose.
  bool conditional = false;
  for_each_node(term, [&](Term node) {
    if (node->kind != Kind::select) return;
    for (std::size_t arm = 1; arm <= 2; ++arm)
      for_each_node(node->children[arm], [&](Term inner) { conditional = conditional || inner == fold; });
  });
  if (conditional) return std::nullopt;
  MatmulShape shape;
  shape.fold = fold;
  shape.parts = calculus::open(fold);
  if (shape.parts.guard->kind != Kind::truth || as_integer(shape.parts.extent) == nullptr)
    return std::nullopt;
  const Term step = shape.parts.step[0], state = shape.parts.states[0];
  if (step->kind != Kind::operation || step->sort != Sort::floating(Format::f32)) return std::nullopt;
  Term a = nullptr, b = nullptr;
  if (step->op == Op::fma && step->children[2] == state) {
    a = step->children[0];
    b = step->children[1];
  } else if (step->op == Op::add) {
    shape.fused = false;
    for (std::size_t side = 0; side < 2; ++side) {
      const Term product = step->children[1 - side];
      if (step->children[side] != state || product->kind != Kind::operation || product->op != Op::mul)
        continue;
      a = product->children[0];
      b = product->children[1];
    }
  }
  if (a == nullptr) return std::nullopt;
  bool plain = true;
  for (Term operand : {a, b}) for_each_node(operand, [&](Term node) { plain = plain && node != state; });
  for_each_node(shape.parts.init[0], [&](Term node) { plain = plain && node->kind != Kind::load; });
  if (!plain) return std::nullopt;
  const std::set<int> in_a = axes_of(a), in_b = axes_of(b);
  // The last axis that only one operand has is the column, the last that only the other has is the row.
  std::vector<int> only_a, only_b;
  for (const int d : in_a)
    if (in_b.count(d) == 0) only_a.push_back(d);
  for (const int d : in_b)
    if (in_a.count(d) == 0) only_b.push_back(d);
  if (only_a.empty() || only_b.empty()) return std::nullopt;
  const bool b_is_right = only_b.back() > only_a.back();
  shape.left = b_is_right ? a : b;
  shape.right = b_is_right ? b : a;
  shape.row = (b_is_right ? only_a : only_b).back();
  shape.column = (b_is_right ? only_b : only_a).back();
  if (as_integer(extents[static_cast<std::size_t>(shape.row)]) == nullptr ||
      as_integer(extents[static_cast<std::size_t>(shape.column)]) == nullptr)
    return std::nullopt;
  return shape;
}

double nominal(Term extent, const Program& program) {
  Substitution map;
  for (const SymbolRange& range : program.symbols) {
    Integer value = std::max(range.low, Integer(128));
    if (range.high) value = std::min(value, *range.high);
    map[symbol(range.name)] = integer(value);
  }
  const Integer* value = as_integer(substitute(extent, map));
  return value != nullptr ? value->get_d() : 128.0;
}

double nominal_count(const Declaration& declaration, const Program& program) {
  return nominal(plan::element_count(declaration), program);
}

namespace {

class Counter {
 public:
  Counter(const std::string& tensor, const Program& program) : tensor_(tensor), program_(program) {}

  // `row_folds`: computed `rows` times instead of as often as the term around them.
  double run(Term term, double times, const std::set<Term>& row_folds, double rows) {
    row_folds_ = &row_folds;
    rows_ = rows;
    visit(term, times);
    return total_;
  }

 private:
  void visit(Term term, double times) {
    double& most = seen_[term];
    if (most >= times) return;
    // A shared term is computed once in its scope; only a busier scope adds to it.
    const double more = times - most;
    most = times;
    if (term->kind == Kind::load && term->name == tensor_) total_ += more;
    if (term->kind != Kind::fold) {
      for (Term child : term->children) visit(child, times);
      return;
    }
    const double base = row_folds_->count(term) != 0 ? std::min(rows_, times) : times;
    const std::size_t size = static_cast<std::size_t>(term->size);
    const double inside = base * std::max(1.0, nominal(term->children[0], program_));
    for (std::size_t c = 0; c < term->children.size(); ++c)
      visit(term->children[c], c == 0 || (c >= 2 && c < 2 + size) ? base : inside);
  }

  const std::string& tensor_;
  const Program& program_;
  const std::set<Term>* row_folds_ = nullptr;
  double rows_ = 0, total_ = 0;
  std::unordered_map<Term, double> seen_;
};

}  // namespace

double evaluations(Term term, const std::string& tensor, const Program& program,
                   const Declaration& declaration) {
  std::set<Term> row_folds;
  double rows = 1;
  if (const auto shape = row_shape(term, declaration.extents.size()); shape) {
    row_folds.insert(shape->folds.begin(), shape->folds.end());
    for (const int d : shape->rows)
      rows *= nominal(declaration.extents[static_cast<std::size_t>(d)], program);
  }
  return Counter(tensor, program).run(term, nominal_count(declaration, program), row_folds, rows);
}

}  // namespace hallmark::lowering
