// An SMT-LIB 2 query as the checkers of certificates read it: the subset that this program writes, read by
// code that shares nothing with what wrote it. Terms are hash-consed; definitions are inlined.
//
//   E5450 not readable: syntax, an unknown command, symbol or operator, or a sort that does not fit, with
//   line and column
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/integer.h"

namespace hallmark::certificate {

struct Sort {
  enum class Kind : unsigned char { boolean, integer, real, bits, other } kind = Kind::boolean;
  unsigned width = 0;  // Kind::bits
  std::string name{};  // Kind::other
  bool operator==(const Sort&) const = default;
  auto operator<=>(const Sort&) const = default;
};

using NodeId = std::uint32_t;

struct Node {
  // "and", "+", "ite", ...; "numeral" and "bits" with `value`; a declared symbol is "symbol NAME".
  std::string op;
  std::vector<NodeId> args;
  std::vector<unsigned> indices;  // of (_ extract i j) and its kind
  Sort sort;
  Rational value;
};

class Query {
 public:
  // Throws UserError E5450.
  explicit Query(std::string_view text, const std::string& file = "query");
  const std::vector<NodeId>& assertions() const { return assertions_; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  std::size_t size() const { return nodes_.size(); }

  // For checkers that need terms of their own (the halves of an equation, a branch of ite). Throws UserError
  // E5450 when the sorts do not fit.
  NodeId make(std::string op, std::vector<NodeId> args, std::vector<unsigned> indices = {});
  NodeId numeral(const Rational& value, Sort sort);

 private:
  friend class Reader;
  NodeId intern(Node node);
  std::vector<Node> nodes_;
  std::map<std::string, NodeId> known_;
  std::vector<NodeId> assertions_;
};

}  // namespace hallmark::certificate
