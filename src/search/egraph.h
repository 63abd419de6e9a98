// The e-graph of the algebra plane (design, section 3). An e-class holds tensors that are equal over the
// reals for every input of the contract; an e-node is a closed operation: the body of a calculus definition
// whose loads are its children, so that index variables never leave a node. The e-graph is a search and is
// not trusted: what it finds is proved again, step by step.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "calculus/program.h"

namespace hallmark::search {

using ClassId = std::uint32_t;
using NodeId = std::uint32_t;

struct Shape {
  calculus::Format format = calculus::Format::f32;
  std::vector<calculus::Term> extents;
  bool operator==(const Shape&) const = default;
};

struct ENode {
  calculus::Term payload = nullptr;  // loads are named "$0", "$1", ... for the children; nullptr: a leaf
  std::string leaf;                  // the input or constant, for a leaf
  Shape shape;
  std::vector<ClassId> children;
  bool operator==(const ENode&) const = default;
};

// How a node came to be: from the authored program, or by an application of a rule.
struct Provenance {
  std::string authored;           // the authored tensor; empty otherwise
  std::int64_t application = -1;  // index into the search's applications; -1: authored
  std::string definition{};       // which definition of the rule's right side
};

// Children of a payload that may change places without changing it: those of a + b, for example. Sorted by
// place, these have one order; otherwise a + b and b + a would be two nodes.
class Interchange {
 public:
  // `children` with what may change places in increasing order.
  template <typename Child>
  void sort(calculus::Term payload, std::vector<Child>& children) {
    if (payload == nullptr || children.size() < 2) return;
    const auto& pairs = pairs_of(payload, children.size());
    for (bool changed = !pairs.empty(); changed;) {
      changed = false;
      for (const auto& [i, j] : pairs)
        if (children[j] < children[i]) {
          std::swap(children[i], children[j]);
          changed = true;
        }
    }
  }

 private:
  const std::vector<std::pair<std::size_t, std::size_t>>& pairs_of(calculus::Term payload,
                                                                   std::size_t children);
  std::unordered_map<calculus::Term, std::vector<std::pair<std::size_t, std::size_t>>> known_;
};

class EGraph {
 public:
  // Ranges of the program's symbols: facts that hold for every input of the contract.
  void set_symbols(std::vector<calculus::SymbolRange> symbols) { symbols_ = std::move(symbols); }
  const std::vector<calculus::SymbolRange>& symbols() const { return symbols_; }
  // Whether a Bool term over symbols is true for every value of them; "false" also where that is not decided.
  bool holds(calculus::Term condition) const;
  // An element over axes of these extents, with what is decided for all symbols and axes replaced, as the
  // importer does it.
  calculus::Term simplified(calculus::Term element, const std::vector<calculus::Term>& extents) const;

  // Returns the class of the node; an equal node is not added twice.
  ClassId add(ENode node, Provenance provenance);
  // The node that the last call of add() made or found.
  NodeId last() const { return last_; }
  // Merges two classes of one shape; the caller records why. Throws InternalError when the shapes differ.
  void merge(ClassId a, ClassId b);
  // Restores congruence after merges.
  void rebuild();

  ClassId find(ClassId id) const;
  const Shape& shape(ClassId id) const { return shapes_.at(find(id)); }
  std::vector<ClassId> classes() const;         // canonical, increasing
  std::vector<NodeId> nodes(ClassId id) const;  // in order of creation
  ENode node(NodeId id) const;                  // children canonical
  // Children are representatives of their classes, in their one order.
  ENode canonical(ENode node) const;
  const Provenance& provenance(NodeId id) const { return provenance_.at(id); }
  std::size_t node_count() const { return nodes_.size(); }

 private:
  static std::string key(const ENode& node);
  std::vector<calculus::SymbolRange> symbols_;
  std::vector<ENode> nodes_;
  std::vector<Provenance> provenance_;
  std::vector<ClassId> class_of_;  // of each node
  mutable std::vector<ClassId> parent_;
  mutable Interchange interchange_;
  mutable std::vector<std::vector<NodeId>> members_;  // of canonical classes; empty: to be made again
  std::vector<Shape> shapes_;
  NodeId last_ = 0;
  std::unordered_map<std::string, NodeId> known_;
};

// A definition as a node over its children: loads replaced by numbered placeholders, in an order that depends
// on the body alone. `children` gets the tensor names in placeholder order.
calculus::Term to_payload(calculus::Term body, std::vector<std::string>& children);
// The body again, with placeholder i standing for names[i].
calculus::Term from_payload(calculus::Term payload, const std::vector<std::string>& names);

}  // namespace hallmark::search
