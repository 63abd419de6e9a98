#include "pipeline/kernels.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "bundle/layout.h"
#include "pipeline/module_text.h"
#include "validator/checks/discharge.h"
#include "validator/ptx/reader.h"

namespace hallmark::pipeline {

namespace ir = validator::ir;

ArtifactTexts::ArtifactTexts(const std::vector<std::pair<std::string, std::string>>& cuda, const Ptx& ptx) {
  ptx_reason_ = ptx.reason;
  ptx_detail_ = ptx.detail;
  if (ptx.reason == Reason::none) {
    try {
      ptx_ = validator::ptx::read_ptx(ptx.text, std::string(bundle::stage_artifact) + "kernels.ptx");
    } catch (const InternalError&) {
      throw;
    } catch (const Error& error) {
      ptx_reason_ = Reason::unsupported;
      ptx_detail_ = error.render();
    }
  }
  if (!validator::source::clang_is_there({})) {
    source_reason_ = Reason::tool_missing;
    source_detail_ = "clang++-14 is not installed";
    return;
  }
  const TemporaryFolder folder;
  for (const auto& [name, text] : cuda) write_file(folder.path() + "/" + name, text);
  write_file(folder.path() + "/module.cu", module_text(cuda, true));
  try {
    source_ = validator::source::read_cuda(folder.path() + "/module.cu");
    name_in_bundle(folder.path() + "/", cuda);
  } catch (const InternalError&) {
    throw;
  } catch (const Error& error) {
    source_reason_ = Reason::unsupported;
    source_detail_ = error.render();
  }
}

// Places name files of the bundle, wherever these stood while they were read; what is said of a kernel as a
// whole is said of its file, not of the text that includes all of them.
void ArtifactTexts::name_in_bundle(const std::string& prefix,
                                   const std::vector<std::pair<std::string, std::string>>& cuda) {
  const std::string stage(bundle::stage_artifact);
  const auto strip = [&](std::string& name) {
    if (name.rfind(prefix, 0) == 0) name.replace(0, prefix.size(), stage);
  };
  strip(source_.module.file);
  for (ir::KernelReading& reading : source_.module.kernels)
    if (reading.kernel) {
      strip(reading.kernel->text_file);
      for (const auto& [file, text] : cuda)
        if (file == reading.source_name + ".cu" || file == reading.name + ".cu")
          reading.kernel->text_file = stage + file;
      for (std::string& name : reading.kernel->source_files) strip(name);
    }
  for (auto& [file, digest] : source_.sources) strip(file);
}

namespace {

// "9.0" -> 90; nothing for other text.
std::optional<unsigned> tenths(const std::string& version) {
  const std::size_t dot = version.find('.');
  if (dot == std::string::npos || dot == 0 || dot > 3 || version.size() != dot + 2) return std::nullopt;
  unsigned out = 0;
  for (std::size_t i = 0; i < version.size(); ++i) {
    if (i == dot) continue;
    if (version[i] < '0' || version[i] > '9') return std::nullopt;
    out = out * 10 + static_cast<unsigned>(version[i] - '0');
  }
  return out;
}

// PTX ISA 9.0, .target: what is for sm_XY runs on devices of capability X.Y and later; with the suffix `a` on
// X.Y alone, with `f` on later ones of the family X. Why not; empty when it does.
std::string not_for(const std::string& target, unsigned version, unsigned capability) {
  const std::string digits = target.starts_with("sm_") ? target.substr(3) : "";
  std::size_t end = 0;
  unsigned wanted = 0;
  while (end < digits.size() && end < 4 && digits[end] >= '0' && digits[end] <= '9')
    wanted = wanted * 10 + static_cast<unsigned>(digits[end++] - '0');
  const std::string suffix = digits.substr(end);
  if (end < 2 || (!suffix.empty() && suffix != "a" && suffix != "f"))
    return "its target " + target + " is no architecture";
  // The first version of the ISA with that target: PTX ISA 9.0, release notes.
  static constexpr std::pair<unsigned, unsigned> first[]{{50, 40}, {60, 50}, {70, 60}, {72, 61},
                                                         {75, 63}, {80, 70}, {86, 71}, {87, 74},
                                                         {89, 78}, {90, 78}, {100, 86}};
  unsigned since = 0;
  for (const auto& [from, isa] : first)
    if (wanted >= from) since = isa;
  if (version < since) return "its version is older than its target " + target;
  const bool fits = suffix == "a"   ? wanted == capability
                    : suffix == "f" ? wanted <= capability && wanted / 10 == capability / 10
                                    : wanted <= capability;
  return fits ? "" : "its target is " + target;
}

}  // namespace

Outcome ArtifactTexts::loads_on(const std::string& compute_capability) const {
  if (ptx_reason_ != Reason::none) return Outcome::unrun(ptx_reason_, ptx_detail_);
  constexpr unsigned known = 90;  // of the ISA that the reader reads
  const std::optional<unsigned> capability = tenths(compute_capability), version = tenths(ptx_.version);
  std::string why;
  if (!capability)
    why = "the target has the compute capability " + compute_capability;
  else if (!version || *version > known)
    why = "its version is " + ptx_.version + ", the reader knows PTX ISA 9.0";
  else if (ptx_.targets.size() != 1)
    why = fmt::format("it names {} targets", ptx_.targets.size());
  else
    why = not_for(ptx_.targets[0], *version, *capability);
  if (!why.empty())
    return Outcome::unrun(Reason::gave_up,
                          "not for a device of compute capability " + compute_capability + ": " + why);
  Outcome out;
  out.state = State::proved;
  out.reason = Reason::none;
  out.discharged_by = {"syntactic"};
  return out;
}

KernelText ArtifactTexts::find(const std::string& kernel, Level level) const {
  KernelText out;
  const bool is_ptx = level == Level::ptx;
  out.reason = is_ptx ? ptx_reason_ : source_reason_;
  out.detail = is_ptx ? ptx_detail_ : source_detail_;
  if (out.reason != Reason::none) return out;
  const ir::Module& module = is_ptx ? ptx_ : source_.module;
  for (std::size_t i = 0; i < module.kernels.size(); ++i) {
    const ir::KernelReading& reading = module.kernels[i];
    if (reading.name != kernel && (is_ptx || reading.source_name != kernel)) continue;
    if (reading.refusal) {
      out.reason = Reason::unsupported;
      out.detail = reading.refusal->render();
      return out;
    }
    out.kernel = &*reading.kernel;
    if (!is_ptx) out.findings = &source_.findings.at(i);
    return out;
  }
  out.reason = Reason::unsupported;
  out.detail = "the text has no kernel " + kernel;
  return out;
}

namespace {

// Without a text there are no instructions to name: one obligation of each kind for the whole kernel.
std::vector<Obligation> list_without_text(const plan::KernelSpec& spec, const KernelText& text, Level level) {
  std::vector<Obligation> out;
  for (ObligationKind kind : all_obligation_kinds()) {
    switch (kind) {
      case ObligationKind::bounds:
      case ObligationKind::alignment:
      case ObligationKind::overflow:
      case ObligationKind::init:
      case ObligationKind::race:
      case ObligationKind::barrier:
      case ObligationKind::shuffle:
      case ObligationKind::termination:
      case ObligationKind::coverage:
      case ObligationKind::frame:
      case ObligationKind::value:
        break;
      case ObligationKind::ub:
        if (level == Level::source) break;
        continue;
      default:
        continue;
    }
    Obligation o;
    o.kind = kind;
    o.level = level;
    o.subject = spec.kernel;
    o.id = fmt::format("{}/{}/{}", name(kind), spec.kernel, name(level));
    o.statement = fmt::format("{} of the kernel {} whose text is missing\n{}", name(kind), spec.kernel,
                              validator::statement_context(spec));
    o.outcome = Outcome::unrun(text.reason, text.detail);
    out.push_back(std::move(o));
  }
  return out;
}

}  // namespace

std::vector<Obligation> list_kernel_obligations(const plan::KernelSpec& spec, const KernelText& text,
                                                Level level) {
  if (text.kernel == nullptr) return list_without_text(spec, text, level);
  return validator::list_obligations(spec, *text.kernel, level);
}

void apply_source_findings(std::vector<Obligation>& obligations,
                           const validator::source::SourceFindings& findings) {
  for (Obligation& o : obligations) {
    if (o.kind == ObligationKind::ub && !findings.undefined.empty())
      o.outcome = Outcome::unrun(Reason::gave_up,
                                 "Clang reports undefined behaviour: " + findings.undefined.front().text);
    if ((o.kind == ObligationKind::init || o.kind == ObligationKind::ub) && !findings.reads.empty() &&
        o.outcome.state == State::proved)
      o.outcome = Outcome::unrun(
          Reason::gave_up,
          fmt::format("the variable {} may be read before it is assigned, line {}",
                      findings.reads.front().variable, findings.reads.front().place.source_line));
  }
}

void discharge_kernel(std::vector<Obligation>& obligations, const plan::KernelSpec& spec,
                      const KernelText& text, Level level, smt::Portfolio& portfolio) {
  if (text.kernel == nullptr) {
    for (Obligation& o : obligations) o.outcome = Outcome::unrun(text.reason, text.detail);
    return;
  }
  validator::discharge(obligations, spec, *text.kernel, level, portfolio);
  if (text.findings != nullptr) apply_source_findings(obligations, *text.findings);
}

}  // namespace hallmark::pipeline
