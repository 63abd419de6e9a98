// The text form of programs (`.hm` files) and of single terms. The grammar of terms stands in syntax.h.
//
//   hallmark 1
//   program exact                                   tensors hold reals; `rounded`: values of their formats
//   symbol N : 1 .. 4096                            `1 ..` has no upper bound
//   function half(x : f32) : f32 = x * 0.5
//   require N % 8 = 0
//   input A : f32[N, 16]
//   constant W : f32[16] = splat 0x3f800000         or: data 0x.., 0x..   or: sha256 "..."
//   define C : f32[i < N] from "MatMul_0 (MatMul)" = sum(k < 16) A[i, k] * W[k]
//   output C
//
// `define exact` and `define rounded` name the reading of one definition where it is not the program's. A
// number without `@` has the sort of the definition's body (of a bool: real). The default roundings are to
// nearest without flushing; others stand in the operation's name: add.rz(a, b), mul.ftz(a, b).
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "calculus/program.h"
#include "calculus/text/scope.h"

namespace hallmark::calculus::text {

// The data of a constant by its digest (SHA-256 of the bytes in hexadecimal); nullptr when there is none.
using ConstantSource = std::function<std::shared_ptr<const TensorData>(const Declaration& declaration,
                                                                       const std::string& sha256)>;

// Reads back to the same program: the same terms, names, ranges and origins. Axis names are changed where
// they would mean something else; constants above 16 elements are written by digest.
std::string print_program(const Program& program);
// Throws UserError E1101 (syntax), E1102 (names), E1103 (sorts), E1104 (limits), E1105 (version), E1106 (a
// constant's data); InternalError never for a bad text.
Program parse_program(std::string_view text, const std::string& file, const ConstantSource& constants = {});

// One term, without the version line. `axes` are the names of axis(0), axis(1), ...
std::string print_term(Term term, const Scope& scope, const std::vector<std::string>& axes = {});
Term parse_term(std::string_view text, const std::string& file, const Scope& scope,
                const std::vector<std::string>& axes = {});

// "function NAME(..) : sort =\n    body\n"; puts the function into the scope.
std::string print_function(const Function& function, Scope& scope);

}  // namespace hallmark::calculus::text
