// Stages 1 and 4 as files, and all stages together as the evidence that obligations are derived from: what
// `run` writes, and `package` and `audit` derive everything from again.
#pragma once
#include "bundle/open.h"
#include "lowering/lower.h"
#include "model/import.h"
#include "pipeline/choose.h"
#include "pipeline/evidence.h"
#include "pipeline/space.h"
#include "pipeline/stage_files.h"

namespace hallmark::pipeline {

// The model with the contract's dimensions put in, the contract completed and compared with it.
struct Authored {
  model::Model model;
  contract::Contract contract;
  std::string model_path;  // in the bundle: "1-model/model.onnx" or "1-model/model.onnxtxt"
  // Not given away: in its place 1-model/model.withheld.json names its SHA-256, and whoever audits brings it.
  bool withheld = false;
};
Authored import_with_contract(std::string_view bytes, bool is_text, contract::Contract contract);
Files model_files(const Authored& authored, std::string_view bytes);
// Imports the model again; it must give the recorded authored program (E7401). Throws UserError E7407 when it
// is withheld and the reader has none, or another one.
Authored read_model(const StageReader& in);

// Stage 4: the texts of a formulation, compiled where nvcc exists.
struct Lowered {
  plan::LaunchPlan plan;
  std::vector<std::pair<std::string, std::string>> cuda;  // file name, text
  Ptx ptx;
  json::value line_map;
};
Lowered lower(const Selection& selection);  // compiled by nobody: tool_missing
Lowered lower_and_compile(const Selection& selection);
Files artifact_files(const Lowered& lowered);
Lowered read_artifact(const StageReader& in);

Evidence evidence_of(const Authored& authored, const Selection& selection, const Lowered& lowered);
// All of it from the files of stages 1, 3 and 4. Throws UserError E7401 when they do not fit together, and
// what the readers of the parts throw.
Evidence restore(const StageReader& in);
// The same with what it was read from: the authored model, and all files of stages 1 to 4 written again from
// what was read in them.
struct Restored {
  Authored authored;
  Space space;
  Selection selection;
  Lowered lowered;
  Evidence evidence;
  Files files;
};
Restored restore_all(const StageReader& in);
// `model` is the file of a withheld model; empty: nobody has it here.
StageReader reader_of(const bundle::OpenBundle& bundle, const std::string& model = {});

// The roles of the receipt.
std::map<std::string, std::string> roles_of(const Authored& authored);

}  // namespace hallmark::pipeline
