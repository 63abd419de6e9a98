// A run that is killed leaves nothing half-written, and the same command goes on where it was.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include "base/files.h"
#include "base/process.h"
#include "cases.h"
#include "pipeline/audit.h"

namespace hallmark {
namespace {

namespace fs = std::filesystem;

// Each of them is killed twice; the long run of this test kills 50 times.
#ifndef KILLED_RUNS
#define KILLED_RUNS 4
#endif

const std::string model = HALLMARK_SOURCE_DIR "/corpus/models/mlp.onnxtxt";

struct Ended {
  bool signalled = false;
  int code = 0;
};

// Starts the program; sends `signal` after `delay` unless it is 0. Output goes to FOLDER/log, as far as it is
// no longer than a file may be.
Ended start(const std::string& folder, std::vector<std::string> arguments, int signal,
            std::chrono::milliseconds delay, rlim_t file_bytes = RLIM_INFINITY) {
  arguments.insert(arguments.begin(), HALLMARK_PROGRAM);
  const pid_t pid = ::fork();
  if (pid == 0) {
    const int log = ::open((folder + "/log").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::dup2(log, 1);
    ::dup2(log, 2);
    if (file_bytes != RLIM_INFINITY) {
      const rlimit limit{file_bytes, file_bytes};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    std::vector<char*> argv;
    for (std::string& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  if (signal != 0) {
    std::this_thread::sleep_for(delay);
    ::kill(pid, signal);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return {WIFSIGNALED(status), WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)};
}

std::string core(const std::string& folder) {
  return read_file(folder + "/5-evidence/receipt.json");
}

struct Resume : ::testing::Test {
  TemporaryFolder top;
  std::string out = top.path() + "/out";
  std::vector<std::string> command(const std::string& to) const { return {"run", model, "-o", to}; }
  int undisturbed = 0;
  std::chrono::milliseconds whole{};
  std::string expected;

  void SetUp() override {
    const auto begin = std::chrono::steady_clock::now();
    const Ended ended = start(top.path(), command(top.path() + "/calm"), 0, {});
    whole = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    ASSERT_FALSE(ended.signalled);
    undisturbed = ended.code;
    expected = core(top.path() + "/calm");
    EXPECT_FALSE(fs::exists(top.path() + "/calm.spool"));
    EXPECT_FALSE(fs::exists(top.path() + "/calm.staging"));
  }
};

TEST_F(Resume, KilledAtRandomMomentsTheRunEndsWithTheSameCore) {
  std::mt19937 random(20240531);
  for (int i = 0; i < KILLED_RUNS; ++i) {
    const std::string folder = top.path() + "/k" + std::to_string(i);
    // Killed again and again at random moments, then left alone.
    for (int kills = 0; kills < 2; ++kills) {
      const std::chrono::milliseconds delay(random() % static_cast<unsigned>(whole.count()));
      start(top.path(), command(folder), SIGKILL, delay);
      // Either there is no bundle yet or it is whole.
      if (fs::exists(folder)) {
        EXPECT_TRUE(bundle::open_bundle(folder).findings.empty()) << folder;
      }
    }
    const Ended ended = start(top.path(), command(folder), 0, {});
    EXPECT_FALSE(ended.signalled);
    EXPECT_EQ(ended.code, undisturbed) << read_file(top.path() + "/log");
    EXPECT_EQ(core(folder), expected);
    EXPECT_FALSE(fs::exists(folder + ".spool"));
    EXPECT_FALSE(fs::exists(folder + ".staging"));
  }
}

TEST_F(Resume, VerdictsThatWereReachedAreNotAskedAgain) {
  // Stopped late in the run, when most of it is in the spool.
  start(top.path(), command(out), SIGKILL, whole * 8 / 10);
  if (fs::exists(out)) GTEST_SKIP() << "the run was over before it could be killed";
  ASSERT_TRUE(fs::exists(out + ".spool"));
  start(top.path(), command(out), 0, {});
  EXPECT_NE(read_file(top.path() + "/log").find("verdicts taken over from an earlier run"),
            std::string::npos);
  EXPECT_EQ(core(out), expected);
  EXPECT_NE(read_file(out + "/5-evidence/observations.json").find("\"resumed\""), std::string::npos);
}

TEST_F(Resume, AnInterruptedRunIs130AndSaysHowToGoOn) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const Ended ended = start(top.path(), command(out), signal, whole / 2);
    if (fs::exists(out)) GTEST_SKIP() << "the run was over before it could be interrupted";
    EXPECT_FALSE(ended.signalled);
    EXPECT_EQ(ended.code, 130);
    EXPECT_NE(read_file(top.path() + "/log").find("run the same command again to resume"), std::string::npos);
  }
}

TEST_F(Resume, AFullDiskIsAnErrorAndTheNextRunResumes) {
  // The largest file of a bundle does not fit: everything goes well until it is written. In the long run also
  // earlier ones.
  std::vector<rlim_t> limits{40'000};
  if (KILLED_RUNS > 4) limits.insert(limits.end(), {1'000, 8'000, 20'000});
  for (const rlim_t limit : limits) {
    const Ended ended = start(top.path(), command(out), 0, {}, limit);
    EXPECT_FALSE(ended.signalled);
    EXPECT_EQ(ended.code, 4) << limit << read_file(top.path() + "/log");
    EXPECT_FALSE(fs::exists(out));
    const std::string log = read_file(top.path() + "/log");
    if (log.size() < limit) {
      EXPECT_NE(log.find("E0002"), std::string::npos) << log;
    }
  }
  EXPECT_EQ(start(top.path(), command(out), 0, {}).code, undisturbed);
  EXPECT_EQ(core(out), expected);
}

// A file system with room for less than a bundle, which then gets more: needs a mount of one's own.
TEST_F(Resume, AFileSystemWithoutRoomIsAnErrorAndTheNextRunResumes) {
  const std::string mounted = top.path() + "/m";
  fs::create_directory(mounted);
  const auto in_a_mount = [&](const std::string& script) {
    ProcessLimits limits;
    limits.wall = std::chrono::minutes(5);
    limits.memory_bytes = 0;
    return run_process({"unshare", "--mount", "/bin/sh", "-c", script}, "", limits);
  };
  if (!in_a_mount("mount -t tmpfs -o size=8k tmpfs " + mounted).ok())
    GTEST_SKIP() << "no file system may be mounted here";
  std::vector<std::string> sizes{"100k"};
  if (KILLED_RUNS > 4) sizes.insert(sizes.end(), {"8k", "40k", "300k", "600k"});
  for (const std::string& size : sizes) {
    const std::string run = std::string(HALLMARK_PROGRAM) + " run " + model + " -o " + mounted + "/out";
    const ProcessResult both = in_a_mount(
        "mount -t tmpfs -o size=" + size + " tmpfs " + mounted + " || exit 77\n" + run +
        " >/dev/null; echo first $?; test -e " + mounted + "/out && echo half\nmount -o remount,size=64m " +
        mounted + "\n" + run + " >/dev/null; echo second $?\ncp " + mounted +
        "/out/5-evidence/receipt.json " + top.path() + "/again.json");
    EXPECT_EQ(both.out, "first 4\nsecond " + std::to_string(undisturbed) + "\n") << size << both.err;
    EXPECT_NE(both.err.find("No space left on device"), std::string::npos) << both.err;
    EXPECT_NE(both.err.find("verdicts taken over from an earlier run"), std::string::npos) << both.err;
    EXPECT_EQ(read_file(top.path() + "/again.json"), expected) << size;
  }
}

TEST_F(Resume, ADeadlineLeavesTheRestUnrunAndTheNextRunGoesOn) {
  std::vector<std::string> late = command(out);
  late.insert(late.end(), {"--deadline", "0.01"});
  EXPECT_EQ(start(top.path(), late, 0, {}).code, 3);
  const bundle::OpenBundle opened = bundle::open_bundle(out);
  ASSERT_TRUE(opened.receipt);
  EXPECT_TRUE(opened.findings.empty());
  EXPECT_FALSE(opened.receipt->reproducible);
  for (const Obligation& o : opened.receipt->obligations) {
    EXPECT_EQ(o.outcome.state == State::unrun,
              o.outcome.reason == Reason::interrupted || o.outcome.reason != Reason::none);
  }
  EXPECT_EQ(start(top.path(), command(out), 0, {}).code, undisturbed);
  EXPECT_EQ(core(out), expected);
}

}  // namespace
}  // namespace hallmark
