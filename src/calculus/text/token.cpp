#include "calculus/text/token.h"

#include <algorithm>
#include <array>

namespace hallmark::calculus::text {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
int hex_value(char c) {
  return is_digit(c) ? c - '0' : (c >= 'a' ? c - 'a' : c - 'A') + 10;
}

constexpr std::array<std::string_view, 13> keywords{
    "if", "then", "else", "let", "and", "or", "not", "true", "false", "nan", "inf", "where", "empty_max"};
constexpr std::array<std::string_view, 6> two_letter_marks{"<=", ">=", "!=", "==", "->", ".."};

class Lexer {
 public:
  explicit Lexer(const Source& source) : source_(source), text_(source.text) {}

  std::vector<Token> run() {
    if (text_.size() > (std::size_t{64} << 20)) source_.fail("E1104", Token{}, "the text is above 64 MiB");
    std::vector<Token> out;
    do {
      out.push_back(next());
    } while (out.back().kind != Token::Kind::end);
    return out;
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool more() const { return at_ < text_.size(); }
  void advance() {
    if (text_[at_++] == '\n') {
      ++line_;
      line_start_ = at_;
    }
  }

  Token next() {
    while (more()) {
      const char c = peek();
      if (c == '#')
        while (more() && peek() != '\n') advance();
      else if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
        advance();
      else
        break;
    }
    Token token;
    token.line = line_;
    token.column = at_ - line_start_ + 1;
    if (!more()) return token;
    if (is_letter(peek())) return word(token);
    if (is_digit(peek())) return number(token);
    if (peek() == '"') return quoted(token);
    token.kind = Token::Kind::mark;
    for (std::string_view mark : two_letter_marks)
      if (text_.substr(at_, 2) == mark) token.text = mark;
    if (token.text.empty()) {
      constexpr std::string_view marks = "()[],;:=+-*/%<>@^.";
      if (marks.find(peek()) == std::string_view::npos)
        source_.fail("E1101", token, "this character has no meaning here");
      token.text = peek();
    }
    at_ += token.text.size();
    // As programming languages write it: the same relation.
    if (token.text == "==") token.text = "=";
    return token;
  }

  Token word(Token token) {
    token.kind = Token::Kind::name;
    const auto inside = [](char c) { return is_letter(c) || is_digit(c); };
    while (inside(peek()) || (peek() == '.' && inside(peek(1)))) token.text += text_[at_++];
    return token;
  }

  Token number(Token token) {
    token.kind = Token::Kind::number;
    const auto take = [&] { token.text += text_[at_++]; };
    const bool hexadecimal = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    if (hexadecimal) {
      take();
      take();
    }
    const auto digits = [&] {
      while (hexadecimal ? is_hex(peek()) : is_digit(peek())) take();
    };
    digits();
    if (peek() == '.' && (hexadecimal ? is_hex(peek(1)) : is_digit(peek(1)))) {
      take();
      digits();
    }
    const char mark = hexadecimal ? 'p' : 'e';
    const bool has_sign = peek(1) == '+' || peek(1) == '-';
    if ((peek() == mark || peek() == mark - 32) && is_digit(peek(has_sign ? 2 : 1))) {
      take();
      if (has_sign) take();
      while (is_digit(peek())) take();
    }
    if (is_letter(peek())) source_.fail("E1101", token, "a number is followed by a letter");
    return token;
  }

  Token quoted(Token token) {
    token.kind = Token::Kind::name;
    token.quoted = true;
    ++at_;
    while (peek() != '"') {
      if (!more() || peek() == '\n') source_.fail("E1101", token, "a quoted name does not end on its line");
      char c = text_[at_++];
      if (c == '\\') {
        const char escape = peek();
        if (escape == 'x' && is_hex(peek(1)) && is_hex(peek(2))) {
          c = static_cast<char>(hex_value(peek(1)) * 16 + hex_value(peek(2)));
          at_ += 3;
        } else if (escape == '"' || escape == '\\') {
          c = escape;
          ++at_;
        } else {
          source_.fail("E1101", token,
                       "in a quoted name, '\\' stands before '\"', '\\' or 'x' and two digits");
        }
      }
      token.text += c;
    }
    ++at_;
    return token;
  }

  const Source& source_;
  std::string_view text_;
  std::size_t at_ = 0, line_ = 1, line_start_ = 0;
};

}  // namespace

void Source::fail(const std::string& code, const Token& at, const std::string& message) const {
  throw UserError(code, message, {.file = file, .line = at.line, .column = at.column},
                  line_of(text, at.line));
}

std::vector<Token> tokens_of(const Source& source) {
  return Lexer(source).run();
}

bool is_keyword(std::string_view name) {
  return name == "empty_min" || std::find(keywords.begin(), keywords.end(), name) != keywords.end();
}

std::string written_name(std::string_view name) {
  bool plain = !name.empty() && is_letter(name.front()) && !is_keyword(name);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool inner_dot = name[i] == '.' && i + 1 < name.size() && name[i + 1] != '.';
    plain = plain && (is_letter(name[i]) || is_digit(name[i]) || inner_dot);
  }
  if (plain) return std::string(name);
  constexpr std::string_view hex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (byte < 0x20 || byte >= 0x7f)
      out += std::string("\\x") + hex[byte >> 4] + hex[byte & 15];
    else
      out += c;
  }
  return out + "\"";
}

}  // namespace hallmark::calculus::text
