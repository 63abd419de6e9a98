#include "pipeline/reproducer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "bundle/layout.h"
#include "bundle/report.h"
#include "bundle/writer.h"
#include "pipeline/kernel_program.h"
#include "pipeline/rule_program.h"
#include "pipeline/store.h"
#include "plan/derive_spec.h"
#include "runtime/resolve.h"

namespace hallmark::pipeline {
namespace {

namespace fs = std::filesystem;

std::string file_name(const std::string& name) {
  std::string out;
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return out;
}

// "c[0, 3] = ..." at the head of a summary: the tensor and its indices.
struct Place {
  std::string tensor;
  std::vector<std::uint64_t> at;
};
std::optional<Place> place_of(const std::string& summary) {
  const std::size_t open = summary.find('['), close = summary.find("] = ");
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  Place out{summary.substr(0, open), {}};
  std::string digits;
  for (const char c : summary.substr(open + 1, close - open - 1) + ",") {
    if (c >= '0' && c <= '9') digits += c;
    if (c == ',' && !digits.empty() && digits.size() < 18) out.at.push_back(std::stoull(digits));
    if (c == ',') digits.clear();
  }
  return out;
}

std::uint64_t extent_of(calculus::Term extent, const std::map<std::string, Integer>& symbols) {
  calculus::Substitution values;
  for (const auto& [name, value] : symbols) values[calculus::symbol(name)] = calculus::integer(value);
  const Integer* number = calculus::as_integer(calculus::substitute(extent, values));
  ensure(number != nullptr, "an extent of the plan is not a number once its symbols are");
  return number->get_ui();
}

HostBuffer buffer_of(const Evidence& evidence, const plan::PlannedBuffer& planned, std::uint64_t bytes) {
  HostBuffer out{planned.declaration.name, planned.declaration.format, 0, {}};
  out.elements = bytes * 8 / calculus::storage_bits(out.format);
  if (planned.role != plan::Role::constant) return out;
  for (const calculus::Constant& c : evidence.formulation.program.constants) {
    if (c.declaration.name != out.name) continue;
    const unsigned size = calculus::storage_bits(out.format) / 8;
    for (std::uint64_t i = 0; i < out.elements; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, c.data->bytes.data() + (c.data->splat ? 0 : i) * size, size);
      out.bits.push_back(bits);
    }
  }
  return out;
}

// What a rule or a step of the route says, where the obligation is about one.
std::vector<rules::Rule> rules_of(const bundle::OpenBundle& bundle, const Obligation& o) {
  const bool step = o.kind == ObligationKind::rewrite_step;
  if (o.kind != ObligationKind::rule && !step) return {};
  const Evidence evidence = restore(reader_of(bundle));
  for (const rules::RuleFamily& family : evidence.rules)
    if (!step && family.name == o.subject) return family.instances;
  for (std::size_t i = 0; i < evidence.steps.size(); ++i)
    if (step && o.subject == fmt::format("step {}: {}", i, evidence.steps[i].rule))
      return {step_rule(evidence.steps[i], evidence.authored)};
  return {};
}

std::string script(const bundle::OpenBundle& bundle, const Obligation& o, bool program) {
  std::string out = "#!/bin/sh\n# " + o.id +
                    "\n# Expected of each goal query of a refuted obligation: sat (a counterexample "
                    "exists).\ncd \"$(dirname "
                    "\"$0\")\"\n";
  for (const QueryRecord& query : o.outcome.queries) {
    out += fmt::format("echo '{} {}'\n", query.purpose, query.sha256);
    for (const char* solver : {"z3", "cvc5"})
      out +=
          fmt::format("if command -v {0} >/dev/null; then {0} queries/{1}.smt2; fi\n", solver, query.sha256);
  }
  if (program)
    out +=
        "# The launches on this processor, threads forward and in reverse:\nif command -v g++ >/dev/null; "
        "then\n  g++ -std=c++17 "
        "-O0 -g -w -ffp-contract=off -fsanitize=address reproduce.cpp -o reproduce && ./reproduce forward && "
        "./reproduce "
        "reverse\nfi\n# On a GPU:\n#   nvcc -fmad=false reproduce.cu -o reproduce.gpu && ./reproduce.gpu\n";
  return out + "# With hallmark, which derives the obligation again and executes its witness:\n# " +
         bundle::replay_command(bundle.folder, o) + "\n";
}

}  // namespace

std::optional<HostProgram> program_of(const Evidence& evidence, const Obligation& o, std::string& why_not) {
  const auto missing = [&](const std::string& why) {
    why_not = why;
    return std::nullopt;
  };
  if (!o.outcome.witness) return missing("there is no witness");
  const Witness& witness = *o.outcome.witness;
  if (witness.executed_by == "interpreter")
    for (const plan::KernelSpec& spec : plan::derive_specs(evidence.formulation.program, evidence.plan))
      for (const plan::PlannedLaunch& launch : evidence.plan.launches)
        if (launch.kernel == spec.kernel &&
            (o.subject == spec.kernel || o.subject.starts_with(spec.kernel + " ") ||
             o.subject.starts_with(spec.kernel + ":")))
          return kernel_program(spec, std::string(bundle::stage_artifact) + launch.source, o, why_not);
  std::map<std::string, std::string> bound(witness.bindings.begin(), witness.bindings.end());
  std::map<std::string, Integer> symbols;
  for (const calculus::SymbolRange& symbol : evidence.plan.symbols) {
    const auto value = bound.find(symbol.name);
    if (value == bound.end()) return missing("the witness has no value for the size " + symbol.name);
    symbols[symbol.name] = Integer(value->second, 10);
  }
  runtime::ResolvedPlan plan;
  try {
    plan = runtime::resolve(evidence.plan, symbols);
  } catch (const UserError& error) {
    return missing("the plan does not run at the sizes of the witness: " + error.message());
  }
  HostProgram out;
  out.about = o.id + "\n" + witness.summary;
  out.expected = witness.expected;
  out.actual = witness.actual;
  const auto at = place_of(witness.summary);
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const plan::PlannedBuffer& planned = evidence.plan.buffers[i];
    HostBuffer b = buffer_of(evidence, planned, plan.buffers[i].bytes);
    if (cpp_type(b.format) == nullptr)
      return missing("C++ has no type for " + std::string(calculus::name(b.format)) + " of " + b.name);
    if (planned.role == plan::Role::input) {
      const auto given = bound.find(b.name);
      const auto bits = given == bound.end() ? std::nullopt : encodings(given->second);
      if (!bits || bits->size() != b.elements)
        return missing("the witness does not hold every element of " + b.name +
                       "; --shrink looks for a smaller one");
      b.bits = *bits;
    }
    if (at && at->tensor == b.name && at->at.size() == planned.declaration.extents.size()) {
      const auto shown = encodings(witness.actual);
      if (shown && shown->size() == 1) {
        std::uint64_t flat = 0;
        for (std::size_t d = 0; d < at->at.size(); ++d) {
          flat = flat * extent_of(planned.declaration.extents[d], symbols) + at->at[d];
        }
        if (flat < b.elements) {
          out.shown_buffer = static_cast<int>(i);
          out.shown_element = flat;
          out.shown_bits = shown->front();
        }
      }
    }
    out.buffers.push_back(std::move(b));
  }
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    const runtime::ResolvedLaunch& launch = plan.launches[i];
    if (launch.skipped) continue;
    const std::string source = std::string(bundle::stage_artifact) + evidence.plan.launches[i].source;
    if (std::find(out.sources.begin(), out.sources.end(), source) == out.sources.end())
      out.sources.push_back(source);
    HostLaunch host{launch.kernel, launch.grid, launch.block, launch.dynamic_shared_bytes, {}};
    for (const runtime::ResolvedArgument& a : launch.arguments)
      host.arguments.push_back({a.is_buffer ? static_cast<int>(a.buffer) : -1, a.value});
    out.launches.push_back(std::move(host));
  }
  if (out.launches.empty()) return missing("no kernel is launched at these sizes");
  // A value outside the domain or the range of its format: what comes of it, there or in an output.
  const auto look_at = [&](const auto& wanted) {
    for (std::size_t i = 0; i < out.buffers.size(); ++i)
      if (calculus::is_float(out.buffers[i].format) && wanted(evidence.plan.buffers[i]))
        out.finite_buffers.push_back(static_cast<int>(i));
  };
  if (out.shown_buffer < 0)
    look_at([&](const plan::PlannedBuffer& b) { return b.declaration.name == o.subject; });
  if (out.shown_buffer < 0 && out.finite_buffers.empty())
    look_at([](const plan::PlannedBuffer& b) { return b.role == plan::Role::output; });
  return out;
}

void write_reproducer(const bundle::OpenBundle& bundle, const Obligation& o, const std::string& folder) {
  std::error_code ignored;
  if (fs::exists(folder) && !fs::is_empty(folder, ignored))
    throw UserError("E7405", "the folder of the reproducer is not empty", {folder});
  const auto put = [&](const std::string& path, std::string_view bytes) {
    fs::create_directories((fs::path(folder) / path).parent_path(), ignored);
    write_file(folder + "/" + path, bytes);
  };
  if (const std::vector<rules::Rule> instances = rules_of(bundle, o); !instances.empty()) {
    for (const QueryRecord& query : o.outcome.queries)
      put("queries/" + query.sha256 + ".smt2", bundle.read(bundle::query_file(query.sha256)));
    for (const auto& [path, bytes] : rule_reproducer_files(instances, o)) put(path, bytes);
    put("replay.sh", script(bundle, o, false));
    fs::permissions(folder + "/replay.sh", fs::perms::owner_exec, fs::perm_options::add, ignored);
    return;
  }
  put("statement.txt", o.id + "\n\n" + o.statement + "\n");
  for (const QueryRecord& query : o.outcome.queries)
    put("queries/" + query.sha256 + ".smt2", bundle.read(bundle::query_file(query.sha256)));
  for (const auto& [path, file] : bundle.listing.files)
    if (path.starts_with(bundle::stage_artifact) || path.starts_with(bundle::stage_model))
      put(path, bundle.read(path));
  bool has_program = false;
  std::string notes = "statement.txt   what is claimed\n";
  if (o.outcome.witness) {
    put("witness.json", bundle::witness_text(o));
    notes += "witness.json    where it is false\n";
    std::string why;
    const std::optional<HostProgram> program = program_of(restore(reader_of(bundle)), o, why);
    if (program) {
      has_program = true;
      put("reproduce.cpp", cpp_program(*program));
      put("reproduce.cu", cuda_program(*program));
      put("cuda_on_host.h", cuda_on_host_text());
      for (const HostBuffer& b : program->buffers)
        if (!b.bits.empty())
          put("tensors/" + file_name(b.name) + ".npy",
              npy_file(b.format, fmt::format("{},", b.elements), b.bits));
      notes +=
          "reproduce.cpp   the launches on a processor, thread by thread; exit 0 when the difference shows\n"
          "reproduce.cu    the same on a GPU\ntensors/        inputs and constants, flat (NumPy)\n";
    } else {
      notes += "no program: " + why + "\n";
    }
  }
  put("README.txt", notes + "replay.sh       asks stock solvers, and compiles and runs what is here\n");
  put("replay.sh", script(bundle, o, has_program));
  fs::permissions(folder + "/replay.sh", fs::perms::owner_exec, fs::perm_options::add, ignored);
}

}  // namespace hallmark::pipeline
