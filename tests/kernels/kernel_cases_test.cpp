// Faults of real kernels, as a user asks about them: `hallmark kernel check FILE --kernel NAME --spec SPEC`.
// The files are those of the shared folder; the specifications stand beside this test.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "base/files.h"
#include "base/json.h"
#include "base/process.h"

namespace hallmark {
namespace {

namespace fs = std::filesystem;

std::string shared_folder() {
  const char* given = std::getenv("HALLMARK_SHARED");
  return given != nullptr ? given : HALLMARK_SOURCE_DIR "/../shared";
}

struct Verdicts {
  int exit_code = -1;
  std::map<std::string, std::set<std::string>> states;  // kind -> states of its obligations
  std::string text;
};

Verdicts check(const std::string& file, const std::string& kernel, const std::string& spec,
               const std::string& level) {
  ProcessLimits limits;
  limits.wall = std::chrono::minutes(5);
  limits.memory_bytes = 0;
  const ProcessResult result =
      run_process({HALLMARK_PROGRAM, "--format", "json", "kernel", "check",
                   file.starts_with('/') ? file : shared_folder() + "/cases/kernels/" + file, "--kernel",
                   kernel, "--spec", HALLMARK_SOURCE_DIR "/tests/kernels/specs/" + spec, "--level", level},
                  {}, limits);
  Verdicts out;
  out.exit_code = result.code;
  out.text = result.out + result.err;
  if (result.out.empty()) return out;
  const json::value report = parse_json(result.out, kernel);
  for (const json::value& o : report.at("obligations").as_array()) {
    out.states[std::string(o.at("kind").as_string())].insert(std::string(o.at("state").as_string()));
    // A refutation is an execution.
    if (o.at("state").as_string() == "refuted") {
      EXPECT_FALSE(o.at("witness").is_null()) << kernel;
    }
  }
  return out;
}

class SharedKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(shared_folder() + "/cases/kernels"))
      GTEST_SKIP() << "no shared kernels at " << shared_folder();
    if (!find_tool("clang++-14")) GTEST_SKIP() << "clang++-14 is not installed";
  }

  static void expect_refuted(const Verdicts& v, const std::set<std::string>& kinds) {
    EXPECT_EQ(v.exit_code, 1) << v.text;
    for (const auto& [kind, states] : v.states) {
      EXPECT_EQ(states.count("refuted") != 0, kinds.count(kind) != 0) << kind;
    }
    for (const std::string& kind : kinds) EXPECT_TRUE(v.states.count(kind) != 0) << kind;
  }

  static void expect_proved(const Verdicts& v, const std::set<std::string>& kinds) {
    for (const std::string& kind : kinds) {
      const auto found = v.states.find(kind);
      if (found == v.states.end()) continue;  // a kernel without barriers has no barrier obligation
      EXPECT_EQ(found->second, (std::set<std::string>{"proved"})) << kind;
    }
  }

  static void expect_all_proved(const Verdicts& v) {
    EXPECT_EQ(v.exit_code, 0) << v.text;
    for (const auto& [kind, states] : v.states) EXPECT_EQ(states, (std::set<std::string>{"proved"})) << kind;
    EXPECT_GT(v.states.size(), 8u);
  }
};

TEST_F(SharedKernels, RightKernelsAreProvedAtSourceLevel) {
  expect_all_proved(check("K-05-int32-row-offset.cu", "k05_ok", "K-05.hm", "source"));
  expect_all_proved(check("K-08-unmasked-tail-load.cu", "k08_ok", "K-08.hm", "source"));
  expect_all_proved(check("K-13-strided-destination.cu", "k13_ok", "K-13.hm", "source"));
  expect_all_proved(check("K-14-wrong-builtin.cu", "k14_ok", "K-14.hm", "source"));
}

TEST_F(SharedKernels, WrongKernelsAreRefutedByExecutionAtSourceLevel) {
  expect_refuted(check("K-05-int32-row-offset.cu", "k05_bad", "K-05.hm", "source"),
                 {"bounds", "overflow", "value"});
  expect_refuted(check("K-08-unmasked-tail-load.cu", "k08_bad", "K-08.hm", "source"), {"bounds"});
  expect_refuted(check("K-13-strided-destination.cu", "k13_bad", "K-13.hm", "source"),
                 {"coverage", "frame", "value"});
  expect_refuted(check("K-14-wrong-builtin.cu", "k14_bad", "K-14.hm", "source"),
                 {"race", "coverage", "value"});
  expect_refuted(check("K-01-init-race.cu", "k01_bad", "K-01.hm", "source"), {"race", "value"});
  expect_refuted(check("K-11-uninitialised-slots.cu", "k11_bad", "K-11.hm", "source"), {"init", "value"});
  expect_refuted(check("K-03-partial-warp-dropped.cu", "k03_bad", "K-03.hm", "source"), {"value"});
}

// Their sums over the integers modulo 2^32 take another order than the specification's.
TEST_F(SharedKernels, ReductionsAreProvedAtSourceLevel) {
  expect_all_proved(check("K-01-init-race.cu", "k01_ok", "K-01.hm", "source"));
  expect_all_proved(check("K-03-partial-warp-dropped.cu", "k03_ok", "K-03.hm", "source"));
  expect_all_proved(check("K-11-uninitialised-slots.cu", "k11_ok", "K-11.hm", "source"));
}

// A load that is out of bounds for threads whose value nobody stores leaves the value right.
TEST_F(SharedKernels, AStrayLoadThatNoOutputUsesLeavesTheValueProved) {
  const Verdicts v = check("K-08-unmasked-tail-load.cu", "k08_bad", "K-08.hm", "source");
  expect_proved(v, {"value", "coverage", "race", "barrier"});
  EXPECT_EQ(v.states.at("bounds").count("refuted"), 1u);
}

// Two reads of one place outside a buffer need not agree.
TEST(Outside, WhatIsReadThereDecidesNothingTwice) {
  if (!find_tool("clang++-14")) GTEST_SKIP() << "clang++-14 is not installed";
  const Verdicts v =
      check(HALLMARK_SOURCE_DIR "/tests/kernels/outside.cu", "decides_outside", "outside.hm", "source");
  EXPECT_EQ(v.exit_code, 1) << v.text;
  EXPECT_EQ(v.states.at("bounds").count("refuted"), 1u);
  EXPECT_EQ(v.states.at("value").count("proved"), 0u);
  const Verdicts twice = check(HALLMARK_SOURCE_DIR "/tests/kernels/outside.cu", "compares_outside",
                               "outside_compare.hm", "source");
  EXPECT_EQ(twice.exit_code, 1) << twice.text;
  EXPECT_EQ(twice.states.at("value").count("proved"), 0u) << twice.text;
}

// A thread that has left counts as arrived; one that waits elsewhere, or may, has not left.
TEST(Departures, OnlyThreadsThatMeetNoBarrierHaveLeft) {
  if (!find_tool("clang++-14")) GTEST_SKIP() << "clang++-14 is not installed";
  const std::string file = HALLMARK_SOURCE_DIR "/tests/kernels/departures.cu";
  const Verdicts left = check(file, "leaves_early", "departures_leaves_early.hm", "source");
  EXPECT_EQ(left.exit_code, 0) << left.text;
  for (const auto& [kind, states] : left.states) EXPECT_EQ(states, (std::set<std::string>{"proved"})) << kind;
  const Verdicts waits = check(file, "waits_elsewhere", "departures_waits_elsewhere.hm", "source");
  EXPECT_EQ(waits.exit_code, 1) << waits.text;
  EXPECT_EQ(waits.states.at("barrier").count("proved"), 0u);
  EXPECT_EQ(waits.states.at("barrier").count("refuted"), 1u);
  const Verdicts may = check(file, "may_wait_elsewhere", "departures_may_wait_elsewhere.hm", "source");
  EXPECT_NE(may.exit_code, 0) << may.text;
  EXPECT_EQ(may.states.at("barrier").count("proved"), 0u);
  const Verdicts writes = check(file, "leaves_after_writing", "departures_leaves_after_writing.hm", "source");
  EXPECT_EQ(writes.exit_code, 1) << writes.text;
  EXPECT_EQ(writes.states.at("race"), (std::set<std::string>{"refuted"}));
  EXPECT_EQ(writes.states.at("value").count("proved"), 0u);
  // Under the strict rule nobody may leave.
  const Verdicts strict = check(file, "leaves_early", "departures_strict.hm", "source");
  EXPECT_EQ(strict.exit_code, 1) << strict.text;
  EXPECT_EQ(strict.states.at("barrier").count("refuted"), 1u);
}

// Buffers declared flat: their sizes' factors are the strides.
TEST(FlatBuffers, ATiledProductOverThemIsProvedAndItsRaceRefuted) {
  if (!find_tool("clang++-14")) GTEST_SKIP() << "clang++-14 is not installed";
  const std::string file = HALLMARK_SOURCE_DIR "/tests/kernels/flat.cu";
  const Verdicts right = check(file, "tiled", "flat_tiled.hm", "source");
  EXPECT_EQ(right.exit_code, 0) << right.text;
  for (const auto& [kind, states] : right.states)
    EXPECT_EQ(states, (std::set<std::string>{"proved"})) << kind;
  const Verdicts wrong =
      check(file, "tiled_without_second_barrier", "flat_tiled_without_second_barrier.hm", "source");
  EXPECT_EQ(wrong.exit_code, 1) << wrong.text;
  EXPECT_EQ(wrong.states.at("race").count("refuted"), 1u);
  const Verdicts stray = check(file, "tiled_one_row_too_many", "flat_tiled_one_row_too_many.hm", "source");
  EXPECT_EQ(stray.exit_code, 1) << stray.text;
  EXPECT_EQ(stray.states.at("bounds").count("refuted"), 1u);
}

// Sizes that a specification fixes: some blocks of a large launch are executed, and a fault of theirs is one.
TEST(FixedSizes, FaultsOfLargeLaunchesAreExecuted) {
  if (!find_tool("clang++-14")) GTEST_SKIP() << "clang++-14 is not installed";
  const std::string file = HALLMARK_SOURCE_DIR "/tests/kernels/fixed_sizes.cu";
  for (const auto& [kernel, spec] : std::vector<std::pair<std::string, std::string>>{
           {"affine", "fixed_affine.hm"}, {"scale_rows", "fixed_scale_rows.hm"}}) {
    const Verdicts right = check(file, kernel, spec, "source");
    EXPECT_EQ(right.exit_code, 0) << right.text;
  }
  const std::vector<std::array<std::string, 3>> faulty = {
      {"affine_sign", "fixed_affine.hm", "value"},
      {"affine_guard", "fixed_affine.hm", "bounds"},
      {"affine_last", "fixed_affine.hm", "coverage"},
      {"scale_rows_by_columns", "fixed_scale_rows.hm", "value"},
      {"scale_rows_pitch", "fixed_scale_rows.hm", "race"},
  };
  for (const auto& [kernel, spec, kind] : faulty) {
    const Verdicts wrong = check(file, kernel, spec, "source");
    EXPECT_EQ(wrong.exit_code, 1) << wrong.text;
    EXPECT_EQ(wrong.states.at(kind).count("refuted"), 1u) << kernel << ' ' << kind;
  }
  const Verdicts gathered = check(file, "count_positive", "fixed_count.hm", "source");
  EXPECT_NE(gathered.exit_code, 1) << gathered.text;
}

// Reads of a buffer that the kernel writes: what it held before the launch only where no store came first.
TEST(InPlace, AReadSeesTheOldContentOnlyWhereNothingWasWritten) {
  if (!find_tool("clang++-14")) GTEST_SKIP() << "clang++-14 is not installed";
  const std::string file = HALLMARK_SOURCE_DIR "/tests/kernels/in_place.cu";
  for (const std::string right : {"chunk", "chunk_next", "rownorm", "grid_stride"}) {
    const Verdicts v = check(file, right, "in_place_" + right + ".hm", "source");
    EXPECT_EQ(v.exit_code, 0) << v.text;
    for (const auto& [kind, states] : v.states)
      EXPECT_EQ(states, (std::set<std::string>{"proved"})) << right << ' ' << kind;
  }
  // An earlier iteration, another thread before a barrier, an earlier statement.
  for (const std::string wrong : {"prefix", "chunk_previous", "while_back", "exchange", "twice"}) {
    const Verdicts v = check(file, wrong, "in_place_" + wrong + ".hm", "source");
    EXPECT_EQ(v.exit_code, 1) << v.text;
    EXPECT_EQ(v.states.at("value"), (std::set<std::string>{"refuted"})) << wrong;
  }
}

// A sum over differences from another sum, both by a tree.
TEST(LayerNorm, TheVarianceIsProvedOverTheRealsAndWrongOnesAreRefuted) {
  if (!find_tool("clang++-14")) GTEST_SKIP() << "clang++-14 is not installed";
  const std::string file = HALLMARK_SOURCE_DIR "/tests/kernels/layer_norm.cu";
  const Verdicts right = check(file, "layer_norm", "layer_norm.hm", "source");
  EXPECT_EQ(right.exit_code, 0) << right.text;
  for (const auto& [kind, states] : right.states)
    EXPECT_EQ(states, (std::set<std::string>{"proved"})) << kind;
  for (const std::string wrong : {"layer_norm_wrong_count", "layer_norm_half_the_lanes"}) {
    const Verdicts v = check(file, wrong, wrong + ".hm", "source");
    EXPECT_EQ(v.states.at("value"), (std::set<std::string>{"refuted"})) << v.text;
  }
}

// One line of the batch is a kernel with a fault, one is safe under a precondition, one does not exist: each
// is answered, and the worst of them is the exit code.
TEST(Batch, EveryPairIsAnswered) {
  if (!find_tool("clang++-14")) GTEST_SKIP() << "clang++-14 is not installed";
  ProcessLimits limits;
  limits.wall = std::chrono::minutes(5);
  limits.memory_bytes = 0;
  const ProcessResult result =
      run_process({HALLMARK_PROGRAM, "--format", "json", "kernel", "check", "--level", "source", "--batch",
                   HALLMARK_SOURCE_DIR "/tests/kernels/batch_pairs.txt"},
                  {}, limits);
  EXPECT_EQ(result.code, 1) << result.err;
  const json::value reports = parse_json(result.out, "batch");
  ASSERT_EQ(reports.as_array().size(), 3u);
  bool hinted = false;
  for (const json::value& o : reports.as_array()[0].at("obligations").as_array())
    if (o.at("state").as_string() == "refuted")
      hinted = hinted || std::string(o.at("detail").as_string()).find("hint: ") != std::string::npos;
  EXPECT_TRUE(hinted);
  for (const json::value& o : reports.as_array()[1].at("obligations").as_array())
    EXPECT_NE(o.at("state").as_string(), "refuted") << o.at("id").as_string().c_str();
  EXPECT_TRUE(reports.as_array()[2].as_object().contains("error"));
}

// nvcc sinks the stray load of K-08 below the guard: the PTX has not the fault of the text.
TEST_F(SharedKernels, VerdictsAtPtxLevelAreThoseOfThePtx) {
  if (!find_tool("nvcc") && !find_tool("/usr/local/cuda/bin/nvcc")) GTEST_SKIP() << "nvcc is not installed";
  expect_all_proved(check("K-08-unmasked-tail-load.cu", "k08_bad", "K-08.hm", "ptx"));
  expect_all_proved(check("K-05-int32-row-offset.cu", "k05_ok", "K-05.hm", "ptx"));
  expect_all_proved(check("K-11-uninitialised-slots.cu", "k11_ok", "K-11.hm", "ptx"));
  // Loops that nvcc unrolled by 4, with a remainder before or after.
  expect_all_proved(check("K-01-init-race.cu", "k01_ok", "K-01.hm", "ptx"));
  expect_all_proved(check("K-03-partial-warp-dropped.cu", "k03_ok", "K-03.hm", "ptx"));
  expect_all_proved(check("K-14-wrong-builtin.cu", "k14_ok", "K-14.hm", "ptx"));
  expect_refuted(check("K-01-init-race.cu", "k01_bad", "K-01.hm", "ptx"), {"race", "value"});
  expect_refuted(check("K-03-partial-warp-dropped.cu", "k03_bad", "K-03.hm", "ptx"), {"value"});
  expect_refuted(check("K-11-uninitialised-slots.cu", "k11_bad", "K-11.hm", "ptx"), {"init", "value"});
  expect_refuted(check("K-05-int32-row-offset.cu", "k05_bad", "K-05.hm", "ptx"), {"bounds", "value"});
  expect_refuted(check("K-13-strided-destination.cu", "k13_bad", "K-13.hm", "ptx"),
                 {"coverage", "frame", "value"});
  expect_refuted(check("K-14-wrong-builtin.cu", "k14_bad", "K-14.hm", "ptx"), {"race", "coverage", "value"});
}

}  // namespace
}  // namespace hallmark
