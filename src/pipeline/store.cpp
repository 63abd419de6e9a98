#include "pipeline/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/files.h"
#include "base/sha256.h"
#include "bundle/layout.h"
#include "pipeline/fit.h"

namespace hallmark::pipeline {
namespace {

using calculus::Program;

constexpr const char* contract_file = "1-model/contract.toml";
constexpr const char* program_file = "1-model/program.hm";
constexpr const char* launch_file = "4-artifact/launch.json";
constexpr const char* ptx_file = "4-artifact/kernels.ptx";
constexpr const char* compiler_file = "4-artifact/compiler.json";
constexpr const char* map_file = "4-artifact/map.json";

constexpr const char* model_paths[] = {"1-model/model.onnx", "1-model/model.onnxtxt"};
constexpr const char* withheld_file = "1-model/model.withheld.json";

struct ModelBytes {
  bool is_text = false, withheld = false;
  std::string bytes;
};

ModelBytes model_bytes(const StageReader& in) {
  ModelBytes out;
  const auto has_model = [&](const char* path) { return in.has(path); };
  if (!in.has(withheld_file)) {
    out.is_text = !has_model(model_paths[0]);
    out.bytes = in.read(model_paths[out.is_text ? 1 : 0]);
    return out;
  }
  if (std::any_of(std::begin(model_paths), std::end(model_paths), has_model))
    mismatch("a model that is withheld is there all the same");
  const json::value about = parse_json(in.read(withheld_file), withheld_file);
  const std::string path = string_of(about.at("path")), digest = string_of(about.at("sha256"));
  out.withheld = true;
  out.is_text = path == model_paths[1];
  if (!out.is_text && path != model_paths[0]) mismatch("the withheld model has a name that no model has");
  if (!in.withheld)
    throw UserError(
        "E7407", "the bundle withholds its model: give the file whose SHA-256 is " + digest + " with --model",
        {withheld_file});
  out.bytes = in.withheld();
  if (sha256_hex(out.bytes) != digest)
    throw UserError("E7407", "the given model is not the withheld one, whose SHA-256 is " + digest,
                    {withheld_file});
  return out;
}

json::value compiler_json(const Ptx& ptx) {
  json::array options;
  for (const std::string& option : ptx.options) options.push_back(text_of(option));
  return json::object{{"compiler", text_of(ptx.compiler)},
                      {"compiler_sha256", text_of(ptx.compiler_sha256)},
                      {"options", options},
                      {"reason", text_of(std::string(name(ptx.reason)))},
                      {"detail", text_of(ptx.detail)}};
}

Ptx read_compiler(const StageReader& in) {
  Ptx out;
  const json::value compiler = parse_json(in.read(compiler_file), compiler_file);
  out.compiler = string_of(compiler.at("compiler"));
  out.compiler_sha256 = string_of(compiler.at("compiler_sha256"));
  for (const json::value& option : compiler.at("options").as_array())
    out.options.push_back(string_of(option));
  const auto reason = reason_of(string_of(compiler.at("reason")));
  // What compile_to_ptx() gives, and nothing that a policy might think better of.
  if (!reason || (*reason != Reason::none && *reason != Reason::tool_missing &&
                  *reason != Reason::wall_limit && *reason != Reason::gave_up))
    mismatch("compiler.json has a reason that compiling never has");
  out.reason = *reason;
  if ((out.reason == Reason::tool_missing) != out.compiler.empty())
    mismatch("compiler.json names a compiler exactly where there was one");
  out.detail = string_of(compiler.at("detail"));
  if (out.reason == Reason::none) out.text = in.read(ptx_file);
  return out;
}

}  // namespace

Authored import_with_contract(std::string_view bytes, bool is_text, contract::Contract contract) {
  model::Options options;
  for (const auto& [name, range] : contract.dimensions)
    options.dimensions[name] = {name, range.low, range.high};
  Authored out;
  out.model_path = model_paths[is_text ? 1 : 0];
  out.model = model::import_bytes(bytes, is_text, options);
  contract::validate(contract, out.model.program, out.model.numbers);
  out.contract = contract::complete(std::move(contract), out.model.program);
  return out;
}

Files model_files(const Authored& authored, std::string_view bytes) {
  const std::string withheld = canonical_json(json::object{{"format", "hallmark-withheld/1"},
                                                           {"path", authored.model_path},
                                                           {"sha256", sha256_hex(bytes)},
                                                           {"size", bytes.size()}});
  return {{authored.withheld ? withheld_file : authored.model_path,
           authored.withheld ? withheld : std::string(bytes)},
          {program_file, calculus::text::print_program(authored.model.program)},
          {contract_file, contract::print(authored.contract)}};
}

Authored read_model(const StageReader& in) {
  const ModelBytes model = model_bytes(in);
  Authored out = import_with_contract(model.bytes, model.is_text,
                                      contract::parse(in.read(contract_file), contract_file));
  out.withheld = model.withheld;
  if (calculus::text::print_program(out.model.program) != in.read(program_file))
    mismatch("the model does not give program.hm");
  return out;
}

Lowered lower(const Selection& selection) {
  const lowering::Artifact artifact =
      selection.artifact ? *selection.artifact
                         : lowering::lower(selection.formulation.program, schedule_of(selection.fused));
  Lowered out;
  out.plan = artifact.plan;
  // In the order of the launches, as read_artifact() finds them: the PTX depends on it.
  for (plan::PlannedLaunch& launch : out.plan.launches)
    for (const lowering::KernelFile& file : artifact.kernels) {
      if (file.name != launch.source) continue;
      launch.source_sha256 = sha256_hex(file.text);
      if (std::none_of(out.cuda.begin(), out.cuda.end(), [&](const auto& f) { return f.first == file.name; }))
        out.cuda.push_back({file.name, file.text});
    }
  ensure(out.cuda.size() == artifact.kernels.size(), "a kernel that nothing launches was written");
  out.ptx.reason = Reason::tool_missing;
  out.line_map = lowering::map_to_json(artifact.map);
  return out;
}

Lowered lower_and_compile(const Selection& selection) {
  Lowered out = lower(selection);
  out.ptx = compile_to_ptx(out.cuda, {}, architecture_of(selection.context.target.compute_capability));
  if (out.ptx.reason != Reason::none) return out;
  for (plan::PlannedLaunch& launch : out.plan.launches) {
    launch.binary = "kernels.ptx";
    launch.binary_sha256 = sha256_hex(out.ptx.text);
  }
  return out;
}

Files artifact_files(const Lowered& lowered) {
  Files out;
  for (const auto& [name, text] : lowered.cuda) out["4-artifact/" + name] = text;
  out[launch_file] = canonical_json(plan::to_json(lowered.plan));
  out[map_file] = canonical_json(lowered.line_map);
  if (lowered.ptx.reason == Reason::none) out[ptx_file] = lowered.ptx.text;
  out[compiler_file] = canonical_json(compiler_json(lowered.ptx));
  return out;
}

Lowered read_artifact(const StageReader& in) {
  Lowered out;
  out.plan = plan::launch_plan_from_json(parse_json(in.read(launch_file), launch_file));
  for (const plan::PlannedLaunch& launch : out.plan.launches) {
    // Before it is used as a path.
    if (!is_source_name(launch.source)) mismatch("launch.json names the text " + launch.source);
    const std::string text = in.read("4-artifact/" + launch.source);
    if (sha256_hex(text) != launch.source_sha256)
      mismatch("launch.json names another text of " + launch.source);
    if (std::none_of(out.cuda.begin(), out.cuda.end(),
                     [&](const auto& f) { return f.first == launch.source; }))
      out.cuda.push_back({launch.source, text});
  }
  out.ptx = read_compiler(in);
  if (out.ptx.reason == Reason::none)
    for (const plan::PlannedLaunch& launch : out.plan.launches)
      if (launch.binary_sha256 != sha256_hex(out.ptx.text)) mismatch("launch.json names another PTX");
  out.line_map = parse_json(in.read(map_file), map_file);
  return out;
}

Evidence evidence_of(const Authored& authored, const Selection& selection, const Lowered& lowered) {
  check_artifact(selection.formulation.program, lowered.plan, lowered.ptx);
  Evidence e;
  e.authored = authored.model.program;
  e.contract = authored.contract;
  e.rules = selection.rules;
  e.steps = selection.steps;
  e.elected = selection.elected;
  e.formulation = selection.formulation;
  e.context = context_parts(selection.context, authored.contract);
  e.plan = lowered.plan;
  e.compute_capability = selection.context.target.compute_capability;
  e.cuda = lowered.cuda;
  e.ptx = lowered.ptx;
  return e;
}

Evidence restore(const StageReader& in) {
  return fitting([&] {
    const Authored authored = read_model(in);
    const Selection selection = read_selection(in, authored.model.program, authored.contract);
    return evidence_of(authored, selection, read_artifact(in));
  });
}

Restored restore_all(const StageReader& in) {
  return fitting([&] {
    Restored out;
    out.authored = read_model(in);
    const calculus::Program& program = out.authored.model.program;
    out.space = read_space(in, program);
    out.selection = read_selection(in, program, out.authored.contract);
    out.lowered = read_artifact(in);
    out.files = model_files(out.authored, model_bytes(in).bytes);
    for (Files& stage : std::array{space_files(out.space, program),
                                   selection_files(out.selection, program, out.authored.contract),
                                   artifact_files(out.lowered)})
      out.files.merge(stage);
    out.evidence = evidence_of(out.authored, out.selection, out.lowered);
    return out;
  });
}

StageReader reader_of(const bundle::OpenBundle& bundle, const std::string& model) {
  StageReader out{[&bundle](const std::string& path) { return bundle.read(path); },
                  [&bundle](const std::string& path) { return bundle.listing.files.contains(path); }};
  if (!model.empty()) out.withheld = [model] { return read_file(model); };
  return out;
}

std::map<std::string, std::string> roles_of(const Authored& authored) {
  return {{"model", authored.withheld ? withheld_file : authored.model_path},
          {"contract", contract_file},
          {"plan", "3-selection/formulation.hm"},
          {"selection", "3-selection/selection.json"},
          {"context", context_file},
          {"target", "3-selection/target.toml"},
          {"workload", "3-selection/workload.toml"},
          {"cost-model", "3-selection/cost-model.toml"},
          {"constraints", "3-selection/constraints.toml"},
          {"launch", launch_file}};
}

}  // namespace hallmark::pipeline
