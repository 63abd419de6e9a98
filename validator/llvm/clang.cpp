#include "validator/llvm/clang.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>

#include "base/files.h"
#include "base/process.h"
#include "base/sha256.h"
#include "validator/llvm/compiler_macros.h"
#include "validator/llvm/stub_headers.h"

namespace hallmark::validator::source {

namespace {

// Other names under which kernels include what the stubs hold.
constexpr auto forwarding_headers = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"cuda_runtime.h", "hallmark_cuda.h"},
    {"cuda_runtime_api.h", "hallmark_cuda.h"},
    {"cuda.h", "hallmark_cuda.h"},
    {"device_launch_parameters.h", "hallmark_cuda.h"},
    {"device_functions.h", "hallmark_cuda.h"},
    {"vector_types.h", "hallmark_cuda.h"},
    {"math.h", "standard.h"},
    {"cmath", "standard.h"},
    {"stdint.h", "standard.h"},
    {"cstdint", "standard.h"},
    {"stddef.h", "standard.h"},
    {"cstddef", "standard.h"},
    {"limits.h", "standard.h"},
    {"climits", "standard.h"},
    {"float.h", "standard.h"},
    {"cfloat", "standard.h"},
    {"assert.h", "assertion.h"},
    {"cassert", "assertion.h"},
    {"math_constants.h", "standard.h"},
    {"float.h", "standard.h"},
    {"cooperative_groups/reduce.h", "cooperative_groups.h"},
    {"type_traits", "traits.h"},
    {"limits", "traits.h"},
    {"utility", "traits.h"},
    {"sm_30_intrinsics.h", "hallmark_cuda.h"},
    {"sm_20_intrinsics.h", "hallmark_cuda.h"},
});

// Headers that serve the host alone. What they declare is used in host code, which is not compiled; a kernel
// that uses it does not compile, and is refused.
constexpr auto host_headers = std::to_array<std::string_view>({"algorithm",
                                                               "array",
                                                               "atomic",
                                                               "chrono",
                                                               "complex",
                                                               "cstdio",
                                                               "cstdlib",
                                                               "cstring",
                                                               "ctime",
                                                               "deque",
                                                               "exception",
                                                               "fstream",
                                                               "functional",
                                                               "initializer_list",
                                                               "iomanip",
                                                               "ios",
                                                               "iosfwd",
                                                               "iostream",
                                                               "iterator",
                                                               "list",
                                                               "map",
                                                               "memory",
                                                               "mutex",
                                                               "new",
                                                               "numeric",
                                                               "optional",
                                                               "ostream",
                                                               "istream",
                                                               "queue",
                                                               "random",
                                                               "ratio",
                                                               "set",
                                                               "sstream",
                                                               "stack",
                                                               "stdexcept",
                                                               "string",
                                                               "string_view",
                                                               "thread",
                                                               "tuple",
                                                               "typeinfo",
                                                               "unordered_map",
                                                               "unordered_set",
                                                               "vector",
                                                               "cctype",
                                                               "cerrno",
                                                               "csignal",
                                                               "cstdarg",
                                                               "cinttypes",
                                                               "inttypes.h",
                                                               "stdio.h",
                                                               "stdlib.h",
                                                               "string.h",
                                                               "time.h",
                                                               "sys/time.h",
                                                               "sys/stat.h",
                                                               "sys/types.h",
                                                               "sys/mman.h",
                                                               "unistd.h",
                                                               "fcntl.h",
                                                               "errno.h",
                                                               "ctype.h",
                                                               "getopt.h",
                                                               "memory.h",
                                                               "malloc.h",
                                                               "stdarg.h",
                                                               "stdbool.h",
                                                               "dirent.h",
                                                               "omp.h",
                                                               "mpi.h",
                                                               "nccl.h",
                                                               "cublas_v2.h",
                                                               "cublas.h",
                                                               "cublasLt.h",
                                                               "cudnn.h",
                                                               "cufft.h",
                                                               "curand.h",
                                                               "cusparse.h",
                                                               "cusolverDn.h",
                                                               "nvrtc.h",
                                                               "cuda_profiler_api.h",
                                                               "nvToolsExt.h",
                                                               "nvtx3/nvToolsExt.h",
                                                               "nvtx3/nvToolsExtCudaRt.h",
                                                               "helper_cuda.h",
                                                               "helper_functions.h",
                                                               "helper_timer.h",
                                                               "helper_string.h",
                                                               "driver_types.h",
                                                               "builtin_types.h",
                                                               "torch/extension.h",
                                                               "torch/torch.h",
                                                               "torch/all.h",
                                                               "torch/python.h",
                                                               "torch/types.h",
                                                               "ATen/ATen.h",
                                                               "ATen/cuda/CUDAContext.h",
                                                               "ATen/cuda/Exceptions.h",
                                                               "c10/cuda/CUDAGuard.h",
                                                               "c10/cuda/CUDAStream.h",
                                                               "c10/cuda/CUDAException.h",
                                                               "pybind11/pybind11.h",
                                                               "pybind11/numpy.h",
                                                               "thrust/host_vector.h",
                                                               "thrust/device_vector.h",
                                                               "thrust/device_ptr.h",
                                                               "thrust/sort.h",
                                                               "thrust/reduce.h",
                                                               "thrust/execution_policy.h",
                                                               "gtest/gtest.h",
                                                               "nvml.h"});

void write_stub(const std::string& folder, const std::string& name, const std::string& text) {
  const std::filesystem::path path = folder + "/" + name;
  std::filesystem::create_directories(path.parent_path());
  write_file(path.string(), text);
}

void write_stubs(const std::string& folder) {
  for (const auto& [name, text] : stub_headers()) write_file(folder + "/" + name, text);
  for (const auto& [name, target] : forwarding_headers)
    write_stub(folder, std::string(name), fmt::format("#pragma once\n#include \"{}\"\n", target));
  for (const std::string_view name : host_headers) write_stub(folder, std::string(name), "#pragma once\n");
}

// "FILE:LINE:COLUMN: KIND: TEXT"
std::vector<Diagnostic> diagnostics(const std::string& err) {
  std::vector<Diagnostic> result;
  std::size_t at = 0;
  while (at < err.size()) {
    const std::size_t end = std::min(err.find('\n', at), err.size());
    const std::string line = err.substr(at, end - at);
    at = end + 1;
    for (const std::string kind : {"fatal error", "error", "warning"}) {
      const std::size_t mark = line.find(": " + kind + ": ");
      if (mark == std::string::npos) continue;
      Diagnostic d;
      d.kind = kind == "warning" ? kind : "error";
      d.text = line.substr(mark + kind.size() + 4);
      std::string place = line.substr(0, mark);
      const auto number = [&place] {
        const std::size_t colon = place.rfind(':');
        if (colon == std::string::npos || colon + 1 == place.size() ||
            place.find_first_not_of("0123456789", colon + 1) != std::string::npos || place.size() - colon > 9)
          return std::size_t{0};
        const std::size_t value = std::stoul(place.substr(colon + 1));
        place.resize(colon);
        return value;
      };
      d.where.column = number();
      d.where.line = number();
      d.where.file = place;
      result.push_back(std::move(d));
      break;
    }
  }
  return result;
}

// Names after "target:" of a make rule, with "\ " for a blank in a name.
std::vector<std::string> dependencies(const std::string& text) {
  std::vector<std::string> names;
  std::string name;
  const std::size_t colon = text.find(": ");
  for (std::size_t n = colon == std::string::npos ? text.size() : colon + 2; n <= text.size(); ++n) {
    const char c = n < text.size() ? text[n] : '\n';
    if (c == '\\' && n + 1 < text.size() && text[n + 1] == '\n') {
      ++n;
    } else if (c == '\\' && n + 1 < text.size() && text[n + 1] == ' ') {
      name += ' ';
      ++n;
    } else if (c == ' ' || c == '\n' || c == '\t') {
      if (!name.empty()) names.push_back(std::move(name));
      name.clear();
    } else {
      name += c;
    }
  }
  return names;
}

void check_sources(ClangResult& result, const std::string& dependency_text, const ClangOptions& options) {
  std::vector<std::pair<std::string, std::string>> texts;
  std::set<std::string> own;
  for (const std::string& name : dependencies(dependency_text)) {
    if (name.starts_with(result.stub_folder)) continue;
    texts.emplace_back(name, read_file(name));
    own.merge(defined_names(texts.back().second));
  }
  for (const std::string& argument : options.arguments)
    if (argument.starts_with("-D")) own.insert(argument.substr(2, argument.find('=') - 2));
  for (const auto& [name, text] : texts) {
    if (const auto macro = find_compiler_macro(text, own))
      throw Refusal(
          "E3205",
          fmt::format("{} may mean one thing to Clang and another to nvcc; a text that uses it is not read",
                      macro->name),
          Location{name, macro->line, macro->column}, line_of(text, macro->line));
    result.sources.emplace_back(name, sha256_hex(text));
  }
  std::sort(result.sources.begin(), result.sources.end());
}

}  // namespace

bool clang_is_there(const ClangOptions& options) {
  return find_tool(options.clang).has_value();
}

namespace {

// One run of Clang over one file, with what it said.
class Compiler {
 public:
  Compiler(const std::string& file, const ClangOptions& options, std::string folder)
      : file_(file), options_(options), folder_(std::move(folder)) {}

  // Returns false where the text does not compile.
  bool run(const std::vector<std::string>& arguments) {
    command = {options_.clang,
               "-x",
               "cuda",
               "--cuda-device-only",
               "--cuda-gpu-arch=sm_80",
               "-nocudainc",
               "-nocudalib",
               "-Wno-unknown-cuda-version",
               "-std=c++17",
               "-ffp-contract=off",
               "-fno-builtin",
               "-fno-exceptions",
               "-g",
               "-O0",
               "-Xclang",
               "-disable-O0-optnone",
               "-fno-discard-value-names",
               "-fno-color-diagnostics",
               "-fno-caret-diagnostics",
               "-ferror-limit=100",
               "-Wno-everything",
               "-Wunsequenced",
               "-Wreturn-stack-address",
               "-Wdangling",
               "-Winteger-overflow",
               "-Wdivision-by-zero",
               "-Wshift-count-negative",
               "-Wshift-count-overflow",
               "-Wshift-negative-value"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    ProcessLimits limits;
    limits.wall = std::chrono::seconds(60);
    const ProcessResult process = run_process(command, {}, limits);
    if (process.end != ProcessResult::End::exited)
      throw UserError("E3200", fmt::format("{} did not end properly", options_.clang), Location{file_});
    messages = diagnostics(process.err);
    all_ = process.err;
    return process.code == 0;
  }

  [[noreturn]] void fail() const {
    for (const Diagnostic& d : messages)
      if (d.kind == "error") {
        std::string shown;
        if (d.where.line != 0 && std::filesystem::is_regular_file(d.where.file))
          shown = line_of(read_file(d.where.file), d.where.line);
        throw UserError("E3201", d.text, d.where, shown);
      }
    throw UserError("E3201", "the file does not compile: " + all_.substr(0, 500), Location{file_});
  }

  std::vector<std::string> command;
  std::vector<Diagnostic> messages;

 private:
  const std::string& file_;
  const ClangOptions& options_;
  std::string folder_, all_;
};

// nvcc's view of itself, for sm_90, and no sign of Clang.
std::vector<std::string> preprocessing(const std::string& stubs, const ClangOptions& options) {
  std::vector<std::string> out{"-U__clang__",
                               "-U__clang_major__",
                               "-U__clang_minor__",
                               "-U__clang_patchlevel__",
                               "-U__clang_version__",
                               "-U__CUDA_ARCH__",
                               "-D__CUDA_ARCH__=900",
                               "-D__CUDACC__=1",
                               "-D__NVCC__=1",
                               "-D__CUDACC_VER_MAJOR__=13",
                               "-D__CUDACC_VER_MINOR__=0",
                               "-D__CUDACC_VER_BUILD__=88",
                               "-isystem",
                               stubs,
                               "-include",
                               stubs + "/hallmark_cuda.h"};
  out.insert(out.end(), options.arguments.begin(), options.arguments.end());
  return out;
}

// What is left of the user's arguments once the text is preprocessed.
std::vector<std::string> after_preprocessing(const ClangOptions& options) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < options.arguments.size(); ++i) {
    const std::string& a = options.arguments[i];
    if (a == "-D" || a == "-I" || a == "-U" || a == "-include" || a == "-isystem")
      ++i;
    else if (!a.starts_with("-D") && !a.starts_with("-I") && !a.starts_with("-U"))
      out.push_back(a);
  }
  return out;
}

constexpr int most_rounds = 40;  // each takes out at least one declaration that does not compile

}  // namespace

ClangResult run_clang(const std::string& file, const ClangOptions& options) {
  if (!clang_is_there(options))
    throw UserError("E3200", fmt::format("{} is not installed; it reads the CUDA text", options.clang));
  const TemporaryFolder folder;
  const std::string stubs = folder.path() + "/stubs", out = folder.path() + "/out.ll",
                    expanded = folder.path() + "/expanded.cu", rule = folder.path() + "/out.d";
  std::filesystem::create_directory(stubs);
  write_stubs(stubs);
  Compiler compiler(file, options, folder.path());
  std::vector<std::string> first = preprocessing(stubs, options);
  first.insert(first.end(), {"-E", "-MD", "-MF", rule, file, "-o", expanded});
  if (!compiler.run(first)) compiler.fail();
  ClangResult result;
  result.stub_folder = stubs;
  check_sources(result, read_file(rule), options);
  for (std::string word : compiler.command) {
    if (const std::size_t at = word.find(folder.path()); at != std::string::npos)
      word.replace(at, folder.path().size(), "TEMPORARY");
    result.command.push_back(std::move(word));
  }
  DeviceText text(read_file(expanded), stubs, options.instances);
  std::vector<std::string> second = after_preprocessing(options);
  second.insert(second.end(), {"-S", "-emit-llvm", expanded, "-o", out});
  std::optional<Compiler> failed;
  for (int round = 0;; ++round) {
    write_file(expanded, text.text());
    if (compiler.run(second)) break;
    if (!failed) failed.emplace(compiler);
    if (round == most_rounds || !text.drop(compiler.messages)) failed->fail();
  }
  result.ir = read_file(out);
  result.lost = text.lost();
  result.templates = text.templates();
  result.launches = text.launches();
  for (const Diagnostic& d : compiler.messages)
    if (d.kind == "warning") result.undefined.push_back({d.where, d.text});
  return result;
}

}  // namespace hallmark::validator::source
