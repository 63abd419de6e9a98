// The texts of an artifact as kernel IR, at both levels, and the obligations of each kernel there. Where a
// text is missing or a kernel is outside a reader's subset, its obligations are listed all the same and say
// why they are unrun.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "obligation/obligation.h"
#include "pipeline/nvcc.h"
#include "plan/kernel_spec.h"
#include "smt/portfolio.h"
#include "validator/ir/module.h"
#include "validator/llvm/source_reader.h"

namespace hallmark::pipeline {

// What one level offers for one kernel: IR, or the reason why there is none.
struct KernelText {
  const validator::ir::Kernel* kernel = nullptr;
  const validator::source::SourceFindings* findings = nullptr;  // level source
  Reason reason = Reason::none;
  std::string detail;
};

class ArtifactTexts {
 public:
  // Reads both levels; never throws for what a text holds.
  ArtifactTexts(const std::vector<std::pair<std::string, std::string>>& cuda, const Ptx& ptx);
  // At level ptx the entry of exactly that name, which is what the runtime asks the driver for.
  KernelText find(const std::string& kernel, Level level) const;
  // Whether the PTX is for a device of that compute capability, "9.0".
  Outcome loads_on(const std::string& compute_capability) const;

 private:
  void name_in_bundle(const std::string& prefix,
                      const std::vector<std::pair<std::string, std::string>>& cuda);
  validator::ir::Module ptx_;
  validator::source::SourceModule source_;
  Reason ptx_reason_ = Reason::none, source_reason_ = Reason::none;
  std::string ptx_detail_, source_detail_;
};

std::vector<Obligation> list_kernel_obligations(const plan::KernelSpec& spec, const KernelText& text,
                                                Level level);
void discharge_kernel(std::vector<Obligation>& obligations, const plan::KernelSpec& spec,
                      const KernelText& text, Level level, smt::Portfolio& portfolio);

// Undefined behaviour that Clang saw, and locals read before they are written: `ub` and `init` are not proved
// while there is any.
void apply_source_findings(std::vector<Obligation>& obligations,
                           const validator::source::SourceFindings& findings);

}  // namespace hallmark::pipeline
