// The kernels of the shared cases: both readers take all fourteen, and the interpreter commits the faults
// that their headers name. At PTX level the verdicts are those of nvcc's text (K-08's load sinks below the
// guard).
#include <map>

#include "support.h"
#include "validator/llvm/source_reader.h"

namespace hallmark::validator::test {
namespace {

using interpreter::Argument;
using interpreter::Buffer;
using interpreter::Request;
using interpreter::Result;
using interpreter::Schedule;
using K = ObligationKind;

struct Level {
  const char* name;
  const ir::Module& (*read)(const std::string& file);
};

const ir::Module& read_ptx_level(const std::string& file) {
  static std::map<std::string, ir::Module> modules;
  const auto known = modules.find(file);
  if (known != modules.end()) return known->second;
  const std::string path = shared_folder() + "/cases/kernels/" + file;
  return modules.emplace(file, ptx::read_ptx(compile_to_ptx(*find_nvcc(), path), file)).first->second;
}

const ir::Module& read_source_level(const std::string& file) {
  static std::map<std::string, source::SourceModule> modules;
  const auto known = modules.find(file);
  if (known != modules.end()) return known->second.module;
  const std::string path = shared_folder() + "/cases/kernels/" + file;
  return modules.emplace(file, source::read_cuda(path)).first->second.module;
}

class SharedKernels : public ::testing::TestWithParam<Level> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(shared_folder() + "/cases/kernels"))
      GTEST_SKIP() << "the shared folder with cases/kernels is not there";
    if (at_ptx() && !find_nvcc()) GTEST_SKIP() << "nvcc is not installed";
    if (!at_ptx() && !source::clang_is_there({})) GTEST_SKIP() << "clang++-14 is not installed";
  }
  static bool at_ptx() { return GetParam().name == std::string("ptx"); }
  static Result run(const std::string& file, const std::string& kernel, Request request,
                    Schedule schedule = Schedule::forward, std::uint64_t seed = 0) {
    request.schedule = schedule;
    request.seed = seed;
    return interpreter::launch(ir::find_kernel(GetParam().read(file), kernel), request);
  }
};

Request one_block(std::uint32_t threads, std::vector<Buffer> buffers, std::vector<Argument> arguments) {
  Request r;
  r.block = {threads, 1, 1};
  r.buffers = std::move(buffers);
  r.arguments = std::move(arguments);
  return r;
}

TEST_P(SharedKernels, K01RaceOnSlotOne) {
  const Request request = one_block(64, {input("x", std::vector<std::uint32_t>(64, 1)), output("y", 1)},
                                    {Argument::pointer(0), Argument::pointer(1), Argument::scalar(64, 4)});
  const std::string file = "K-01-init-race.cu";
  const Result forward = run(file, "k01_bad", request);
  EXPECT_EQ(kinds(forward), std::vector{K::race}) << faults_text(forward);
  EXPECT_EQ(word(forward, 1, 0), 64u);
  const Result reversed = run(file, "k01_bad", request, Schedule::reverse_warps);
  EXPECT_EQ(word(reversed, 1, 0), 32u);  // thread 1 clears the slot last
  ASSERT_NE(reversed.find(K::race), nullptr);
  const interpreter::Fault& race = *reversed.find(K::race);
  EXPECT_EQ(race.offset.value() / 4, 1);
  EXPECT_EQ(race.thread.thread[0], 1u);
  EXPECT_EQ(race.other.value().thread[0], 32u);
  for (Schedule s :
       {Schedule::forward, Schedule::reverse_threads, Schedule::reverse_warps, Schedule::random}) {
    const Result ok = run(file, "k01_ok", request, s, 7);
    EXPECT_TRUE(ok.faults.empty()) << faults_text(ok);
    EXPECT_EQ(word(ok, 1, 0), 64u);
  }
}

TEST_P(SharedKernels, K03DropsThePartialWarp) {
  for (const auto& [threads, wrong] : {std::pair(48u, 32u), std::pair(20u, 0u), std::pair(64u, 64u)}) {
    const Request request =
        one_block(threads, {input("x", std::vector<std::uint32_t>(threads, 1)), output("y", 1)},
                  {Argument::pointer(0), Argument::pointer(1)});
    for (Schedule s : {Schedule::forward, Schedule::random}) {
      const Result bad = run("K-03-partial-warp-dropped.cu", "k03_bad", request, s, 3);
      EXPECT_TRUE(bad.faults.empty()) << faults_text(bad);
      EXPECT_EQ(word(bad, 1, 0), wrong);
      const Result ok = run("K-03-partial-warp-dropped.cu", "k03_ok", request, s, 3);
      EXPECT_TRUE(ok.faults.empty()) << faults_text(ok);
      EXPECT_EQ(word(ok, 1, 0), threads);
    }
  }
}

TEST_P(SharedKernels, K05WrapsAndReadsOutOfBounds) {
  const std::uint64_t rows = 262144, cols = 8960;
  for (const std::uint32_t row : {239674u, 239673u}) {
    Buffer table;
    table.name = "table";
    table.bytes = rows * cols * 4;
    table.fill = 0;
    const std::uint64_t element = std::uint64_t{row} * cols + 4608;
    table.contents[4 * element] = bytes_of(words_of({2.5f}));
    table.writable = false;
    Request request;
    request.grid = {35, 1, 1};
    request.block = {256, 1, 1};
    request.buffers = {table, input("idx", {row}), output("out", cols)};
    request.arguments = {Argument::pointer(0), Argument::pointer(1), Argument::pointer(2),
                         Argument::scalar(cols, 4)};
    const Result bad = run("K-05-int32-row-offset.cu", "k05_bad", request);
    if (row == 239674u) {
      ASSERT_NE(bad.find(K::bounds), nullptr) << faults_text(bad);
      EXPECT_EQ(bad.find(K::bounds)->offset.value(), -(std::int64_t{1} << 33));
      EXPECT_EQ(bad.find(K::bounds)->thread.block[0] * 256 + bad.find(K::bounds)->thread.thread[0], 4608u);
      EXPECT_EQ(bad.find(K::overflow) != nullptr, !at_ptx()) << faults_text(bad);
    } else {
      EXPECT_TRUE(bad.faults.empty()) << faults_text(bad);
      EXPECT_EQ(word(bad, 2, 4608), words_of({2.5f})[0]);
    }
    const Result ok = run("K-05-int32-row-offset.cu", "k05_ok", request);
    EXPECT_TRUE(ok.faults.empty()) << faults_text(ok);
    EXPECT_EQ(word(ok, 2, 4608), words_of({2.5f})[0]);
  }
}

TEST_P(SharedKernels, K08ReadsPastTheEnd) {
  const Request request = one_block(128, {input("x", words_of({-1, 2, 3, -4, 5})), output("y", 5)},
                                    {Argument::pointer(0), Argument::pointer(1), Argument::scalar(5, 4)});
  const Result bad = run("K-08-unmasked-tail-load.cu", "k08_bad", request);
  if (at_ptx()) {
    EXPECT_TRUE(bad.faults.empty()) << faults_text(bad);
  } else {
    ASSERT_EQ(kinds(bad), std::vector{K::bounds}) << faults_text(bad);
    EXPECT_EQ(bad.find(K::bounds)->thread.thread[0], 5u);
    EXPECT_EQ(bad.find(K::bounds)->offset.value(), 20);
    EXPECT_EQ(bad.find(K::bounds)->place.line, 16u);
  }
  const Result ok = run("K-08-unmasked-tail-load.cu", "k08_ok", request);
  EXPECT_TRUE(ok.faults.empty()) << faults_text(ok);
  for (const Result* r : {&bad, &ok})
    for (std::uint32_t n = 0; n < 5; ++n)
      EXPECT_EQ(word(*r, 1, n), words_of({std::vector<float>{0, 2, 3, 0, 5}[n]})[0]);
}

TEST_P(SharedKernels, K11ReadsUninitialisedSlots) {
  const Request request = one_block(64, {input("x", std::vector<std::uint32_t>(64, 3)), output("y", 1)},
                                    {Argument::pointer(0), Argument::pointer(1)});
  const Result bad = run("K-11-uninitialised-slots.cu", "k11_bad", request);
  ASSERT_EQ(kinds(bad), std::vector{K::init}) << faults_text(bad);
  EXPECT_EQ(bad.find(K::init)->thread.thread[0], 2u);
  EXPECT_EQ(bad.find(K::init)->offset.value(), 8);
  EXPECT_FALSE(bad.buffers[1]->defined(0, 4));
  const Result ok = run("K-11-uninitialised-slots.cu", "k11_ok", request, Schedule::random, 5);
  EXPECT_TRUE(ok.faults.empty()) << faults_text(ok);
  EXPECT_EQ(word(ok, 1, 0), 192u);
}

TEST_P(SharedKernels, K13IgnoresTheStride) {
  Buffer dst = output("dst", 4);
  dst.fill = 0;
  const Request request =
      one_block(128, {input("src", words_of({7, 8})), dst},
                {Argument::pointer(0), Argument::pointer(1), Argument::scalar(2, 4), Argument::scalar(3, 4)});
  for (const auto& [kernel, expected] : {std::pair("k13_bad", std::vector<float>{7, 8, 0, 0}),
                                         std::pair("k13_ok", std::vector<float>{7, 0, 0, 8})}) {
    const Result r = run("K-13-strided-destination.cu", kernel, request);
    EXPECT_TRUE(r.faults.empty()) << faults_text(r);
    for (std::uint32_t n = 0; n < 4; ++n) EXPECT_EQ(word(r, 1, n), words_of({expected[n]})[0]) << kernel << n;
    EXPECT_EQ(r.buffers[1]->written(4, 4), kernel == std::string("k13_bad"));
  }
}

TEST_P(SharedKernels, K14NeverWritesSomeRows) {
  Request request;
  request.grid = {2, 1, 1};
  request.block = {32, 2, 1};
  request.buffers = {input("x", words_of(std::vector<float>(4 * 5, 1.5f))), output("y", 4 * 5)};
  request.arguments = {Argument::pointer(0), Argument::pointer(1), Argument::scalar(4, 4),
                       Argument::scalar(5, 4)};
  const Result bad = run("K-14-wrong-builtin.cu", "k14_bad", request);
  EXPECT_EQ(kinds(bad), std::vector{K::race}) << faults_text(bad);
  for (const std::uint64_t row : {0, 1, 2, 3}) {
    EXPECT_EQ(bad.buffers[1]->written(row * 20, 20), row == 2) << row;
    EXPECT_EQ(bad.buffers[1]->touched(row * 20, 20), row == 2) << row;
  }
  const Result ok = run("K-14-wrong-builtin.cu", "k14_ok", request);
  EXPECT_TRUE(ok.faults.empty()) << faults_text(ok);
  for (std::uint32_t n = 0; n < 20; ++n) EXPECT_EQ(word(ok, 1, n), words_of({2.5f})[0]);
}

INSTANTIATE_TEST_SUITE_P(Ptx, SharedKernels, ::testing::Values(Level{"ptx", read_ptx_level}),
                         [](const auto& i) { return std::string(i.param.name); });
INSTANTIATE_TEST_SUITE_P(Source, SharedKernels, ::testing::Values(Level{"source", read_source_level}),
                         [](const auto& i) { return std::string(i.param.name); });

}  // namespace
}  // namespace hallmark::validator::test
