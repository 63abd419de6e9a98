// Makes the bundles of bundles.h with the program; says what went wrong and exits with 1 otherwise.
#include <cstdio>
#include <filesystem>

#include "base/files.h"
#include "features/bundles.h"
#include "pipeline/program.h"

int main() {
  using namespace hallmark;
  using namespace hallmark::testing;
  std::filesystem::remove_all(bundles_folder);
  std::filesystem::create_directories(bundles_folder);
  const std::string models = HALLMARK_SOURCE_DIR "/corpus/models/";
  const auto expect = [](const ProcessResult& run, int code) {
    if (run.code != code)
      std::fprintf(stderr, "exit %d instead of %d\n%s%s", run.code, code, run.out.c_str(), run.err.c_str());
    return run.code == code;
  };
  std::string contract = read_file(models + "matmul.contract.toml");
  const std::string wide = "absolute = 0.1", tight = bundles_folder + "/tight.toml";
  contract.replace(contract.find(wide), wide.size(), "absolute = 1e-12");
  write_file(tight, contract);
  return expect(start({"keygen", signing_key}), 0) &&
                 expect(start({"run", models + "relu.onnxtxt", "-o", proved_bundle, "--key",
                               signing_key + ".key"}),
                        0) &&
                 expect(start({"run", models + "matmul.onnxtxt", "--contract", tight, "-o", refuted_bundle}),
                        1)
             ? 0
             : 1;
}
