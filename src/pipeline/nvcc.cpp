#include "pipeline/nvcc.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/process.h"
#include "base/sha256.h"
#include "pipeline/module_id.h"
#include "pipeline/module_text.h"

namespace hallmark::pipeline {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::optional<std::string> nvcc_path() {
  if (const auto found = find_tool("nvcc")) return found;
  return find_tool("/usr/local/cuda/bin/nvcc");
}

// The line "Cuda compilation tools, release 13.0, V13.0.88".
std::string version_of(const std::string& nvcc) {
  const ProcessResult result = run_process({nvcc, "--version"});
  const std::size_t at = result.out.find("release");
  if (!result.ok() || at == std::string::npos) return "nvcc of unknown version";
  return "nvcc " + result.out.substr(at, result.out.find('\n', at) - at);
}

}  // namespace

std::string nvcc_version() {
  const auto nvcc = nvcc_path();
  return nvcc ? version_of(*nvcc) : "";
}

std::string nvcc_sha256() {
  const auto nvcc = nvcc_path();
  return nvcc ? sha256_file(*nvcc) : "";
}

std::string architecture_of(const std::string& compute_capability) {
  std::string out = "sm_";
  for (const char c : compute_capability)
    if (c >= '0' && c <= '9')
      out += c;
    else if (c != '.')
      return default_architecture;
  return out;
}

std::vector<std::string> nvcc_options(const std::string& architecture) {
  return {"-ptx", "-arch=" + architecture, "--fmad=false", "-std=c++17", "-lineinfo"};
}

namespace {

// Warnings come first and may be many.
std::string from_first_error(const std::string& messages) {
  const std::size_t error = std::min(messages.find(": error"), messages.find("fatal error"));
  if (error == std::string::npos) return messages;
  const std::size_t line = messages.rfind('\n', error);
  return line == std::string::npos ? messages : messages.substr(line + 1);
}

}  // namespace

Ptx compile_to_ptx(const std::vector<std::pair<std::string, std::string>>& files,
                   const std::vector<std::string>& further, const std::string& architecture) {
  Ptx out;
  out.options = nvcc_options(architecture);
  if (std::any_of(further.begin(), further.end(),
                  [](const std::string& a) { return a.rfind("-std=", 0) == 0; }))
    std::erase_if(out.options, [](const std::string& a) { return a.rfind("-std=", 0) == 0; });
  out.options.insert(out.options.end(), further.begin(), further.end());
  const auto nvcc = nvcc_path();
  if (!nvcc) {
    out.reason = Reason::tool_missing;
    out.detail = "nvcc is not on PATH and not in /usr/local/cuda/bin";
    return out;
  }
  out.compiler = version_of(*nvcc);
  out.compiler_sha256 = sha256_file(*nvcc);
  const TemporaryFolder folder;
  for (const auto& [name, text] : files) write_file(folder.path() + "/" + name, text);
  // One file alone cannot meet another's device functions, and its names stay as they are.
  const std::string module = module_text(files, false);
  write_file(folder.path() + "/module.cu", module);
  std::vector<std::string> command{*nvcc};
  command.insert(command.end(), out.options.begin(), out.options.end());
  command.insert(command.end(), {"module.cu", "-o", "module.ptx"});
  ProcessLimits limits;
  limits.wall = std::chrono::minutes(10);
  limits.memory_bytes = 0;  // nvcc reserves more address space than it uses
  const ProcessResult result = run_process(command, {}, limits, folder.path());
  if (!result.ok()) {
    out.reason = result.end == ProcessResult::End::timed_out ? Reason::wall_limit : Reason::gave_up;
    out.detail =
        "nvcc failed: " + from_first_error(replaced(result.err + result.out, folder.path() + "/", ""));
    return out;
  }
  constexpr std::size_t digits = 8;
  out.text = with_module_id(replaced(read_file(folder.path() + "/module.ptx"), folder.path() + "/", ""),
                            sha256_hex(module).substr(0, digits));
  return out;
}

}  // namespace hallmark::pipeline
