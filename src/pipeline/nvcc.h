// Link 4's text: the PTX that nvcc makes of the emitted CUDA. Where nvcc is missing or fails, that is said
// and nothing else.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "obligation/obligation.h"

namespace hallmark::pipeline {

struct Ptx {
  std::string text;              // empty when there is none
  Reason reason = Reason::none;  // tool_missing, or gave_up with the compiler's words in `detail`
  std::string detail;
  std::string compiler;         // "nvcc release 13.0, V13.0.88"
  std::string compiler_sha256;  // of the program that was started
  std::vector<std::string> options;
};

inline constexpr const char* default_architecture = "sm_90";
// "sm_90" of the compute capability "9.0"; the default where it is no such text.
std::string architecture_of(const std::string& compute_capability);

// One PTX module for all files: of several, each stands in a namespace of its own, so that their device
// functions do not meet; entries are extern "C". `files` are (name, text). The paths that -lineinfo writes
// are made relative to the artifact folder.
// `further` arguments stand behind the options: a language standard there replaces theirs.
Ptx compile_to_ptx(const std::vector<std::pair<std::string, std::string>>& files,
                   const std::vector<std::string>& further = {},
                   const std::string& architecture = default_architecture);

// "nvcc release 13.0, V13.0.88", or nothing where there is none.
std::string nvcc_version();
// SHA-256 of the program that is started, or nothing where there is none.
std::string nvcc_sha256();
// The options that decide the bits: architecture, no contraction, line tables.
std::vector<std::string> nvcc_options(const std::string& architecture = default_architecture);

}  // namespace hallmark::pipeline
