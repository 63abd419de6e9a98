#include "pipeline/assumptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/sha256.h"
#include "bundle/verdict.h"
#include "numerics/accuracy_data.h"
#include "pipeline/context.h"
#include "scanner/scanner.h"

namespace hallmark::pipeline {

std::vector<bundle::Assumption> assumptions_of(const Evidence& evidence,
                                               const std::vector<std::string>& of_import) {
  std::vector<bundle::Assumption> out{
      {"importer",
       "The ONNX library reads the file as its author meant it, and the definitions of the operators in "
       "src/operators are those of ONNX: "
       "tested on ONNX's own cases, not proved.",
       "ONNX 1.12, operator specifications"},
      {"query-encoder",
       "The queries say what the obligations say: each proof is held against executed launches, and every "
       "goal has two paired checks.",
       "hallmark, smt/ and validator/"},
      {"solvers", "An unsat beside two sat answers of the same process is right.",
       "the programs named under solvers, by their digests"},
      {"ptx-semantics", "The PTX reader gives each instruction its meaning in NVIDIA's PTX ISA 9.0.",
       "NVIDIA, PTX ISA 9.0"},
      {"clang-front-end",
       "Clang 14 reads the CUDA text as nvcc does, its macros and language standard forced.",
       "LLVM 14, and the options in settings"},
      {"nvcc",
       "The bundle's PTX is what nvcc made of the bundle's CUDA text; the proofs at level ptx do not rest on "
       "it.",
       "4-artifact/compiler.json"},
      {"driver-and-gpu",
       "The driver's PTX compiler and the GPU execute the validated PTX as the PTX ISA says, and add.rn, "
       "mul.rn and fma.rn are not contracted.",
       "NVIDIA, PTX ISA 9.0, sections on add, mul and fma"},
      {"launch-runtime",
       "The fixed runtime executes launch.json as it stands and checks what depends on the caller: pointers, "
       "sizes, overlap.",
       "hallmark, src/runtime"},
      {"interval-arithmetic", "MPFI and MPFR round outwards as documented.", "MPFR 4.2.0 and MPFI 1.5.3"},
      {"lemmas", "The laws of proofs/lemmas.md, which are proved on paper and not machine-checked.",
       "hallmark, proofs/lemmas.md"},
  };
  for (const std::string& sentence : of_import)
    out.push_back({"import:" + sha256_hex(sentence).substr(0, 12), sentence, "the importer, of 1-model"});
  for (const std::string& id : contract::assumptions(evidence.contract))
    out.push_back({id, "Nobody stated this; the default of the contract holds: " + id,
                   "1-model/contract.toml, where it is marked as assumed"});
  return out;
}

std::optional<bundle::Assumption> named_assumption(const std::string& id) {
  struct Known {
    const char *text, *source;
  };
  static const std::map<std::string, Known, std::less<>> known{
      {"extents-are-computed-without-overflow",
       {"Where a model computes extents from symbolic ones, their integers stay within 64 bits.",
        "whoever gives the symbols their values; a contract that bounds them removes it"}},
      {"tensors-have-fewer-than-2^31-elements",
       {"Where the contract gives a size no upper end, each tensor of the program has fewer than 2^31 "
        "elements.",
        "whoever gives the sizes; the launch runtime refuses those that the plan does not serve, and a "
        "contract "
        "that bounds them removes it"}},
      {"sizes-without-an-end-are-at-most-65535",
       {"A size that the contract gives no upper end is at most 65535.",
        "whoever gives the sizes; the launch runtime refuses those that the plan does not serve, and a "
        "contract "
        "that bounds them removes it"}},
      {"buffers-do-not-overlap",
       {"No two buffers share a byte.", "whoever launches; the launch runtime checks it"}},
      {"buffers-are-not-null",
       {"No buffer that the specification names is a null pointer: the kernel asks for that.",
        "whoever launches"}},
      {"buffers-start-at-256",
       {"Every buffer starts at a multiple of 256 bytes.", "whoever launches; the launch runtime checks it"}},
      {"dynamic-shared-starts-at-16",
       {"An extern __shared__ array starts at a multiple of 16 bytes, whatever its elements are.",
        "nvcc, which writes .align 16 for each; the type alone promises less"}},
      {"ptxas-contraction-only-mul-add",
       {"The assembler fuses a bare addition with a multiplication alone.",
        "NVIDIA, PTX ISA 9.0, add and mul"}},
      {"compiled-without-contraction",
       {"The kernel is compiled with --fmad=false. By default nvcc may fuse a multiplication with an "
        "addition, "
        "which rounds once instead of twice and gives other bits.",
        "whoever compiles"}},
      {"volatile-assembly-stays",
       {"Inline assembly that is volatile and does not say \"memory\" keeps its place among accesses to "
        "memory.",
        "NVIDIA, Inline PTX Assembly in CUDA 13.0, which promises less; the PTX level does not rest on it"}},
      {"local-variables-aligned-as-accessed",
       {"Local variables lie where accesses that are wider than their elements are aligned (a float4 of a "
        "float[4]), "
        "which the type alone does not promise.",
        "nvcc, which sees such accesses and places the variable accordingly"}},
      {"assembly-operands-apart",
       {"The compiler puts no output of inline assembly into the register of one of its inputs.",
        "practice of nvcc, not its documentation; the PTX level does not rest on it"}},
      {"buffers-hold-what-is-accessed",
       {"Every buffer holds at least the elements that the kernel was found to access; the text says how "
        "many.",
        "derived from the kernel's text, not stated by anybody"}},
      {"launch-and-sizes-as-proposed",
       {"The launch and the sizes are those that were proposed from the kernel's signature and text.",
        "proposed, not stated by anybody; --where and the options of the launch say otherwise"}},
      {"indices-do-not-wrap",
       {"The sizes meet the conditions under which no index leaves its type.",
        "derived from the kernel's text, not stated by anybody"}},
      {"empty-grid-not-launched",
       {"Where the sizes give a grid without blocks, nothing is launched: CUDA refuses such a launch.",
        "whoever launches; CUDA C++ Programming Guide, cudaErrorInvalidConfiguration"}},
      {"floats-are-finite",
       {"Values are compared as reals, among which there are no infinities and no NaNs: every float of a "
        "buffer "
        "or a parameter is a finite number before the launch.",
        "the specification, which says so"}},
      {"roundings-erased",
       {"Values are compared as reals, with the roundings of both sides taken away, and with them overflow "
        "to an infinity and underflow to 0; a comparison, a floor or a conversion to an integer comes out as "
        "of exact operands, also where a rounding decides it; where the specification divides by 0 the "
        "kernel may have an infinity or a NaN.",
        "the specification, which says so"}}};
  if (id.ends_with("-of-this-kernel")) return std::nullopt;
  if (const auto found = known.find(id); found != known.end())
    return bundle::Assumption{id, found->second.text, found->second.source};
  const auto starts = [&](std::string_view with) { return std::string_view(id).starts_with(with); };
  constexpr std::string_view inlined = "inlined:";
  if (starts(inlined))
    return bundle::Assumption{
        id, fmt::format("What nvcc writes in place of {} computes it.", id.substr(inlined.size())),
        "corpus/accuracy/inlined.ptx"};
  if (starts("accuracy:"))
    return bundle::Assumption{id, "The function is as accurate as its row says, in units in the last place.",
                              "corpus/accuracy, the table with the digest that the name ends in"};
  if (starts("tensor-core:"))
    return bundle::Assumption{id, "The tensor core adds as its row says.",
                              "corpus/accuracy/tensor_cores.toml, by the digest that the name ends in"};
  return bundle::Assumption{id, "A number of the specification that its format does not have.",
                            "the specification"};
}

void add_named(std::vector<bundle::Assumption>& to, const std::vector<Obligation>& obligations) {
  std::set<std::string> there, named;
  for (const bundle::Assumption& a : to) there.insert(a.id);
  for (const Obligation& o : obligations)
    if (o.outcome.state == State::proved)
      named.insert(o.outcome.assumptions.begin(), o.outcome.assumptions.end());
  for (const std::string& id : named)
    if (!there.contains(id))
      if (std::optional<bundle::Assumption> assumption = named_assumption(id)) to.push_back(*assumption);
}

std::vector<std::string> default_boxes_of(const contract::Contract& contract) {
  std::vector<std::string> out;
  for (const auto& [name, box] : contract.inputs)
    if (box.assumed)
      out.push_back(fmt::format("{} in [{}, {}]", name, box.low.get_str(), box.high.get_str()));
  return out;
}

// By the independent scanner: of a text that is there.
static bool accesses_no_memory(const std::string& ptx) {
  if (ptx.empty()) return false;
  const std::vector<scanner::Unit> units = scanner::scan_ptx(ptx);
  return !units.empty() && std::none_of(units.begin(), units.end(), [](const scanner::Unit& unit) {
    return std::any_of(unit.constructs.begin(), unit.constructs.end(), [](const scanner::Construct& c) {
      return c.what == scanner::What::load || c.what == scanner::What::store ||
             c.what == scanner::What::atomic;
    });
  });
}

std::map<std::string, std::string> settings_of(const Evidence& evidence) {
  std::string prepared;
  for (const plan::PlannedLaunch& launch : evidence.plan.launches)
    if (launch.prepare) prepared += (prepared.empty() ? "" : ", ") + launch.kernel;
  std::map<std::string, std::string> out{
      {accuracy_tables, sha256_hex(std::string(numerics::functions_toml()) + numerics::tensor_cores_toml() +
                                   numerics::cuda_math_toml())},
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
      {"nvcc-sha256", evidence.ptx.compiler_sha256.empty() ? "missing" : evidence.ptx.compiler_sha256},
      {"nvcc-version", evidence.ptx.compiler.empty() ? "missing" : evidence.ptx.compiler},
      {"prepared-launches", prepared.empty() ? "none" : "once, when the plan is loaded: " + prepared},
  };
  if (accesses_no_memory(evidence.ptx.text)) out[bundle::memory_accesses] = "none";
  return out;
}

}  // namespace hallmark::pipeline
