#include "lowering/simplify.h"

#include <unordered_map>

namespace hallmark::lowering {

using namespace calculus;

namespace {

// A window of one element, a matrix of one column: what a loop would do once is done.
bool has_one_step(const FoldParts& parts) {
  const Integer* extent = as_integer(parts.extent);
  return extent != nullptr && *extent == 1 && parts.guard->kind == Kind::truth && parts.guard->number != 0 &&
         parts.order->kind == Order::Kind::seq;
}

Term only_step(const FoldParts& parts, int which) {
  Substitution once{{parts.variable, integer(0L)}};
  for (std::size_t j = 0; j < parts.states.size(); ++j) once[parts.states[j]] = parts.init[j];
  return substitute(parts.step[static_cast<std::size_t>(which)], once);
}

class Simplifier {
 public:
  explicit Simplifier(RangeMap known) : known_(std::move(known)) {}

  Term run(Term a) {
    if (a->children.empty()) return a;
    if (const auto found = memo_.find(a); found != memo_.end()) return found->second;
    Term result = a;
    if (a->kind == Kind::fold) {
      FoldParts parts = calculus::open(a);
      parts.extent = run(parts.extent);
      const Range extent = range_of(parts.extent, known_);
      known_[parts.variable] = {Integer(0),
                                extent.high ? std::optional<Integer>(*extent.high - 1) : std::nullopt};
      parts.guard = run(parts.guard);
      for (auto* list : {&parts.init, &parts.step, &parts.combine})
        for (Term& t : *list) t = run(t);
      result = has_one_step(parts) ? only_step(parts, a->which) : calculus::fold(parts, a->which);
    } else {
      std::vector<Term> children;
      children.reserve(a->children.size());
      for (Term child : a->children) children.push_back(run(child));
      if (children != a->children) result = rebuild(a, children);
      if (result->kind == Kind::floor_div) {
        // A quotient whose range is one number is that number.
        const Range range = range_of(result, known_);
        if (range.low && range.high && *range.low == *range.high) result = integer(*range.low);
      } else if (result->kind == Kind::at_most_zero) {
        const Range range = range_of(result->children[0], known_);
        if (range.high && *range.high <= 0)
          result = truth(true);
        else if (range.low && *range.low > 0)
          result = truth(false);
      }
    }
    memo_.emplace(a, result);
    return result;
  }

 private:
  RangeMap known_;
  std::unordered_map<Term, Term> memo_;
};

}  // namespace

RangeMap known_ranges(const Program& program, const Declaration& declaration) {
  RangeMap known;
  for (const SymbolRange& range : program.symbols) known[symbol(range.name)] = {range.low, range.high};
  for (std::size_t d = 0; d < declaration.extents.size(); ++d) {
    const Range extent = range_of(declaration.extents[d], known);
    known[axis(static_cast<int>(d))] = {
        Integer(0), extent.high ? std::optional<Integer>(*extent.high - 1) : std::nullopt};
  }
  return known;
}

Term simplify_indices(Term term, const RangeMap& known) {
  return Simplifier(known).run(term);
}

}  // namespace hallmark::lowering
