#include "pipeline/kernel_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/files.h"
#include "validator/ir/split_parameters.h"
#include "validator/ptx/reader.h"

namespace hallmark::pipeline {

namespace ir = validator::ir;

namespace {

void split(ir::Module& module) {
  for (ir::KernelReading& reading : module.kernels)
    if (reading.kernel) ir::split_parameters(*reading.kernel);
}

// Compiled here without contraction, a product and a sum that nvcc would fuse by default look like those that
// the text keeps apart.
bool multiplies_and_adds(const ir::Kernel& kernel) {
  bool multiplies = false, adds = false;
  for (const ir::Block& block : kernel.blocks)
    for (const ir::Instruction& i : block.instructions) {
      multiplies = multiplies || i.opcode == ir::Opcode::float_mul;
      adds = adds || i.opcode == ir::Opcode::float_add || i.opcode == ir::Opcode::float_sub;
    }
  return multiplies && adds;
}

}  // namespace

KernelFile::KernelFile(const std::string& path, const KernelFileOptions& options)
    : path_(path), text_(read_file(path)), is_ptx_(std::filesystem::path(path).extension() == ".ptx") {
  if (is_ptx_) {
    ptx_ = validator::ptx::read_ptx(text_, path);
    split(ptx_);
    source_reason_ = Reason::unsupported;
    source_detail_ = "the file is PTX: there is no CUDA text";
    return;
  }
  source_reason_ = ptx_reason_ = Reason::not_scheduled;
  source_detail_ = ptx_detail_ = "this level was not asked for";
  if (options.source) read_source(options);
  if (options.ptx) read_compiled(options);
}

void KernelFile::read_source(const KernelFileOptions& options) {
  validator::source::ClangOptions clang;
  clang.arguments = options.arguments;
  clang.instances = options.instances;
  clang.arguments.insert(clang.arguments.end(), options.clang.begin(), options.clang.end());
  if (!validator::source::clang_is_there(clang)) {
    source_reason_ = Reason::tool_missing;
    source_detail_ = "clang++-14 is not installed";
    return;
  }
  source_reason_ = Reason::none;
  source_ = validator::source::read_cuda(path_, clang);
  split(source_.module);
}

void KernelFile::read_compiled(const KernelFileOptions& options) {
  const std::string name = std::filesystem::path(path_).filename().string();
  std::vector<std::string> arguments = options.arguments;
  // The text is compiled in a folder of its own; what it includes stands beside the file.
  const std::filesystem::path folder = std::filesystem::absolute(path_).parent_path();
  for (std::string& argument : arguments)
    if (argument.rfind("-I", 0) == 0)
      argument = "-I" + std::filesystem::absolute(argument.substr(2)).string();
  arguments.push_back("-I" + folder.string());
  std::string text = text_;
  for (std::size_t i = 0; i < options.instances.size(); ++i)
    text += fmt::format("\nstatic auto *const hallmark_instance_{} = &{};", i, options.instances[i]);
  const Ptx ptx = compile_to_ptx({{name, text + "\n"}}, arguments);
  ptx_reason_ = ptx.reason;
  ptx_detail_ = ptx.detail;
  if (ptx.reason != Reason::none) return;
  ptx_ = validator::ptx::read_ptx(ptx.text, name + " (PTX)");
  for (ir::KernelReading& reading : ptx_.kernels)
    if (reading.kernel) reading.kernel->rests_on_no_contraction = multiplies_and_adds(*reading.kernel);
  split(ptx_);
}

std::vector<std::string> KernelFile::kernels() const {
  const ir::Module& module = source_reason_ == Reason::none ? source_.module : ptx_;
  std::map<std::string, int> alike;
  for (const ir::KernelReading& reading : module.kernels) ++alike[reading.source_name];
  std::vector<std::string> out;
  for (const ir::KernelReading& reading : module.kernels)
    out.push_back(reading.source_name.empty() || alike[reading.source_name] > 1 ? reading.name
                                                                                : reading.source_name);
  return out;
}

std::optional<std::array<long, 3>> KernelFile::launched_block(const std::string& kernel) const {
  // Blanks go, and the other names of types: a launch says half, the kernel's symbol __half.
  const auto plain = [](std::string text) {
    std::erase(text, ' ');
    for (const std::string word : {"__half", "__nv_bfloat16"})
      for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at))
        text.erase(at, 2);
    return text;
  };
  std::optional<std::array<long, 3>> out;
  for (const validator::source::HostLaunch& launch : source_.launches) {
    const std::string name = plain(launch.kernel), mine = plain(kernel);
    if (name != mine && mine.substr(0, mine.find('<')) != name) continue;
    if (!launch.block || (out && *out != *launch.block)) return std::nullopt;
    out = launch.block;
  }
  return out;
}

KernelText KernelFile::find(const std::string& kernel, Level level) const {
  const bool at_ptx = level == Level::ptx;
  KernelText out;
  out.reason = at_ptx ? ptx_reason_ : source_reason_;
  out.detail = at_ptx ? ptx_detail_ : source_detail_;
  if (out.reason != Reason::none) return out;
  const ir::Module& module = at_ptx ? ptx_ : source_.module;
  try {
    out.kernel = &ir::find_kernel(module, kernel);
  } catch (const Refusal& refusal) {
    out.reason = Reason::unsupported;
    out.detail = refusal.render();
    return out;
  }
  if (!at_ptx)
    for (std::size_t i = 0; i < module.kernels.size(); ++i)
      if (module.kernels[i].kernel && &*module.kernels[i].kernel == out.kernel)
        out.findings = &source_.findings.at(i);
  return out;
}

}  // namespace hallmark::pipeline
