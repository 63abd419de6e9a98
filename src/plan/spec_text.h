// The text form of kernel specifications (`.hm` files), in the grammar of calculus/text:
//
//   hallmark 1
//   kernel axpby
//   param x : f32[n] in                      buffers: in, out or inout
//   param p : i32[n] in with 0 <= element < n             the range of the elements of an integer buffer
//   param y : f32[m * n] inout
//   param n : i32                            a scalar of an integer format is the symbol n
//   param a : f32                            a scalar of a float format is the element a, as in a * x[i]
//   ghost m                                  a symbol that is no parameter
//   where 1 <= n <= 2^30 and 1 <= m <= 8     ranges, and any other condition on the symbols
//   launch grid (ceil_div(n, 128)) block (128) shared (4 * n)
//   function twice(x : f32) : f32 = x + x
//   ensures y[i < n] = twice(x[i])           names y[i] for each i: the axes stand for indices
//   ensures y[i * m] for i < n where (i != 3) = x[i]      names y[i * m] for each such i
//   ensures y = onnx.Softmax(x, axis = -1)   every element of y, as the operator of ONNX has it
//   equality bits                            or: reals, safety
//   barrier all-exited                       or: strict
//   ftz                                      what the kernel was compiled with
//
// Declarations may use symbols that come later. Defaults: bits, all-exited, no ftz, one thread, ranges as
// wide as the parameter's format; a ghost needs a lower bound. With `reals`, values are exact terms over real
// loads.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plan/kernel_spec.h"

namespace hallmark::plan {

// An operator that a specification names, with what it is applied to.
struct OperatorCall {
  using Attribute = std::variant<Integer, Rational, std::string, std::vector<Integer>>;
  std::string name;                           // "Softmax"
  std::vector<calculus::Declaration> inputs;  // buffers of the kernel
  std::map<std::string, Attribute> attributes;
  calculus::Declaration output;  // what the specification says of the ensured buffer
  std::vector<calculus::SymbolRange> symbols;
};
struct OperatorMeaning {
  calculus::Term value = nullptr;  // over axis(d), of exact sorts, with loads of the inputs alone
  std::vector<calculus::Function> functions;
};
// Says what an operator means. Throws Refusal or UserError when it does not know.
using Operators = std::function<OperatorMeaning(const OperatorCall&)>;

// Throws UserError E1101..E1105 (calculus/text/text.h) and E1121: parts that do not fit together, an operator
// without anything that knows it, and what the operator's own rules forbid.
KernelSpec parse_spec(std::string_view text, const std::string& file, const Operators& operators = nullptr);
// Reads back to the same specification.
std::string print_spec(const KernelSpec& spec);

}  // namespace hallmark::plan
