// What reading one file gives: for each kernel either its IR or the refusal that names the construct, so that
// one kernel outside the subset does not hide the others.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "validator/ir/kernel.h"

namespace hallmark::validator::ir {

struct KernelReading {
  std::string name, source_name;
  std::optional<Kernel> kernel;
  std::optional<Refusal> refusal;  // exactly one of the two is there
};

struct Module {
  std::string file;
  std::vector<KernelReading> kernels;  // in the order of the text
  // Of PTX: the version of the ISA, "9.0", and the targets, "sm_90".
  std::string version;
  std::vector<std::string> targets;
};

// The kernel with that symbol, or the only one with that source name. Throws UserError E3001 listing the
// names when there is none or more than one; rethrows the kernel's Refusal when it could not be read.
const Kernel& find_kernel(const Module&, std::string_view name);

}  // namespace hallmark::validator::ir
