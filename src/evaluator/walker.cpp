#include "evaluator/walker.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "evaluator/float_format.h"

namespace hallmark::evaluator {

using namespace calculus;

namespace {

[[noreturn]] void overflow() {
  throw Refusal("E1006", "an index does not fit 64 bits");
}
std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t c = 0;
  if (__builtin_add_overflow(a, b, &c)) overflow();
  return c;
}
std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t c = 0;
  if (__builtin_mul_overflow(a, b, &c)) overflow();
  return c;
}
std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return times(a, -1);
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
std::int64_t small(const Integer& value) {
  const auto fits = to_i64(value);
  if (!fits) overflow();
  return *fits;
}

}  // namespace

Walker::Walker(Term term, Scope scope) : scope_(std::move(scope)) {
  const auto size = static_cast<std::size_t>(term->height) + 1;
  bound_.resize(size);
  states_.resize(size);
  bound_at_.resize(size);
  root_ = add(term);
}

int Walker::add(Term term) {
  if (const auto known = ids_.find(term); known != ids_.end()) return known->second;
  Entry entry;
  entry.term = term;
  std::vector<int> open;
  if (term->kind == Kind::bound || term->kind == Kind::state) open = {term->number};
  for (std::size_t i = 0; i < term->children.size(); ++i) {
    const int child = add(term->children[i]);
    entry.children.push_back(child);
    entry.reads = entry.reads || entries_[static_cast<std::size_t>(child)].reads;
    // A fold's extent and start values stand outside its binder.
    const bool inside =
        term->kind == Kind::fold && i != 0 && (i == 1 || i >= 2 + static_cast<std::size_t>(term->size));
    for (int number : open_.at(term->children[i]))
      if (!inside || number != term->number) open.push_back(number);
  }
  std::sort(open.begin(), open.end());
  open.erase(std::unique(open.begin(), open.end()), open.end());
  entry.binder = open.empty() ? 0 : open.front();
  ensure(entry.binder < static_cast<int>(bound_.size()), "a term with a binder that no fold inside it binds");
  switch (term->kind) {
    case Kind::constant:
    case Kind::extreme:
    case Kind::truth:
      entry.constant = constant_value(term, scope_.reals);
      break;
    case Kind::load: {
      const auto found = scope_.tensors->find(term->name);
      ensure(found != scope_.tensors->end(), "the tensor " + term->name + " has no value");
      ensure(found->second.extents().size() == term->children.size(),
             "a load of " + term->name + " with a wrong rank");
      entry.tensor = &found->second;
      entry.reads = true;
      break;
    }
    case Kind::fold: {
      Fold fold{term->number,
                entry.binder,
                static_cast<std::size_t>(term->size),
                term->order,
                entry.children,
                0,
                {}};
      std::vector<int>& same_children = folds_by_children_[entry.children];
      for (int candidate : same_children) {
        const Fold& other = folds_[static_cast<std::size_t>(candidate)];
        if (other.number == fold.number && other.size == fold.size && other.order == fold.order)
          entry.fold = candidate;
      }
      if (entry.fold < 0) {
        entry.fold = static_cast<int>(folds_.size());
        same_children.push_back(entry.fold);
        folds_.push_back(std::move(fold));
      }
      break;
    }
    case Kind::operation:
      if (term->op == Op::custom)
        throw Refusal("E1002", "the operation '" + term->name + "' has no definition");
      break;
    default:
      break;
  }
  const int id = static_cast<int>(entries_.size());
  entries_.push_back(std::move(entry));
  ids_.emplace(term, id);
  open_.emplace(term, std::move(open));
  return id;
}

Value Walker::run(const std::vector<std::int64_t>& axes) {
  axes_ = axes;
  bound_at_[0] = ++clock_;
  return value(root_);
}

const Value& Walker::value(int id) {
  Entry& entry = entries_[static_cast<std::size_t>(id)];
  const std::uint64_t since = bound_at_[static_cast<std::size_t>(entry.binder)];
  if (entry.stamp != since) {
    entry.value = compute(entry);
    entry.stamp = since;
  }
  return entry.value;
}

Value Walker::compute(const Entry& entry) {
  const Term t = entry.term;
  switch (t->kind) {
    case Kind::constant:
    case Kind::extreme:
    case Kind::truth:
      return entry.constant;
    case Kind::variable: {
      const auto found = scope_.variables.find(t);
      ensure(found != scope_.variables.end(), "the variable " + t->name + " has no value");
      return found->second;
    }
    case Kind::load:
      return load_value(entry);
    case Kind::operation: {
      Value operands[3];
      for (std::size_t i = 0; i < entry.children.size(); ++i) operands[i] = value(entry.children[i]);
      return operate(t, operands);
    }
    case Kind::select:
      return value(entry.children[holds(entry.children[0]) ? 1 : 2]);
    case Kind::state:
      return states_[static_cast<std::size_t>(t->number)].at(static_cast<std::size_t>(t->which));
    case Kind::fold:
      return run_fold(folds_[static_cast<std::size_t>(entry.fold)]).at(static_cast<std::size_t>(t->which));
    case Kind::from_index:
      return from_index_value(index(entry.children[0]), t->sort, scope_.reals);
    case Kind::cast:
      return cast_value(value(entry.children[0]), t->children[0]->sort, t->format, t->sort, scope_.reals);
    default:
      return t->sort == Sort::index() ? index_value(entry) : boolean_value(entry);
  }
}

std::int64_t Walker::symbol_value(const std::string& name) const {
  const auto found = scope_.symbols->find(name);
  ensure(found != scope_.symbols->end(), "the symbol " + name + " has no value");
  return found->second;
}

std::int64_t Walker::index_value(const Entry& entry) {
  const Term t = entry.term;
  const std::vector<int>& c = entry.children;
  switch (t->kind) {
    case Kind::integer:
      return small(t->value.get_num());
    case Kind::symbol:
      return symbol_value(t->name);
    case Kind::axis:
      return axes_.at(static_cast<std::size_t>(t->number));
    case Kind::bound:
      return bound_[static_cast<std::size_t>(t->number)];
    case Kind::product: {
      std::int64_t out = 1;
      for (int child : c) out = times(out, index(child));
      return out;
    }
    case Kind::polynomial: {
      std::int64_t out = 0;
      for (std::size_t i = 0; i < c.size(); ++i)
        out = plus(out, times(small(t->coefficients[i]), index(c[i])));
      return out;
    }
    case Kind::floor_div:
      return floor_quotient(index(c[0]), index(c[1]));
    case Kind::index_min:
    case Kind::index_max: {
      std::int64_t out = index(c[0]);
      for (int child : c)
        out = t->kind == Kind::index_min ? std::min(out, index(child)) : std::max(out, index(child));
      return out;
    }
    case Kind::index_select:
      return index(c[holds(c[0]) ? 1 : 2]);
    case Kind::to_index: {
      const std::int64_t element = index(c[0]);
      if (t->children[0]->sort == Sort::integer(Format::u64) && element < 0) overflow();
      return element;
    }
    default:
      throw InternalError("an index term of unknown kind");
  }
}

std::int64_t Walker::boolean_value(const Entry& entry) {
  const Term t = entry.term;
  const std::vector<int>& c = entry.children;
  switch (t->kind) {
    case Kind::at_most_zero:
      return index(c[0]) <= 0 ? 1 : 0;
    case Kind::is_zero:
      return index(c[0]) == 0 ? 1 : 0;
    case Kind::conjunction:
    case Kind::disjunction: {
      // Parts are kept in a fixed order, not the written one: those that read no tensor go first, so that a
      // bounds test guards the read beside it.
      const bool neutral = t->kind == Kind::conjunction;
      for (const bool reading : {false, true})
        for (int child : c)
          if (entries_[static_cast<std::size_t>(child)].reads == reading && holds(child) != neutral)
            return neutral ? 0 : 1;
      return neutral ? 1 : 0;
    }
    case Kind::negation:
      return holds(c[0]) ? 0 : 1;
    case Kind::compare: {
      const Value a = value(c[0]);
      return compare_values(t->op, t->children[0]->sort, a, value(c[1])) ? 1 : 0;
    }
    case Kind::is_nan:
      return std::isnan(std::get<double>(value(c[0]))) ? 1 : 0;
    default:
      throw InternalError("a term of unknown kind");
  }
}

Value Walker::load_value(const Entry& entry) {
  const Tensor& tensor = *entry.tensor;
  std::int64_t at = 0;
  for (std::size_t d = 0; d < entry.children.size(); ++d) {
    const std::int64_t i = index(entry.children[d]), extent = tensor.extents()[d];
    if (i < 0 || i >= extent)
      throw UserError("E1012", "index " + std::to_string(i) + " of axis " + std::to_string(d) +
                                   " is outside " + entry.term->name + ", whose extent there is " +
                                   std::to_string(extent));
    at = at * extent + i;
  }
  switch (entry.term->sort.kind) {
    case Sort::Kind::real:
      if (scope_.reals == Reals::exact) return Exact{tensor.exact(at), 0};
      return tensor.number(at);
    case Sort::Kind::floating:
      ensure(tensor.encoded() != nullptr, "a tensor of real values is read in its format");
      return tensor.number(at);
    default:
      return tensor.integer(at);
  }
}

const Walker::States& Walker::run_fold(Fold& fold) {
  const std::uint64_t since = bound_at_[static_cast<std::size_t>(fold.binder)];
  if (fold.stamp != since) {
    fold.result = folded(fold);
    fold.stamp = since;
  }
  return fold.result;
}

void Walker::bind(const Fold& fold, std::int64_t variable, const States& states) {
  const auto number = static_cast<std::size_t>(fold.number);
  bound_[number] = variable;
  states_[number] = states;
  bound_at_[number] = ++clock_;
}

void Walker::step(const Fold& fold, std::int64_t k, States& states) {
  bind(fold, k, states);
  if (!holds(fold.children[1])) return;
  for (std::size_t j = 0; j < fold.size; ++j) states[j] = value(fold.children[2 + fold.size + j]);
}

Walker::States Walker::combine(const Fold& fold, const States& left, const States& right) {
  ensure(fold.children.size() == 2 + 3 * fold.size, "a fold in an order that needs a combine has none");
  States both = left, out;
  both.insert(both.end(), right.begin(), right.end());
  bind(fold, 0, both);
  for (std::size_t j = 0; j < fold.size; ++j) out.push_back(value(fold.children[2 + 2 * fold.size + j]));
  return out;
}

std::int64_t Walker::order_size(Term size) const {
  const Integer* value = as_integer(size);
  const std::int64_t result = value != nullptr ? small(*value) : symbol_value(size->name);
  if (result <= 0) throw Refusal("E1004", "a fold order of size " + std::to_string(result));
  return result;
}

Walker::States Walker::leaves(const Fold& fold, const Order& order, const std::vector<States>& parts,
                              std::size_t from, std::size_t to) {
  const std::size_t count = to - from;
  const auto misfit = [&] {
    return Refusal(
        "E1004", "the fold order " + to_string(order) + " does not fit " + std::to_string(count) + " leaves");
  };
  switch (order.kind) {
    case Order::Kind::any:
    case Order::Kind::seq: {
      if (count == 0) throw misfit();
      States out = parts[from];
      for (std::size_t i = from + 1; i < to; ++i) out = combine(fold, out, parts[i]);
      return out;
    }
    case Order::Kind::tree: {
      const auto size = static_cast<std::size_t>(order_size(order.size));
      if (count != size || (size & (size - 1)) != 0) throw misfit();
      std::vector<States> level(parts.begin() + static_cast<long>(from),
                                parts.begin() + static_cast<long>(to));
      while (level.size() > 1) {
        std::vector<States> next;
        for (std::size_t i = 0; i < level.size(); i += 2)
          next.push_back(combine(fold, level[i], level[i + 1]));
        level = std::move(next);
      }
      return level.at(0);
    }
    case Order::Kind::blocked: {
      const auto size = static_cast<std::size_t>(order_size(order.size));
      std::vector<States> blocks;
      for (std::size_t i = from; i < to; i += size)
        blocks.push_back(leaves(fold, *order.inner, parts, i, std::min(i + size, to)));
      return leaves(fold, *order.outer, blocks, 0, blocks.size());
    }
    case Order::Kind::strided:
    case Order::Kind::mma:
      break;
  }
  throw Refusal("E1005", "the fold order " + to_string(order) + " has no defined meaning here");
}

Walker::States Walker::folded(const Fold& fold) {
  const std::int64_t extent = index(fold.children[0]);
  States init;
  for (std::size_t j = 0; j < fold.size; ++j) init.push_back(value(fold.children[2 + j]));
  const Order& order = *fold.order;
  if (order.kind == Order::Kind::any || order.kind == Order::Kind::seq) {
    States states = init;
    for (std::int64_t k = 0; k < extent; ++k) step(fold, k, states);
    return states;
  }
  std::vector<States> parts;
  if (order.kind == Order::Kind::strided) {
    const std::int64_t lanes = order_size(order.size);
    for (std::int64_t l = 0; l < lanes; ++l) {
      parts.push_back(init);
      for (std::int64_t k = l; k < extent; k += lanes) step(fold, k, parts.back());
    }
    return leaves(fold, *order.inner, parts, 0, parts.size());
  }
  for (std::int64_t k = 0; k < extent; ++k) {
    parts.push_back(init);
    step(fold, k, parts.back());
  }
  return leaves(fold, order, parts, 0, parts.size());
}

}  // namespace hallmark::evaluator
