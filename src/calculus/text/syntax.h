// The text form of terms as written, before names and sorts are known:
//
//   term     := { "let" NAME "=" term ";" } ( "if" term "then" term "else" term | or )
//   or       := and { "or" and }         and := not { "and" not }          not := "not" not | relation
//   relation := sum { ("<" | "<=" | ">" | ">=" | "=" | "!=") sum }                      a < b < c is a chain
//   sum      := product { ("+" | "-") product }          product := unary { ("*" | "/" | "%") unary }
//   unary    := "-" unary | primary [ "^" INTEGER ]
//   primary  := NUMBER ["@" SORT] | "(" term ")" | NAME | TENSOR "[" terms "]" ["@" SORT]
//             | FUNCTION "(" terms ")" ["@" SORT] | reduction | fold
//   reduction := ("sum" | "prod" | "max" | "min" | "any" | "all" | "argmax" | "argmin") "(" binder [";"
//   "order" order] ")" product fold     := "fold" "(" binder [";" "order" order] ";" NAME "=" term "->" term
//   {"," ...}
//               [";" "with" NAME {"," NAME} "->" term {"," term}] [";" NAME] ")"
//   binder   := NAME "<" sum ["where" term]
//   order    := "any" | "seq" | "tree" "(" size ")" | "strided" "(" size "," order ")"
//             | "blocked" "(" size "," order "," order ")" | "mma" "(" NAME ")"
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calculus/term.h"
#include "calculus/text/token.h"

namespace hallmark::calculus::text {

struct Syntax;
using SyntaxPointer = std::unique_ptr<Syntax>;

struct OrderSyntax {
  Order::Kind kind = Order::Kind::any;
  Token size;  // a number or a symbol's name
  std::string model;
  std::vector<OrderSyntax> inside;  // inner, outer
};

struct Syntax {
  enum class Kind {
    number,       // token; negative
    name,         // token: a symbol, axis, bound variable, state, parameter or let
    index,        // token: tensor; children: indices
    call,         // token: function; children
    negate,       // one child
    power,        // one child; token: the exponent
    sum,          // children; operators: '+' or '-' before each but the first
    product,      // children; operators: '*', '/', '%'
    relation,     // children; operators: "<", "<=", ...
    conjunction,  // children
    disjunction,
    negation,
    choice,     // condition, then, else
    let,        // names; children: their values, then the body
    reduction,  // token: sum, prod, ...; names: variable; children: extent, guard or null, body; order
    fold,       // names: variable, states, right states; children: extent, guard or null, inits, steps,
                // combines; order; which
  } kind = Kind::number;
  Token token;  // also where errors are reported
  bool negative = false;
  std::optional<Sort> sort;  // after '@'
  std::vector<SyntaxPointer> children;
  std::vector<Token> operators, names;
  OrderSyntax order;
  std::size_t states = 0, which = 0;
  int depth = 0;
};

// Reads one term and leaves `at` behind it. Throws UserError E1101 (what was expected) and E1104 (nested more
// than maximum_depth deep).
constexpr int maximum_depth = 300;
SyntaxPointer read_term(const Source& source, const std::vector<Token>& tokens, std::size_t& at);
// The sum level of the grammar alone: an extent before `where`.
SyntaxPointer read_sum(const Source& source, const std::vector<Token>& tokens, std::size_t& at);
OrderSyntax read_order(const Source& source, const std::vector<Token>& tokens, std::size_t& at);
std::optional<Sort> sort_named(std::string_view name);
std::string described(const Token& token);

}  // namespace hallmark::calculus::text
