// corpus/kernels as a whole, without checking any of it: every file has a right kernel, two faulty twins and
// a specification; no twin is expected to be proved; and README.md holds the table of what is expected.
// `kernel_corpus_table_test --write` writes that table anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <set>

#include "expectations.h"

namespace hallmark {
namespace {

const std::string corpus = HALLMARK_SOURCE_DIR "/corpus/kernels";

std::string table() {
  std::size_t right = 0, faulty = 0, proved_source = 0, proved_ptx = 0;
  std::string rows, family;
  for (const CorpusFile& file : read_corpus(corpus)) {
    if (file.family != family)
      rows += fmt::format("\n## {}\n\n| kernel | source | PTX |\n| --- | --- | --- |\n", file.family);
    family = file.family;
    for (std::size_t i = 0; i < file.kernels.size(); ++i) {
      const CorpusKernel& kernel = file.kernels[i];
      const auto text = [&](const char* level) {
        return kernel.levels.count(level) != 0 ? kernel.levels.at(level).text() : "";
      };
      const std::string source = text("source"), ptx = text("ptx");
      rows += i == 0 ? fmt::format("| **{}** | {} | {} |\n", kernel.name, source, ptx)
                     : fmt::format("| {} | {} | {} |\n", kernel.name, source, ptx);
      ++(i == 0 ? right : faulty);
      if (i == 0) {
        proved_source += source == "proved";
        proved_ptx += ptx == "proved";
      }
    }
  }
  return fmt::format(
             "# Kernels\n\n"
             "CUDA kernels in the styles of the field, written for this project, a folder for each family. "
             "Each file "
             "NAME.cu holds a right\nkernel and at least two faulty twins, and says what is expected of "
             "each; NAME.hm "
             "says what the kernel has to do. PTX is made\nby nvcc when it is looked at.\n\n"
             "    hallmark kernel check corpus/kernels/gemm/sgemm_tile16.cu --spec "
             "corpus/kernels/gemm/sgemm_tile16.hm "
             "--level both\n\n"
             "`proved`: every obligation is proved, values included. `refuted KINDS`: at least these kinds "
             "of "
             "obligations have a witness that\nthe interpreter executed. `unrun KINDS`: these are not "
             "decided, "
             "everything else is proved. An empty field: nothing is expected yet.\n\n"
             "This page is written by `kernel_corpus_table_test --write`; the tests compare it with the "
             "files, and "
             "the files with the verdicts.\n\n"
             "{} right kernels, {} of them proved at source level and {} at PTX level; {} faulty twins.\n",
             right, proved_source, proved_ptx, faulty) +
         rows;
}

TEST(KernelCorpus, HasRightKernelsWithTwinsAndSpecifications) {
  const std::vector<CorpusFile> files = read_corpus(corpus);
  EXPECT_GE(files.size(), 120u);
  std::set<std::string> names;
  for (const CorpusFile& file : files) {
    SCOPED_TRACE(file.cuda);
    ASSERT_GE(file.kernels.size(), 3u) << "a right kernel and two faulty twins";
    EXPECT_EQ(file.kernels[0].name, file.name);
    EXPECT_TRUE(std::filesystem::exists(file.specification));
    const std::string text = read_file(file.cuda);
    for (std::size_t i = 0; i < file.kernels.size(); ++i) {
      const CorpusKernel& kernel = file.kernels[i];
      EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name << " is there twice";
      EXPECT_NE(text.find(kernel.name, text.rfind("// expect ")), std::string::npos) << kernel.name;
      ASSERT_FALSE(kernel.levels.empty()) << kernel.name;
      for (const auto& [level, expected] : kernel.levels) {
        const std::string& v = expected.verdict;
        EXPECT_TRUE(v == "proved" || v == "refuted" || v == "unrun") << v;
        EXPECT_EQ(expected.kinds.empty(), v == "proved") << kernel.name;
        EXPECT_EQ(v == "refuted", i > 0 && v != "unrun") << kernel.name << " at level " << level;
      }
    }
  }
}

TEST(KernelCorpus, IsListedInItsTable) {
  EXPECT_TRUE(read_file(corpus + "/README.md") == table())
      << "corpus/kernels/README.md is not the table of the files; run kernel_corpus_table_test --write";
}

}  // namespace
}  // namespace hallmark

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--write") {
    std::ofstream(hallmark::corpus + "/README.md") << hallmark::table();
    return 0;
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
