// S-expressions with the place of each part, as FPCore is written in them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hallmark::numerics {

struct SExpression {
  enum class Kind { symbol, string, list } kind = Kind::symbol;
  std::string text;  // of a symbol (numbers are symbols) or a string
  std::vector<SExpression> items;
  Location where;
  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
  bool is_list() const { return kind == Kind::list; }
  // As it would be written in one line.
  std::string print() const;
};

// All forms of a text. Throws UserError E8101 with line, column and a caret.
std::vector<SExpression> read_s_expressions(std::string_view text, const std::string& file);

}  // namespace hallmark::numerics
