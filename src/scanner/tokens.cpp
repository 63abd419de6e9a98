#include "scanner/tokens.h"

#include <array>

namespace hallmark::scanner {
namespace {

bool letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t operator_length(std::string_view rest) {
  static constexpr std::array<std::string_view, 22> operators{
      "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
      "!=",  "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
  for (const std::string_view op : operators)
    if (rest.starts_with(op)) return op.size();
  return 1;
}

}  // namespace

std::vector<Token> tokenize(std::string_view text, std::string_view extra, bool pairs) {
  std::vector<Token> out;
  std::size_t line = 1, at = 0;
  const auto in_word = [&](char c) {
    return letter(c) || digit(c) || extra.find(c) != std::string_view::npos;
  };
  const auto skip_to = [&](std::string_view end) {
    const std::size_t stop = text.find(end, at);
    const std::size_t next = stop == std::string_view::npos ? text.size() : stop + end.size();
    for (; at < next; ++at) line += text[at] == '\n' ? 1 : 0;
  };
  bool line_start = true;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '\n' || c == ' ' || c == '\t' || c == '\r') {
      line_start = line_start || c == '\n';
      line += c == '\n' ? 1 : 0;
      ++at;
      continue;
    }
    if (text.substr(at, 2) == "//" || (c == '#' && line_start)) {
      skip_to("\n");
      line_start = true;
      continue;
    }
    line_start = false;
    if (text.substr(at, 2) == "/*") {
      at += 2;
      skip_to("*/");
    } else if (c == '"' || (c == '\'' && pairs)) {
      for (++at; at < text.size() && text[at] != c && text[at] != '\n'; ++at) at += text[at] == '\\' ? 1 : 0;
      ++at;
    } else {
      std::size_t length = pairs ? operator_length(text.substr(at)) : 1;
      const bool number = digit(c) || (c == '.' && pairs && at + 1 < text.size() && digit(text[at + 1]));
      if (number || in_word(c)) {
        // A number may hold '.', and a sign behind its exponent ("1.5e-3", "0x1p-3").
        for (length = 1; at + length < text.size(); ++length) {
          const char d = text[at + length], before = text[at + length - 1];
          const bool hexadecimal = c == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X');
          const bool exponent =
              before == 'p' || before == 'P' || (!hexadecimal && (before == 'e' || before == 'E'));
          if (!in_word(d) && !(number && (d == '.' || ((d == '-' || d == '+') && pairs && exponent)))) break;
        }
      }
      out.push_back({std::string(text.substr(at, length)), line, in_word(c) && !digit(c) && !number});
      at += length;
    }
  }
  return out;
}

}  // namespace hallmark::scanner
