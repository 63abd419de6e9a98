// What the assertions of a query say about sums of unknowns, as a list of entries that both the maker and the
// checker of a certificate number in the same way.
//
// An unknown ("atom") is any numeric term that is no sum, multiple or numeral: a symbol, a product, an
// application, an ite, a quotient. Over the integers a strict inequality is written with one more or less,
// and an inequality is divided by the greatest common divisor of its coefficients with its constant rounded
// down; both keep every integer solution.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "certificate/smtlib.h"

namespace hallmark::certificate {

struct Form {
  std::map<NodeId, Rational> terms;  // no zero coefficients
  Rational constant;
  void add(const Form& other, const Rational& times);
  bool operator==(const Form&) const = default;
};

// The form of a numeric term.
Form form_of(const Query& query, NodeId term);
// Whether every unknown of it is an integer.
bool over_integers(const Query& query, const Form& form);

// form >= 0, or form > 0 when strict.
struct Inequality {
  Form form;
  bool strict = false;
  bool operator==(const Inequality&) const = default;
};
// As described above; idempotent.
Inequality tightened(const Query& query, Inequality inequality);

struct Literal {
  NodeId formula = 0;
  bool positive = true;
  bool operator==(const Literal&) const = default;
};
using Cases = std::vector<std::vector<Literal>>;  // at least one of these conjunctions holds

struct Entry {
  std::optional<Inequality> inequality;
  Cases cases;  // where there is no inequality
};

class Entries {
 public:
  explicit Entries(Query& query) : query_(query) {}
  // Adds what a formula says: conjunctions are taken apart, an inequality is an entry, an alternative is an
  // entry, and so is the definition of each ite and each quotient by a positive numeral that occurs in a sum
  // for the first time. Opposite literals of anything else give the entry -1 >= 0.
  void add(Literal literal);
  void add(const Inequality& inequality);
  const Entry& at(std::size_t index) const { return entries_.at(index); }
  std::size_t size() const { return entries_.size(); }
  // What came after a mark is forgotten by rewind().
  struct Mark {
    std::size_t entries = 0, literals = 0, defined = 0;
  };
  Mark mark() const { return {entries_.size(), literal_trail_.size(), defined_trail_.size()}; }
  void rewind(const Mark& mark);

 private:
  void inequality(NodeId low, NodeId high, bool strict);
  void push(Entry entry, const Form* unknowns);
  void define(NodeId unknown);
  void contradiction();
  Query& query_;
  std::vector<Entry> entries_;
  void state(NodeId formula, bool positive);
  std::set<std::pair<NodeId, bool>> literals_;  // what is no sum
  std::vector<std::pair<NodeId, bool>> literal_trail_;
  std::set<NodeId> defined_;
  std::vector<NodeId> defined_trail_;
};

}  // namespace hallmark::certificate
