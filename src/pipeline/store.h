// Evidence as files of a bundle, and back: what `run` writes and `audit` derives everything from again.
#pragma once
#include "bundle/open.h"
#include "bundle/writer.h"
#include "model/import.h"
#include "pipeline/evidence.h"

namespace hallmark::pipeline {

// Files of stages 1, 3 and 4, and the roles of the receipt. `model_file` is "model.onnx" or "model.onnxtxt".
std::map<std::string, std::string> store(bundle::BundleWriter& writer, const Evidence& evidence,
                                         const std::string& model_file, std::string_view model_bytes,
                                         const json::value& line_map);

// Reads a bundle's evidence again. The model is imported anew and must give the recorded authored program.
// Throws UserError E7401 when the parts do not fit together, and what the readers of the parts throw.
Evidence restore(const bundle::OpenBundle& bundle);

// The model with the contract's dimensions put in, the contract completed and compared with it.
struct Authored {
  model::Model model;
  contract::Contract contract;
};
Authored import_with_contract(std::string_view bytes, bool is_text, contract::Contract contract);

}  // namespace hallmark::pipeline
