// Runs an ONNX test suite by hand: suite_main FOLDER [--all]; prints the cases that are not ok and the
// counts.
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "model/suite.h"

int main(int argc, char** argv) {
  using namespace hallmark::model;
  if (argc < 2) return 2;
  const bool all = argc > 2 && std::strcmp(argv[2], "--all") == 0;
  try {
    const SuiteResult result = run_suite(argv[1], {}, [&](const CaseResult& c) {
      if (!all && c.state == CaseResult::State::ok) return;
      std::printf("%s\n", line(c).c_str());
      std::fflush(stdout);
    });
    for (const auto state : {CaseResult::State::ok, CaseResult::State::differs, CaseResult::State::refused,
                             CaseResult::State::failed})
      std::printf("%s %zu  ", std::string(name(state)).c_str(), result.count(state));
    std::printf("\n");
  } catch (const hallmark::Error& e) {
    std::fprintf(stderr, "%s\n", e.render().c_str());
    return 4;
  }
}
