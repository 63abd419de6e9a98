// Facts about two accesses to one place, for showing that two threads, or two iterations, are apart.
#pragma once
#include <map>
#include <vector>

#include "validator/symbolic/prover.h"
#include "validator/symbolic/trace.h"

namespace hallmark::validator {

class Separation {
 public:
  Separation(const Trace& trace, Prover& prover) : trace_(trace), prover_(prover) {}

  // Facts that follow from two instances of these events being at one place; `left` and `right` rename what
  // belongs to each instance. With symbolic strides: that the indices are equal too (lemma
  // mixed-radix-unique); the claims that this needs go to the prover's log.
  std::vector<calculus::Term> same_place(int a, const calculus::Substitution& left, int b,
                                         const calculus::Substitution& right);
  // The same indices by the same lemma where strides are numbers, with which a solver needs no help when
  // there are few: empty where the buffer has no shape in which both places have indices.
  std::vector<calculus::Term> same_indices(int a, const calculus::Substitution& left, int b,
                                           const calculus::Substitution& right);

 private:
  using Shape = std::vector<calculus::Term>;
  using Digits = std::optional<std::vector<calculus::Term>>;
  const Event& event(int id) const { return trace_.events[static_cast<std::size_t>(id)]; }
  std::vector<calculus::Term> same_slot(calculus::Term difference, const Event& x,
                                        const calculus::Substitution& left, const Event& y,
                                        const calculus::Substitution& right);
  std::vector<calculus::Term> by_common_shape(int a, const calculus::Substitution& left, int b,
                                              const calculus::Substitution& right);
  static std::vector<calculus::Term> agree(const std::vector<calculus::Term>& m,
                                           const calculus::Substitution& left,
                                           const std::vector<calculus::Term>& n,
                                           const calculus::Substitution& right);
  // The indices of an event's place in a shape of its buffer, or by its own strides where none is given.
  Digits digits(int id, const Shape& shape);
  Digits by_shape(const Event& e, const Shape& extents);
  Digits by_own_strides(const Event& e);

  struct Entry {
    Digits digits;
    std::vector<Claim> claims;
  };
  const Trace& trace_;
  Prover& prover_;
  std::map<std::pair<int, Shape>, Entry> known_;
};

}  // namespace hallmark::validator
