#include "pipeline/run.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "base/files.h"
#include "bundle/report.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/say.h"

namespace hallmark::cli {
namespace {

struct RunOptions {
  std::string model, contract;
  bool withhold = false;
  ContextOptions context;
  PackageOptions package;
};

int run(const RunOptions& o, const Common& common) {
  pipeline::RunRequest request;
  fill(request, o.package, common);
  request.model = o.model;
  if (!o.contract.empty()) request.contract = o.contract;
  request.context = context_request(o.context);
  request.withhold_model = o.withhold;
  return print_run(pipeline::run(request, progress()), o.package.output, common);
}

struct StageOptions {
  std::string folder, model, contract;
  ContextOptions context;
  PackageOptions package;
};

}  // namespace

int print_run(const pipeline::RunResult& result, const std::string& output, const Common& common) {
  std::cout << bundle::render(result.report, *bundle::format_of(common.format));
  if (common.format == "text")
    show(
        "\nWhere to look next:\n  {0}/4-artifact              the CUDA text, the PTX and the launch plan\n"
        "  {0}/5-evidence/receipt.json every obligation with its state\n  hallmark audit {0}        derive "
        "and check everything again\n  hallmark report {0} -o FILE.html   the same for a browser\n",
        bundle::shell_word(output));
  return result.exit_code;
}

void add_run(Registration r) {
  auto o = std::make_shared<RunOptions>();
  CLI::App* command = r.app.add_subcommand(
      "run", "the five stages: from an ONNX model to a bundle with a receipt; a killed run can be resumed");
  command->add_option("model", o->model, "ONNX model (.onnx, or ONNX's text form .onnxtxt)")->required();
  command->add_option("--contract", o->contract,
                      "numerical contract (TOML); default: MODEL.contract.toml beside the model");
  command->add_flag(
      "--withhold-model", o->withhold,
      "name the model by its SHA-256 and do not put it into the bundle; `audit --model` brings it");
  add_context_options(*command, o->context);
  add_package_options(*command, o->package);
  command->callback([r, o] { r.chosen = [r, o] { return run(*o, r.common); }; });
}

void add_stages(Registration r) {
  const auto stage = [&](const char* name, const char* help) {
    auto o = std::make_shared<StageOptions>();
    return std::pair(r.app.add_subcommand(name, help), o);
  };
  {
    auto [command, o] = stage("import", "stage 1: read a model and its contract into DIR/1-model");
    command->add_option("model", o->model, "ONNX model (.onnx or .onnxtxt)")->required();
    command->add_option("--contract", o->contract,
                        "numerical contract (TOML); default: MODEL.contract.toml beside the model");
    command->add_option("-o,--output", o->folder, "folder of the stages")->required();
    command->callback([r, o = o] {
      r.chosen = [o] {
        pipeline::import_stage(o->folder, o->model,
                               o->contract.empty() ? std::nullopt : std::optional(o->contract), progress());
        return met;
      };
    });
  }
  {
    auto [command, o] = stage("search", "stage 2: DIR/1-model to DIR/2-candidates");
    command->add_option("folder", o->folder, "folder of the stages")->required();
    add_context_options(*command, o->context);
    command->callback([r, o = o] {
      r.chosen = [r, o] {
        pipeline::search_stage(o->folder, context_request(o->context), effort(r.common), progress());
        return met;
      };
    });
  }
  {
    auto [command, o] = stage("select", "stage 3: price and elect, DIR/2-candidates to DIR/3-selection");
    command->add_option("folder", o->folder, "folder of the stages")->required();
    add_context_options(*command, o->context);
    command->callback([r, o = o] {
      r.chosen = [o] {
        pipeline::select_stage(o->folder, context_request(o->context), progress());
        return met;
      };
    });
  }
  {
    auto [command, o] = stage("lower", "stage 4: the elected route as CUDA and PTX, into DIR/4-artifact");
    command->add_option("folder", o->folder, "folder of the stages")->required();
    command->callback([r, o = o] {
      r.chosen = [o] {
        pipeline::lower_stage(o->folder, progress());
        return met;
      };
    });
  }
  {
    auto [command, o] = stage("package", "stage 5: discharge the obligations and write the bundle");
    command->add_option("folder", o->folder, "folder of the stages")->required();
    add_package_options(*command, o->package);
    command->callback([r, o = o] {
      r.chosen = [r, o] {
        pipeline::PackageRequest request;
        fill(request, o->package, r.common);
        return print_run(pipeline::package_stage(o->folder, request, progress()), o->package.output,
                         r.common);
      };
    });
  }
}

}  // namespace hallmark::cli
