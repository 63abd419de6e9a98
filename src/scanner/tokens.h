// Words, numbers and punctuation with their lines; comments and strings are gone. Serves both texts.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace hallmark::scanner {

struct Token {
  std::string text;
  std::size_t line = 0;
  bool word = false;  // starts with a letter, '_' or one of the extra characters
};

// `extra` holds the characters that belong to words beside letters, digits and '_' (PTX: "%$."). When `pairs`
// is set, the C operators of two and three characters are one token each. Preprocessor lines are dropped.
std::vector<Token> tokenize(std::string_view text, std::string_view extra, bool pairs);

}  // namespace hallmark::scanner
