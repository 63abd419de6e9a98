// The launch plan: what the runtime executes, as data (soundness A3). It holds no code and no verdict: the
// validator derives the statement of each launch from it and from the formulation (derive_spec.h).
//
// Sizes, offsets and grids are index terms over the program's symbols, so one plan serves every shape in
// range.
#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "calculus/program.h"

namespace hallmark::plan {

// prepared: written by a prepared launch and kept as long as the plan stays loaded; an allocation of its own.
enum class Role { input, constant, output, arena, prepared };
std::string_view name(Role);

// One tensor in memory, row-major. Every buffer starts at a multiple of 256 bytes.
struct PlannedBuffer {
  calculus::Declaration declaration;
  Role role = Role::input;
  calculus::Term arena_offset = nullptr;  // bytes from the start of the arena; Role::arena only
};

// One kernel argument: a buffer's address, or the value of an index term in an integer format.
struct Argument {
  std::string parameter;  // the parameter's name in the kernel's text
  std::string buffer;     // empty: a scalar
  calculus::Term scalar = nullptr;
  calculus::Format scalar_format = calculus::Format::u32;
};

struct PlannedLaunch {
  std::string kernel;         // extern "C" name of the entry
  std::string source;         // file name of the CUDA text
  std::string source_sha256;  // empty until the text is written
  std::string binary;         // file name of the PTX; empty until nvcc has made it
  std::string binary_sha256;
  calculus::Term grid[3] = {nullptr, nullptr, nullptr};
  calculus::Term block[3] = {nullptr, nullptr, nullptr};
  calculus::Term dynamic_shared_bytes = nullptr;
  std::vector<Argument> arguments;
  std::vector<std::string> computes;  // definitions whose buffers this launch writes, whole
  // Runs once, when the plan is loaded, before every launch of a call: what it computes depends on constants
  // alone (folded weights, for example). Such launches stand before all others.
  bool prepare = false;
};

struct LaunchPlan {
  std::vector<calculus::SymbolRange> symbols;
  // Conditions on the symbols under which the plan may run, each `term >= 0`; the runtime checks them before
  // the first launch. A launch whose grid has a zero extent is skipped.
  std::vector<calculus::Term> requirements;
  std::vector<PlannedBuffer> buffers;
  calculus::Term arena_bytes = nullptr;
  std::vector<PlannedLaunch> launches;  // one stream, in this order; those that prepare only the first time
  // (earlier, later) launches that must not overlap; with one stream every pair is ordered anyway.
  std::vector<std::pair<std::size_t, std::size_t>> edges;
};

// What no plan may have, as a sentence; empty when it is well formed. An argument that names no buffer, a
// buffer that is written twice or never, an arena buffer without an offset, an arena without a size, a kernel
// that is launched twice, a scalar that is no integer, an edge that points backwards. And names that would
// say more than their owner: a symbol twice, or a parameter that stands for a term under the name of a symbol
// or of another parameter, whose equation (derive_spec.h) would then be a condition on the sizes. What a
// launch that prepares may read and write is not looked at here: that is an obligation (validator/launch) and
// a check of the runtime.
std::string malformed(const LaunchPlan& plan);
// The same for a plan of our own making: throws InternalError.
void check_plan(const LaunchPlan& plan);
// Why the plan is none of this program, as a sentence; empty when it is: the symbols of the program (their
// ranges are an obligation, validator/launch), buffers as the program declares them in the roles that these
// have there, launches that compute its definitions.
std::string unlike(const LaunchPlan& plan, const calculus::Program& program);
const PlannedBuffer* find_buffer(const LaunchPlan& plan, std::string_view name);
// Element count times element size.
calculus::Term byte_size(const calculus::Declaration& declaration);
calculus::Term element_count(const calculus::Declaration& declaration);

json::value to_json(const LaunchPlan& plan);
// Throws UserError E7102 for a value of another shape or a plan that is malformed, E7101 or E11xx
// (calculus/text) for a bad index term.
LaunchPlan launch_plan_from_json(const json::value& value);

}  // namespace hallmark::plan
