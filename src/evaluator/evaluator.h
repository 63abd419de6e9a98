// The reference evaluator: programs, definitions and single elements on concrete inputs (design, section 2).
//
// The sorts of the terms decide the arithmetic. Float terms are simulated exactly: every operation rounded to
// its format in its mode, folds in their written order. Integers are exact modulo 2^w, indices 64-bit with
// overflow checks. Real terms (authored, exact programs) are evaluated in double or in rationals. Folds of
// order `any` run in increasing order of their variable; a sum of sums runs as one sum over all the summands
// in that order.
//
// In double, division by zero, NaN and infinities follow IEEE 754, since ONNX's expected outputs do;
// rationals follow the total model (x / 0 = 0). See value.h for casts, float_operation.h and
// integer_operation.h for operations.
//
// Errors: UserError E1010 a precondition does not hold, E1011 an input that does not fit its declaration,
// E1012 an element outside a tensor is read; Refusal E1001 no exact value, E1002 an operation without a
// meaning, E1003 an infinity or NaN in exact arithmetic, E1004 and E1005 a fold order that does not fit,
// E1006 an index beyond 64 bits; InternalError for an ill-formed program.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "calculus/program.h"
#include "evaluator/tensor.h"
#include "evaluator/value.h"

namespace hallmark::evaluator {

using Symbols = std::map<std::string, std::int64_t>;
using Tensors = std::map<std::string, Tensor>;

struct Options {
  Reals reals = Reals::in_double;
  unsigned jobs = 1;    // threads
  bool compile = true;  // false: each element by itself, slowly; the values are the same
};

// The program's outputs. Only what they need is computed, and freed after its last use.
Tensors evaluate(const calculus::Program& program, const Symbols& symbols, const Tensors& inputs,
                 const Options& options = {});
// One definition whose loads are all in `tensors`.
Tensor evaluate(const calculus::Definition& definition, const std::vector<calculus::Function>& functions,
                const Symbols& symbols, const Tensors& tensors, const Options& options = {});
// One element of it.
Value evaluate_element(const calculus::Definition& definition,
                       const std::vector<calculus::Function>& functions, const Symbols& symbols,
                       const Tensors& tensors, const std::vector<std::int64_t>& indices,
                       Reals reals = Reals::in_double);
// Any closed term with axis(d) = axes[d].
Value evaluate_term(calculus::Term term, const Symbols& symbols, const Tensors& tensors,
                    const std::vector<std::int64_t>& axes = {}, Reals reals = Reals::in_double);
std::int64_t evaluate_index(calculus::Term term, const Symbols& symbols,
                            const std::vector<std::int64_t>& axes = {});
// The term with its symbols replaced by their values: index terms become simpler, and a read that an index
// cancels is not made.
calculus::Term with_symbols(calculus::Term term, const Symbols& symbols);
// The extents of a declaration.
std::vector<std::int64_t> evaluate_extents(const calculus::Declaration& declaration, const Symbols& symbols);

}  // namespace hallmark::evaluator
