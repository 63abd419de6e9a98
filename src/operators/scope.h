// The program under construction: the tensors known so far and what is known of their contents.
//
// Integer and boolean tensors that depend on nothing but constants and extents are evaluated as they are
// defined, by the reference evaluator, so that shapes, axes and slices that a model computes are known when
// a later operator needs them. Float tensors are never folded: a folded weight would be a rounding that no
// formulation states (soundness B5).
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "calculus/program.h"
#include "operators/extents.h"
#include "operators/node.h"

namespace hallmark::operators {

struct Known {
  calculus::Declaration declaration;
  TensorPointer data;  // a constant
  // A short body over axis(0..) without loads and folds, which users take in place of a load: positions,
  // masks, identity matrices.
  calculus::Term formula = nullptr;
  // Bool, over axis(0..): where it is false, the element is -infinity, which the real meaning has not, and
  // what the tensor holds there means nothing (soundness A2). nullptr: true everywhere.
  calculus::Term kept = nullptr;
  // Integer tensors of at most `maximum_known` elements whose elements are functions of the symbols alone:
  // their values, row-major, as index terms.
  std::optional<std::vector<calculus::Term>> elements;
};

class Scope {
 public:
  explicit Scope(std::vector<calculus::SymbolRange> symbols);

  // Names that must not be taken by helper(), because a later tensor has them.
  void reserve(const std::string& name) { taken_.insert(name); }
  // An unused name "base.hint".
  std::string fresh(const std::string& base, const std::string& hint);

  void add_input(calculus::Declaration declaration);
  // Throws InternalError when the number of bytes does not fit.
  void add_constant(const std::string& name, TensorPointer data);
  // Becomes a constant when it can be evaluated and `may_fold`. Body and extents are simplified; must be
  // declared once.
  void define(calculus::Definition definition, calculus::Term kept = nullptr, bool may_fold = true);
  // A condition that ONNX's rules put on the extents and that holds for some values of the symbols only.
  void require(calculus::Term condition);

  const Known* find(const std::string& name) const;
  bool is_definition(const std::string& name) const { return definition_at_.count(name) != 0; }
  const SymbolRanges& ranges() const { return ranges_; }
  // For a constant whose only elements without a real meaning are -infinities: the name of a constant with 0
  // in their place, and of a boolean one that is false there. Empty otherwise.
  struct Split {
    std::string finite, kept;
  };
  std::optional<Split> split_infinities(const std::string& name);
  // Whether the constant holds a NaN or an infinity; false for other tensors.
  bool is_finite(const std::string& name);
  // What the tensor holds when it is a function of constants alone and cheap to find: floats as every runtime
  // rounds them. Empty otherwise, and where that depends on how a runtime evaluates.
  std::optional<std::vector<Rational>> contents_at_import(const std::string& name) const;

  // Whether something rests on arithmetic of extents in 64 bits that is not shown to stay within them.
  bool extents_may_wrap() const { return extents_may_wrap_; }

  // What was built. `outputs`: the program's outputs; definitions, constants and inputs keep their order, and
  // definitions and constants that no output needs are left out. Throws Refusal E6305 when an output has
  // elements of -infinity.
  calculus::Program finish(const std::vector<std::string>& outputs) const;

 private:
  bool fold(const calculus::Definition& definition);
  std::optional<std::vector<calculus::Term>> symbolic_elements(const calculus::Definition& definition);

  SymbolRanges ranges_;
  std::vector<calculus::SymbolRange> symbols_;
  std::set<std::string> taken_;
  std::map<std::string, int> next_number_;  // by "base.hint", for fresh()
  std::map<std::string, Known> known_;
  std::map<std::string, bool> finite_;
  std::map<std::string, std::optional<Split>> splits_;
  calculus::Program program_;
  std::map<std::string, std::size_t> definition_at_;
  bool extents_may_wrap_ = false;
};

}  // namespace hallmark::operators
