#include "plan/index_text.h"

#include <cctype>

#include "base/error.h"

namespace hallmark::plan {
namespace {

using namespace calculus;

std::string call(const std::string& function, const std::vector<Term>& arguments,
                 const std::string& between) {
  std::string out = function + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) out += (i > 0 ? between : "") + index_text(arguments[i]);
  return out + ")";
}

std::string atom_text(Term a) {
  switch (a->kind) {
    case Kind::symbol:
      return a->name;
    case Kind::floor_div:
      return call("floor", a->children, " / ");
    case Kind::index_min:
      return call("min", a->children, ", ");
    case Kind::index_max:
      return call("max", a->children, ", ");
    default:
      throw InternalError("a launch plan's index term has a part without a text form");
  }
}

std::string product_text(Term product) {
  if (product->kind != Kind::product) return atom_text(product);
  std::string out;
  for (Term atom : product->children) out += (out.empty() ? "" : "*") + atom_text(atom);
  return out;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Term whole() {
    const Term result = sum();
    if (at_ != text_.size()) fail("an operator or the end was expected");
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw UserError("E7101", message, {.line = 1, .column = at_ + 1}, std::string(text_));
  }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(std::string("'") + c + "' was expected");
  }

  Term sum() {
    if (++depth_ > 200) fail("the term is nested too deeply");
    Term result = take('-') ? scale(-1, product()) : product();
    while (true) {
      if (take('+'))
        result = add(result, product());
      else if (take('-'))
        result = subtract(result, product());
      else
        break;
    }
    --depth_;
    return result;
  }

  Term product() {
    Term result = factor();
    while (take('*')) result = multiply(result, factor());
    return result;
  }

  Term factor() {
    skip_spaces();
    if (take('(')) {
      const Term inner = sum();
      expect(')');
      return inner;
    }
    const std::size_t start = at_;
    const auto more = [&](auto accepts) {
      while (at_ < text_.size() && accepts(static_cast<unsigned char>(text_[at_]))) ++at_;
    };
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      more([](unsigned char c) { return std::isdigit(c) != 0; });
      return integer(Integer(std::string(text_.substr(start, at_ - start))));
    }
    more([](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.' || c == ':'; });
    const std::string word(text_.substr(start, at_ - start));
    if (word.empty()) fail("a number, a name or '(' was expected");
    if (word == "floor" && take('(')) {
      const Term dividend = sum();
      expect('/');
      const Term divisor = sum();
      expect(')');
      return calculus::floor_div(dividend, divisor);
    }
    if ((word == "min" || word == "max") && take('(')) {
      Term result = sum();
      while (take(',')) result = word == "min" ? index_min(result, sum()) : index_max(result, sum());
      expect(')');
      return result;
    }
    return symbol(word);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::string index_text(Term term) {
  std::string out;
  for (const Monomial& m : monomials(term)) {
    const bool negative = m.coefficient < 0;
    const Integer size = abs(m.coefficient);
    out += out.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    if (m.product == nullptr)
      out += size.get_str();
    else
      out += (size == 1 ? "" : size.get_str() + "*") + product_text(m.product);
  }
  return out.empty() ? "0" : out;
}

Term parse_index(std::string_view text) {
  return Reader(text).whole();
}

}  // namespace hallmark::plan
