#include "validator/ir/module.h"

#include <fmt/format.h>

namespace hallmark::validator::ir {

const Kernel& find_kernel(const Module& module, std::string_view name) {
  const KernelReading* found = nullptr;
  bool several = false;
  for (const KernelReading& reading : module.kernels)
    if (reading.name == name) {
      found = &reading;
      several = false;
      break;
    } else if (reading.source_name == name) {
      several = found != nullptr;
      found = &reading;
    }
  if (found == nullptr || several) {
    std::string names;
    for (const KernelReading& reading : module.kernels)
      names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", reading.source_name, reading.name);
    throw UserError("E3001",
                    fmt::format("{} kernel named {}; the file has: {}", several ? "more than one" : "no",
                                name, names.empty() ? "no kernel" : names),
                    Location{module.file});
  }
  if (found->refusal) throw Refusal(*found->refusal);
  ensure(found->kernel.has_value(), "kernel reading without kernel and without refusal");
  return *found->kernel;
}

}  // namespace hallmark::validator::ir
