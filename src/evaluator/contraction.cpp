#include "evaluator/contraction.h"

#include <algorithm>
#include <set>

#include "base/error.h"

namespace hallmark::evaluator {

using namespace calculus;

namespace {

class Matcher {
 public:
  Matcher(const Tensors& tensors, const std::vector<std::int64_t>& extents)
      : tensors_(tensors), extents_(extents) {}

  std::optional<Contraction> run(Term fold) {
    if (fold->sort != Sort::real() || !split_axes(fold)) return std::nullopt;
    const std::size_t outputs = variables_.size();
    std::vector<Term> guards;
    Term state = nullptr, step = fold;
    while (step->kind == Kind::fold) {
      const FoldParts parts = open(step);
      const bool plain = parts.states.size() == 1 && parts.combine.empty() &&
                         (parts.order->kind == Order::Kind::any || parts.order->kind == Order::Kind::seq);
      const Integer* extent = as_integer(parts.extent);
      if (!plain || extent == nullptr || !to_i64(*extent)) return std::nullopt;
      if (state == nullptr) {
        if (parts.init[0]->kind != Kind::constant) return std::nullopt;
        out_.init = std::get<double>(constant_value(parts.init[0], Reals::in_double));
      } else if (parts.init[0] != state) {
        return std::nullopt;
      }
      variables_.push_back(parts.variable);
      out_.extents.push_back(std::max<std::int64_t>(0, *to_i64(*extent)));
      if (parts.guard->kind == Kind::conjunction)
        guards.insert(guards.end(), parts.guard->children.begin(), parts.guard->children.end());
      else if (parts.guard != truth(true))
        guards.push_back(parts.guard);
      state = parts.states[0];
      step = parts.step[0];
    }
    if (variables_.size() == outputs || !factors_of(step, state)) return std::nullopt;
    for (Term guard : guards) {
      const auto bound = guard->kind == Kind::at_most_zero ? affine(guard->children[0]) : std::nullopt;
      if (!bound) return std::nullopt;
      out_.guards.push_back(*bound);
    }
    out_.output_variables = outputs;
    Term position = integer(0L);
    for (std::size_t d = 0; d < extents_.size(); ++d)
      position = add(scale(from_i64(extents_[d]), position), axes_[d]);
    const auto output = affine(position);
    if (!output) return std::nullopt;
    out_.output = *output;
    return out_;
  }

 private:
  // Axes become variables. Where a whole number of groups divides an axis (axis / c), the group and the place
  // in it become two: c * g + m.
  bool split_axes(Term& fold) {
    std::map<int, Integer> groups;
    bool fits = true;
    for_each_node(fold, [&](Term node) {
      if (node->kind != Kind::floor_div || node->children[0]->kind != Kind::axis) return;
      const Integer* size = as_integer(node->children[1]);
      const int axis = node->children[0]->number;
      if (size == nullptr || axis >= static_cast<int>(extents_.size())) {
        fits = false;
        return;
      }
      const auto [known, inserted] = groups.emplace(axis, *size);
      fits = fits && (inserted || known->second == *size);
    });
    if (!fits) return false;
    Substitution axes, quotients;
    const auto variable = [&](std::int64_t extent) {
      variables_.push_back(fresh_variable("a"));
      out_.extents.push_back(extent);
      return variables_.back();
    };
    for (std::size_t d = 0; d < extents_.size(); ++d) {
      const auto group = groups.find(static_cast<int>(d));
      if (group == groups.end()) {
        axes_.push_back(variable(extents_[d]));
      } else {
        const auto size = to_i64(group->second);
        if (!size || *size <= 0 || extents_[d] % *size != 0) return false;
        const Term g = variable(extents_[d] / *size), m = variable(*size);
        axes_.push_back(add(scale(group->second, g), m));
        quotients.emplace(floor_div(m, integer(group->second)), integer(0L));
      }
      axes.emplace(axis(static_cast<int>(d)), axes_.back());
    }
    fold = substitute(substitute(fold, axes), quotients);
    return fold->kind == Kind::fold;
  }

  // state + x * y for two reads x, y.
  bool factors_of(Term step, Term state) {
    if (step->kind != Kind::operation || step->op != Op::add) return false;
    const bool first = step->children[0] == state;
    const Term product = step->children[first ? 1 : 0];
    if (step->children[first ? 0 : 1] != state || product->kind != Kind::operation || product->op != Op::mul)
      return false;
    for (std::size_t i = 0; i < 2; ++i) {
      const Term read = product->children[i];
      if (read->kind != Kind::load) return false;
      const auto found = tensors_.find(read->name);
      if (found == tensors_.end() || found->second.extents().size() != read->children.size()) return false;
      out_.factors[i].tensor = &found->second;
      for (Term index : read->children) {
        const auto form = affine(index);
        if (!form) return false;
        out_.factors[i].indices.push_back(*form);
      }
    }
    return true;
  }

  std::optional<Affine> affine(Term p) const {
    Affine out;
    out.coefficients.resize(variables_.size(), 0);
    for (const Monomial& m : monomials(p)) {
      const auto coefficient = to_i64(m.coefficient);
      // Sums of such parts over indices below 2^40 stay inside 64 bits.
      if (!coefficient || *coefficient > (1L << 40) || *coefficient < -(1L << 40)) return std::nullopt;
      if (m.product == nullptr) {
        out.offset = *coefficient;
        continue;
      }
      const auto found = std::find(variables_.begin(), variables_.end(), m.product);
      if (found == variables_.end()) return std::nullopt;
      out.coefficients[static_cast<std::size_t>(found - variables_.begin())] = *coefficient;
    }
    __int128 reach = out.offset < 0 ? -out.offset : out.offset;
    for (std::size_t v = 0; v < out.coefficients.size(); ++v) {
      const __int128 c = out.coefficients[v];
      reach += (c < 0 ? -c : c) * out_.extents[v];
    }
    if (reach > (__int128{1} << 61)) return std::nullopt;
    return out;
  }

  const Tensors& tensors_;
  const std::vector<std::int64_t>& extents_;
  std::vector<Term> variables_, axes_;
  Contraction out_;
};

}  // namespace

std::optional<Contraction> match_contraction(Term fold, const Tensors& tensors,
                                             const std::vector<std::int64_t>& extents) {
  return Matcher(tensors, extents).run(fold);
}

}  // namespace hallmark::evaluator
