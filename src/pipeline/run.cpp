#include "pipeline/run.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "pipeline/package.h"

namespace hallmark::pipeline {
namespace {

namespace fs = std::filesystem;

bool is_text_model(const std::string& path) {
  return fs::path(path).extension() == ".onnxtxt";
}

contract::Contract load_contract(const std::string& model, const std::optional<std::string>& path,
                                 const Say& say) {
  if (path) return contract::load(*path);
  const fs::path beside = fs::path(model).replace_extension(".contract.toml");
  if (fs::exists(beside)) {
    say("contract " + beside.string());
    return contract::load(beside.string());
  }
  say("no contract given: the default (inputs in [-1, 1]) is written out and named as an assumption");
  return {};
}

// The cheapest admitted candidate on each plane alone, and what the elected one does once, at load.
void tell_planes(const json::value& record, const Say& say) {
  for (const json::value& row : record.at("planes").as_array())
    say(fmt::format("      {} alone: {}", string_of(row.at("plane")),
                    row.at("cheapest").is_null()
                        ? "nothing admitted"
                        : string_of(row.at("cheapest")) + ", " + string_of(row.at("modelled_seconds")) +
                              " s (modelled)"));
  say(fmt::format("      a call: {} s (modelled), {} s with one kernel a definition; once, at load: {} s",
                  string_of(record.at("elected_seconds")),
                  string_of(record.at("one_kernel_a_definition_seconds")),
                  string_of(record.at("prepare_seconds"))));
}

void merge(Files& into, Files from) {
  for (auto& [path, bytes] : from) into[path] = std::move(bytes);
}

}  // namespace

RunResult run(const RunRequest& request, const Say& say) {
  Packager packager(request, say);
  const Tell tell = [&](const std::string& what) { say("      " + what); };
  say("[1/5] import " + request.model);
  Files files;
  const Authored authored = [&] {
    const std::string bytes = read_file(request.model);
    Authored out = import_with_contract(bytes, is_text_model(request.model),
                                        load_contract(request.model, request.contract, say));
    out.withheld = request.withhold_model;
    merge(files, model_files(out, bytes));
    return out;
  }();
  const calculus::Program& program = authored.model.program;
  say(fmt::format("      {} definitions, {} inputs, {} outputs", program.definitions.size(),
                  program.inputs.size(), program.outputs.size()));
  const Context context = load_context(request.context, program);
  say("[2/5] search");
  const Space space = explore(program, authored.contract, context, space_options(request.context.corpus),
                              packager.portfolio(), &packager.recall(), tell);
  merge(files, space_files(space, program));
  say("[3/5] select");
  const Selection selection = choose(program, authored.contract, space, context, tell);
  say("      elected: " + string_of(selection.record.at("elected")) + " (" +
      string_of(selection.record.at("election")) + ")");
  tell_planes(selection.record, say);
  merge(files, selection_files(selection, program, authored.contract));
  say("[4/5] lower");
  const Lowered lowered = lower_and_compile(selection);
  say(fmt::format("      {} kernels", lowered.plan.launches.size()));
  merge(files, artifact_files(lowered));
  // Read back from what is written, as an audit will: the obligations are those of the files, whatever else
  // the terms in memory would give.
  StageReader written = reader_of(files);
  written.withheld = [&request] { return read_file(request.model); };
  return packager.publish(authored, restore(written), files, origins_of_a_run(lowered));
}

void import_stage(const std::string& folder, const std::string& model,
                  const std::optional<std::string>& contract, const Say& say) {
  const std::string bytes = read_file(model);
  const Authored authored =
      import_with_contract(bytes, is_text_model(model), load_contract(model, contract, say));
  write_stage(folder, model_files(authored, bytes));
}

void search_stage(const std::string& folder, const ContextRequest& request, const Effort& effort,
                  const Say& say) {
  const Authored authored = fitting([&] { return read_model(folder_reader(folder)); });
  const Context context = load_context(request, authored.model.program);
  smt::Portfolio portfolio(portfolio_options(effort));
  const Space space = explore(authored.model.program, authored.contract, context,
                              space_options(request.corpus), portfolio, nullptr, say);
  write_stage(folder, space_files(space, authored.model.program));
}

void select_stage(const std::string& folder, const ContextRequest& request, const Say& say) {
  const StageReader in = folder_reader(folder);
  const Authored authored = fitting([&] { return read_model(in); });
  const Context context = load_context(request, authored.model.program);
  const Space space = fitting([&] { return read_space(in, authored.model.program); });
  const Selection selection = choose(authored.model.program, authored.contract, space, context, say);
  write_stage(folder, selection_files(selection, authored.model.program, authored.contract));
}

void lower_stage(const std::string& folder, const Say&) {
  const StageReader in = folder_reader(folder);
  const Selection selection = fitting([&] {
    const Authored authored = read_model(in);
    return read_selection(in, authored.model.program, authored.contract);
  });
  write_stage(folder, artifact_files(lower_and_compile(selection)));
}

RunResult package_stage(const std::string& folder, const PackageRequest& request, const Say& say) {
  if (fs::weakly_canonical(folder) == fs::weakly_canonical(request.output))
    throw UserError("E7404", "the bundle cannot be written over the stage folders it is made of", {folder});
  Packager packager(request, say);
  const StageReader in = folder_reader(folder);
  const Authored authored = fitting([&] { return read_model(in); });
  const calculus::Program& program = authored.model.program;
  const Space space = fitting([&] { return read_space(in, program); });
  const Selection selection = fitting([&] { return read_selection(in, program, authored.contract); });
  const Lowered lowered = fitting([&] { return read_artifact(in); });
  if (lowered.ptx.reason == Reason::none &&
      lowered.ptx.options != nvcc_options(architecture_of(selection.context.target.compute_capability)))
    mismatch("compiler.json has other options than `hallmark lower` gives nvcc for this target");
  // Written again from what was read: a file that no stage understands does not get into the bundle.
  Files files = model_files(authored, in.read(authored.model_path));
  merge(files, space_files(space, program));
  merge(files, selection_files(selection, program, authored.contract));
  merge(files, artifact_files(lowered));
  const std::vector<Origin> origins = find_origins(authored, space, selection, lowered, request.corpus, true);
  for (const Origin& origin : origins)
    if (!origin.differs.empty()) say("      " + text(origin));
  return packager.publish(authored, evidence_of(authored, selection, lowered), files, origins);
}

}  // namespace hallmark::pipeline
