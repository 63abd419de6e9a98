// From a kernel without a specification to what its buffers must hold: the proposal of signature.h with each
// ghost `elements.NAME` replaced by as many elements as the accesses reach, where that can be stated over
// sizes and launch, and with the conditions under which accesses stay inside arrays of known extent. The
// buffers of the result are exactly as large as the kernel needs; whoever launches it answers for that. A
// buffer whose extent cannot be stated has 2^20 elements there, and nothing may be concluded from accesses
// outside it.
//
// Where an index may wrap around in 32 bits, sizes and launch are required to be so small that it does not.
// All this is a proposal: what it says is proved or refuted afterwards like any other specification.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "validator/propose/signature.h"
#include "validator/symbolic/prover.h"

namespace hallmark::validator {

struct Need {
  std::string memory;     // buffer, shared or local array
  std::string condition;  // "x has at least rows * n elements", "blockDim.x <= 256"; empty: cannot be stated
  std::string reason;     // then: why not, with line
  bool is_buffer = true;
};

struct Needs {
  plan::KernelSpec spec;
  std::vector<Need> needs;               // in the order of parameters, then arrays
  std::vector<std::string> assumptions;  // on the elements of index tensors
  std::vector<std::string>
      without_wrap;  // conditions under which no index wraps around: "M * K <= 2147483648"
  // Memories that each memory instruction reaches, by block and index of the instruction.
  std::map<std::pair<ir::BlockId, std::uint32_t>, std::set<std::string>> reached;
};

// Executes the kernel symbolically. A Refusal of the execution leaves the signature as it is, with the
// refusal as every buffer's reason.
Needs derive_needs(const Signature& signature, const ir::Kernel& kernel, const Prover::Probe& probe);

// The text of an index term over the symbols of the specification.
std::string index_text(const plan::KernelSpec& spec, calculus::Term term);

}  // namespace hallmark::validator
