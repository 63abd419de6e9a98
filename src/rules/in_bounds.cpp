#include "rules/in_bounds.h"

#include <algorithm>

#include "base/error.h"

namespace hallmark::rules {
namespace {

using namespace calculus;

class Walker {
 public:
  Walker(const std::vector<Declaration>& tensors, const std::vector<Definition>& earlier, Oracle& oracle)
      : tensors_(tensors), earlier_(earlier), oracle_(oracle) {}

  std::string walk(Term a, const Facts& facts) {
    if (a->children.empty() && a->kind != Kind::load) return {};
    switch (a->kind) {
      case Kind::load: {
        if (std::string failure = walk_all(a->children, facts); !failure.empty()) return failure;
        for (const Declaration& tensor : tensors_) {
          if (tensor.name != a->name) continue;
          std::vector<Term> inside;
          for (std::size_t d = 0; d < a->children.size(); ++d)
            inside.push_back(in_range(a->children[d], tensor.extents.at(d)));
          // Indices that are computed are known by their definitions.
          if (oracle_.entails(facts, inline_all(conjunction(inside), earlier_), "INBOUNDS " + a->name))
            return {};
          return "a read of " + a->name + " is not shown to be in bounds" + hint(inside);
        }
        return "a read of the undeclared tensor " + a->name;
      }
      case Kind::select:
      case Kind::index_select: {
        if (std::string failure = walk(a->children[0], facts); !failure.empty()) return failure;
        // An arm that cannot be taken reads nothing, and nothing may be argued from its contradictory facts.
        for (const auto& [condition, arm] : {std::pair{a->children[0], a->children[1]},
                                             std::pair{negation(a->children[0]), a->children[2]}}) {
          if (loads_nothing(arm) || oracle_.entails(facts, negation(condition), "INBOUNDS arm")) continue;
          if (std::string failure = walk(arm, with(facts, condition)); !failure.empty()) return failure;
        }
        return {};
      }
      case Kind::conjunction:
      case Kind::disjunction: {
        // Connectives are strict: a read behind a failing conjunct still has to exist.
        return walk_all(a->children, facts);
      }
      case Kind::fold: {
        const FoldParts parts = calculus::open(a);
        if (std::string failure = walk(parts.extent, facts); !failure.empty()) return failure;
        if (std::string failure = walk_all(parts.init, facts); !failure.empty()) return failure;
        const Facts inside = with(facts, in_range(parts.variable, parts.extent));
        // Nothing may be argued from an index that does not exist; where an extent may be 0 by a requirement,
        // it is asked.
        const bool equation =
            std::any_of(facts.begin(), facts.end(), [](Term f) { return f->kind == Kind::is_zero; });
        if (equation && oracle_.entails(facts, at_most(parts.extent, integer(Integer(0))), "INBOUNDS empty"))
          return {};
        if (std::string failure = walk(parts.guard, inside); !failure.empty()) return failure;
        return walk_all(parts.step, with(inside, parts.guard));
      }
      default:
        return walk_all(a->children, facts);
    }
  }

 private:
  // A position that a reduction found is an element of an integer format, which a range without an end
  // leaves.
  std::string hint(const std::vector<Term>& inside) const {
    bool found = false;
    for (Term part : inside)
      for_each_node(inline_all(part, earlier_), [&](Term n) {
        found = found || (n->kind == Kind::to_index && n->children[0]->kind == Kind::fold);
      });
    return found ? "; an index that a reduction finds wraps around where its range is longer than its "
                   "format: the "
                   "size may need an upper end, as in `size N <= 4294967296`"
                 : "";
  }

  static bool loads_nothing(Term a) {
    bool loads = false;
    for_each_node(a, [&](Term n) { loads = loads || n->kind == Kind::load; });
    return !loads;
  }

  std::string walk_all(const std::vector<Term>& terms, const Facts& facts) {
    for (Term t : terms)
      if (std::string failure = walk(t, facts); !failure.empty()) return failure;
    return {};
  }

  static Facts with(const Facts& facts, Term more) {
    Facts out = facts;
    if (more != truth(true)) out.push_back(more);
    return out;
  }

  const std::vector<Declaration>& tensors_;
  const std::vector<Definition>& earlier_;
  Oracle& oracle_;
};

}  // namespace

std::string out_of_bounds(Term term, const std::vector<Declaration>& tensors,
                          const std::vector<Definition>& earlier, const Facts& facts, Oracle& oracle) {
  return Walker(tensors, earlier, oracle).walk(term, facts);
}

}  // namespace hallmark::rules
