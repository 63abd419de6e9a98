#include "rules/encode.h"

#include "base/error.h"
#include "rules/abstraction.h"

namespace hallmark::rules {

namespace c = calculus;

smt::Term Encoder::encode(c::Term term) {
  if (const auto found = known_.find(term); found != known_.end()) return found->second;
  const smt::Term result = term->sort == c::Sort::index() ? index(term) : boolean(term);
  known_.emplace(term, result);
  return result;
}

std::string Encoder::variable_name(c::Term term) {
  const auto found = names_.find(term);
  if (found != names_.end()) return found->second;
  return names_.emplace(term, "k" + std::to_string(names_.size())).first->second;
}

std::string Encoder::skeleton_name(c::Term skeleton) {
  const auto found = skeletons_.find(skeleton);
  if (found != skeletons_.end()) return found->second;
  return skeletons_.emplace(skeleton, std::to_string(skeletons_.size())).first->second;
}

smt::Term Encoder::application(const std::string& name, const std::vector<c::Term>& arguments,
                               smt::Sort range) {
  std::vector<smt::Term> args;
  for (c::Term a : arguments) args.push_back(encode(a));
  return arena_.apply(arena_.declare(name, std::vector<smt::Sort>(args.size(), smt::Sort::integer()), range),
                      args);
}

smt::Term Encoder::index(c::Term term) {
  const std::vector<c::Term>& children = term->children;
  switch (term->kind) {
    case c::Kind::integer:
      return arena_.integer(term->value.get_num());
    case c::Kind::symbol:
      return arena_.integer_variable("sym " + term->name);
    case c::Kind::axis:
      return arena_.integer_variable("axis " + std::to_string(term->number));
    case c::Kind::variable:
      return arena_.integer_variable("var " + variable_name(term));
    case c::Kind::product: {
      std::vector<smt::Term> factors;
      for (c::Term x : children) factors.push_back(encode(x));
      return arena_.product(factors);
    }
    case c::Kind::polynomial: {
      std::vector<smt::Term> parts;
      for (std::size_t i = 0; i < children.size(); ++i)
        parts.push_back(smt::multiply(arena_.integer(term->coefficients[i]), encode(children[i])));
      return arena_.sum(parts);
    }
    case c::Kind::floor_div:
      return smt::total_floor_div(encode(children[0]), encode(children[1]));
    case c::Kind::index_min:
    case c::Kind::index_max: {
      smt::Term out = encode(children[0]);
      for (std::size_t i = 1; i < children.size(); ++i) {
        const smt::Term next = encode(children[i]);
        const bool smaller = term->kind == c::Kind::index_min;
        out = smt::ite(smt::less_equal(out, next), smaller ? out : next, smaller ? next : out);
      }
      return out;
    }
    case c::Kind::index_select:
      return smt::ite(encode(children[0]), encode(children[1]), encode(children[2]));
    case c::Kind::to_index: {
      const Abstraction abstract(children[0]);
      if (children[0]->kind == c::Kind::load)
        return application("load " + children[0]->name, children[0]->children, smt::Sort::integer());
      return application("integer " + skeleton_name(abstract.skeleton()), abstract.arguments(),
                         smt::Sort::integer());
    }
    default:
      throw InternalError("an index term that cannot be encoded");
  }
}

smt::Term Encoder::boolean(c::Term term) {
  std::vector<smt::Term> parts;
  switch (term->kind) {
    case c::Kind::truth:
      return arena_.boolean(term->number != 0);
    case c::Kind::at_most_zero:
      return smt::less_equal(encode(term->children[0]), arena_.integer(0));
    case c::Kind::is_zero:
      return smt::equal(encode(term->children[0]), arena_.integer(0));
    case c::Kind::negation:
      return smt::negation(encode(term->children[0]));
    case c::Kind::conjunction:
      for (c::Term x : term->children) parts.push_back(encode(x));
      return arena_.conjunction(parts);
    case c::Kind::disjunction:
      for (c::Term x : term->children) parts.push_back(encode(x));
      return arena_.disjunction(parts);
    default: {
      // An uninterpreted predicate, one for each skeleton: sound, since equal indices then give equal truth
      // values and nothing else is assumed.
      const Abstraction abstract(term);
      return application("holds " + skeleton_name(abstract.skeleton()), abstract.arguments(),
                         smt::Sort::boolean());
    }
  }
}

}  // namespace hallmark::rules
