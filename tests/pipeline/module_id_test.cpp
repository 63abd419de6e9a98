#include "pipeline/module_id.h"

#include <gtest/gtest.h>

#include "base/process.h"
#include "pipeline/nvcc.h"

namespace hallmark::pipeline {
namespace {

TEST(ModuleId, StandsInNamesAndInTheNamesOfDebugInformation) {
  const std::string before =
      ".func _ZN34_INTERNAL_645ee84f_9_module_cu_one2k11fEf(\n"
      ".b8 95,73,78,84,69,82,78,65,76,95,54,52,53\n"
      ".b8 101,101,56,52,102,95,57,0\n"
      ".b8 1,2,3\n";
  const std::string after =
      ".func _ZN34_INTERNAL_0123abcd_9_module_cu_one2k11fEf(\n"
      ".b8 95,73,78,84,69,82,78,65,76,95,48,49,50\n"
      ".b8 51,97,98,99,100,95,57,0\n"
      ".b8 1,2,3\n";
  EXPECT_EQ(with_module_id(before, "0123abcd"), after);
}

TEST(ModuleId, OtherTextStaysAsItIs) {
  for (const char* text : {"_INTERNAL_645ee84", "_INTERNAL_645ee84g_", "_INTERNAL_645ee84f", "",
                           ".b8 95,73,78,84,69,82,78,65,76,95,54\n.b8\n", ".b8 ,,x\n"})
    EXPECT_EQ(with_module_id(text, "0123abcd"), text);
}

// Bar 8: same inputs, same bytes, though each compilation has a folder of its own.
TEST(ModuleId, TwoCompilationsGiveTheSameBytes) {
  if (nvcc_version().empty()) GTEST_SKIP() << "nvcc is not installed";
  const std::string text =
      "static __device__ __noinline__ float f(float x) { return x * x + 1.0f; }\n"
      "extern \"C\" __global__ void k(float* y) { y[threadIdx.x] = f(y[threadIdx.x]); }\n";
  const Ptx first = compile_to_ptx({{"k.cu", text}}), second = compile_to_ptx({{"k.cu", text}});
  ASSERT_NE(first.text, "");
  EXPECT_NE(first.text.find("_INTERNAL_"), std::string::npos) << "nvcc names these functions otherwise now";
  EXPECT_EQ(first.text, second.text);
}

}  // namespace
}  // namespace hallmark::pipeline
