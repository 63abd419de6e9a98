// Reads declarations: the words around terms. Programs (text.h) and kernel specifications (plan/spec_text.h)
// are read with it.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "calculus/text/elaborate.h"
#include "calculus/text/scope.h"
#include "calculus/text/token.h"

namespace hallmark::calculus::text {

class Reader {
 public:
  // Throws UserError E1105 unless the text begins with `hallmark 1`.
  Reader(std::string_view text, const std::string& file);
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  const Source& source() const { return source_; }
  const Token& here(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  std::size_t position() const { return at_; }
  void go_to(std::size_t position) { at_ = std::min(position, tokens_.size() - 1); }
  bool at_end() const { return here().kind == Token::Kind::end; }
  bool is_word(std::string_view word) const;
  bool take_word(std::string_view word);
  void expect_word(const std::string& word);
  bool is_mark(std::string_view mark, std::size_t ahead = 0) const;
  bool take(std::string_view mark);
  void expect(const std::string& mark);
  // A name, quoted or not.
  Token name(const std::string& what);
  Format format();
  Sort sort();
  Integer integer_number();  // with a sign, or 2^30
  Term term(const Scope& scope, Wanted wanted);
  Term sum(const Scope& scope);  // an index, up to a relation

  // NAME "(" NAME ":" sort, ... ")" ":" sort "=" term; also puts it into the scope.
  Function function(Scope& scope);
  // NAME ":" format "[" extents "]"; puts the tensor into the scope.
  Declaration declaration(Scope& scope);
  // Throws E1103 at `start` for an extent of a tensor that is not over symbols and numbers alone.
  void expect_size(const Token& start, Term extent) const;
  // Throws E1102 when the scope has the name already.
  void add_name(Scope& scope, const Token& name, Term term) const;
  void add_tensor(Scope& scope, const Token& name, TensorType type) const;
  [[noreturn]] void fail(const Token& at, const std::string& message) const {
    source_.fail("E1101", at, message);
  }
  [[noreturn]] void expected(const std::string& what) const;

 private:
  Source source_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace hallmark::calculus::text
