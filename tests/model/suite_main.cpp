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
    using State = CaseResult::State;
    std::printf("ok %zu  differs %zu  refused %zu  invalid %zu\n", result.count(State::ok),
                result.count(State::differs), result.count(State::refused), result.count(State::failed));
  } catch (const hallmark::Error& e) {
    std::fprintf(stderr, "%s\n", e.render().c_str());
    return 4;
  }
}
