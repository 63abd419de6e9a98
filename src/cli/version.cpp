#include <fmt/format.h>

#include "base/process.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/say.h"

namespace hallmark::cli {
namespace {

std::string first_line(const ProcessResult& result) {
  return result.ok() ? result.out.substr(0, result.out.find('\n')) : "not installed";
}

int version() {
  show("hallmark {}\n", HALLMARK_VERSION);
  show("z3     {}\n", first_line(run_process({"z3", "--version"})));
  show("cvc5   {}\n", first_line(run_process({"cvc5", "--version"})));
  show("clang  {}\n", first_line(run_process({"clang++-14", "--version"})));
  const auto nvcc = find_tool("nvcc") ? find_tool("nvcc") : find_tool("/usr/local/cuda/bin/nvcc");
  show("nvcc   {}\n", nvcc ? *nvcc : "not installed: obligations at level ptx stay unrun: tool-missing");
  return met;
}

}  // namespace

void add_version(Registration r) {
  CLI::App* command = r.app.add_subcommand("version", "this program and the tools that it found");
  command->callback([r] { r.chosen = version; });
}

}  // namespace hallmark::cli
