#include "pairs/extrema.h"

#include <fmt/format.h>

namespace hallmark::pairs {
namespace {

using namespace calculus;

constexpr std::size_t most_parts = 128, most_binders = 64;

bool is_ordered(const Sort& sort) {
  return sort == Sort::real() || sort.kind == Sort::Kind::integer;
}

bool mentions(Term a, Term leaf) {
  bool found = false;
  for_each_node(a, [&](Term n) { found = found || n == leaf; });
  return found;
}

bool applies(Term a, Op op) {
  return a->kind == Kind::operation && a->op == op && a->rounding == Rounding::none && is_ordered(a->sort);
}

struct Opened {
  Binder binder;
  Term guard = nullptr, init = nullptr, body = nullptr;
};

// A fold that takes the extremum of its running value and what does not depend on that.
std::optional<Opened> open_fold(Term a, Op op, int& opened) {
  if (a->kind != Kind::fold || a->size != 1 || a->order != any_order() || !is_ordered(a->sort))
    return std::nullopt;
  const FoldParts parts = calculus::open(a);
  if (!parts.combine.empty() || !applies(parts.step[0], op)) return std::nullopt;
  const Term variable = calculus::variable(fmt::format("%{:04}", ++opened));
  const Term state = calculus::variable(fmt::format("%{:04}s", opened), parts.states[0]->sort);
  const Substitution names{{parts.variable, variable}, {parts.states[0], state}};
  const Term step = substitute(parts.step[0], names);
  Opened out{{variable, parts.extent},
             parts.guard == nullptr ? truth(true) : substitute(parts.guard, names),
             parts.init[0],
             nullptr};
  if (step->children[0] == state)
    out.body = step->children[1];
  else if (step->children[1] == state)
    out.body = step->children[0];
  if (out.body == nullptr || mentions(out.body, state) || mentions(out.guard, state)) return std::nullopt;
  return out;
}

class Reader {
 public:
  Reader(Op op, int& opened) : op_(op), opened_(opened) {}

  void read(Term a, const std::vector<Binder>& binders, Term guard) {
    if (binders.size() > most_binders || out_.size() >= most_parts)
      throw NotShown{"an extremum of more parts than are looked at"};
    if (applies(a, op_)) {
      for (Term child : a->children) read(child, binders, guard);
      return;
    }
    if (a->kind == Kind::select) {
      read(a->children[1], binders, both(guard, a->children[0]));
      read(a->children[2], binders, both(guard, negation(a->children[0])));
      return;
    }
    // The start of this very operation is no element.
    if (a->kind == Kind::extreme && a->number == (op_ == Op::max ? -1 : 1)) return;
    if (a->kind == Kind::extreme) throw NotShown{"the start of another extremum"};
    if (const std::optional<Opened> fold = open_fold(a, op_, opened_)) {
      read(fold->init, binders, guard);
      std::vector<Binder> inside = binders;
      inside.push_back(fold->binder);
      return read(fold->body, inside, both(guard, fold->guard));
    }
    if (!is_ordered(a->sort)) throw NotShown{"an extremum of " + to_string(a->sort)};
    out_.push_back({1, binders, guard, {a}});
  }
  std::vector<Summand> take() { return std::move(out_); }

 private:
  Op op_;
  int& opened_;
  std::vector<Summand> out_;
};

}  // namespace

std::optional<Op> extremum_of(Term a) {
  int opened = 0;
  for (const Op op : {Op::max, Op::min})
    if (applies(a, op) || open_fold(a, op, opened)) return op;
  return std::nullopt;
}

std::vector<Summand> elements_of(Op op, Term a, int& opened) {
  Reader reader(op, opened);
  reader.read(a, {}, truth(true));
  return reader.take();
}

}  // namespace hallmark::pairs
