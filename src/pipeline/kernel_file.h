// A file of kernels that somebody else wrote, at the levels that it has: CUDA (.cu and whatever is not PTX)
// at level source through Clang and at level ptx through nvcc; PTX (.ptx) at level ptx.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/kernels.h"

namespace hallmark::pipeline {

struct KernelFileOptions {
  std::vector<std::string> arguments;  // for both compilers: -IDIR, -DX, -std=c++20
  std::vector<std::string> clang;      // for Clang alone
  std::vector<std::string> instances;  // of kernel templates: "tile<float, 128>"
  bool source = true, ptx = true;      // levels that are wanted of a CUDA file
};

class KernelFile {
 public:
  // Throws UserError (unreadable, no CUDA, no PTX) and Refusal as the readers do.
  KernelFile(const std::string& path, const KernelFileOptions& options);

  bool is_ptx() const { return is_ptx_; }
  const std::string& path() const { return path_; }
  const std::string& text() const { return text_; }
  // Names of the kernels in the order of the text, as a person would write them: demangled unless two are
  // alike.
  std::vector<std::string> kernels() const;
  KernelText find(const std::string& kernel, Level level) const;
  // The block of the launches of this kernel in the file's host code, where all agree on constants.
  std::optional<std::array<long, 3>> launched_block(const std::string& kernel) const;

 private:
  void read_source(const KernelFileOptions& options);
  void read_compiled(const KernelFileOptions& options);

  std::string path_, text_;
  bool is_ptx_ = false;
  validator::ir::Module ptx_;
  validator::source::SourceModule source_;
  Reason ptx_reason_ = Reason::none, source_reason_ = Reason::none;
  std::string ptx_detail_, source_detail_;
};

}  // namespace hallmark::pipeline
