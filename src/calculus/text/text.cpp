#include "calculus/text/text.h"

#include "base/error.h"
#include "calculus/text/elaborate.h"
#include "calculus/text/print.h"
#include "calculus/text/syntax.h"
#include "calculus/text/token.h"

namespace hallmark::calculus::text {

std::string print_term(Term term, const Scope& scope, const std::vector<std::string>& axes) {
  Naming naming{&scope, {}, {}};
  for (std::size_t d = 0; d < axes.size(); ++d) naming.leaves.emplace(axis(static_cast<int>(d)), axes[d]);
  return printed(term, naming);
}

std::string print_function(const Function& function, Scope& scope) {
  const Sort sort = function.body->sort;
  Scope inside = scope;
  inside.number_sort =
      sort.kind == Sort::Kind::boolean || sort.kind == Sort::Kind::index ? Sort::real() : sort;
  inside.rounded = sort.kind == Sort::Kind::floating;
  inside.tensors.clear();
  Naming naming{&inside, {}, {}};
  FunctionType type{{}, sort};
  std::string out = "function " + written_name(function.name) + "(";
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Term parameter = function.parameters[i];
    type.parameters.push_back(parameter->sort);
    // A fresh variable's name cannot be written: its hint stands for it.
    std::string shown = parameter->name.substr(0, parameter->name.find('!'));
    while (naming.taken.count(shown) != 0 || shown.empty()) shown += "_";
    naming.taken.insert(shown);
    naming.leaves.emplace(parameter, shown);
    out += (i > 0 ? ", " : "") + written_name(shown) + " : " + to_string(parameter->sort);
  }
  out += ") : " + to_string(sort) + " =\n    " + printed(function.body, naming) + "\n";
  scope.functions.emplace(function.name, std::move(type));
  return out;
}

Term parse_term(std::string_view text, const std::string& file, const Scope& scope,
                const std::vector<std::string>& axes) {
  const Source source{file, std::string(text)};
  const std::vector<Token> tokens = tokens_of(source);
  Scope inside = scope;
  for (std::size_t d = 0; d < axes.size(); ++d)
    inside.names.insert_or_assign(axes[d], axis(static_cast<int>(d)));
  std::size_t at = 0;
  const SyntaxPointer syntax = read_term(source, tokens, at);
  if (tokens[at].kind != Token::Kind::end)
    source.fail("E1101", tokens[at], "an operator or the end was expected before " + described(tokens[at]));
  return elaborate(source, *syntax, inside, Wanted::any);
}

}  // namespace hallmark::calculus::text
