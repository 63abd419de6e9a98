// Runs clang++-14 as a child process over one CUDA file and returns its unoptimised device IR as text. Host
// code is not compiled, and a kernel that does not compile does not hide the others (device_text.h).
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "validator/llvm/device_text.h"

namespace hallmark::validator::source {

struct ClangOptions {
  std::string clang = "clang++-14";    // looked up on PATH
  std::vector<std::string> arguments;  // -I, -D, -U and the like, given by the user
  std::vector<std::string> instances;  // of kernel templates: "tile<float, 128>"
};

struct SourceWarning {
  Location where;
  std::string text;
};

struct ClangResult {
  std::string ir;                                            // LLVM assembly
  std::vector<std::pair<std::string, std::string>> sources;  // file and SHA-256, without the stub headers
  std::vector<std::string> command;                          // with the stub folder written as "STUBS"
  std::vector<SourceWarning>
      undefined;            // unsequenced effects, overflow in constants: undefined behaviour seen by Clang
  std::string stub_folder;  // prefix of file names in debug information
  std::vector<LostKernel> lost;           // kernels that do not compile
  std::vector<TopDeclaration> templates;  // kernels that are read only where they are instantiated
  std::vector<HostLaunch> launches;       // in the host code of the file
};

bool clang_is_there(const ClangOptions& options);

// Throws UserError E3201 when the file does not compile and no kernel of it does, Refusal E3205 when the text
// asks for its compiler, UserError E3200 when Clang is missing or does not end.
ClangResult run_clang(const std::string& file, const ClangOptions& options);

}  // namespace hallmark::validator::source
