#include "pairs/instance.h"

#include <fmt/format.h>

#include <algorithm>

#include "calculus/text/text.h"
#include "pairs/extrema.h"

namespace hallmark::pairs {
namespace {

using namespace calculus;

constexpr int most_depth = 4;

// The letter, as often as it takes for it to begin none of the names.
std::string unlike(std::string letter, const std::vector<std::string>& names) {
  const std::string once = letter.substr(0, 1);
  while (std::any_of(names.begin(), names.end(), [&](const std::string& s) { return s.starts_with(letter); }))
    letter += once;
  return letter;
}

}  // namespace

Instance::Instance(const Sides& sides)
    : name_(sides.name),
      axes_(sides.extents.size()),
      facts_(facts_of(sides)),
      summands_(difference_of(sides.left, sides.right)) {
  for (const SymbolRange& s : sides.symbols) symbols_.push_back(s.name);
  axis_ = unlike(axis_, symbols_);
  name_variables();
}

Instance::Instance(const Instance& around, const Inner& element)
    : symbols_(around.symbols_),
      axes_(around.axes_),
      facts_(element.hypotheses),
      depth_(around.depth_ + 1),
      axis_(around.axis_) {
  const Term a = element.first, b = element.second;
  if (depth_ > most_depth) throw NotShown{"elements within elements, deeper than is looked at"};
  if (a->sort != b->sort) throw NotShown{"elements of two sorts"};
  op_ = extremum_of(a);
  if (!op_) op_ = extremum_of(b);
  if (op_) {
    int opened = 0;
    summands_ = elements_of(*op_, a, opened);
    left_count_ = summands_.size();
    for (Summand& s : elements_of(*op_, b, opened)) summands_.push_back(std::move(s));
  } else {
    summands_ = difference_of(a, b);
  }
  for (const Summand& s : summands_)
    if (s.factors.size() == 1 && (s.factors[0] == a || s.factors[0] == b) && s.factors[0]->kind == Kind::fold)
      throw NotShown{"a fold that is neither a sum nor an extremum"};
  const auto look = [&](Term t) {
    for_each_node(t, [&](Term n) {
      if (n->kind == Kind::variable && std::find(around_.begin(), around_.end(), n) == around_.end())
        around_.push_back(n);
    });
  };
  for (Term fact : facts_) look(fact);
  look(a);
  look(b);
  name_variables();
}

void Instance::name_variables() {
  std::vector<std::string> names = symbols_;
  for (Term v : around_) names.push_back(v->name);
  first_ = unlike(first_, names);
  second_ = unlike(second_, names);
}

std::string Instance::print(Term term) const {
  text::Scope scope;
  std::vector<std::string> axes;
  for_each_node(term, [&](Term n) {
    if (n->kind == Kind::symbol || n->kind == Kind::variable) scope.names[n->name] = n;
    if (n->kind == Kind::axis)
      while (axes.size() <= static_cast<std::size_t>(n->number))
        axes.push_back(axis_ + std::to_string(axes.size()));
  });
  return text::print_term(term, scope, axes);
}

Term Instance::parse(const std::string& written) const {
  // A number by itself would be read as an element.
  if (!written.empty() && written.size() < 40 &&
      written.find_first_not_of("0123456789", written[0] == '-' ? 1 : 0) == std::string::npos &&
      written != "-")
    return integer(Integer(written));
  text::Scope scope;
  std::vector<std::string> axes;
  for (const std::string& s : symbols_) scope.names[s] = symbol(s);
  for (Term v : around_) scope.names[v->name] = v;
  for (std::size_t i = 0; i < axes_; ++i) axes.push_back(axis_ + std::to_string(i));
  for (const Summand& s : summands_)
    for (std::size_t i = 1; i <= s.binders.size(); ++i)
      for (const std::string& letter : {first_, second_})
        scope.names[letter + std::to_string(i)] = variable(letter + std::to_string(i));
  return text::parse_term(written, "certificate", scope, axes);
}

std::string Instance::print(const std::string& before, const Summand& summand) const {
  std::string out = before;
  if (!summand.binders.empty() || summand.guard != truth(true)) {
    out += op_ ? "(" : " * sum(";
    for (std::size_t i = 0; i < summand.binders.size(); ++i)
      out += fmt::format("{}{} < {}", i == 0 ? "" : ", ", summand.binders[i].variable->name,
                         print(summand.binders[i].extent));
    if (summand.guard != truth(true))
      out += (summand.binders.empty() ? "where " : " where ") + print(summand.guard);
    out += ")";
  }
  for (Term f : summand.factors) out += (op_ ? " " : " * ") + print(f);
  return out;
}

std::vector<std::string> Instance::heading() const {
  std::vector<std::string> out;
  const std::string what = op_ ? std::string(calculus::name(*op_)) : "sum";
  if (depth_ == 0) {
    out.push_back("sides " + name_);
    for (Term fact : facts_) out.push_back("given " + print(fact));
  } else {
    out.push_back("inner " + what);
  }
  for (std::size_t n = 0; n < summands_.size(); ++n)
    out.push_back(op_ ? print((n < left_count_ ? "left " : "right ") + what, first(summands_[n]))
                      : "sum " + print(summands_[n].coefficient.get_str(), first(summands_[n])));
  return out;
}

}  // namespace hallmark::pairs
