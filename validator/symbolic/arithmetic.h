// Machine integers as lazily reduced polynomials: a register of width w is a polynomial that is right modulo
// 2^w. Addition, subtraction, multiplication, left shift and truncation never ask anything; only what
// observes a value (zero and sign extension, comparison, right shift, division) has to know its
// representative. Where the range cannot be shown, the reduction stays as p - 2^w * floor_div(p, 2^w)
// (kernel-proofs-2, section 2; soundness C7).
#pragma once
#include "validator/ir/kernel.h"
#include "validator/symbolic/prover.h"

namespace hallmark::validator {

class Arithmetic {
 public:
  // Without `relying` only intervals decide and nothing is logged: for trial passes.
  Arithmetic(Prover& prover, bool relying) : prover_(prover), relying_(relying) {}

  // Coefficients reduced to (-2^(w-1), 2^(w-1)].
  static calculus::Term reduce(calculus::Term p, unsigned width);
  calculus::Term observe_unsigned(calculus::Term p, unsigned width, const Scope& scope);
  calculus::Term observe_signed(calculus::Term p, unsigned width, const Scope& scope);
  // floor(p / c), c > 0, in the form that the specification's own division takes: nested divisions merged,
  // multiplications by a magic number undone.
  calculus::Term divide(calculus::Term p, const Integer& c, const Scope& scope);
  calculus::Term divide_by(calculus::Term p, calculus::Term b, const Scope& scope);  // b > 0
  calculus::Term modulo(calculus::Term p, const Integer& c, const Scope& scope);
  calculus::Term compare(ir::Predicate predicate, calculus::Term a, calculus::Term b, unsigned width,
                         const Scope& scope);
  // Of a word of two joined by or, and, xor with 0 or -1; nullptr for other comparisons.
  calculus::Term compare_sign(ir::Predicate predicate, calculus::Term a, calculus::Term b, unsigned width,
                              const Scope& scope);
  // Binary integer operations of the IR, and unary ones with b = nullptr. Returns nullptr for operations that
  // have no polynomial reading; the caller makes them opaque.
  calculus::Term operate(ir::Opcode opcode, calculus::Term a, calculus::Term b, unsigned width,
                         const Scope& scope);
  // An operation that stays uninterpreted, equal for equal operands of one width. The width of the operands
  // belongs to its name where the result has another: clz of 32 and of 64 bits are different functions of the
  // same number. 0: that of the result.
  static calculus::Term opaque(const std::string& name, const std::vector<calculus::Term>& operands,
                               unsigned width, unsigned operand_width = 0);
  bool rely(const Scope& scope, calculus::Term goal);

 private:
  calculus::Term shifted(calculus::Term p, const Integer& modulus, const Integer& low, const Integer& high,
                         const Scope& scope);
  // The same quotient without a part of its dividend that decides nothing, or nullptr.
  calculus::Term without_small_rest(calculus::Term quotient, const Scope& scope);
  calculus::Term undo_magic(calculus::Term numerator, const Integer& divisor, const Scope& scope);
  calculus::Term bit_and(calculus::Term a, calculus::Term b, unsigned width, const Scope& scope);
  calculus::Term bit_of(calculus::Term a, unsigned bit, const Scope& scope);  // 0 or 1
  calculus::Term bit_or(calculus::Term a, calculus::Term b, unsigned width, const Scope& scope);
  calculus::Term bit_xor(calculus::Term a, calculus::Term b, unsigned width, const Scope& scope);
  calculus::Term truncated_division(calculus::Term a, calculus::Term b, unsigned width, const Scope& scope);
  Prover& prover_;
  bool relying_;
};

}  // namespace hallmark::validator
