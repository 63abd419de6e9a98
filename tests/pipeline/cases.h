// Runs of the small models of corpus/models, shared by the tests of this folder.
#pragma once
#include <map>
#include <string>

#include "pipeline/run.h"

namespace hallmark::testing {

std::string corpus();
pipeline::RunRequest request(const std::string& model, const std::string& output);
pipeline::RunResult run_model(const std::string& model, const std::string& output);
// Path below the folder -> bytes.
std::map<std::string, std::string> files_below(const std::string& folder);
bool nvcc_is_there();

}  // namespace hallmark::testing
