#include "base/process.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <thread>

#include "base/files.h"

namespace hallmark {
namespace {

using End = ProcessResult::End;
using std::chrono::milliseconds;

TEST(Process, PassesInputAndKeepsTheStreamsApart) {
  const ProcessResult result = run_process({"sh", "-c", "cat; echo oops >&2; exit 3"}, "hello");
  EXPECT_EQ(result.end, End::exited);
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.out, "hello");
  EXPECT_EQ(result.err, "oops\n");
  EXPECT_FALSE(result.ok());
}

TEST(Process, MoreInputThanAPipeHoldsDoesNotDeadlock) {
  const std::string input(3'000'000, 'x');
  const ProcessResult result = run_process({"cat"}, input);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.out, input);
}

TEST(Process, AToolThatIgnoresItsInputIsNoError) {
  EXPECT_TRUE(run_process({"true"}, std::string(3'000'000, 'x')).ok());
}

TEST(Process, AMissingToolIsNotStarted) {
  EXPECT_EQ(run_process({"no-such-tool-hallmark"}).end, End::not_started);
  EXPECT_EQ(run_process({}).end, End::not_started);
  EXPECT_FALSE(find_tool("no-such-tool-hallmark"));
  EXPECT_TRUE(find_tool("sh"));
}

TEST(Process, TheWallClockEndsTheToolAndItsChildren) {
  const TemporaryFolder folder;
  const std::string mark = folder.path() + "/alive";
  const auto begin = std::chrono::steady_clock::now();
  const ProcessResult result =
      run_process({"sh", "-c", "(sleep 0.6; echo > " + mark + ") & sleep 30"}, "", {milliseconds(200), 0});
  EXPECT_EQ(result.end, End::timed_out);
  EXPECT_FALSE(result.ok());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(5000));
  std::this_thread::sleep_for(milliseconds(800));
  EXPECT_FALSE(std::filesystem::exists(mark)) << "a child of the tool lived on";
}

TEST(Process, TheMemoryLimitHolds) {
  const std::string grow = "x=0123456789abcdef; while :; do x=$x$x; done";
  const ProcessResult result =
      run_process({"sh", "-c", grow}, "", {milliseconds(20'000), std::size_t{64} << 20});
  EXPECT_NE(result.end, End::timed_out);
  EXPECT_FALSE(result.ok());
}

TEST(Process, ASignalIsReported) {
  const ProcessResult result = run_process({"sh", "-c", "kill -SEGV $$"});
  EXPECT_EQ(result.end, End::signalled);
  EXPECT_EQ(result.code, SIGSEGV);
}

TEST(Process, ArgumentsSeeNoShell) {
  EXPECT_EQ(run_process({"printf", "%s", "$(echo x); *"}).out, "$(echo x); *");
}

}  // namespace
}  // namespace hallmark
