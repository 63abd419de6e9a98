// How the kernel verbs are told what file to read and how kernels of it are launched.
#pragma once
#include <string>
#include <vector>

#include "cli/command.h"
#include "pipeline/kernel_file.h"
#include "pipeline/kernel_safety.h"

namespace hallmark::cli {

struct KernelFileArguments {
  std::string file, standard, block, grid;
  std::vector<std::string> clang, include_folders, definitions, instances, conditions;
  long shared = -1;

  void add_to(CLI::App& command, bool file_required = true);
  pipeline::KernelFileOptions options() const;
  // Throws UserError E9114 for an extent that is none.
  pipeline::SafetyRequest safety() const;
  // The same options as words of a command line, each followed by a blank.
  std::string words() const;
};

}  // namespace hallmark::cli
