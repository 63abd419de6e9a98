#include "validator/ptx/lexer.h"

#include <fmt/format.h>

#include <bit>
#include <cstdlib>

namespace hallmark::validator::ptx {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool starts_name(char c) {
  return is_letter(c) || c == '_' || c == '$' || c == '%';
}
bool continues_name(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}
int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Lexer {
 public:
  Lexer(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    tokens.reserve(text_.size() / 4);
    for (;;) {
      const std::size_t before = at_;
      skip_blank();
      Token token;
      token.line = line_;
      token.column = static_cast<std::uint32_t>(at_ - line_start_ + 1);
      token.after_space = at_ != before;
      if (at_ == text_.size()) {
        tokens.push_back(token);
        return tokens;
      }
      next(token);
      tokens.push_back(token);
    }
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  [[noreturn]] void fail(std::string message) const {
    fail_at<UserError>("E3100", std::move(message), text_, file_, line_,
                       static_cast<std::uint32_t>(at_ - line_start_ + 1));
  }
  void new_line() {
    ++line_;
    line_start_ = at_ + 1;
  }

  void skip_blank() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        new_line();
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == '/' && peek(1) == '*') {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) fail("this comment has no end");
        for (; at_ < end + 2; ++at_)
          if (text_[at_] == '\n') new_line();
      } else {
        return;
      }
    }
  }

  void next(Token& token) {
    const std::size_t start = at_;
    const char c = text_[at_];
    if (starts_name(c)) {
      ++at_;
      while (continues_name(peek())) ++at_;
      token.kind = Token::Kind::identifier;
      token.text = text_.substr(start, at_ - start);
    } else if (c == '.' && (continues_name(peek(1)))) {
      ++at_;
      while (continues_name(peek()) || (peek() == ':' && peek(1) == ':' && continues_name(peek(2))))
        at_ += peek() == ':' ? 2 : 1;
      token.kind = Token::Kind::dotted;
      token.text = text_.substr(start + 1, at_ - start - 1);
    } else if (is_digit(c)) {
      number(token);
      token.text = text_.substr(start, at_ - start);
    } else if (c == '"') {
      const std::size_t end = text_.find_first_of("\"\n", at_ + 1);
      if (end == std::string_view::npos || text_[end] == '\n') fail("this string has no end");
      token.kind = Token::Kind::string;
      token.text = text_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
    } else if (std::string_view(",;:(){}[]@!+-|=<>*/&^~?%").find(c) != std::string_view::npos) {
      token.kind = Token::Kind::punctuation;
      token.text = text_.substr(at_++, 1);
    } else {
      fail(fmt::format("the byte 0x{:02x} cannot stand here", static_cast<unsigned char>(c)));
    }
  }

  std::uint64_t digits(unsigned base, std::size_t exactly = 0) {
    std::uint64_t value = 0;
    std::size_t count = 0;
    for (int d = hex_digit(peek()); d >= 0 && static_cast<unsigned>(d) < base; d = hex_digit(peek())) {
      if (value > (~std::uint64_t{0} - static_cast<unsigned>(d)) / base) fail("this number exceeds 64 bits");
      value = value * base + static_cast<unsigned>(d);
      ++count;
      ++at_;
    }
    if (count == 0 || (exactly != 0 && count != exactly)) fail("this number has a wrong count of digits");
    if (continues_name(peek()) && peek() != 'U') fail("this number has a wrong digit");
    if (peek() == 'U') ++at_;
    return value;
  }

  void number(Token& token) {
    const char second = peek(1);
    if (peek() == '0' && (second == 'f' || second == 'F')) {
      at_ += 2;
      token.kind = Token::Kind::float_bits;
      token.value = digits(16, 8);
    } else if (peek() == '0' && (second == 'd' || second == 'D')) {
      at_ += 2;
      token.kind = Token::Kind::double_bits;
      token.value = digits(16, 16);
    } else if (peek() == '0' && (second == 'x' || second == 'X')) {
      at_ += 2;
      token.kind = Token::Kind::integer;
      token.value = digits(16);
    } else if (peek() == '0' && (second == 'b' || second == 'B')) {
      at_ += 2;
      token.kind = Token::Kind::integer;
      token.value = digits(2);
    } else if (is_decimal_float()) {
      decimal_float(token);
    } else {
      token.kind = Token::Kind::integer;
      token.value = digits(peek() == '0' && is_digit(second) ? 8 : 10);
    }
  }

  bool is_decimal_float() const {
    std::size_t n = at_;
    while (n < text_.size() && is_digit(text_[n])) ++n;
    return n < text_.size() && ((text_[n] == '.' && n + 1 < text_.size() && is_digit(text_[n + 1])) ||
                                text_[n] == 'e' || text_[n] == 'E');
  }

  void decimal_float(Token& token) {
    const std::string copy(text_.substr(at_, 64));
    char* end = nullptr;
    const double value = std::strtod(copy.c_str(), &end);
    at_ += static_cast<std::size_t>(end - copy.c_str());
    if (continues_name(peek())) fail("this number has a wrong digit");
    token.kind = Token::Kind::double_bits;
    token.value = std::bit_cast<std::uint64_t>(value);
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0, line_start_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text, const std::string& file) {
  return Lexer(text, file).run();
}

}  // namespace hallmark::validator::ptx
