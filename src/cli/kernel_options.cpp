#include "cli/kernel_options.h"

#include <fmt/format.h>

#include "base/error.h"
#include "bundle/report.h"

namespace hallmark::cli {
namespace {

// "256", "16,16" or "16x16"; what is not said is 1.
std::optional<std::array<long, 3>> extents(const std::string& text, const std::string& option) {
  if (text.empty()) return std::nullopt;
  std::array<long, 3> out{1, 1, 1};
  std::size_t at = 0;
  for (std::size_t d = 0; at <= text.size(); ++d) {
    const std::size_t end = std::min(text.find_first_of(",x", at), text.size());
    const std::string part = text.substr(at, end - at);
    if (d == 3 || part.empty() || part.size() > 10 ||
        part.find_first_not_of("0123456789") != std::string::npos || std::stol(part) < 1 ||
        std::stol(part) > 2147483647L)
      throw UserError("E9114", fmt::format("{} {}: up to three numbers from 1 on were expected: 256 or 16,16",
                                           option, text));
    out[d] = std::stol(part);
    at = end + 1;
  }
  return out;
}

}  // namespace

void KernelFileArguments::add_to(CLI::App& command, bool file_required) {
  command.add_option("file", file, "CUDA (.cu) or PTX (.ptx)")->required(file_required);
  command.add_option("-I", include_folders, "a folder of included files")->allow_extra_args(false);
  command.add_option("-D", definitions, "a macro: NAME or NAME=VALUE")->allow_extra_args(false);
  command.add_option("--std", standard, "the language: c++14, c++17, c++20; default: c++17");
  command.add_option("--instantiate", instances, "an instance of a kernel template: 'tile<float, 128>'")
      ->allow_extra_args(false);
  command.add_option("--clang", clang, "further arguments for Clang")->allow_extra_args(false);
  command.add_option("--block", block, "without a specification: threads of a block, 256 or 16,16");
  command.add_option("--grid", grid, "without a specification: blocks of the grid");
  command.add_option("--shared", shared, "without a specification: bytes of dynamic shared memory");
  command
      .add_option("--where", conditions, "without a specification: a condition on sizes, such as 'n % 4 = 0'")
      ->allow_extra_args(false);
}

pipeline::KernelFileOptions KernelFileArguments::options() const {
  pipeline::KernelFileOptions out;
  out.clang = clang;
  out.instances = instances;
  for (const std::string& folder : include_folders) out.arguments.push_back("-I" + folder);
  for (const std::string& definition : definitions) out.arguments.push_back("-D" + definition);
  if (!standard.empty()) out.arguments.push_back("-std=" + standard);
  return out;
}

pipeline::SafetyRequest KernelFileArguments::safety() const {
  pipeline::SafetyRequest out;
  out.launch.block = extents(block, "--block");
  out.launch.grid = extents(grid, "--grid");
  if (shared >= 0) out.launch.shared_bytes = shared;
  out.conditions = conditions;
  return out;
}

std::string KernelFileArguments::words() const {
  std::string out;
  const auto add = [&](const std::string& option, const std::string& value) {
    out += option + " " + bundle::shell_word(value) + " ";
  };
  for (const std::string& folder : include_folders) add("-I", folder);
  for (const std::string& definition : definitions) add("-D", definition);
  if (!standard.empty()) add("--std", standard);
  for (const std::string& instance : instances) add("--instantiate", instance);
  for (const std::string& argument : clang) add("--clang", argument);
  if (!block.empty()) add("--block", block);
  if (!grid.empty()) add("--grid", grid);
  if (shared >= 0) add("--shared", std::to_string(shared));
  for (const std::string& condition : conditions) add("--where", condition);
  return out;
}

}  // namespace hallmark::cli
