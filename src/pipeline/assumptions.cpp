#include "pipeline/assumptions.h"

#include <fmt/format.h>

#include "base/sha256.h"
#include "pipeline/context.h"

namespace hallmark::pipeline {

std::vector<bundle::Assumption> assumptions_of(const Evidence& evidence,
                                               const std::vector<std::string>& of_import) {
  std::vector<bundle::Assumption> out{
      {"importer",
       "The ONNX library reads the file as its author meant it, and the definitions of the operators in "
       "src/operators are those of ONNX: "
       "tested on ONNX's own cases, not proved."},
      {"query-encoder",
       "The queries say what the obligations say: each proof is held against executed launches, and every "
       "goal has two paired checks."},
      {"solvers", "An unsat beside two sat answers of the same process is right."},
      {"ptx-semantics", "The PTX reader gives each instruction its meaning in NVIDIA's PTX ISA 9.0."},
      {"clang-front-end",
       "Clang 14 reads the CUDA text as nvcc does, its macros and language standard forced."},
      {"nvcc",
       "The bundle's PTX is what nvcc made of the bundle's CUDA text; the proofs at level ptx do not rest on "
       "it."},
      {"driver-and-gpu",
       "The driver's PTX compiler and the GPU execute the validated PTX as the PTX ISA says, and add.rn, "
       "mul.rn and fma.rn are not contracted."},
      {"launch-runtime",
       "The fixed runtime executes launch.json as it stands and checks what depends on the caller: pointers, "
       "sizes, overlap."},
      {"interval-arithmetic", "MPFI and MPFR round outwards as documented."},
      {"lemmas", "The laws of proofs/lemmas.md, which are proved on paper and not machine-checked."},
  };
  for (const std::string& sentence : of_import)
    out.push_back({"import:" + sha256_hex(sentence).substr(0, 12), sentence});
  for (const std::string& id : contract::assumptions(evidence.contract))
    out.push_back({id, "Nobody stated this; the default of the contract holds: " + id});
  return out;
}

std::vector<std::string> default_boxes_of(const contract::Contract& contract) {
  std::vector<std::string> out;
  for (const auto& [name, box] : contract.inputs)
    if (box.assumed)
      out.push_back(fmt::format("{} in [{}, {}]", name, box.low.get_str(), box.high.get_str()));
  return out;
}

std::map<std::string, std::string> settings_of(const Evidence& evidence) {
  std::string prepared;
  for (const plan::PlannedLaunch& launch : evidence.plan.launches)
    if (launch.prepare) prepared += (prepared.empty() ? "" : ", ") + launch.kernel;
  return {
      {"barrier-rule", "all threads that have not exited"},
      {"buffers", "do not overlap; shared memory and outputs start with arbitrary contents"},
      {"context-sha256", context_digest(evidence.context)},
      {"equal-value-double-writes", "are races"},
      {"flush-to-zero", evidence.contract.ftz ? "permitted" : "no"},
      {"fma", evidence.contract.fma ? "permitted where the formulation writes it" : "forbidden"},
      {"inactive-shuffle-lanes", "arbitrary"},
      {"index-arithmetic", "as wide as the text has it, wrapping at level ptx"},
      {"integer-division", "of indices: floor, x / 0 = 0 in the total model"},
      {"max-and-min", "maxnum and minnum in formulations: a number wins over NaN, +0 above -0"},
      {"nan-and-infinity", evidence.contract.nan_allowed || evidence.contract.infinity_allowed
                               ? "allowed in inputs"
                               : "forbidden in inputs"},
      {"nvcc-options", fmt::format("{}", fmt::join(evidence.ptx.options, " "))},
      {"nvcc-version", evidence.ptx.compiler.empty() ? "missing" : evidence.ptx.compiler},
      {"prepared-launches", prepared.empty() ? "none" : "once, when the plan is loaded: " + prepared},
  };
}

}  // namespace hallmark::pipeline
