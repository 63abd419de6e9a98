#include "evaluator/expression.h"

#include <algorithm>
#include <set>

#include "base/error.h"

namespace hallmark::evaluator {

using namespace calculus;

namespace {

using Bound = std::optional<Integer>;

Bound plus(const Bound& a, const Bound& b) {
  if (!a || !b) return std::nullopt;
  return Integer(*a + *b);
}

Interval sum(const Interval& a, const Interval& b) {
  return {plus(a.low, b.low), plus(a.high, b.high)};
}

Interval scaled(const Integer& factor, const Interval& a) {
  const auto times = [&](const Bound& b) -> Bound {
    if (!b) return std::nullopt;
    return Integer(factor * *b);
  };
  if (factor == 0) return {0, 0};
  return factor > 0 ? Interval{times(a.low), times(a.high)} : Interval{times(a.high), times(a.low)};
}

Interval product(const Interval& a, const Interval& b) {
  if (!a.low || !a.high || !b.low || !b.high) return {};
  const Integer all[4] = {*a.low * *b.low, *a.low * *b.high, *a.high * *b.low, *a.high * *b.high};
  return {*std::min_element(all, all + 4), *std::max_element(all, all + 4)};
}

Interval hull(const Interval& a, const Interval& b) {
  Interval out;
  if (a.low && b.low) out.low = std::min(*a.low, *b.low);
  if (a.high && b.high) out.high = std::max(*a.high, *b.high);
  return out;
}

Interval meet(const Interval& a, const Interval& b) {
  Interval out = a;
  if (b.low && (!out.low || *b.low > *out.low)) out.low = b.low;
  if (b.high && (!out.high || *b.high < *out.high)) out.high = b.high;
  return out;
}

void merge(std::vector<int>& into, const std::vector<int>& from) {
  std::vector<int> out;
  std::set_union(into.begin(), into.end(), from.begin(), from.end(), std::back_inserter(out));
  into = std::move(out);
}

}  // namespace

ExpressionBuilder::ExpressionBuilder(const Tensors& tensors, std::vector<std::int64_t> extents, int lane)
    : tensors_(tensors), extents_(std::move(extents)), lane_(lane) {}

Expression* ExpressionBuilder::build(Term body) {
  return make(body);
}

const Tensor& ExpressionBuilder::tensor(const std::string& name) const {
  const auto found = tensors_.find(name);
  ensure(found != tensors_.end(), "the tensor " + name + " has no value");
  return found->second;
}

const std::vector<int>& ExpressionBuilder::open_numbers(Term term) {
  if (const auto known = open_numbers_.find(term); known != open_numbers_.end()) return known->second;
  std::set<int> out;
  if (term->kind == Kind::bound || term->kind == Kind::state) out.insert(term->number);
  for (std::size_t i = 0; i < term->children.size(); ++i) {
    const bool inside = term->kind == Kind::fold && (i == 1 || i >= 2 + static_cast<std::size_t>(term->size));
    for (const int number : open_numbers(term->children[i]))
      if (!inside || number != term->number) out.insert(number);
  }
  return open_numbers_.emplace(term, std::vector<int>(out.begin(), out.end())).first->second;
}

ExpressionBuilder::Binder& ExpressionBuilder::home(Term term) {
  const std::vector<int>& open = open_numbers(term);
  return binders_[open.empty() ? 0 : open.front()];
}

Expression* ExpressionBuilder::make(Term term) {
  if (const auto known = home(term).memo.find(term); known != home(term).memo.end()) return known->second;
  expressions_.emplace_back();
  Expression& e = expressions_.back();
  e.term = term;
  switch (term->kind) {
    case Kind::fold:
      e.fold = build_fold(term);
      e.which = term->which;
      break;
    case Kind::bound:
    case Kind::state:
      e.fold = binders_.at(term->number).fold;
      e.which = term->which;
      break;
    case Kind::load:
      finish_load(e);
      break;
    case Kind::select:
    case Kind::index_select:
      guards_.push_back(guard(term->children[0]));
      e.guard = &guards_.back();
      e.children = {make(term->children[1]), make(term->children[2])};
      break;
    default:
      for (Term child : term->children) e.children.push_back(make(child));
      break;
  }
  finish(e);
  home(term).memo.emplace(term, &e);
  return &e;
}

void ExpressionBuilder::finish(Expression& e) {
  const Term t = e.term;
  const auto see = [&](const Expression* part) {
    merge(e.depends, part->depends);
    e.varies = e.varies || part->varies;
    e.reads = e.reads || part->reads;
    e.can_fault = e.can_fault || part->can_fault;
    e.cost = std::min<std::size_t>(e.cost + part->cost, 1000000);
  };
  const auto see_guard = [&](const Guard& g) {
    for (const LaneAffine& bound : g.bounds) {
      see(bound.rest);
      if (bound.coefficient != 0) merge(e.depends, {axis_code(lane_)});
      e.varies = e.varies || bound.coefficient != 0;
    }
    if (g.rest != nullptr) see(g.rest);
  };
  for (const Expression* child : e.children) see(child);
  if (e.guard != nullptr) see_guard(*e.guard);
  if (t->kind == Kind::axis) {
    ensure(t->number >= 0 && t->number < static_cast<int>(extents_.size()), "an axis outside the rank");
    e.depends = {axis_code(t->number)};
    e.varies = t->number == lane_;
  } else if (t->kind == Kind::bound) {
    e.depends = {variable_code(*e.fold)};
  } else if (t->kind == Kind::state) {
    e.depends = {state_code(*e.fold)};
    e.varies = e.fold->varies;
  } else if (t->kind == Kind::fold) {
    const Fold& f = *e.fold;
    see_guard(f.guard);
    for (const auto* list : {&f.step, &f.combine})
      for (const Expression* part : *list) see(part);
    e.cost = 1000000;
    std::vector<int> outside;
    for (const int code : e.depends)
      if (code != variable_code(f) && code != state_code(f)) outside.push_back(code);
    e.depends = std::move(outside);
    see(f.extent.rest);
    if (f.extent.coefficient != 0) merge(e.depends, {axis_code(lane_)});
    for (const Expression* part : f.init) see(part);
    e.varies = f.varies;
    // Its registers are as the term says, even where a splat makes the value the same in every lane.
    if (f.varies) merge(e.depends, {axis_code(lane_)});
  } else if (t->kind == Kind::load) {
    for (const LaneAffine& d : e.dimensions) {
      see(d.rest);
      if (d.coefficient != 0) {
        merge(e.depends, {axis_code(lane_)});
        e.varies = true;
      }
    }
    e.reads = true;
    e.can_fault = e.can_fault || e.checked;
  } else if (t->kind == Kind::operation && t->op >= Op::exp && t->op <= Op::erf) {
    e.cost += 50;
  }
  if (t->sort == Sort::index()) e.interval = interval_of(e);
}

void ExpressionBuilder::finish_load(Expression& e) {
  const Term t = e.term;
  const Tensor& tensor = this->tensor(t->name);
  const std::vector<std::int64_t>& extents = tensor.extents();
  ensure(extents.size() == t->children.size(), "a load of " + t->name + " with a wrong rank");
  std::vector<Expression*> indices;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    indices.push_back(make(t->children[d]));
    // One offset may cancel a read inside an index, or a splat all of them; a read that can be outside is
    // made.
    e.checked =
        e.checked || indices[d]->can_fault || !indices[d]->interval.within(0, from_i64(extents[d]) - 1);
  }
  if (e.checked) {
    for (std::size_t d = 0; d < extents.size(); ++d)
      e.dimensions.push_back(split(t->children[d], indices[d]));
    return;
  }
  const bool splat = tensor.encoded() != nullptr && (*tensor.encoded())->splat;
  Term offset = integer(0L);
  for (std::size_t d = 0; d < extents.size() && !splat; ++d)
    offset = calculus::add(scale(from_i64(extents[d]), offset), t->children[d]);
  e.dimensions.push_back(split(offset, make(offset)));
}

LaneAffine ExpressionBuilder::split(Term index, Expression* whole) {
  // What is added up for each lane must stay far inside 64 bits.
  const Integer limit = power_of_two(61);
  if (!whole->varies || !whole->interval.within(-limit, limit)) return {whole, 0};
  Term coefficient = nullptr, rest = nullptr;
  if (affine_in(index, axis(lane_), coefficient, rest)) {
    const Integer* factor = as_integer(coefficient);
    const auto small = factor != nullptr ? to_i64(*factor) : std::nullopt;
    if (small && *small != 0) {
      Expression* other = make(rest);
      if (!other->varies && other->interval.within(-limit, limit)) return {other, *small};
    }
  }
  return {whole, 0};
}

Guard ExpressionBuilder::guard(Term condition) {
  Guard out;
  std::vector<Term> rest;
  const auto part = [&](Term c) {
    if (c->kind == Kind::at_most_zero || c->kind == Kind::is_zero) {
      const Term p = c->children[0];
      const LaneAffine bound = split(p, make(p));
      // A read that may be outside is guarded by the other parts.
      if (!bound.rest->varies && !make(p)->can_fault) {
        out.bounds.push_back(bound);
        if (c->kind == Kind::is_zero) {
          const Term negated = scale(-1, p);
          out.bounds.push_back(split(negated, make(negated)));
        }
        return;
      }
    }
    if (c != truth(true)) rest.push_back(c);
  };
  if (condition->kind == Kind::conjunction)
    for (Term c : condition->children) part(c);
  else
    part(condition);
  if (!rest.empty()) out.rest = make(conjunction(rest));
  return out;
}

Fold* ExpressionBuilder::build_fold(Term term) {
  const Term key = component(term, 0);
  if (const auto known = home(key).folds.find(key); known != home(key).folds.end()) return known->second;
  folds_.emplace_back();
  Fold& f = folds_.back();
  f.number = static_cast<int>(folds_.size()) - 1;
  f.size = static_cast<std::size_t>(term->size);
  f.order = term->order;
  const std::vector<Term>& c = term->children;
  const std::vector<int> open = open_numbers(term);
  for_each_node(term, [&](Term node) {
    if (node->kind == Kind::axis) f.varies = f.varies || node->number == lane_;
    if (node->kind == Kind::state && std::binary_search(open.begin(), open.end(), node->number))
      f.varies = f.varies || binders_.at(node->number).fold->varies;
  });
  const Expression* extent = make(c[0]);
  f.extent = split(c[0], make(c[0]));
  for (std::size_t j = 0; j < f.size; ++j) f.init.push_back(make(c[2 + j]));
  f.variable.low = 0;
  if (extent->interval.high) f.variable.high = std::max(Integer(*extent->interval.high - 1), Integer(0));
  binders_[term->number] = {&f, {}, {}};
  f.guard = guard(c[1]);
  for (std::size_t j = 0; j < f.size; ++j) f.step.push_back(make(c[2 + f.size + j]));
  for (std::size_t j = 0; c.size() > 2 + 2 * f.size && j < f.size; ++j)
    f.combine.push_back(make(c[2 + 2 * f.size + j]));
  home(key).folds.emplace(key, &f);
  return &f;
}

Interval ExpressionBuilder::interval_of(const Expression& e) {
  const Term t = e.term;
  switch (t->kind) {
    case Kind::integer:
      return {t->value.get_num(), t->value.get_num()};
    case Kind::axis:
      return {0, std::max(Integer(from_i64(extents_[static_cast<std::size_t>(t->number)]) - 1), Integer(0))};
    case Kind::bound:
      return e.fold->variable;
    case Kind::product: {
      Interval out{1, 1};
      for (const Expression* child : e.children) out = product(out, child->interval);
      return out;
    }
    case Kind::polynomial:
      return polynomial_interval(e);
    case Kind::floor_div: {
      const Integer* divisor = as_integer(t->children[1]);
      if (divisor == nullptr || *divisor <= 0) return {};
      Interval out;
      const Interval& a = e.children[0]->interval;
      if (a.low) out.low = hallmark::floor_div(*a.low, *divisor);
      if (a.high) out.high = hallmark::floor_div(*a.high, *divisor);
      return out;
    }
    case Kind::index_min:
    case Kind::index_max: {
      // The least of several is at most each of them.
      Interval out = e.children[0]->interval;
      for (const Expression* child : e.children) {
        const Interval& next = child->interval;
        const Interval both = hull(out, next);
        if (t->kind == Kind::index_min)
          out = {both.low, next.high && (!out.high || *next.high < *out.high) ? next.high : out.high};
        else
          out = {next.low && (!out.low || *next.low > *out.low) ? next.low : out.low, both.high};
      }
      return out;
    }
    case Kind::index_select:
      return hull(e.children[0]->interval, e.children[1]->interval);
    case Kind::to_index: {
      const Sort sort = t->children[0]->sort;
      if (sort == Sort::boolean()) return {0, 1};
      const unsigned width = storage_bits(sort.format);
      if (!is_signed(sort.format)) return {0, Integer(power_of_two(width) - 1)};
      return {Integer(-power_of_two(width - 1)), Integer(power_of_two(width - 1) - 1)};
    }
    default:
      return {};
  }
}

Interval ExpressionBuilder::polynomial_interval(const Expression& e) {
  const Term t = e.term;
  Interval out{0, 0};
  for (std::size_t i = 0; i < e.children.size(); ++i)
    out = sum(out, scaled(t->coefficients[i], e.children[i]->interval));
  // factor * (p - q * floor(p / q)) lies in factor * [0, q - 1], which its parts do not show.
  for (std::size_t i = 0; i < e.children.size(); ++i) {
    const Term quotient = t->children[i];
    if (quotient->kind != Kind::floor_div) continue;
    const Integer* q = as_integer(quotient->children[1]);
    if (q == nullptr || *q <= 0 || floor_mod(t->coefficients[i], *q) != 0) continue;
    const Integer factor = -t->coefficients[i] / *q;
    const Term remainder = mod(quotient->children[0], integer(*q));
    const Term rest = subtract(t, scale(factor, remainder));
    if (monomials(rest).size() >= monomials(t).size()) continue;
    const Interval whole = scaled(factor, Interval{0, Integer(*q - 1)});
    out = meet(out, sum(whole, make(rest)->interval));
  }
  return out;
}

}  // namespace hallmark::evaluator
