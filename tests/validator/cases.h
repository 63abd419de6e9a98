// Specifications of the shared kernels ../shared/cases/kernels, read from the comments at their heads.
#pragma once
#include "support.h"

namespace hallmark::validator::testing {

struct KernelCase {
  std::string file;    // without folder: "K-08-unmasked-tail-load.cu"
  std::string prefix;  // "k08": kernels k08_bad and k08_ok
  plan::KernelSpec spec;
  std::vector<ObligationKind> refuted;  // of the bad kernel, at source level
  std::vector<ObligationKind> proved;   // of the bad kernel
  bool value_of_ok = true;              // whether `value` of the right kernel is within reach
};
std::vector<KernelCase> kernel_cases();
// $HALLMARK_SHARED or ../shared beside the project; empty when absent.
std::string shared_folder();

}  // namespace hallmark::validator::testing
