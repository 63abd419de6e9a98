// Programs: what a model, a formulation and a kernel's specification are made of.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calculus/term.h"

namespace hallmark::calculus {

// A tensor with concrete extents and contents, row-major, little endian. A splat holds one element for all.
struct TensorData {
  Format format = Format::f32;
  std::vector<std::int64_t> extents;
  bool splat = false;
  std::vector<std::byte> bytes;  // element count * storage_bits / 8, or one element when splat
  std::int64_t element_count() const;
};

// A ranged symbol of the program: an extent or a scalar, low <= symbol <= high.
struct SymbolRange {
  std::string name;
  Integer low = 1;
  std::optional<Integer> high;
};

struct Declaration {
  std::string name;
  Format format = Format::f32;
  std::vector<Term> extents;  // index terms over symbols
};

struct Constant {
  Declaration declaration;
  std::shared_ptr<const TensorData> data;
};

// name[axis_0 < extent_0, ...] = body. In an exact program float tensors hold reals (exact_sort of the
// format); in a formulation the body's sort is stored_sort(format).
struct Definition {
  Declaration declaration;
  std::vector<std::string> axis_names;  // display only
  Term body = nullptr;                  // over axis(0..rank-1), symbols and loads
  std::string origin;                   // the authored node: "MatMul_7 (MatMul)"
};

// A named scalar function, for example an elementary function of emitted kernels: custom_operation(name,
// arguments) stands for the body with the parameters replaced. Formulations contain no custom operation
// without a Function.
struct Function {
  std::string name;
  std::vector<Term> parameters;  // free variables, see variable()
  Term body = nullptr;
};

struct Program {
  std::vector<SymbolRange> symbols;
  std::vector<Function> functions;  // each uses only what stands before it
  std::vector<Term> preconditions;  // Bool, over symbols and loads of integer inputs
  std::vector<Declaration> inputs;
  std::vector<Constant> constants;
  std::vector<Definition> definitions;  // each uses only what stands before it
  std::vector<std::string> outputs;
};

// Throws InternalError when a load names an unknown tensor, has a wrong rank or sort, a name is defined
// twice, or a definition uses a later one.
void check_program(const Program& program);
// Replaces every custom operation that has a Function by its body, also inside the bodies.
Term expand_functions(Term a, const std::vector<Function>& functions);
const Declaration* find_declaration(const Program& program, std::string_view name);
const Definition* find_definition(const Program& program, std::string_view name);

}  // namespace hallmark::calculus
