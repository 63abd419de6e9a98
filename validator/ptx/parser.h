// The recursive-descent parser behind parse(); not for use outside ptx/.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "validator/ptx/lexer.h"
#include "validator/ptx/syntax.h"

namespace hallmark::validator::ptx {

class Parser {
 public:
  Parser(std::string_view text, const std::string& file);
  ModuleSyntax run();

 private:
  // --- tokens ---
  const Token& peek(std::size_t ahead = 0) const;
  Token take();
  bool accept(char c);
  void expect(char c);
  bool accept_dotted(std::string_view word);
  std::string identifier(const char* what);
  std::uint64_t unsigned_number(const char* what);
  std::uint64_t signed_number(const char* what);  // optional minus, two's complement
  std::uint32_t small_number(const char* what);
  [[noreturn]] void fail(const std::string& message, const Token& at, const char* code = "E3101") const;
  [[noreturn]] void refuse(const std::string& message, const Token& at) const;

  // --- module (parser.cpp) ---
  void module_item();
  void target();
  void function(bool entry);
  std::uint32_t parameter(Function& f);
  void parameter_list(Function& f, std::vector<std::uint32_t>& out);
  void directives(Function& f);
  void file_directive();
  void skip_section();

  // --- data (parser_data.cpp) ---
  // After `.shared` and its kin; also several names after one another.
  void variables(ir::Space space, bool is_external, std::vector<Variable>& out);
  void initialiser(Variable& v, const TypeSuffix& type, bool open_size);
  std::uint32_t alignment();

  // --- bodies (parser_statement.cpp) ---
  void body(Function& f);
  void body_item(Function& f);
  void register_declaration(Function& f);
  void param_declaration(Function& f);
  void location_directive();
  void statement(Function& f);
  void call_operands(Function& f, Statement& s);
  Operand operand(Function& f);
  Operand simple_operand(Function& f);
  Operand name_operand(Function& f, const Token& token);
  Operand address_operand(Function& f);
  std::optional<std::uint32_t> find_register(Function& f, std::string_view name);
  void push_scope(Function& f);

  struct RegisterRange {
    std::string prefix;
    std::uint64_t count;
    TypeSuffix type;
  };
  struct Scope {
    std::map<std::string, std::uint32_t, std::less<>> registers, params;
    std::vector<RegisterRange> ranges;
    std::uint32_t number = 0;
  };

  std::string_view text_;
  const std::string& file_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  ModuleSyntax module_;
  std::vector<Scope> scopes_;
  ir::Place loc_{};              // source part from the last .loc
  std::uint32_t main_file_ = 0;  // file of the function's first .loc
  struct Point {
    std::uint32_t file, line, column;
    bool operator<(const Point& b) const {
      return std::tie(file, line, column) < std::tie(b.file, b.line, b.column);
    }
  };
  std::map<Point, Point> outermost_;  // of inlined places
};

}  // namespace hallmark::validator::ptx
