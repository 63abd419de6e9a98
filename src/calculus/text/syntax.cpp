#include "calculus/text/syntax.h"

#include <algorithm>
#include <array>

namespace hallmark::calculus::text {
namespace {

using Kind = Syntax::Kind;

constexpr std::array<std::string_view, 8> reductions{"sum", "prod", "max",    "min",
                                                     "any", "all",  "argmax", "argmin"};

class Parser {
 public:
  Parser(const Source& source, const std::vector<Token>& tokens, std::size_t& at)
      : source_(source), tokens_(tokens), at_(at) {}

  SyntaxPointer term() {
    const Nesting nesting(*this);
    if (!is_word("let")) return choice();
    SyntaxPointer node = make(Kind::let);
    while (take_word("let")) {
      node->names.push_back(name("a name to define"));
      expect("=");
      node->children.push_back(term());
      expect(";");
    }
    node->children.push_back(choice());
    return finish(std::move(node));
  }

  SyntaxPointer sum() {
    return chain(Kind::sum, {"+", "-"}, [this] { return product(); });
  }

  OrderSyntax order() {
    const Nesting nesting(*this);
    const Token word = name("a fold order (any, seq, tree, strided, blocked, mma)");
    OrderSyntax out;
    if (word.text == "any") return out;
    out.kind = Order::Kind::seq;
    if (word.text == "seq") return out;
    const int inside = word.text == "tree" ? 0 : word.text == "strided" ? 1 : word.text == "blocked" ? 2 : -1;
    if (inside < 0 && word.text != "mma")
      fail(word, "a fold order (any, seq, tree, strided, blocked, mma) was expected");
    expect("(");
    if (word.text == "mma") {
      out.kind = Order::Kind::mma;
      out.model = name("the name of an accumulation model").text;
    } else {
      out.kind = inside == 0 ? Order::Kind::tree : inside == 1 ? Order::Kind::strided : Order::Kind::blocked;
      out.size = here();
      if (here().kind != Token::Kind::number && here().kind != Token::Kind::name)
        fail(here(), "a number or a symbol was expected");
      ++at_;
      for (int i = 0; i < inside; ++i) {
        expect(",");
        out.inside.push_back(order());
      }
    }
    expect(")");
    return out;
  }

 private:
  struct Nesting {
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > maximum_depth)
        parser_.source_.fail("E1104", parser_.here(), "the term is nested too deeply");
    }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    Parser& parser_;
  };

  const Token& here(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  [[noreturn]] void fail(const Token& at, const std::string& message) const {
    source_.fail("E1101", at, message);
  }
  bool is_mark(std::string_view mark, std::size_t ahead = 0) const {
    return here(ahead).kind == Token::Kind::mark && here(ahead).text == mark;
  }
  bool is_word(std::string_view word) const {
    return here().kind == Token::Kind::name && !here().quoted && here().text == word;
  }
  bool take(std::string_view mark) {
    if (!is_mark(mark)) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (!is_word(word)) return false;
    ++at_;
    return true;
  }
  void expect(const std::string& mark) {
    if (!take(mark)) fail(here(), "'" + mark + "' was expected before " + described(here()));
  }
  void expect_word(const std::string& word) {
    if (!take_word(word)) fail(here(), "'" + word + "' was expected before " + described(here()));
  }
  Token name(const std::string& what) {
    if (here().kind != Token::Kind::name || (!here().quoted && is_keyword(here().text)))
      fail(here(), what + " was expected before " + described(here()));
    return tokens_[at_++];
  }

  SyntaxPointer make(Kind kind) const {
    auto node = std::make_unique<Syntax>();
    node->kind = kind;
    node->token = here();
    return node;
  }

  SyntaxPointer finish(SyntaxPointer node) const {
    for (const SyntaxPointer& child : node->children)
      if (child != nullptr) node->depth = std::max(node->depth, child->depth + 1);
    if (node->depth > maximum_depth) source_.fail("E1104", node->token, "the term is nested too deeply");
    return node;
  }

  template <typename Next>
  SyntaxPointer chain(Kind kind, std::initializer_list<std::string_view> marks, Next next) {
    SyntaxPointer first = next();
    const auto at_operator = [&] {
      return std::any_of(marks.begin(), marks.end(), [&](std::string_view mark) { return is_mark(mark); });
    };
    if (!at_operator()) return first;
    SyntaxPointer node = make(kind);
    node->children.push_back(std::move(first));
    while (at_operator()) {
      node->operators.push_back(here());
      ++at_;
      node->children.push_back(next());
    }
    return finish(std::move(node));
  }

  template <typename Next>
  SyntaxPointer connective(Kind kind, std::string_view word, Next next) {
    SyntaxPointer first = next();
    if (!is_word(word)) return first;
    SyntaxPointer node = make(kind);
    node->children.push_back(std::move(first));
    while (take_word(word)) node->children.push_back(next());
    return finish(std::move(node));
  }

  SyntaxPointer choice() {
    if (!is_word("if"))
      return connective(Kind::disjunction, "or", [this] {
        return connective(Kind::conjunction, "and", [this] { return negation(); });
      });
    SyntaxPointer node = make(Kind::choice);
    ++at_;
    node->children.push_back(term());
    expect_word("then");
    node->children.push_back(term());
    expect_word("else");
    node->children.push_back(term());
    return finish(std::move(node));
  }

  SyntaxPointer negation() {
    const Nesting nesting(*this);
    if (!is_word("not"))
      return chain(Kind::relation, {"<", "<=", ">", ">=", "=", "!="}, [this] { return sum(); });
    SyntaxPointer node = make(Kind::negation);
    ++at_;
    node->children.push_back(negation());
    return finish(std::move(node));
  }

  SyntaxPointer product() {
    return chain(Kind::product, {"*", "/", "%"}, [this] { return unary(); });
  }

  SyntaxPointer unary() {
    const Nesting nesting(*this);
    if (is_mark("-")) {
      SyntaxPointer node = make(Kind::negate);
      ++at_;
      SyntaxPointer child = unary();
      // A minus before a literal belongs to the literal.
      const bool literal = child->kind == Kind::number ||
                           (child->kind == Kind::name && !child->token.quoted && child->token.text == "inf");
      if (literal && !child->negative) {
        child->negative = true;
        return child;
      }
      node->children.push_back(std::move(child));
      return finish(std::move(node));
    }
    SyntaxPointer base = primary();
    if (!is_mark("^")) return base;
    SyntaxPointer node = make(Kind::power);
    ++at_;
    if (here().kind != Token::Kind::number) fail(here(), "an exponent is a number");
    node->token = here();
    ++at_;
    node->children.push_back(std::move(base));
    return finish(std::move(node));
  }

  void annotation(Syntax& node) {
    if (!take("@")) return;
    const Token sort = name("a sort");
    node.sort = sort_named(sort.text);
    if (!node.sort) fail(sort, "a sort was expected: index, bool, real, f32, i64, ...");
  }

  void list(Syntax& node, const std::string& close) {
    if (take(close)) return;
    do {
      node.children.push_back(term());
    } while (take(","));
    expect(close);
  }

  SyntaxPointer primary() {
    if (take("(")) {
      SyntaxPointer inner = term();
      expect(")");
      return inner;
    }
    if (here().kind == Token::Kind::number) {
      SyntaxPointer node = make(Kind::number);
      ++at_;
      annotation(*node);
      return node;
    }
    if (here().kind != Token::Kind::name) fail(here(), "a term was expected before " + described(here()));
    const bool plain = !here().quoted;
    if (is_mark("[", 1)) {
      SyntaxPointer node = make(Kind::index);
      at_ += 2;
      list(*node, "]");
      annotation(*node);
      return finish(std::move(node));
    }
    if (is_mark("(", 1)) {
      const bool binds = here(2).kind == Token::Kind::name && is_mark("<", 3);
      if (plain && binds && here().text == "fold") return fold();
      if (plain && binds && std::find(reductions.begin(), reductions.end(), here().text) != reductions.end())
        return reduction();
      SyntaxPointer node = make(Kind::call);
      at_ += 2;
      list(*node, ")");
      annotation(*node);
      return finish(std::move(node));
    }
    SyntaxPointer node = make(Kind::name);
    const std::string& word = here().text;
    const bool value = word == "true" || word == "false" || word == "nan" || word == "inf" ||
                       word == "empty_max" || word == "empty_min";
    if (plain && is_keyword(word) && !value) fail(here(), "a term was expected before " + described(here()));
    ++at_;
    annotation(*node);
    return node;
  }

  // NAME < sum [where term]: the variable's name, the extent and the guard.
  void binder(Syntax& node) {
    node.names.push_back(name("a variable"));
    expect("<");
    node.children.push_back(sum());
    node.children.push_back(take_word("where") ? term() : nullptr);
  }

  bool take_order(Syntax& node) {
    if (!is_mark(";") || here(1).kind != Token::Kind::name || here(1).quoted || here(1).text != "order")
      return false;
    // `; order` may also name a state: a fold order is followed by a word.
    if (here(2).kind != Token::Kind::name) return false;
    at_ += 2;
    node.order = order();
    return true;
  }

  SyntaxPointer reduction() {
    const Nesting nesting(*this);
    SyntaxPointer node = make(Kind::reduction);
    at_ += 2;
    binder(*node);
    take_order(*node);
    expect(")");
    node->children.push_back(product());
    return finish(std::move(node));
  }

  SyntaxPointer fold() {
    const Nesting nesting(*this);
    SyntaxPointer node = make(Kind::fold);
    at_ += 2;
    binder(*node);
    take_order(*node);
    expect(";");
    std::vector<SyntaxPointer> steps;
    do {
      node->names.push_back(name("a state's name"));
      expect("=");
      node->children.push_back(term());
      expect("->");
      steps.push_back(term());
    } while (take(","));
    node->states = steps.size();
    for (SyntaxPointer& step : steps) node->children.push_back(std::move(step));
    bool named = false;
    if (take(";")) {
      if (is_word("with") && here(1).kind == Token::Kind::name) {
        ++at_;
        for (std::size_t j = 0; j < node->states; ++j) {
          if (j > 0) expect(",");
          node->names.push_back(name("a right operand's name, one for each state,"));
        }
        expect("->");
        for (std::size_t j = 0; j < node->states; ++j) {
          if (j > 0) expect(",");
          node->children.push_back(term());
        }
        named = take(";");
      } else {
        named = true;
      }
    }
    if (named) {
      const Token component = name("the name of the state that the fold stands for");
      const auto first = node->names.begin() + 1, last = first + static_cast<long>(node->states);
      const auto found = std::find_if(first, last, [&](const Token& t) { return t.text == component.text; });
      if (found == last) fail(component, "'" + component.text + "' is not a state of this fold");
      node->which = static_cast<std::size_t>(found - first);
    } else if (node->states > 1) {
      fail(here(), "'; NAME' was expected: which state the fold stands for");
    }
    expect(")");
    return finish(std::move(node));
  }

  const Source& source_;
  const std::vector<Token>& tokens_;
  std::size_t& at_;
  int depth_ = 0;
};

}  // namespace

SyntaxPointer read_term(const Source& source, const std::vector<Token>& tokens, std::size_t& at) {
  return Parser(source, tokens, at).term();
}

SyntaxPointer read_sum(const Source& source, const std::vector<Token>& tokens, std::size_t& at) {
  return Parser(source, tokens, at).sum();
}

OrderSyntax read_order(const Source& source, const std::vector<Token>& tokens, std::size_t& at) {
  return Parser(source, tokens, at).order();
}

std::optional<Sort> sort_named(std::string_view name) {
  if (name == "index") return Sort::index();
  if (name == "real") return Sort::real();
  if (name == "bool") return Sort::boolean();
  const auto format = format_of(name);
  if (!format) return std::nullopt;
  return stored_sort(*format);
}

std::string described(const Token& token) {
  return token.kind == Token::Kind::end ? "the end of the text" : "'" + token.text + "'";
}

}  // namespace hallmark::calculus::text
