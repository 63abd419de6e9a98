// Runs an external tool to its end, with a bound on time and memory. The child gets no shell, its own process
// group, and is killed with its children when the bound is reached or the caller goes away.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace hallmark {

struct ProcessResult {
  enum class End { exited, signalled, timed_out, not_started } end = End::not_started;
  int code = -1;  // exit status, or the signal's number
  std::string out, err;
  bool ok() const { return end == End::exited && code == 0; }
};

struct ProcessLimits {
  std::chrono::milliseconds wall{60'000};
  std::size_t memory_bytes = std::size_t{4} << 30;  // address space; 0 = none
};

// `argv[0]` is looked up on PATH. Never throws for what the tool does: the result says it.
ProcessResult run_process(const std::vector<std::string>& argv, const std::string& input = {},
                          const ProcessLimits& limits = {}, const std::string& working_folder = {});
// The absolute path of a tool on PATH, if there is one.
std::optional<std::string> find_tool(const std::string& name);

}  // namespace hallmark
