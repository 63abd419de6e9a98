#include "formulation/suggest_orders.h"

#include <algorithm>
#include <optional>
#include <set>

namespace hallmark::formulation {
namespace {

using namespace calculus;

// A number for an extent: symbols at 128, or at the end of their range that is nearer to it.
Integer nominal(Term extent, const Program& program) {
  Substitution map;
  for (const SymbolRange& range : program.symbols) {
    Integer value = std::max(range.low, Integer(128));
    if (range.high) value = std::min(value, *range.high);
    map[symbol(range.name)] = integer(value);
  }
  const Integer* value = as_integer(substitute(extent, map));
  return value != nullptr ? *value : Integer(128);
}

Integer count(const std::vector<Term>& extents, const Program& program) {
  Integer product = 1;
  for (Term extent : extents) product *= nominal(extent, program);
  return product;
}

bool mentions(Term term, Term leaf) {
  bool found = false;
  for_each_node(term, [&](Term node) { found = found || node == leaf; });
  return found;
}

// One state, step op(state, x), op associative and commutative, start neutral.
bool is_plain_reduction(const FoldParts& parts) {
  if (parts.states.size() != 1) return false;
  const Term step = parts.step[0], state = parts.states[0], init = parts.init[0];
  if (step->kind != Kind::operation || step->sort != Sort::real() || step->children.size() != 2) return false;
  const bool first = step->children[0] == state, second = step->children[1] == state;
  if (first == second || mentions(step->children[first ? 1 : 0], state)) return false;
  switch (step->op) {
    case Op::add:
      return init == real_constant(0);
    case Op::mul:
      return init == real_constant(1);
    case Op::max:
      return init == extreme(-1);
    case Op::min:
      return init == extreme(1);
    default:
      return false;
  }
}

// The number of steps of a fold that one block should take together; nothing when it should not.
std::optional<Integer> row_length(Term fold, const Declaration& declaration, const Program& program) {
  const FoldParts parts = calculus::open(fold);
  const Integer extent = nominal(parts.extent, program);
  if (extent < 64 || !is_plain_reduction(parts)) return std::nullopt;
  std::set<int> axes;
  bool nested = false;
  for_each_node(fold, [&](Term node) {
    if (node->kind == Kind::axis) axes.insert(node->number);
  });
  for_each_node(parts.step[0], [&](Term node) {
    nested = nested || (node->kind == Kind::fold && mentions(node, parts.variable));
  });
  if (nested) return std::nullopt;
  Integer rows = 1;
  for (const int d : axes) rows *= nominal(declaration.extents.at(static_cast<std::size_t>(d)), program);
  Integer largest = 0;
  bool along = false;
  for_each_node(parts.step[0], [&](Term node) {
    if (node->kind != Kind::load || !mentions(node, parts.variable) || node->children.empty()) return;
    const Declaration& source = *find_declaration(program, node->name);
    largest = std::max(largest, count(source.extents, program));
    Term coefficient = nullptr, rest = nullptr;
    const Term last = node->children.back();
    along = along || (affine_in(last, parts.variable, coefficient, rest) && coefficient == integer(1L));
  });
  if (!along || rows * extent > 2 * largest) return std::nullopt;
  return extent;
}

}  // namespace

std::map<std::string, const Order*> suggest_orders(const Program& exact) {
  std::map<std::string, const Order*> orders;
  for (const Definition& definition : exact.definitions) {
    const Term body = expand_functions(definition.body, exact.functions);
    bool all = true;
    Integer longest = 0;
    for_each_node(body, [&](Term node) {
      if (node->kind != Kind::fold || node->open) return;
      const auto length = row_length(node, definition.declaration, exact);
      all = all && length.has_value();
      if (length) longest = std::max(longest, *length);
    });
    if (!all || longest == 0) continue;
    orders[definition.declaration.name] = block_order(longest < 256 ? 64 : longest < 1024 ? 128 : 256);
  }
  return orders;
}

}  // namespace hallmark::formulation
