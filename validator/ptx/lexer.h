// Tokens of PTX text (ISA section 4).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hallmark::validator::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    identifier,   // "ld", "%r1", "$L__BB0_1"
    dotted,       // ".global", ".shared::cta": text without the dot
    integer,      // value
    float_bits,   // 0f3F800000: value, 32 bits
    double_bits,  // 0d...: value, 64 bits; also decimal floating constants
    string,       // text without quotes
    punctuation,  // one character
    end,
  } kind = Kind::end;
  std::string_view text;
  std::uint64_t value = 0;
  std::uint32_t line = 0, column = 0;
  bool after_space = false;  // separated from the token before it

  bool is(char c) const { return kind == Kind::punctuation && text[0] == c; }
  bool is_word(std::string_view w) const { return kind == Kind::identifier && text == w; }
  bool is_dotted(std::string_view w) const { return kind == Kind::dotted && text == w; }
};

// The tokens, the last of kind `end`; their text points into `text`. Throws UserError E3100 at a character or
// number that is no PTX.
std::vector<Token> tokenize(std::string_view text, const std::string& file);

// An error at a token, with its source line.
template <class E>
[[noreturn]] void fail_at(const char* code, std::string message, std::string_view text,
                          const std::string& file, std::uint32_t line, std::uint32_t column,
                          std::string node = {}) {
  throw E(code, std::move(message), Location{file, line, column, std::move(node)}, line_of(text, line));
}

}  // namespace hallmark::validator::ptx
