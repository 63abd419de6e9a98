#include "pipeline/origins.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "base/error.h"
#include "pipeline/run.h"

namespace hallmark::pipeline {
namespace {

constexpr std::size_t most_routes = 2000;
constexpr const char* of_selection = "stage-3-selection";
constexpr const char* of_artifact = "stage-4-artifact";

std::string writer_of(const std::string& setting) {
  if (setting == stage_of_candidates) return "`hallmark search`";
  if (setting == of_selection) return "`hallmark select`";
  return setting == of_artifact ? "`hallmark lower`" : "nvcc";
}

std::string first_difference(const Files& ours, const Files& theirs) {
  for (const auto& [path, bytes] : ours) {
    const auto there = theirs.find(path);
    if (there == theirs.end() || there->second != bytes) return path;
  }
  for (const auto& [path, bytes] : theirs)
    if (!ours.contains(path)) return path;
  return {};
}

// What stands in the stages is data of strangers: that a stage refuses it says that it did not write it.
Origin compared(const char* setting, const std::string& stage, const Files& theirs,
                const std::function<Files()>& ours) {
  Origin out{setting, {}, {}};
  try {
    out.differs = first_difference(ours(), theirs);
  } catch (const InternalError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    // An Error of ours, or members that are missing or of another type.
    out.differs = stage;
  }
  return out;
}

// Without what the compiler added to it.
Files texts_of(const Lowered& lowered) {
  Lowered plain = lowered;
  plain.ptx = {};
  plain.ptx.reason = Reason::tool_missing;
  for (plan::PlannedLaunch& launch : plain.plan.launches) {
    launch.binary.clear();
    launch.binary_sha256.clear();
  }
  return artifact_files(plain);
}

Origin origin_of_candidates(const Authored& authored, const Space& space, const Context& context,
                            const std::string& corpus) {
  Origin out{stage_of_candidates, {}, {}};
  if (corpus.empty()) {
    out.unknown = "there is no library of rules here";
    return out;
  }
  SpaceOptions options = space_options(corpus);
  if (recorded_library(space.record) != library_digest(options.library)) {
    out.unknown = "the library of rules here is another one";
    return out;
  }
  return compared(stage_of_candidates, "2-candidates", space_files(space, authored.model.program), [&] {
    options.known = recorded_states(space);
    smt::PortfolioOptions none;
    for (smt::SolverProgram& program : none.wanted) program.program = "/nonexistent/" + program.name;
    smt::Portfolio nobody(none);
    const Space again = explore(authored.model.program, authored.contract, context, options, nobody, nullptr,
                                [](const std::string&) {});
    return space_files(again, authored.model.program);
  });
}

Origin origin_of_ptx(const Lowered& lowered, const Context& context, bool compile) {
  Origin out{stage_of_ptx, {}, {}};
  if (!compile) {
    out.unknown = "nvcc was not asked";
    return out;
  }
  const std::string here = nvcc_version();
  const std::string architecture = architecture_of(context.target.compute_capability);
  if (here != lowered.ptx.compiler || lowered.ptx.options != nvcc_options(architecture)) {
    out.unknown = "it was made by " + lowered.ptx.compiler + ", here is " +
                  (here.empty() ? "no nvcc" : here) + " with its own options";
    return out;
  }
  if (compile_to_ptx(lowered.cuda, {}, architecture).text != lowered.ptx.text)
    out.differs = "4-artifact/kernels.ptx";
  return out;
}

}  // namespace

std::string text(const Origin& origin) {
  const std::string writer = writer_of(origin.setting);
  if (!origin.unknown.empty()) return std::string(unknown_origin) + ": " + origin.unknown;
  if (origin.differs.empty())
    return origin.setting == stage_of_ptx ? "as nvcc makes it of the kernels" : "as " + writer + " writes it";
  return fmt::format("not as {} {}: {}", writer,
                     origin.setting == stage_of_ptx ? "makes it of the kernels" : "writes it",
                     origin.differs);
}

bool may_be_unknown(const Origin& origin) {
  return origin.setting == stage_of_candidates || origin.setting == stage_of_ptx;
}

std::vector<Origin> origins_of_a_run(const Lowered& lowered) {
  std::vector<Origin> out{{stage_of_candidates, {}, {}}, {of_selection, {}, {}}, {of_artifact, {}, {}}};
  if (lowered.ptx.reason == Reason::none) out.push_back({stage_of_ptx, {}, {}});
  return out;
}

std::vector<Origin> find_origins(const Authored& authored, const Space& space, const Selection& selection,
                                 const Lowered& lowered, const std::string& corpus, bool compile) {
  const calculus::Program& program = authored.model.program;
  const auto quiet = [](const std::string&) {};
  std::vector<Origin> out{origin_of_candidates(authored, space, selection.context, corpus)};
  out.push_back(
      compared(of_selection, "3-selection", selection_files(selection, program, authored.contract), [&] {
        // One for each family of rules and a few more is what `search` writes; whoever writes more wants
        // time.
        if (space.routes.size() > most_routes) mismatch("more routes than a search finds");
        return selection_files(choose(program, authored.contract, space, selection.context, quiet), program,
                               authored.contract);
      }));
  out.push_back(
      compared(of_artifact, "4-artifact", texts_of(lowered), [&] { return texts_of(lower(selection)); }));
  if (lowered.ptx.reason == Reason::none) out.push_back(origin_of_ptx(lowered, selection.context, compile));
  return out;
}

std::map<std::string, std::string> settings_of(const std::vector<Origin>& origins) {
  std::map<std::string, std::string> out;
  for (const Origin& origin : origins) out[origin.setting] = text(origin);
  return out;
}

}  // namespace hallmark::pipeline
