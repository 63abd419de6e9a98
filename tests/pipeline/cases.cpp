#include "cases.h"

#include <filesystem>

#include "base/files.h"
#include "base/process.h"

namespace hallmark::testing {

namespace fs = std::filesystem;

std::string corpus() {
  return HALLMARK_SOURCE_DIR "/corpus";
}

pipeline::RunRequest request(const std::string& model, const std::string& output) {
  pipeline::RunRequest r;
  r.model = corpus() + "/models/" + model + ".onnxtxt";
  r.context.corpus = corpus();
  r.output = output;
  return r;
}

pipeline::RunResult run_model(const std::string& model, const std::string& output) {
  return pipeline::run(request(model, output), [](const std::string&) {});
}

std::map<std::string, std::string> files_below(const std::string& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      out[fs::relative(entry.path(), folder).string()] = read_file(entry.path().string());
  return out;
}

bool nvcc_is_there() {
  return find_tool("nvcc") || find_tool("/usr/local/cuda/bin/nvcc");
}

}  // namespace hallmark::testing
