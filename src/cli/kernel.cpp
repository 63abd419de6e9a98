#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "base/error.h"
#include "base/files.h"
#include "bundle/gate.h"
#include "bundle/report.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "pipeline/kernel_program.h"
#include "pipeline/kernels.h"
#include "plan/spec_text.h"
#include "validator/ptx/reader.h"

namespace hallmark::cli {
namespace {

struct Options {
  std::string file, kernel, spec, level = "both", reproducer;
  std::vector<std::string> clang;
};

// The texts of one file: what it is itself, and the PTX that nvcc makes of a CUDA file.
class FileTexts {
 public:
  explicit FileTexts(const Options& o) : path_(o.file) {
    if (std::filesystem::path(o.file).extension() == ".ptx") {
      ptx_ = validator::ptx::read_ptx(read_file(o.file), o.file);
      source_reason_ = Reason::unsupported;
      source_detail_ = "the file is PTX: there is no CUDA text";
      return;
    }
    if (o.level != "ptx") read_source(o);
    if (o.level != "source") read_compiled(o);
  }

  pipeline::KernelText find(const std::string& kernel, Level level) const {
    const bool is_ptx = level == Level::ptx;
    pipeline::KernelText out;
    out.reason = is_ptx ? ptx_reason_ : source_reason_;
    out.detail = is_ptx ? ptx_detail_ : source_detail_;
    if (out.reason != Reason::none) return out;
    const validator::ir::Module& module = is_ptx ? ptx_ : source_.module;
    try {
      out.kernel = &validator::ir::find_kernel(module, kernel);
    } catch (const Refusal& refusal) {
      out.reason = Reason::unsupported;
      out.detail = refusal.render();
      return out;
    }
    if (!is_ptx)
      for (std::size_t i = 0; i < module.kernels.size(); ++i)
        if (module.kernels[i].kernel && &*module.kernels[i].kernel == out.kernel)
          out.findings = &source_.findings.at(i);
    return out;
  }

 private:
  void read_source(const Options& o) {
    validator::source::ClangOptions clang;
    clang.arguments = o.clang;
    if (!validator::source::clang_is_there(clang)) {
      source_reason_ = Reason::tool_missing;
      source_detail_ = "clang++-14 is not installed";
      return;
    }
    source_ = validator::source::read_cuda(o.file, clang);
  }

  void read_compiled(const Options& o) {
    const std::string name = std::filesystem::path(o.file).filename().string();
    const pipeline::Ptx ptx = pipeline::compile_to_ptx({{name, read_file(o.file)}});
    ptx_reason_ = ptx.reason;
    ptx_detail_ = ptx.detail;
    if (ptx.reason == Reason::none) ptx_ = validator::ptx::read_ptx(ptx.text, name + " (PTX)");
  }

  std::string path_;
  validator::ir::Module ptx_;
  validator::source::SourceModule source_;
  Reason ptx_reason_ = Reason::none, source_reason_ = Reason::none;
  std::string ptx_detail_, source_detail_;
};

int check(const Options& o, const Common& common) {
  plan::KernelSpec spec = plan::parse_spec(read_file(o.spec), o.spec);
  if (!o.kernel.empty()) spec.kernel = o.kernel;
  const FileTexts texts(o);
  std::vector<Level> levels;
  const bool is_ptx = std::filesystem::path(o.file).extension() == ".ptx";
  if (o.level != "ptx" && !is_ptx) levels.push_back(Level::source);
  if (o.level != "source" || is_ptx) levels.push_back(Level::ptx);
  smt::PortfolioOptions options;
  options.selected = solver_list(common);
  smt::Portfolio portfolio(options);
  std::vector<Obligation> all;
  for (Level level : levels) {
    const pipeline::KernelText text = texts.find(spec.kernel, level);
    std::vector<Obligation> list = pipeline::list_kernel_obligations(spec, text, level);
    pipeline::discharge_kernel(list, spec, text, level, portfolio);
    all.insert(all.end(), list.begin(), list.end());
  }
  for (Obligation& obligation : all)
    if (!obligation.outcome.queries.empty())
      obligation.outcome = portfolio.settle(obligation.outcome, smt::Rule::both);
  if (!o.reproducer.empty()) {
    const auto refuted = std::find_if(
        all.begin(), all.end(), [](const Obligation& each) { return each.outcome.state == State::refuted; });
    if (refuted != all.end())
      pipeline::write_kernel_reproducer(spec, o.file, *refuted, o.reproducer);
    else
      fmt::print(stderr, "nothing is refuted: there is nothing to reproduce\n");
  }
  const bundle::Report report =
      bundle::checked_report(o.file + ": " + spec.kernel, std::move(all), "obligation", "obligations",
                             [&](const Obligation& obligation) {
                               return fmt::format("hallmark kernel check {} --kernel {} --spec {} --level {}",
                                                  bundle::shell_word(o.file), bundle::shell_word(spec.kernel),
                                                  bundle::shell_word(o.spec), name(obligation.level));
                             });
  std::cout << bundle::render(report, *bundle::format_of(common.format));
  return report.exit_code.value_or(internal);
}

}  // namespace

void add_kernel(Registration r) {
  CLI::App* kernel = r.app.add_subcommand("kernel", "kernels that somebody else wrote: check");
  kernel->require_subcommand(1);
  auto o = std::make_shared<Options>();
  CLI::App* command = kernel->add_subcommand(
      "check", "does this kernel do what the specification says, for every input and size?");
  command->add_option("file", o->file, "CUDA (.cu) or PTX (.ptx)")->required();
  command->add_option("--kernel", o->kernel, "the kernel's name; default: that of the specification");
  command->add_option("--spec", o->spec, "specification (.hm)")->required();
  command->add_option("--level", o->level, "source, ptx or both")
      ->check(CLI::IsMember({"source", "ptx", "both"}))
      ->capture_default_str();
  command->add_option("--reproducer", o->reproducer,
                      "write the first refutation as a stand-alone folder: C++ and CUDA that show it");
  command->add_option("--clang", o->clang, "further arguments for Clang, such as -IDIR and -DX")
      ->allow_extra_args(false);
  command->callback([r, o] { r.chosen = [r, o] { return check(*o, r.common); }; });
}

}  // namespace hallmark::cli
