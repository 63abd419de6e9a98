// Words of the text form. `#` starts a comment; line ends are spaces.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hallmark::calculus::text {

struct Token {
  enum class Kind { name, number, mark, end } kind = Kind::end;
  std::string text;     // a quoted name without its quotes
  bool quoted = false;  // such a name is never a keyword or a built-in operation
  std::size_t line = 1, column = 1;
};

// A text and where errors in it are reported.
struct Source {
  std::string file;
  std::string text;
  // "... was expected" and the like: a UserError with file, line, column and the line itself.
  [[noreturn]] void fail(const std::string& code, const Token& at, const std::string& message) const;
};

// Throws UserError E1101 for a character or a quoted name that is none, E1104 for a text above 64 MiB.
std::vector<Token> tokens_of(const Source& source);

// The name as it is written: quoted unless it is letters, digits, '_' and inner '.', and no keyword.
std::string written_name(std::string_view name);
bool is_keyword(std::string_view name);

}  // namespace hallmark::calculus::text
