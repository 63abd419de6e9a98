#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "bundle/gate.h"
#include "bundle/report.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/kernel_options.h"
#include "cli/say.h"
#include "pipeline/assumptions.h"
#include "pipeline/kernel_compare.h"
#include "pipeline/kernel_file.h"
#include "pipeline/kernel_hints.h"
#include "pipeline/kernel_program.h"
#include "pipeline/kernel_safety.h"
#include "pipeline/operator_meaning.h"
#include "plan/spec_text.h"

namespace hallmark::cli {
namespace {

struct Options {
  KernelFileArguments file;
  std::string kernel, spec, level = "both", batch, reproducer;
  bool guess = false;
};

std::vector<Level> levels_of(const Options& o, const pipeline::KernelFile& file) {
  if (file.is_ptx()) return {Level::ptx};
  std::vector<Level> out;
  if (o.level != "ptx") out.push_back(Level::source);
  if (o.level != "source") out.push_back(Level::ptx);
  return out;
}

pipeline::KernelFileOptions file_options(const Options& o) {
  pipeline::KernelFileOptions out = o.file.options();
  out.source = o.level != "ptx";
  out.ptx = o.level != "source";
  return out;
}

std::string command_of(const Options& o, const std::string& kernel, const std::string& rest) {
  return fmt::format("hallmark kernel check {} --kernel {} {}", bundle::shell_word(o.file.file),
                     bundle::shell_word(kernel), rest);
}

int print(const bundle::Report& report, const Common& common) {
  std::cout << bundle::render(report, *bundle::format_of(common.format));
  return report.exit_code.value_or(internal);
}

bundle::Report report_of(const std::string& subject, std::vector<Obligation> all, smt::Portfolio& portfolio,
                         std::function<std::string(const Obligation&)> replay,
                         std::vector<std::string> notes) {
  for (Obligation& obligation : all)
    if (!obligation.outcome.queries.empty())
      obligation.outcome = portfolio.settle(obligation.outcome, smt::Rule::both);
  pipeline::add_hints(all);
  bundle::Report out =
      bundle::checked_report(subject, std::move(all), "obligation", "obligations", std::move(replay));
  out.notes.insert(out.notes.end(), notes.begin(), notes.end());
  std::map<std::string, std::string> assumed;
  for (const Obligation& obligation : out.obligations)
    if (obligation.outcome.state == State::proved)
      for (const std::string& assumption : obligation.outcome.assumptions)
        if (const auto known = pipeline::named_assumption(assumption))
          assumed.emplace(assumption, bundle::words(*known));
  out.assumed.assign(assumed.begin(), assumed.end());
  return out;
}

bundle::Report check_specification(const Options& o, const Common& common) {
  plan::KernelSpec spec = plan::parse_spec(read_file(o.spec), o.spec, pipeline::onnx_meaning);
  if (!o.kernel.empty()) spec.kernel = o.kernel;
  const pipeline::KernelFile file(o.file.file, file_options(o));
  smt::PortfolioOptions options;
  options.selected = solver_list(common);
  smt::Portfolio portfolio(options);
  std::vector<Obligation> all;
  for (Level level : levels_of(o, file)) {
    const pipeline::KernelText text = file.find(spec.kernel, level);
    std::vector<Obligation> list = pipeline::list_kernel_obligations(spec, text, level);
    pipeline::discharge_kernel(list, spec, text, level, portfolio);
    all.insert(all.end(), list.begin(), list.end());
  }
  if (!o.reproducer.empty()) {
    const auto found = std::find_if(
        all.begin(), all.end(), [](const Obligation& each) { return each.outcome.state == State::refuted; });
    if (found != all.end())
      pipeline::write_kernel_reproducer(spec, o.file.file, *found, o.reproducer);
    else
      tell("nothing is refuted: there is nothing to reproduce\n");
  }
  return report_of(o.file.file + ": " + spec.kernel, std::move(all), portfolio,
                   [o, kernel = spec.kernel](const Obligation& obligation) {
                     return command_of(o, kernel,
                                       fmt::format("--spec {} --level {}", bundle::shell_word(o.spec),
                                                   name(obligation.level)));
                   },
                   {});
}

bundle::Report check_safety(const Options& o, const Common& common) {
  const pipeline::KernelFile file(o.file.file, file_options(o));
  std::vector<std::string> kernels = file.kernels();
  if (!o.kernel.empty()) kernels = {o.kernel};
  if (kernels.empty())
    throw UserError("E9111", "the file has no kernel: nothing is __global__ or .entry",
                    Location{o.file.file});
  smt::PortfolioOptions options;
  options.selected = solver_list(common);
  smt::Portfolio portfolio(options);
  std::vector<Obligation> all;
  std::vector<std::string> notes;
  const pipeline::SafetyRequest given = o.file.safety();
  for (const std::string& kernel : kernels)
    for (Level level : levels_of(o, file)) {
      pipeline::SafetyRequest request = given;
      if (const auto block = file.launched_block(kernel); block && !request.launch.block) {
        request.launch.block = block;
        notes.push_back(fmt::format("{}: launched by this file with blocks of ({}, {}, {}) threads", kernel,
                                    (*block)[0], (*block)[1], (*block)[2]));
      }
      pipeline::Safety safety =
          pipeline::check_safety(kernel, file.find(kernel, level), level, request, portfolio);
      all.insert(all.end(), safety.obligations.begin(), safety.obligations.end());
      notes.insert(notes.end(), safety.notes.begin(), safety.notes.end());
    }
  std::string subject = o.file.file + ":";
  for (const std::string& kernel : kernels) subject += " " + kernel;
  return report_of(
      subject, std::move(all), portfolio,
      [o](const Obligation& obligation) {
        return command_of(o, obligation.subject.substr(0, obligation.subject.find(':')),
                          o.file.words() + fmt::format("--level {}", name(obligation.level)));
      },
      notes);
}

// 5 beats 1, 1 beats what could not be read, that beats what is undecided (design, section 6).
int worse(int a, int b) {
  static constexpr int order[] = {internal, integrity, refuted, invalid, undecided, met};
  for (int code : order)
    if (a == code || b == code) return code;
  return std::max(a, b);
}

// Lines "FILE [SPEC [KERNEL]]", names relative to the batch file; `#` starts a comment.
int check_batch(const Options& o, const Common& common) {
  const std::filesystem::path folder = std::filesystem::path(o.batch).parent_path();
  std::istringstream lines(read_file(o.batch));
  int code = met;
  json::array reports;
  std::string line, summary;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string file, spec, kernel, more;
    words >> file >> spec >> kernel >> more;
    if (file.empty()) continue;
    if (!more.empty())
      throw UserError("E9115", "a line has a file, a specification and a kernel's name at most",
                      Location{o.batch, number}, line);
    Options pair = o;
    pair.file.file = (folder / file).string();
    pair.spec = spec.empty() ? "" : (folder / spec).string();
    pair.kernel = kernel;
    try {
      const bundle::Report report =
          spec.empty() ? check_safety(pair, common) : check_specification(pair, common);
      const int mine = report.exit_code.value_or(internal);
      code = worse(code, mine);
      summary += fmt::format("{}:{}: {}: {}\n", o.batch, number, report.subject, report.verdict);
      if (common.format == "json")
        reports.push_back(bundle::report_json(report));
      else
        std::cout << bundle::render(report, *bundle::format_of(common.format)) << "\n";
    } catch (const InternalError&) {
      throw;
    } catch (const Error& error) {
      code = worse(code, invalid);
      summary += fmt::format("{}:{}: {}: {}\n", o.batch, number, pair.file.file, error.message());
      if (common.format == "json")
        reports.push_back(
            json::object{{"subject", pair.file.file}, {"error", error.message()}, {"code", error.code()}});
      else
        std::cout << error.render() << "\n";
    }
  }
  if (common.format == "json")
    std::cout << json::serialize(reports) << "\n";
  else
    std::cout << summary;
  return code;
}

int guess(const Options& o, const Common& common) {
  pipeline::KernelFileOptions wanted = file_options(o);
  wanted.ptx = false;
  const pipeline::KernelFile file(o.file.file, wanted);
  std::vector<std::string> kernels = file.kernels();
  if (!o.kernel.empty()) kernels = {o.kernel};
  if (kernels.size() != 1) {
    std::string names;
    for (const std::string& kernel : kernels) names += (names.empty() ? "" : ", ") + kernel;
    throw UserError("E9112",
                    fmt::format("a specification is for one kernel; name one with --kernel: {}",
                                names.empty() ? "the file has none" : names),
                    Location{o.file.file});
  }
  const pipeline::KernelText text = file.find(kernels[0], file.is_ptx() ? Level::ptx : Level::source);
  if (text.kernel == nullptr)
    throw Refusal("E9113", "the kernel was not read: " + text.detail, Location{o.file.file});
  smt::PortfolioOptions options;
  options.selected = solver_list(common);
  smt::Portfolio portfolio(options);
  std::cout << pipeline::proposed_specification(*text.kernel, o.file.safety(), portfolio);
  return met;
}

struct CompareOptions {
  KernelFileArguments reference;
  std::string other, kernel, other_kernel, other_block, other_grid, equality = "bits";
};

pipeline::ComparedKernel compared(const pipeline::KernelFile& file, std::string kernel,
                                  pipeline::SafetyRequest request) {
  if (kernel.empty()) {
    const std::vector<std::string> all = file.kernels();
    if (all.size() != 1)
      throw UserError("E9112", fmt::format("name the kernel: the file has {} of them", all.size()),
                      Location{file.path()});
    kernel = all[0];
  }
  pipeline::ComparedKernel out;
  out.level = file.is_ptx() ? Level::ptx : Level::source;
  out.text = file.find(kernel, out.level);
  if (const auto block = file.launched_block(kernel); block && !request.launch.block)
    request.launch.block = block;
  out.name = std::move(kernel);
  out.request = std::move(request);
  return out;
}

int compare(const CompareOptions& o, const Common& common) {
  pipeline::KernelFileOptions wanted = o.reference.options();
  wanted.ptx = false;
  const pipeline::KernelFile first(o.reference.file, wanted), second(o.other, wanted);
  KernelFileArguments theirs = o.reference;
  if (!o.other_block.empty()) theirs.block = o.other_block;
  if (!o.other_grid.empty()) theirs.grid = o.other_grid;
  smt::PortfolioOptions options;
  options.selected = solver_list(common);
  smt::Portfolio portfolio(options);
  pipeline::Comparison result = pipeline::compare_kernels(
      compared(first, o.kernel, o.reference.safety()),
      compared(second, o.other_kernel.empty() ? o.kernel : o.other_kernel, theirs.safety()),
      o.equality == "reals" ? plan::Equality::reals : plan::Equality::bits, portfolio);
  return print(
      report_of(
          fmt::format("{} against {}", o.other, o.reference.file), std::move(result.obligations), portfolio,
          [o](const Obligation&) {
            return fmt::format("hallmark kernel compare {} {} {}--equality {}",
                               bundle::shell_word(o.reference.file), bundle::shell_word(o.other),
                               o.reference.words(), o.equality);
          },
          result.notes),
      common);
}

}  // namespace

void add_kernel(Registration r) {
  CLI::App* kernel = r.app.add_subcommand("kernel", "kernels that somebody else wrote: check, compare, spec");
  kernel->require_subcommand(1);
  auto o = std::make_shared<Options>();
  CLI::App* command = kernel->add_subcommand(
      "check",
      "does this kernel do what the specification says, for every input and size? Without one: is it safe?");
  o->file.add_to(*command, false);
  command->add_option("--batch", o->batch, "a file of lines FILE [SPEC [KERNEL]], all of them checked");
  command->add_option("--kernel", o->kernel,
                      "the kernel's name; default: that of the specification, or every kernel of the file");
  command->add_option("--spec", o->spec, "specification (.hm)");
  command->add_option("--level", o->level, "source, ptx or both")
      ->check(CLI::IsMember({"source", "ptx", "both"}))
      ->capture_default_str();
  command->add_option(
      "--reproducer", o->reproducer,
      "with --spec: write the first refutation as a stand-alone folder, C++ and CUDA that show it");
  command->callback([r, o] {
    r.chosen = [r, o] {
      if (!o->batch.empty()) return check_batch(*o, r.common);
      if (o->file.file.empty()) throw UserError("E9116", "name a file of kernels, or several with --batch");
      return print(o->spec.empty() ? check_safety(*o, r.common) : check_specification(*o, r.common),
                   r.common);
    };
  });
  auto c = std::make_shared<CompareOptions>();
  CLI::App* both = kernel->add_subcommand(
      "compare", "does the second kernel compute what the first computes, for every input and size?");
  c->reference.add_to(*both);
  both->add_option("other", c->other, "the file of the second kernel; may be the same")->required();
  both->add_option("--kernel", c->kernel, "the first kernel's name; default: the only one of its file");
  both->add_option("--other-kernel", c->other_kernel, "the second kernel's name; default: as the first");
  both->add_option("--other-block", c->other_block,
                   "threads of a block of the second; default: as the first");
  both->add_option("--other-grid", c->other_grid, "blocks of the second; default: as the first");
  both->add_option("--equality", c->equality, "bits: the same roundings; reals: up to roundings")
      ->check(CLI::IsMember({"bits", "reals"}))
      ->capture_default_str();
  both->callback([r, c] { r.chosen = [r, c] { return compare(*c, r.common); }; });
  auto s = std::make_shared<Options>();
  CLI::App* spec = kernel->add_subcommand("spec", "proposes a specification to start from");
  s->file.add_to(*spec);
  spec->add_option("--kernel", s->kernel, "the kernel's name; default: the only one of the file");
  spec->add_flag("--guess", s->guess, "from the signature and the text: a proposal, not a statement")
      ->required();
  spec->callback([r, s] { r.chosen = [r, s] { return guess(*s, r.common); }; });
}

}  // namespace hallmark::cli
