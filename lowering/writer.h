// Writes calculus terms as CUDA statements and expressions: one scope of statements at a time, shared
// subterms named, folds as loops, selects as branches when an arm needs statements. Emission style: unsigned
// coordinates, one flat index an access, explicit rounding intrinsics, `#pragma unroll 1` on loops; no signed
// index unless an index comes from a signed tensor.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "calculus/program.h"
#include "lowering/range.h"

namespace hallmark::lowering {

// One line of kernel text and the definition whose term it computes (empty: scaffolding).
struct Line {
  std::string text;
  std::string definition;
};

// The C type of a stored element and of a computed value. Throws Refusal E7201 for formats that are not
// lowered.
std::string storage_type(calculus::Format format);
std::string value_type(calculus::Sort sort);
// An exact literal: 1.0f, 0x1.8p-3f, __uint_as_float(0x7f800000u), 3u, -2.
std::string literal(calculus::Term constant);

class Writer {
 public:
  // `tensors`: declarations of every tensor that a term may load; `parameters`: their names in the text.
  Writer(std::map<std::string, calculus::Declaration> tensors, std::map<std::string, std::string> parameters);

  // From now on this index leaf (axis, symbol, variable) is written as `text`, and is of type size_t when
  // wide.
  void bind_index(calculus::Term leaf, const std::string& text, const Range& range, bool wide = false);
  // From now on this element term is written as `text`, in the current scope and those inside it.
  void bind_element(calculus::Term term, const std::string& text);
  // Whether it has a text already, in this scope or one around it.
  bool has_text(calculus::Term term) const { return lookup(term) != nullptr; }
  // A flat index equal to `flat` into a tensor of `size` elements is written as `text`. (Into a smaller one
  // too it would be right where the index is in range, but why would no longer be seen.)
  void bind_flat(calculus::Term flat, calculus::Term size, const std::string& text);

  // --- Expressions; they may first write the statements that they need ---
  std::string element(calculus::Term term);
  // The same for the right side of an assignment: the term itself gets no name of its own.
  std::string value(calculus::Term term);
  std::string condition(calculus::Term term);
  // The value must lie in [0, 2^32), or in [0, 2^64) when it can exceed 32 bits; `wide` says which type came
  // out.
  std::string index(calculus::Term term, bool* wide = nullptr);
  // An access TENSOR[flat index].
  std::string access(const std::string& tensor, const std::vector<calculus::Term>& indices);
  // A value of element sort as it is stored (bool as 0 or 1).
  std::string stored(calculus::Term term);

  // --- Statements ---
  void line(const std::string& text);
  void open(const std::string& head);  // "if (..)": writes "if (..) {" and indents
  void close(const std::string& tail = {});
  std::string fresh(const std::string& stem);  // acc0, acc1, ...
  // Enters a scope for terms that are written next; uses are counted to decide which subterms get a name.
  void enter(const std::vector<calculus::Term>& roots);
  void leave();
  void set_definition(const std::string& name) { definition_ = name; }
  std::vector<Line> take();

  const RangeMap& ranges() const { return ranges_; }
  bool used(calculus::Term leaf) const { return used_.count(leaf) != 0; }
  int indentation() const { return indent_; }
  void indent(int change) { indent_ += change; }

 private:
  struct Name {
    std::string text;
    bool wide = false;
  };
  struct Scope {
    std::map<calculus::Term, std::string> named;
    std::map<calculus::Term, int> uses;
  };
  // How the text of an index is computed: unsigned, size_t, or long long for values of unknown sign.
  enum class Width { narrow, wide, is_signed };

  std::string expression(calculus::Term term);
  std::string operation(calculus::Term term);
  std::string float_operation(calculus::Term term);
  std::string integer_operation(calculus::Term term);
  std::string cast_text(calculus::Term term);
  std::string select_text(calculus::Term term);
  void write_fold(calculus::Term term);
  void hoist(calculus::Term term, const calculus::Substitution& bound);
  void write_common(calculus::Term first, calculus::Term second);
  std::string operand(calculus::Term term);

  std::string sum_text(const std::vector<Summand>& parts, Width width);
  std::string summand_text(const Summand& part, Width width, bool cast_first);
  std::string atom_text(calculus::Term atom, Width width, bool& is_wide);
  std::string comparison(calculus::Term difference, bool equality);
  std::vector<Summand> shifted(const std::vector<Summand>& parts);
  Width width_for(const std::vector<Summand>& parts) const;
  bool has_unknown_sign(const std::vector<Summand>& parts) const;

  const std::string* lookup(calculus::Term term) const;
  bool is_named(calculus::Term term, const std::string& text) const;
  int uses(calculus::Term term) const;

  std::map<std::string, calculus::Declaration> tensors_;
  std::map<std::string, std::string> parameters_;
  RangeMap ranges_;
  std::map<calculus::Term, Name> names_;
  std::map<std::pair<calculus::Term, calculus::Term>, std::string> flats_;  // by index and size
  std::vector<Scope> scopes_{1};
  std::map<std::string, int> counters_;
  std::set<calculus::Term> used_;
  std::vector<Line> lines_;
  std::string definition_;
  int indent_ = 0;
};

}  // namespace hallmark::lowering
