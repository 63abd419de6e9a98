#include "plan/index_text.h"

#include "base/error.h"
#include "calculus/text/text.h"

namespace hallmark::plan {

using namespace calculus;

std::string index_text(Term term) {
  text::Scope scope;
  for_each_node(term, [&](Term node) {
    ensure(node->kind != Kind::load && node->kind != Kind::axis && node->kind != Kind::variable,
           "a launch plan's index term is over symbols alone");
    if (node->kind == Kind::symbol) scope.names.emplace(node->name, node);
  });
  return text::print_term(term, scope);
}

Term parse_index(std::string_view text, const std::vector<SymbolRange>& symbols) {
  text::Scope scope;
  for (const SymbolRange& range : symbols) scope.names.emplace(range.name, symbol(range.name));
  const Term term = text::parse_term(text, "launch plan", scope);
  if (term->sort != Sort::index())
    throw UserError("E7101", "launch plan: an index term was expected: " + std::string(text));
  return term;
}

}  // namespace hallmark::plan
