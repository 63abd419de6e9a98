// How long the library of rules takes: cold on one thread (what a rule costs with both solvers), cold on all
// cores, and warm from the cache of verdicts. Prints the tables and wall times.
//     rules_bench [PATH...]
#include <fmt/format.h>

#include <chrono>

#include "base/files.h"
#include "pipeline/rule_run.h"

int main(int argc, char** argv) {
  using namespace hallmark;
  std::vector<std::string> paths(argv + 1, argv + argc);
  if (paths.empty()) paths.push_back(HALLMARK_SOURCE_DIR "/corpus/rules");
  const TemporaryFolder folder;
  const auto run = [&](const char* what, unsigned jobs, const std::string& cache) {
    const auto start = std::chrono::steady_clock::now();
    pipeline::RuleRunOptions options;
    options.jobs = jobs;
    options.cache = cache;
    const auto verdicts = pipeline::prove_rules(rules::load_library(paths), options);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print("{}: {:.2f} s\n{}\n", what, seconds, pipeline::summary_table(verdicts));
  };
  run("cold, one thread", 1, "");
  run("cold, all cores", 0, folder.path() + "/cache");
  run("warm", 0, folder.path() + "/cache");
  return 0;
}
