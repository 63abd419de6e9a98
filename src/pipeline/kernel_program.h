// The program that shows what is wrong with one kernel: its text, launched as the witness says.
#pragma once
#include <optional>
#include <string>

#include "obligation/obligation.h"
#include "pipeline/host_program.h"
#include "plan/kernel_spec.h"

namespace hallmark::pipeline {

// `source` is the file that holds the kernel, relative to the program. Nothing, with the reason, when the
// witness does not say everything (an execution too large to be written down) or a format has no counterpart
// in C++.
std::optional<HostProgram> kernel_program(const plan::KernelSpec& spec, const std::string& source,
                                          const Obligation& o, std::string& why_not);

// Writes into `folder` (new or empty) the kernel's text, reproduce.cpp, reproduce.cu, cuda_on_host.h and
// README.txt. Throws UserError E7405 when the folder is not empty, E0002.
void write_kernel_reproducer(const plan::KernelSpec& spec, const std::string& file, const Obligation& o,
                             const std::string& folder);

// The encodings of "0.5 (0x3f000000), -1 (0xbf800000)"; nothing when a part is anything else, as where a list
// was shortened.
std::optional<std::vector<std::uint64_t>> encodings(const std::string& text);

}  // namespace hallmark::pipeline
