// Inline assembly of CUDA C++ (`asm` statements), read by the reader of PTX files, so that an instruction
// means the same in both. Source: NVIDIA, "Inline PTX Assembly in CUDA", 13.0.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "validator/ir/fragment_use.h"
#include "validator/ir/kernel.h"

namespace hallmark::validator::ptx {

struct AssemblyOperand {
  char constraint = 'r';                // h, r, l, f, d: a register of that type; n: an immediate
  std::optional<std::uint32_t> output;  // an input that starts the register of this operand (`+r`)
  bool is_output = false;
  bool early_clobber = false;  // `=&r`: in no register of an input
  std::int64_t immediate = 0;
};

struct Assembly {
  std::string text;                       // with operands $0, $1, ... and $$ for a dollar: LLVM's spelling
  std::vector<AssemblyOperand> operands;  // outputs first
  bool is_volatile = false;
  bool says_memory = false;  // "memory" stands among what it changes
};

// What the statement does, as a kernel whose `parameter` instructions number n are the inputs, by number of
// operand. Not normalised: block 0 is the entry, `exit` the only block that leaves.
struct AssemblyReading {
  ir::Kernel kernel;
  ir::BlockId exit = ir::none;
  std::vector<ir::ValueId> outputs;
  ir::Fragments fragments;
  // It touches memory or a barrier and does not say so: that it is volatile has to keep it in its place.
  bool rests_on_volatile = false;
  // It writes an output before it has read every input, and does not say so.
  bool rests_on_operands_apart = false;
};

// `opaque_fragments`: why wmma instructions are not to be understood, if they are not. Throws UserError E310x
// for text that is no PTX and Refusal E311x, with places in the statement's own text, for constructs outside
// the subset; among them a statement that touches memory or a barrier and is neither volatile nor says
// "memory", because nvcc may then move or drop it.
AssemblyReading read_assembly(const Assembly& assembly, const std::string& opaque_fragments);

}  // namespace hallmark::validator::ptx
