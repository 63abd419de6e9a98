#include "validator/symbolic/shapes.h"

#include <algorithm>

#include "validator/symbolic/invert.h"

namespace hallmark::validator {

using calculus::Term;

namespace {

// Orders of more factors than this are too many to try.
constexpr std::size_t most_factors = 4;

// Is some monomial of the offset a multiple of these factors?
bool strides_by(Term offset, const std::vector<Term>& factors) {
  for (const calculus::Monomial& m : calculus::monomials(offset)) {
    if (m.product == nullptr) continue;
    std::vector<Term> have = factors_of(m.product);
    bool all = true;
    for (Term factor : factors) {
      const auto found = std::find(have.begin(), have.end(), factor);
      all = all && found != have.end();
      if (found != have.end()) have.erase(found);
    }
    if (all) return true;
  }
  return false;
}

// Threads and blocks are no strides.
bool is_place(Term symbol) {
  return symbol->name.rfind("tid.", 0) == 0 || symbol->name.rfind("ctaid.", 0) == 0;
}

}  // namespace

std::vector<std::vector<Term>> shapes_of(const Memory& memory, Term offset) {
  std::vector<std::vector<Term>> out;
  if (memory.parameter == nullptr) return out;
  const std::vector<Term>& declared = memory.parameter->declaration.extents;
  if (declared.size() > 1) out.push_back(declared);
  if (declared.size() != 1) return out;
  const std::vector<calculus::Monomial> size = calculus::monomials(declared[0]);
  if (size.size() != 1 || size[0].product == nullptr || size[0].coefficient <= 0) return out;
  std::vector<Term> factors = factors_of(size[0].product);
  const Integer& constant = size[0].coefficient;
  if (factors.size() > most_factors || (factors.size() < 2 && constant == 1)) return out;
  const auto before = [](Term a, Term b) { return calculus::compare_terms(a, b) < 0; };
  std::sort(factors.begin(), factors.end(), before);
  do {
    if (factors.size() > 1 && strides_by(offset, {factors.begin() + 1, factors.end()})) {
      std::vector<Term> extents = factors;  // the constant counts the outermost index
      extents[0] = calculus::scale(constant, extents[0]);
      out.push_back(extents);
    }
    if (constant != 1 && strides_by(offset, factors)) {
      std::vector<Term> extents{calculus::integer(constant)};
      extents.insert(extents.end(), factors.begin(), factors.end());
      out.push_back(extents);
    }
    if (constant != 1) {  // the constant counts the innermost index
      std::vector<Term> extents = factors;
      extents.push_back(calculus::integer(constant));
      if (factors.size() == 1 || strides_by(offset, {factors.begin() + 1, factors.end()}))
        out.push_back(extents);
    }
  } while (std::next_permutation(factors.begin(), factors.end(), before));
  return out;
}

std::vector<SmallerShape> smaller_shapes(const std::vector<std::vector<Term>>& shapes, Term offset) {
  std::vector<Term> strides;
  for (const calculus::Monomial& m : calculus::monomials(offset)) {
    if (m.product == nullptr) continue;
    for (Term factor : factors_of(m.product))
      if (factor->kind == calculus::Kind::symbol && !is_place(factor) &&
          std::find(strides.begin(), strides.end(), factor) == strides.end())
        strides.push_back(factor);
  }
  std::vector<SmallerShape> out;
  for (const std::vector<Term>& shape : shapes)
    for (Term stride : strides) {
      if (std::find(shape.begin(), shape.end(), stride) != shape.end()) continue;
      for (std::size_t d = 1; d < shape.size(); ++d) {
        if (shape[d]->kind != calculus::Kind::symbol) continue;
        SmallerShape smaller{shape, calculus::at_most(stride, shape[d])};
        smaller.extents[d] = stride;
        out.push_back(smaller);
      }
    }
  return out;
}

Term flat_index(const std::vector<Term>& extents, const std::vector<Term>& indices) {
  Term flat = calculus::integer(0);
  for (std::size_t d = 0; d < extents.size(); ++d)
    flat = calculus::add(calculus::multiply(flat, extents[d]), indices[d]);
  return flat;
}

}  // namespace hallmark::validator
