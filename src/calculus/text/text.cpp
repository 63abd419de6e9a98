#include "calculus/text/text.h"

#include "base/error.h"
#include "calculus/text/elaborate.h"
#include "calculus/text/print.h"
#include "calculus/text/syntax.h"

namespace hallmark::calculus::text {

std::string print_term(Term term, const Scope& scope, const std::vector<std::string>& axes) {
  Naming naming{&scope, {}, {}};
  for (std::size_t d = 0; d < axes.size(); ++d) naming.leaves.emplace(axis(static_cast<int>(d)), axes[d]);
  return printed(term, naming);
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
