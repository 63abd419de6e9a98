// A rewrite rule: two small programs over the same tensors, with named extents. It is one definition for
// everything: the proved formula, the pattern that is matched and the term that is built all come from it,
// and its digest names all three.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "calculus/program.h"

namespace hallmark::rules {

// A condition on elements that holds at every index in range: what the rule demands of its tensors' contents.
struct Given {
  std::vector<calculus::Term> extents;  // over the symbols
  calculus::Term body = nullptr;        // Bool over axis(d), symbols and loads of the rule's tensors
};

// An operation on reals of which a rule says nothing but these laws: the rule is claimed whatever it
// computes.
struct CustomOperator {
  std::string name;
  std::size_t arity = 1;
  bool commutative = false, associative = false;  // of two operands
};

// Of every element of an integer tensor, both ends included.
struct WholeRange {
  Integer low, high;
  bool operator==(const WholeRange&) const = default;
};
using WholeRanges = std::map<std::string, WholeRange>;  // by tensor

struct Rule {
  std::string name;
  std::string source;                          // where the rule comes from: a paper, a system, a case
  std::vector<calculus::SymbolRange> symbols;  // extents and attributes; an extent is at least 0 unless said
  std::vector<calculus::Term> requirements;    // Bool over the symbols
  std::vector<calculus::Declaration> tensors;  // what both sides read
  std::vector<Given> givens;
  std::vector<CustomOperator> operators{};
  std::vector<calculus::Definition> left, right;  // the last definition of each is the result
  std::string text;                               // as written
  bool degenerate = false;                        // said to be about extents below 2
  bool unbounded = false;                         // its integers are those of Z (rules/whole.h)
};

// Both sides as one term over the tensors, for index axis(d) of the result.
calculus::Term left_term(const Rule& rule);
calculus::Term right_term(const Rule& rule);
const calculus::Declaration& left_result(const Rule& rule);
const calculus::Declaration& right_result(const Rule& rule);

// SHA-256 of the rule's printed meaning: symbols, requirements, tensors, givens and both sides, modulo bound
// names.
std::string digest(const Rule& rule);

// Operations for which the declared laws hold, to execute instances with: a difference under one of them
// refutes.
struct StandIn {
  calculus::Function function;
  std::string text;  // "f(x, y) = 2 * x + 3 * y + 1"
};
std::vector<StandIn> stand_ins(const std::vector<CustomOperator>& operators);

// A term with every load of one of the definitions replaced by its body.
calculus::Term inline_all(calculus::Term term, const std::vector<calculus::Definition>& definitions);

}  // namespace hallmark::rules
