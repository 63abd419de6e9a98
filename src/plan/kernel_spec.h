// What one kernel launch has to do: the statement that the validator proves. It comes either from a `.hm`
// specification that a person wrote, or from the formulation and the launch plan (derive_specs). The kernel's
// text never enters it.
//
// Symbols: each scalar parameter and each extent is an index symbol of the same name. Buffer contents before
// the launch are `load(buffer, indices)` in stored sorts; buffers start with arbitrary contents unless they
// are inputs.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calculus/program.h"

namespace hallmark::plan {

enum class Access { in, out, inout };

struct Buffer {
  calculus::Declaration declaration;
  Access access = Access::in;
  // Declared range of the elements of an integer buffer (index tensors): low <= element < high, over symbols.
  calculus::Term element_low = nullptr, element_high = nullptr;
};

struct Scalar {
  std::string name;
  calculus::Format format = calculus::Format::i32;  // as the kernel's signature has it
};

// One parameter of the kernel, in the order of its signature.
struct Parameter {
  std::optional<Buffer> buffer;
  std::optional<Scalar> scalar;
};

struct Launch {
  calculus::Term grid[3] = {nullptr, nullptr, nullptr};  // over symbols; nullptr: 1
  calculus::Term block[3] = {nullptr, nullptr, nullptr};
  calculus::Term dynamic_shared_bytes = nullptr;  // nullptr: 0
};

// for axis_0 < domain_0, ...: buffer[target...] = value, after the launch. Elements that no Ensure names keep
// their contents
// (`frame`); two different points of the domain name different elements.
struct Ensure {
  std::string buffer;
  std::vector<std::string> axis_names;
  std::vector<calculus::Term> domain;  // extents of the axes
  calculus::Term guard = nullptr;      // nullptr: true
  std::vector<calculus::Term>
      target;  // indices into the buffer, over axis(d); axis(d) itself for a whole tensor
  calculus::Term value =
      nullptr;  // over axis(d), in the buffer's stored sort, or exact sort with Equality::reals
};

enum class Equality { bits, reals, safety };
// all_exited: all threads that have not exited arrive (sm_70 and later); strict: all threads of the block.
enum class BarrierRule { all_exited, strict };

struct KernelSpec {
  std::string kernel;                          // the entry's name
  std::vector<calculus::SymbolRange> symbols;  // ranges of scalars, extents and ghost symbols
  std::vector<calculus::Term> requirements;    // Bool over symbols
  std::vector<Parameter> parameters;
  Launch launch;
  std::vector<Ensure> ensures;
  std::vector<calculus::Function> functions;  // of the values
  Equality equality = Equality::bits;
  BarrierRule barrier_rule = BarrierRule::all_exited;
  bool flush_subnormals = false;
};

// Whether a load without indices by that name is of a scalar parameter of a float format, not of a buffer of
// rank 0.
bool is_float_scalar(const KernelSpec& spec, std::string_view name);

// Throws InternalError when parameters, targets and values do not fit together.
void check_spec(const KernelSpec& spec);

}  // namespace hallmark::plan
