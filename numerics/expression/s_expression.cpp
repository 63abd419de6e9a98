#include "numerics/expression/s_expression.h"

#include <cctype>

namespace hallmark::numerics {

namespace {

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::vector<SExpression> run() {
    std::vector<SExpression> out;
    for (skip(); at_ < text_.size(); skip()) out.push_back(form(0));
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw UserError("E8101", message, where(), line_of(text_, line_));
  }
  Location where() const { return {file_, line_, column_, {}}; }

  void step() {
    if (text_[at_] == '\n') {
      ++line_;
      column_ = 0;
    }
    ++column_;
    ++at_;
  }
  void skip() {
    while (at_ < text_.size()) {
      if (text_[at_] == ';') {
        while (at_ < text_.size() && text_[at_] != '\n') step();
      } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        step();
      } else {
        return;
      }
    }
  }

  SExpression form(int depth) {
    if (depth > 400) fail("parentheses are nested too deeply");
    SExpression out;
    out.where = where();
    const char c = text_[at_];
    if (c == '(' || c == '[') {
      const char close = c == '(' ? ')' : ']';
      const std::size_t line = line_;
      out.kind = SExpression::Kind::list;
      step();
      for (skip(); at_ < text_.size() && text_[at_] != close; skip()) {
        if (text_[at_] == ')' || text_[at_] == ']') fail(std::string("expected '") + close + "'");
        out.items.push_back(form(depth + 1));
      }
      if (at_ == text_.size())
        fail("the text ends inside the parentheses opened in line " + std::to_string(line));
      step();
      return out;
    }
    if (c == ')' || c == ']') fail(std::string("'") + c + "' closes nothing");
    if (c == '"') {
      out.kind = SExpression::Kind::string;
      step();
      while (at_ < text_.size() && text_[at_] != '"') {
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) step();
        out.text += text_[at_];
        step();
      }
      if (at_ == text_.size()) fail("the text ends inside a string");
      step();
      return out;
    }
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) == 0 &&
           std::string_view("()[]\";").find(text_[at_]) == std::string_view::npos) {
      out.text += text_[at_];
      step();
    }
    return out;
  }

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0, line_ = 1, column_ = 1;
};

}  // namespace

std::string SExpression::print() const {
  if (kind == Kind::symbol) return text;
  if (kind == Kind::string) return '"' + text + '"';
  std::string out = "(";
  for (std::size_t i = 0; i < items.size(); ++i) out += (i > 0 ? " " : "") + items[i].print();
  return out + ")";
}

std::vector<SExpression> read_s_expressions(std::string_view text, const std::string& file) {
  return Reader(text, file).run();
}

}  // namespace hallmark::numerics
